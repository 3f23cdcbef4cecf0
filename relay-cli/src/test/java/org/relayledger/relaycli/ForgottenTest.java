package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
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
  /**
   * @param sent the GUIDs that were
   */
  private void assertEverybodyIsRefusedUntilItAsksFirst(List<String> sent) {
    String ledger = stage.ledger.toString();
    String account = stage.account().toString();
    for (String guid : sent) {
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
    // Nothing that only reads says that there is nothing.
    for (List<String> command :
        List.of(
            List.of("stats"),
            List.of("list"),
            List.of("export"),
            List.of("twins"),
            List.of("show", GUIDS.get(0)),
            List.of("mode"),
            List.of("reconcile", "/dev/null"),
            List.of("backup", folder.resolve("backup.db").toString()))) {
      List<String> all = new ArrayList<>(command);
      all.addAll(1, List.of("--ledger", ledger));
      assertRefused(Stage.run(all.toArray(String[]::new)));
    }
    assertRefused(
        Ran.of(
            ResolveMain.commandLine(HostClock.system(), Steps.NONE),
            Map.of(),
            "--ledger",
            ledger,
            "--account-url",
            account,
            "-n"));
    assertThat(folder.resolve("backup.db")).doesNotExist();

    Ran mended = Stage.run("restore", "--in-place", "--ledger", ledger);

    assertThat(mended.exit()).as(mended.err()).isZero();
    for (String guid : sent) {
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

    assertEverybodyIsRefusedUntilItAsksFirst(GUIDS);
  }

  @Test
  void withALogThatWasEmptiedNothingIsSent() throws Exception {
    sendAndKill();
    Files.write(file("-wal"), new byte[0]);

    assertEverybodyIsRefusedUntilItAsksFirst(GUIDS);
  }

  @Test
  void whenTheLogGoesUnderALiveHubItStopsAndEverybodyIsRefused() throws Exception {
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      assertThat(Channel.transfer(hub.url(), GUIDS.get(0)).status()).isEqualTo(200);
      Files.delete(file("-wal"));
      Files.delete(file("-shm"));
      // The hub has it open still, but nobody else would ever see what it writes.
      assertThat(Channel.transfer(hub.url(), GUIDS.get(1)).code()).isEqualTo("E908");
      assertRefused(stage.transfer(GUIDS.get(0)));
      assertThat(hub.exit()).as(hub.err().text()).isEqualTo(10);
      assertThat(stage.received(GUIDS.get(1))).isZero();
    }

    assertEverybodyIsRefusedUntilItAsksFirst(GUIDS.subList(0, 1));
  }

  @Test
  void withAnOlderFileInItsPlaceNothingIsSent() throws Exception {
    Path old = Files.copy(stage.ledger, folder.resolve("old"));
    for (String guid : GUIDS) {
      assertThat(stage.transfer(guid)).returns(0, Ran::exit);
    }
    Files.copy(old, stage.ledger, StandardCopyOption.REPLACE_EXISTING);

    assertEverybodyIsRefusedUntilItAsksFirst(GUIDS);
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
  void anOlderFileInThePlaceOfOneWhoseLogWasLeftIsRefused() throws Exception {
    Path old = Files.copy(stage.ledger, folder.resolve("old"));
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      // So much that the log is begun anew.
      for (int i = 0; i < 400; i++) {
        assertThat(Channel.transfer(hub.url(), "before-" + i).status()).isEqualTo(200);
      }
      for (String guid : GUIDS) {
        assertThat(Channel.transfer(hub.url(), guid).status()).isEqualTo(200);
      }
      hub.kill();
    }
    Files.copy(old, stage.ledger, StandardCopyOption.REPLACE_EXISTING);

    for (int i = 0; i < 400; i += 40) {
      assertRefused(stage.transfer("before-" + i));
    }
    assertThat(stage.sandbox.received().values()).containsOnly(1);
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
