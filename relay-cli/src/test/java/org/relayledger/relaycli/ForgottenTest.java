package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Steps;
import org.relayledger.purgecli.PurgeMain;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.resolvecli.ResolveMain;

/**
 * A ledger from which something that was committed is gone: whoever would send by it is refused, as
 * it would send what was sent before.
 */
class ForgottenTest {
  private static final List<String> GUIDS =
      IntStream.range(0, 3).mapToObj(i -> "forgotten-" + i).toList();

  @TempDir Path folder;
  private Stage stage;

  @BeforeEach
  void open() throws IOException {
    stage = new Stage(folder, "1ms");
    assertThat(stage.transfer("canary")).returns(0, Ran::exit);
  }

  @AfterEach
  void close() {
    stage.close();
  }

  private Path file(String ends) {
    return Path.of(stage.ledger + ends);
  }

  /** Sends over a hub of its own, which is then killed. */
  private void sendAndKill() throws Exception {
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      for (String guid : GUIDS) {
        assertThat(Channel.transfer(hub.url(), guid).status()).isEqualTo(200);
      }
      hub.kill();
    }
    assertThat(file("-wal")).exists();
  }

  private void assertRefused(Ran ran) {
    assertThat(ran.exit()).as(ran.err()).isEqualTo(10);
    assertThat(ran.err())
        .contains("has forgotten the last", "relay restore --in-place")
        .doesNotContain("\tat ");
  }

  /** Nobody sends, and after the way out that they name each GUID is executed once all the same. */
  private void assertEverybodyIsRefusedUntilItAsksFirst() {
    String ledger = stage.ledger.toString();
    String account = stage.account().toString();
    for (String guid : GUIDS) {
      assertRefused(stage.transfer(guid));
    }
    assertRefused(stage.transfer("never-seen"));
    String[] asking = {"--ledger", ledger, "--account-url", account};
    assertRefused(
        Ran.of(ResolveMain.commandLine(HostClock.system(), Steps.NONE), Map.of(), asking));
    assertRefused(
        Ran.of(ReprocessMain.commandLine(HostClock.system(), Steps.NONE), Map.of(), asking));
    assertRefused(
        Ran.of(
            PurgeMain.commandLine(HostClock.system(), Steps.NONE),
            Map.of(),
            "--ledger",
            ledger,
            "--retention",
            "2d"));
    assertRefused(Stage.run(stage.command("serve", Stage.hub())));
    assertThat(stage.received("never-seen")).isZero();

    Ran mended = Stage.run("restore", "--in-place", "--ledger", ledger);

    assertThat(mended.exit()).as(mended.err()).isZero();
    for (String guid : GUIDS) {
      Ran again = stage.transfer(guid);
      assertThat(again.exit()).as(again.err()).isZero();
      assertThat(stage.row(guid)).returns(State.DONE, Row::state);
      assertThat(stage.executed(guid)).isEqualTo(1);
    }
    assertThat(Stage.run("restore", "--in-place", "--ledger", ledger)).returns(10, Ran::exit);
  }

  @Test
  void withoutTheLogOfASenderThatWasKilledNothingIsSent() throws Exception {
    sendAndKill();
    Files.delete(file("-wal"));
    Files.deleteIfExists(file("-shm"));

    assertEverybodyIsRefusedUntilItAsksFirst();
  }

  @Test
  void withALogThatWasEmptiedNothingIsSent() throws Exception {
    sendAndKill();
    Files.write(file("-wal"), new byte[0]);

    assertEverybodyIsRefusedUntilItAsksFirst();
  }

  @Test
  void whenTheLogGoesUnderALiveHubOthersAreRefusedAndSoIsEverybodyWhenItIsKilled()
      throws Exception {
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      assertThat(Channel.transfer(hub.url(), GUIDS.get(0)).status()).isEqualTo(200);
      Files.delete(file("-wal"));
      Files.delete(file("-shm"));
      // The hub has it open still.
      assertThat(Channel.transfer(hub.url(), GUIDS.get(1)).status()).isEqualTo(200);
      assertRefused(stage.transfer(GUIDS.get(0)));
      assertThat(Channel.transfer(hub.url(), GUIDS.get(2)).status()).isEqualTo(200);
      assertRefused(stage.transfer(GUIDS.get(2)));
      hub.kill();
    }
    Files.deleteIfExists(file("-wal"));

    assertEverybodyIsRefusedUntilItAsksFirst();
  }

  @Test
  void withAnOlderFileInItsPlaceNothingIsSent() throws Exception {
    Path old = Files.copy(stage.ledger, folder.resolve("old"));
    for (String guid : GUIDS) {
      assertThat(stage.transfer(guid)).returns(0, Ran::exit);
    }
    Files.copy(old, stage.ledger, StandardCopyOption.REPLACE_EXISTING);

    assertEverybodyIsRefusedUntilItAsksFirst();
  }

  @Test
  void anOlderFileThatIsPutInItsPlaceUnderALiveHubIsRefused() throws Exception {
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      assertThat(Channel.transfer(hub.url(), GUIDS.get(0)).status()).isEqualTo(200);
      Path old = Files.copy(stage.ledger, folder.resolve("old"));
      // Another file under the same name: what the hub has open is nobody's any more.
      Files.move(old, stage.ledger, StandardCopyOption.REPLACE_EXISTING);
      Files.deleteIfExists(file("-wal"));
      Files.deleteIfExists(file("-shm"));
      assertRefused(stage.transfer(GUIDS.get(0)));
      assertThat(stage.received(GUIDS.get(0))).isEqualTo(1);
    }
  }

  @Test
  void whatIsWholeIsNeverRefused() throws Exception {
    sendAndKill();
    Path copy = Files.createDirectory(folder.resolve("copy"));
    for (String ends : List.of("", "-wal", ".claims")) {
      Files.copy(file(ends), copy.resolve("ledger.db" + ends));
    }
    assertThat(stage.transfer(GUIDS.get(0))).returns(0, Ran::exit);
    String there = copy.resolve("ledger.db").toString();
    assertThat(stage.transfer(GUIDS.get(1), "--ledger", there)).returns(0, Ran::exit);
    for (String guid : GUIDS) {
      assertThat(stage.executed(guid)).isEqualTo(1);
    }
  }
}
