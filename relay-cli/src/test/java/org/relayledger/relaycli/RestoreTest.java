package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.purgecli.PurgeMain;
import org.relayledger.relaycli.Channel.Heard;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.resolvecli.ResolveMain;
import org.relayledger.testing.Threads;
import picocli.CommandLine;

/** Backups beside a live hub, and coming back from one. */
class RestoreTest {
  private static final String DOWN = "http://127.0.0.1:1/transfers";

  @TempDir Path folder;
  private Stage stage;
  private Path backup;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(folder);
    backup = folder.resolve("last-night.db");
  }

  @AfterEach
  void close() {
    stage.close();
  }

  private Ran relay(String command, String... more) {
    List<String> all = new ArrayList<>(List.of(command, "--ledger", stage.ledger.toString()));
    all.addAll(List.of(more));
    return Stage.run(all.toArray(String[]::new));
  }

  private void backUp() {
    Ran ran = relay("backup", backup.toString());
    assertThat(ran.exit()).as(ran.err()).isZero();
  }

  private Ran restore() {
    return relay("restore", backup.toString());
  }

  private Ran tool(CommandLine tool, Path ledger, String... more) {
    List<String> all = new ArrayList<>(List.of("--ledger", ledger.toString()));
    all.addAll(List.of(more));
    return Ran.of(tool, Map.of(), all.toArray(String[]::new));
  }

  private Ran reprocess(Path ledger) {
    return tool(
        ReprocessMain.commandLine(HostClock.system(), Steps.NONE),
        ledger,
        "--account-url",
        stage.account().toString());
  }

  private Settings settings() {
    try (LedgerView view = LedgerView.open(stage.ledger.toString())) {
      return view.settings();
    }
  }

  @Test
  void aBackupBesideALiveHubIsWholeMarkedAndOnlyRead() throws Exception {
    try (Serving hub = stage.serve()) {
      assertThat(Channel.transfer(hub.url(), "ok").code()).isEqualTo("0000");
      assertThat(Channel.transfer(hub.url(), "drop-1").code()).isEqualTo("E901");
      CompletableFuture<Heard> held = Channel.begin(hub.url(), "held-1");
      stage.sandbox.awaitReceived("held-1", 1, Stage.PATIENCE);

      Ran ran = relay("backup", backup.toString());

      assertThat(ran).returns(0, Ran::exit).returns("", Ran::out);
      assertThat(ran.err()).contains("has 3 GUIDs and is checked");
      stage.sandbox.release("held-1");
      assertThat(held.join().status()).isEqualTo(200);
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(backup)))
        .isEqualTo("rw-------");
    assertThat(Stage.run("list", "--ledger", backup.toString()).columns())
        .contains("ok  DONE", "drop-1  UNKNOWN", "held-1  SENT");
    assertThat(Stage.run("show", "--ledger", backup.toString(), "ok")).returns(0, Ran::exit);
    List<Ran> refused =
        List.of(
            stage.transfer("new", "--ledger", backup.toString()),
            reprocess(backup),
            tool(
                ResolveMain.commandLine(HostClock.system(), Steps.NONE),
                backup,
                "--account-url",
                stage.account().toString()),
            tool(
                PurgeMain.commandLine(HostClock.system(), Steps.NONE),
                backup,
                "--retention",
                "90d"),
            Stage.run("mode", "--ledger", backup.toString(), "normal", "--reason", "why"));
    for (Ran each : refused) {
      assertThat(each).returns(10, Ran::exit);
      assertThat(each.err()).contains("is a backup of 20", "relay restore");
    }
    assertThat(relay("backup", backup.toString())).returns(2, Ran::exit);
    assertThat(Stage.run("backup", "--ledger", folder + "/none", folder + "/b2"))
        .returns(10, Ran::exit);
  }

  @Test
  void aRestoredLedgerAsksFirstHasItsOwnIdentityAndKeepsWhatItReplaced() throws Exception {
    assertThat(stage.transfer("old")).returns(0, Ran::exit);
    backUp();
    assertThat(stage.transfer("new")).returns(0, Ran::exit);
    String id = settings().id();
    Ran ran = restore();
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.err()).contains("asks first").hasLineCount(1);
    assertThat(settings())
        .returns(Settings.Mode.ASK_FIRST, Settings::mode)
        .satisfies(now -> assertThat(now.id()).isNotEqualTo(id))
        .satisfies(now -> assertThat(now.asksSince()).isNotNull());
    assertThat(relay("mode").out()).contains("ask-first", "restored from the backup of 20");
    assertThat(stage.row("new")).isNull();
    Path kept;
    try (Stream<Path> files = Files.list(folder)) {
      kept = files.filter(file -> file.toString().contains(".replaced-")).findFirst().orElseThrow();
    }
    assertThat(Stage.run("list", "--ledger", kept.toString()).columns()).contains("new  DONE");
    assertThat(stage.transfer("new", "--ledger", kept.toString())).returns(10, Ran::exit);
    // What it has forgotten is found; what it knows is replayed.
    assertThat(stage.transfer("old").err()).contains("replayed");
    assertThat(stage.transfer("new").err()).contains("replayed");
    assertThat(stage.sandbox.received()).isEqualTo(Map.of("old", 1, "new", 1));
  }

  @Test
  void rowsThatWereSentAfterTheBackupAreNotSentAgainWhoeverTries() throws Exception {
    List<String> guids = Stream.iterate(0, i -> i + 1).limit(8).map(i -> "f" + i).toList();
    assertThat(stage.transfer("canary")).returns(0, Ran::exit);
    for (String guid : guids) {
      assertThat(stage.transfer(guid, "--account-url", DOWN)).returns(4, Ran::exit);
    }
    backUp();
    assertThat(reprocess(stage.ledger)).returns(0, Ran::exit);
    assertThat(restore()).returns(0, Ran::exit);
    List<CompletableFuture<?>> all = new ArrayList<>();
    try (Serving hub = stage.serve()) {
      guids.forEach(guid -> all.add(Channel.begin(hub.url(), guid)));
      all.add(Threads.supply(() -> reprocess(stage.ledger)));
      all.forEach(CompletableFuture::join);
    }
    for (String guid : guids) {
      assertThat(stage.row(guid)).as(guid).returns(State.DONE, Row::state);
      assertThat(stage.received(guid)).as(guid).isEqualTo(1);
    }
  }

  @Test
  void whatIsStillUnderWayWhenItIsRestoredIsNotSentAgain() throws Exception {
    assertThat(stage.transfer("canary")).returns(0, Ran::exit);
    backUp();
    assertThat(stage.transfer("slow:2s-queued", "--timeout", "200ms")).returns(5, Ran::exit);
    assertThat(restore()).returns(0, Ran::exit);
    Ran again = stage.transfer("slow:2s-queued", "--timeout", "5s");
    assertThat(again).returns(5, Ran::exit);
    assertThat(stage.received("slow:2s-queued")).isEqualTo(1);
    stage.sandbox.awaitExecuted("slow:2s-queued", 1, Stage.PATIENCE);
    Ran resolved =
        tool(
            ResolveMain.commandLine(new Later(Duration.ofMinutes(4)), Steps.NONE),
            stage.ledger,
            "--account-url",
            stage.account().toString());
    assertThat(resolved.exit()).as(resolved.err()).isZero();
    assertThat(stage.transfer("slow:2s-queued")).returns(0, Ran::exit);
    assertThat(stage.executed("slow:2s-queued")).isEqualTo(1);
  }

  @Test
  void underARunningHubItIsRefusedAndTheHubIsNamed() throws Exception {
    assertThat(stage.transfer("old")).returns(0, Ran::exit);
    backUp();
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      assertThat(Channel.transfer(hub.url(), "new").code()).isEqualTo("0000");
      Ran ran = restore();
      assertThat(ran).returns(11, Ran::exit);
      assertThat(ran.err()).contains("the ledger is in use, pid " + hub.pid() + ", started 20");
      assertThat(Channel.transfer(hub.url(), "newer").code()).isEqualTo("0000");
      hub.kill();
    }
    try (Serving here = stage.serve()) {
      assertThat(restore()).returns(11, Ran::exit);
      assertThat(Channel.transfer(here.url(), "newest").code()).isEqualTo("0000");
    }
    assertThat(restore()).returns(0, Ran::exit);
  }

  @ParameterizedTest
  @EnumSource(from = "BACKUP_WRITTEN", to = "BACKUP_VERIFIED")
  void aBackupThatIsKilledHasNoName(Step step) throws Exception {
    assertThat(stage.transfer("old")).returns(0, Ran::exit);
    String[] command = {"backup", "--ledger", stage.ledger.toString(), backup.toString()};
    try (Child child = Child.startPausing(step, command)) {
      child.awaitPause(step, "ledger");
      child.kill();
    }
    assertThat(backup).doesNotExist();
    Ran again = relay("backup", backup.toString());
    assertThat(again).returns(10, Ran::exit);
    assertThat(again.err()).contains(backup + ".part is there already");
    Files.delete(Path.of(backup + ".part"));
    backUp();
    assertThat(stage.transfer("new")).returns(0, Ran::exit);
  }

  @ParameterizedTest
  @EnumSource(from = "RESTORE_PREPARED", to = "RESTORE_SWITCHED")
  void aRestoreThatIsKilledLeavesTheOldLedgerOrTheNewOneWhole(Step step) throws Exception {
    assertThat(stage.transfer("old")).returns(0, Ran::exit);
    backUp();
    assertThat(stage.transfer("new")).returns(0, Ran::exit);
    // A crash has left a write-ahead log: it is the old ledger's, and no other's.
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      assertThat(Channel.transfer(hub.url(), "in-the-log").code()).isEqualTo("0000");
      hub.kill();
    }
    String[] command = {"restore", "--ledger", stage.ledger.toString(), backup.toString()};
    try (Child child = Child.startPausing(step, command)) {
      child.awaitPause(step, "ledger");
      assertThat(stage.transfer("meanwhile").exit()).isEqualTo(10);
      child.kill();
    }
    boolean switched = step == Step.RESTORE_SWITCHED;
    assertThat(stage.row("old")).returns(State.DONE, Row::state);
    assertThat(stage.row("new") == null).isEqualTo(switched);
    assertThat(stage.row("in-the-log") == null).isEqualTo(switched);
    assertThat(settings().mode())
        .isEqualTo(switched ? Settings.Mode.ASK_FIRST : Settings.Mode.NORMAL);
    // It works: who sends again gets the reply, and nothing is sent twice.
    for (String guid : List.of("old", "new", "in-the-log")) {
      assertThat(stage.transfer(guid)).returns(0, Ran::exit);
      assertThat(stage.received(guid)).isEqualTo(1);
    }
    assertThat(restore()).returns(0, Ran::exit);
    assertThat(stage.row("new")).isNull();
    assertThat(stage.transfer("new")).returns(0, Ran::exit);
    assertThat(stage.received("new")).isEqualTo(1);
  }

  @Test
  void aLedgerThatLostItsClaimsFileGetsANewOneAndAsksFirst() throws IOException {
    assertThat(stage.transfer("old")).returns(0, Ran::exit);
    assertThat(relay("restore", "--in-place")).returns(10, Ran::exit);
    Path claims = Path.of(stage.ledger + ".claims");
    for (String other : new String[] {null, "relay-ledger claims 1 another-ledger\n"}) {
      Files.delete(claims);
      if (other != null) {
        Files.writeString(claims, other);
      }
      assertThat(stage.transfer("old")).returns(10, Ran::exit);
      Ran ran = relay("restore", "--in-place", "--by", "ann");
      assertThat(ran.exit()).as(ran.err()).isZero();
      assertThat(settings().mode()).isEqualTo(Settings.Mode.ASK_FIRST);
      assertThat(stage.transfer("old").err()).contains("replayed");
      assertThat(stage.received("old")).isEqualTo(1);
    }
    assertThat(relay("mode").out()).contains("ann", "its claims file was lost");
    assertThat(relay("restore")).returns(2, Ran::exit);
  }

  @Test
  void inPlaceAKillLeavesTheLedgerUnusableAsItWasAndTheNextTryMendsIt() throws Exception {
    assertThat(stage.transfer("old")).returns(0, Ran::exit);
    Files.delete(Path.of(stage.ledger + ".claims"));
    String[] command = {"restore", "--ledger", stage.ledger.toString(), "--in-place"};
    try (Child child = Child.startPausing(Step.RESTORE_SWITCHED, command)) {
      child.awaitPause(Step.RESTORE_SWITCHED, "ledger");
      child.kill();
    }
    assertThat(stage.transfer("new")).returns(10, Ran::exit);
    assertThat(relay("restore", "--in-place")).returns(0, Ran::exit);
    assertThat(settings().mode()).isEqualTo(Settings.Mode.ASK_FIRST);
    assertThat(stage.transfer("old").err()).contains("replayed");
    assertThat(stage.received("new")).isZero();
  }

  @Test
  void aLedgerWhoseCheckpointWasCutOffIsWholeTogetherWithItsLog() throws Exception {
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      for (int i = 0; i < 30; i++) {
        assertThat(Channel.transfer(hub.url(), "g" + i).code()).isEqualTo("0000");
      }
      hub.kill();
    }
    // The first page is checkpointed, with the size that the file is to have; the rest is not.
    try (RandomAccessFile file = new RandomAccessFile(stage.ledger.toFile(), "rw")) {
      file.seek(28);
      file.writeInt(10_000);
    }
    assertThat(relay("list").columns()).contains("g0  DONE", "g29  DONE");
    assertThat(stage.transfer("g7").err()).contains("replayed");
    assertThat(stage.transfer("new")).returns(0, Ran::exit);
    backUp();
    assertThat(restore()).returns(0, Ran::exit);
  }

  @Test
  void whatIsThereWithoutALedgerIsKeptAndALinkThatLeadsNowhereIsRefused() throws IOException {
    assertThat(stage.transfer("old")).returns(0, Ran::exit);
    backUp();
    Path link = Files.createSymbolicLink(folder.resolve("link.db"), folder.resolve("unmounted"));
    Ran refused = Stage.run("restore", "--ledger", link.toString(), backup.toString());
    assertThat(refused).returns(10, Ran::exit);
    assertThat(refused.err()).contains("leads nowhere; is its volume mounted?");
    Path lost = folder.resolve("lost.db");
    Files.writeString(Path.of(lost + "-wal"), "what is left of it");
    assertThat(Stage.run("restore", "--ledger", lost.toString(), backup.toString()))
        .returns(0, Ran::exit);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.filter(f -> f.toString().matches(".*lost.db.replaced-.*-wal")))
          .singleElement()
          .satisfies(kept -> assertThat(kept).hasContent("what is left of it"));
    }
  }

  @Test
  void aDamagedLedgerIsReplacedAndKept() throws IOException {
    for (int i = 0; i < 20; i++) {
      assertThat(stage.transfer("g" + i)).returns(0, Ran::exit);
    }
    backUp();
    try (RandomAccessFile file = new RandomAccessFile(stage.ledger.toFile(), "rw")) {
      for (long at = 8192; at < file.length(); at += 4096) {
        file.seek(at);
        file.write(new byte[200]);
      }
    }
    Ran ran = restore();
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.err()).contains(".replaced-");
    assertThat(stage.transfer("g7").err()).contains("replayed");
  }

  @Test
  void whereNoLedgerIsOneIsMadeAndWhatIsNoBackupIsRefused() throws IOException {
    assertThat(stage.transfer("old")).returns(0, Ran::exit);
    backUp();
    String place = folder.resolve("elsewhere.db").toString();
    assertThat(Stage.run("restore", "--ledger", place, stage.ledger.toString()))
        .returns(10, Ran::exit);
    assertThat(Stage.run("restore", "--ledger", place, folder + "/none")).returns(10, Ran::exit);
    assertThat(Path.of(place)).doesNotExist();
    assertThat(Stage.run("restore", "--ledger", place, backup.toString())).returns(0, Ran::exit);
    assertThat(stage.transfer("old", "--ledger", place).err()).contains("replayed");
    Path text = Files.writeString(folder.resolve("text"), "mine");
    assertThat(Stage.run("restore", "--ledger", text.toString(), backup.toString()))
        .returns(10, Ran::exit);
    assertThat(text).hasContent("mine");
  }
}
