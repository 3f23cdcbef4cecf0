package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.purgecli.PurgeMain;
import org.relayledger.relaycli.Channel.Heard;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.resolvecli.ResolveMain;
import org.relayledger.testing.Threads;
import picocli.CommandLine;

/** All four tools at one ledger: whatever pauses, dies or comes late, nothing is executed twice. */
class RecoveryTest {
  private static final Duration OLD_ENOUGH = Duration.ofMinutes(4);
  private static final int QUICK_ROUNDS = 2;
  private static final int ALL_ROUNDS = 30;

  @TempDir static Path folder;
  private static Stage stage;

  @BeforeAll
  static void open() throws Exception {
    stage = new Stage(folder);
    // A canary for every inquiry.
    assertThat(stage.transfer("canary")).returns(0, Ran::exit);
  }

  @AfterAll
  static void close() {
    stage.close();
  }

  private static Ran run(CommandLine tool, String... arguments) {
    List<String> all = new ArrayList<>(List.of("--ledger", stage.ledger.toString()));
    all.addAll(List.of(arguments));
    return Ran.of(tool, Map.of(), all.toArray(String[]::new));
  }

  private static Ran resolve(Duration later, String... guids) {
    return run(ResolveMain.commandLine(new Later(later), Steps.NONE), withAccount(guids));
  }

  private static Ran reprocess(String... guids) {
    return run(ReprocessMain.commandLine(HostClock.system(), Steps.NONE), atOnce(guids));
  }

  private static String[] atOnce(String... more) {
    List<String> all = new ArrayList<>(List.of("--rate", "100000/s"));
    all.addAll(List.of(withAccount(more)));
    return all.toArray(String[]::new);
  }

  private static Ran purge(Duration later) {
    return run(
        PurgeMain.commandLine(new Later(later), Steps.NONE), "--retention", "36h", "--clock-ok");
  }

  private static String[] withAccount(String... more) {
    List<String> all = new ArrayList<>(List.of("--account-url", stage.account().toString()));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  /** Lets all three tools do whatever they can, as if a day had gone by. */
  private static void everybodyTidiesUp(String guid) {
    Duration later = Duration.ofHours(23);
    assertThat(resolve(later).exit()).isZero();
    assertThat(resolve(later, guid).exit()).isEqualTo(6);
    assertThat(reprocess().exit()).isZero();
    assertThat(reprocess(guid).exit()).isEqualTo(6);
    assertThat(purge(later).exit()).isZero();
  }

  // Claim 5.

  @ParameterizedTest
  @EnumSource(names = {"CLAIM_COMMITTED", "GATE_CHECKED", "GATE_OPENED"})
  void aHubThatPausesBetweenClaimAndWriteKeepsItsRowFromAllToolsAndSendsOnce(Step step)
      throws Exception {
    String guid = "pause-" + Child.at(step);
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      CompletableFuture<Heard> heard = Channel.begin(hub.url(), guid);
      hub.awaitPause(step, guid);
      hub.signal("STOP");
      Row before = stage.row(guid);
      for (int i = 0; i < 3; i++) {
        everybodyTidiesUp(guid);
      }
      assertThat(stage.row(guid)).usingRecursiveComparison().isEqualTo(before);
      assertThat(stage.received(guid)).isZero();
      hub.signal("CONT");
      hub.in("");
      assertThat(heard.join().status()).isEqualTo(200);
    }
    assertThat(stage.row(guid)).returns(State.DONE, Row::state).returns(1, Row::attempt);
    assertThat(stage.executed(guid)).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"CLAIM_COMMITTED", "GATE_CHECKED", "GATE_OPENED"})
  void aHubThatDiesThereLeavesAnOrphanThatIsAskedAboutAndSentOnce(Step step) throws Exception {
    String guid = "die-" + Child.at(step);
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      var unused = Channel.begin(hub.url(), guid);
      hub.awaitPause(step, guid);
      hub.kill();
    }
    assertThat(stage.row(guid)).returns(State.SENT, Row::state);
    // The orphan is found now and ages from now, however long ago it was sent.
    assertThat(resolve(Duration.ofHours(9), guid).exit()).isEqualTo(5);
    assertThat(stage.row(guid)).returns(State.UNKNOWN, Row::state);
    assertThat(reprocess(guid).exit()).isEqualTo(7);
    assertThat(resolve(Duration.ofHours(9).plus(OLD_ENOUGH), guid).exit()).isZero();
    assertThat(stage.row(guid)).returns(State.FAILED, Row::state);
    assertThat(reprocess(guid).exit()).isZero();
    assertThat(stage.row(guid)).returns(State.DONE, Row::state).returns(2, Row::attempt);
    assertThat(stage.executed(guid)).isEqualTo(1);
  }

  static LongStream quickSeeds() {
    return LongStream.range(0, QUICK_ROUNDS);
  }

  static LongStream allSeeds() {
    return LongStream.range(QUICK_ROUNDS, ALL_ROUNDS);
  }

  @ParameterizedTest
  @MethodSource("quickSeeds")
  void whateverPausesAndDiesAtRandomNothingIsExecutedTwice(long seed) throws Exception {
    round(seed);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("allSeeds")
  void whateverPausesAndDiesAtRandomNothingIsExecutedTwiceAtLength(long seed) throws Exception {
    round(seed);
  }

  private static void round(long seed) throws Exception {
    Random random = new Random(seed);
    Step[] steps = {
      Step.BYTE_TAKEN,
      Step.CLAIM_COMMITTED,
      Step.GATE_CHECKED,
      Step.GATE_OPENED,
      Step.REPLY_READ,
      Step.OUTCOME_COMMITTED
    };
    Step step = steps[random.nextInt(steps.length)];
    String guid = "round-" + seed + "-" + Child.at(step);
    boolean dies = random.nextBoolean();
    Duration later = Duration.ZERO;
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      CompletableFuture<Heard> heard = Channel.begin(hub.url(), guid);
      hub.awaitPause(step, guid);
      hub.signal("STOP");
      for (int i = 0; i < 6; i++) {
        later = later.plus(anything(random, guid, later));
      }
      if (dies) {
        hub.kill();
      } else {
        hub.signal("CONT");
        hub.in("");
        assertThat(heard.join().status()).isEqualTo(200);
      }
    }
    for (int i = 0; i < 6; i++) {
      later = later.plus(anything(random, guid, later));
    }
    // Whatever is left to do is done in the end: once asked, once more when that is old enough.
    for (int i = 0; i < 3; i++) {
      later = later.plus(OLD_ENOUGH);
      var unused = resolve(later);
      unused = stage.transfer(guid);
    }
    assertThat(stage.row(guid)).as("seed %d", seed).returns(State.DONE, Row::state);
    assertThat(stage.executed(guid)).as("seed %d", seed).isEqualTo(1);
    assertThat(stage.received(guid)).as("seed %d", seed).isEqualTo(1);
  }

  /** Somebody does something; how much time has gone by then. */
  private static Duration anything(Random random, String guid, Duration later) {
    Ran ran =
        switch (random.nextInt(6)) {
          case 0 -> resolve(later);
          case 1 -> resolve(later, guid);
          case 2 -> reprocess();
          case 3 -> reprocess(guid);
          case 4 -> purge(later);
          default -> stage.transfer(guid);
        };
    assertThat(ran.exit()).as(ran.err()).isIn(0, 5, 6, 7, 8);
    return random.nextBoolean() ? OLD_ENOUGH : Duration.ZERO;
  }

  // Claim 2.

  @Test
  void whatIsExecutedAfterTheTimeOutIsFoundOnceMinAgeHasPassedAndNotAskedBefore() throws Exception {
    String guid = "slow:5s-trap";
    assertThat(stage.transfer(guid, "--timeout", "300ms")).returns(5, Ran::exit);
    assertThat(resolve(Duration.ZERO, guid)).returns(5, Ran::exit);
    assertThat(resolve(Duration.ofMinutes(2), guid)).returns(5, Ran::exit);
    assertThat(stage.row(guid)).returns(State.UNKNOWN, Row::state).returns(null, Row::askedAt);
    assertThat(stage.executed(guid)).isZero();
    stage.sandbox.awaitExecuted(guid, 1, Stage.PATIENCE);
    assertThat(resolve(OLD_ENOUGH, guid)).returns(0, Ran::exit);
    assertThat(stage.row(guid)).returns(State.DONE, Row::state);
    assertThat(stage.transfer(guid)).returns(0, Ran::exit);
    assertThat(stage.executed(guid)).isEqualTo(1);
  }

  @Test
  void whileAnExchangeIsOpenForALateReplyItsRowIsNobodyElses() throws Exception {
    try (Serving hub = stage.serve("--timeout", "200ms")) {
      assertThat(Channel.transfer(hub.url(), "held-open").code()).isEqualTo("E901");
      assertThat(stage.row("held-open")).returns(State.UNKNOWN, Row::state);
      Ran ran = resolve(Duration.ofHours(9), "held-open");
      assertThat(ran).returns(6, Ran::exit);
      assertThat(resolve(Duration.ofHours(9))).returns(0, Ran::exit);
      stage.sandbox.release("held-open");
      stage.sandbox.awaitExecuted("held-open", 1, Stage.PATIENCE);
    }
    assertThat(stage.row("held-open")).returns(State.DONE, Row::state);
    assertThat(stage.executed("held-open")).isEqualTo(1);
  }

  // Claim 6.

  @Test
  void aHubAndTwoRunsThatSendTheSameFortyGuidsExecuteEachOnce() throws Exception {
    List<String> guids = IntStream.range(0, 40).mapToObj(i -> "forty-" + i).toList();
    String down = "http://127.0.0.1:1/transfers";
    try (Serving hub = stage.serve("--account-url", down)) {
      for (String guid : guids) {
        assertThat(Channel.transfer(hub.url(), guid).code()).isEqualTo("E902");
      }
    }
    List<CompletableFuture<?>> all = new ArrayList<>();
    try (Serving hub = stage.serve()) {
      for (String guid : guids) {
        all.add(Channel.begin(hub.url(), guid));
      }
      String[] named = guids.toArray(String[]::new);
      all.add(Threads.supply(() -> reprocess()));
      all.add(Threads.supply(() -> reprocess(named)));
      all.forEach(CompletableFuture::join);
    }
    for (String guid : guids) {
      assertThat(stage.received(guid)).as(guid).isEqualTo(1);
      assertThat(stage.row(guid)).returns(State.DONE, Row::state).returns(2, Row::attempt);
    }
  }

  @Test
  void attemptsCountOverTheWholeLifeOfARowARunThatIsKilledIncluded() throws Exception {
    String guid = "life-" + Child.at(Step.CLAIM_COMMITTED);
    assertThat(stage.transfer(guid, "--account-url", "http://127.0.0.1:1/transfers"))
        .returns(4, Ran::exit);
    String[] run = {"--ledger", stage.ledger.toString(), "--max-attempts", "2"};
    List<String> arguments = new ArrayList<>(List.of("reprocess"));
    arguments.addAll(List.of(withAccount(run)));
    try (Child child = Child.start(arguments.toArray(String[]::new))) {
      child.awaitPause(Step.CLAIM_COMMITTED, guid);
      assertThat(reprocess()).returns(11, Ran::exit);
      child.kill();
    }
    assertThat(reprocess()).returns(0, Ran::exit);
    assertThat(resolve(Duration.ZERO, guid)).returns(5, Ran::exit);
    assertThat(resolve(OLD_ENOUGH, guid)).returns(0, Ran::exit);
    assertThat(stage.row(guid)).returns(State.FAILED, Row::state).returns(2, Row::attempt);
    assertThat(reprocess(guid, "--max-attempts", "2")).returns(4, Ran::exit);
    assertThat(reprocess(guid, "--max-attempts", "3")).returns(0, Ran::exit);
    assertThat(stage.executed(guid)).isEqualTo(1);
  }

  // Claim 7.

  @Test
  void purgeBesideLiveTrafficTakesOnlyWhatIsOldAndDone() throws Exception {
    List<String> guids = IntStream.range(0, 60).mapToObj(i -> "live-" + i).toList();
    assertThat(stage.transfer("old-done")).returns(0, Ran::exit);
    byte[] reply = stage.row("old-done").reply();
    assertThat(stage.transfer("drop-old")).returns(5, Ran::exit);
    try (Serving hub = stage.serve()) {
      List<CompletableFuture<Heard>> heard =
          guids.stream().map(guid -> Channel.begin(hub.url(), guid)).toList();
      // As seen from now everything is young, as seen from the day after tomorrow it is old.
      assertThat(purge(Duration.ofHours(35)).err()).contains("nothing to do");
      assertThat(Channel.transfer(hub.url(), "old-done").body()).isEqualTo(reply);
      heard.forEach(CompletableFuture::join);
      Ran ran = purge(Duration.ofHours(37));
      assertThat(ran.exit()).as(ran.err()).isZero();
      Heard late = Channel.transfer(hub.url(), "old-done");
      assertThat(late.status()).isEqualTo(410);
      assertThat(late.code()).isEqualTo("E906");
    }
    assertThat(stage.received("old-done")).isEqualTo(1);
    assertThat(stage.row("drop-old")).returns(State.UNKNOWN, Row::state);
    assertThat(stage.row("live-0")).isNull();
    assertThat(resolve(OLD_ENOUGH, "old-done")).returns(8, Ran::exit);
    assertThat(reprocess("old-done")).returns(8, Ran::exit);
    // The canary has gone, too: another one for the tests to come.
    assertThat(stage.transfer("canary-2")).returns(0, Ran::exit);
  }

  @Test
  void aDryRunOfEachToolChangesNoByteOfTheLedgerOrItsClaims(@TempDir Path own) throws Exception {
    try (Stage quiet = new Stage(own)) {
      assertThat(quiet.transfer("ok")).returns(0, Ran::exit);
      assertThat(quiet.transfer("drop-1")).returns(5, Ran::exit);
      byte[] ledger = Files.readAllBytes(quiet.ledger);
      byte[] claims = Files.readAllBytes(Path.of(quiet.ledger + ".claims"));
      String[] here = {"--ledger", quiet.ledger.toString(), "-n"};
      String[] calls = {"--account-url", quiet.account().toString()};
      Later later = new Later(Duration.ofDays(3));
      List<String> all = new ArrayList<>(List.of(here));
      assertThat(
              Ran.of(
                  PurgeMain.commandLine(later, Steps.NONE),
                  Map.of(),
                  with(all, "--retention", "2d")))
          .returns(0, Ran::exit);
      all.addAll(List.of(calls));
      assertThat(Ran.of(ResolveMain.commandLine(later, Steps.NONE), Map.of(), with(all)))
          .returns(0, Ran::exit);
      assertThat(Ran.of(ReprocessMain.commandLine(later, Steps.NONE), Map.of(), with(all)))
          .returns(0, Ran::exit);
      assertThat(Files.readAllBytes(quiet.ledger)).isEqualTo(ledger);
      assertThat(Files.readAllBytes(Path.of(quiet.ledger + ".claims"))).isEqualTo(claims);
      assertThat(quiet.sandbox.received().values()).containsOnly(1);
    }
  }

  private static String[] with(List<String> some, String... more) {
    List<String> all = new ArrayList<>(some);
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @Test
  void theChannelHearsWhatResolveHasFound() {
    assertThat(stage.transfer("drop-heard")).returns(5, Ran::exit);
    assertThat(resolve(OLD_ENOUGH, "drop-heard")).returns(0, Ran::exit);
    Ran replayed = stage.transfer("drop-heard");
    assertThat(replayed).returns(0, Ran::exit);
    assertThat(new String(replayed.stdout(), UTF_8))
        .isEqualTo("{\"code\":\"0000\",\"guid\":\"drop-heard\"}");
    assertThat(stage.received("drop-heard")).isEqualTo(1);
  }

  @Test
  void whatOthersHaveWrittenIntoTheJournalStaysOneLineAndDoesNotSteerATerminal() {
    assertThat(stage.transfer("lost-steered")).returns(5, Ran::exit);
    assertThat(
            resolve(
                Duration.ZERO,
                "lost-steered",
                "--settle",
                "failed",
                "--override",
                "--reason",
                "two\nlines \u001b[2J"))
        .returns(0, Ran::exit);
    for (String command : List.of("show", "list")) {
      List<String> arguments = new ArrayList<>(List.of(command));
      arguments.addAll(List.of("--ledger", stage.ledger.toString()));
      if (command.equals("show")) {
        arguments.add("lost-steered");
      }
      Ran ran = Stage.run(arguments.toArray(String[]::new));
      assertThat(ran.out()).contains("two\\nlines \\u001b[2J").doesNotContain("\u001b");
    }
  }
}
