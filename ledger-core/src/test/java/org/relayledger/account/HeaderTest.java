package org.relayledger.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HeaderTest {
  @TempDir private Path dir;

  private Path file(String mode, String text) throws IOException {
    Path file = Files.writeString(dir.resolve("headers"), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  @Test
  void linesOfNameAndValueAreRead() throws Exception {
    assertThat(Header.read(file("rw-------", "Authorization: Basic a:b=\r\n\nX-Bank:7\n")))
        .containsExactly(new Header("Authorization", "Basic a:b="), new Header("X-Bank", "7"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw--w----", "rw----r--", "rw------x"})
  void aFileThatOthersMayReadIsRefused(String mode) throws Exception {
    Path file = file(mode, "X-A: b\n");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Header.read(file))
        .withMessage("header file " + file + ": others may read it; set its mode to 0600");
  }

  @Test
  void aReadOnlyFileWillDo() throws Exception {
    assertThat(Header.read(file("r--------", "X-A: b"))).hasSize(1);
  }

  @Test
  void aMissingFileIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Header.read(dir.resolve("none")))
        .withMessageEndingWith("cannot be read");
  }

  @Test
  void aHugeFileIsRefused() throws Exception {
    Path file = file("rw-------", "X-A: " + "b".repeat(Header.MAX_FILE));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Header.read(file))
        .withMessageEndingWith("is too large");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-A secret",
        "X A: secret",
        ": secret",
        "X-A: secret\u0001",
        "X-Ä: secret",
        "X-A: secrét",
        "X-A:",
        " X-A: secret",
        "Host: secret",
        "content-length: secret",
        "Transfer-Encoding: secret",
        "Connection: secret",
        "Content-Type: secret",
        "IDEMPOTENCY-KEY: secret",
        "Relay-Attempt: secret",
        "Expect: secret",
        "Upgrade: secret",
        "Accept-Encoding: secret",
        "X-Ok: secret",
      })
  void aBadLineIsNamedByItsNumberAndItsValueNotShown(String line) throws Exception {
    Path file = file("rw-------", "X-Ok: 1\n" + line + "\n");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Header.read(file))
        .withMessageStartingWith("header file " + file + ", line 2: ")
        .withMessageNotContaining("secr")
        .withMessageNotContaining("\n");
  }

  @Test
  void theValueIsNotInToString() {
    assertThat(new Header("Authorization", "secret")).hasToString("Authorization: ***");
  }
}
