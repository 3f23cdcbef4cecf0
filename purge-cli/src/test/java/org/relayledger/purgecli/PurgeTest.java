package org.relayledger.purgecli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Main;
import org.relayledger.cli.Ran;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Claim;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Reply;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.ledger.Taken;
import org.relayledger.relay.Answer;
import org.relayledger.relay.Problem;
import org.relayledger.testing.Child;
import org.relayledger.testing.Scene;

class PurgeTest {
  private static final Actor CHANNEL = new Actor(Actor.Role.RELAY, "test", null);
  private static final int SIGTERM = 15;

  @TempDir Path folder;
  private Scene scene;

  @BeforeEach
  void begin() throws IOException {
    scene = new Scene(folder);
  }

  @AfterEach
  void end() {
    scene.close();
  }

  private Ran purge(String... arguments) {
    return purge(Steps.NONE, arguments);
  }

  private Ran purge(Steps steps, String... arguments) {
    return scene.run(PurgeMain.commandLine(scene.clock(), steps), arguments);
  }

  /** Makes rows DONE without an account system. */
  private void done(String prefix, int count) {
    try (Ledger ledger = scene.open()) {
      for (int i = 0; i < count; i++) {
        String guid = prefix + i;
        Taken taken = ledger.claim(Scene.request(guid), scene.url(), CHANNEL);
        try (Claim claim = ((Taken.Won) taken).claim()) {
          byte[] reply = ("{\"code\":\"0000\",\"guid\":\"" + guid + "\"}").getBytes(UTF_8);
          claim.settle(
              new Outcome.Done(new Reply(200, "application/json", reply), "0000"),
              "0000",
              "HTTP 200");
        }
      }
    }
  }

  /** Time passes, and somebody uses the ledger, so that nobody doubts its clock. */
  private void pass(Duration time) {
    scene.clock().advance(time);
    scene.fail("now-" + scene.clock().millis());
  }

  // Claim 7.

  @Test
  void onlyDoneRowsOlderThanTheRetentionGoAndATombstoneAnswersE906() {
    scene.send("ok-1");
    scene.send("code:B201-1");
    scene.send("drop-1");
    scene.fail("failed");
    pass(Duration.ofDays(90).minusHours(1));
    scene.send("ok-2");
    pass(Duration.ofHours(2));

    Ran ran = purge("--retention", "90d");

    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.err()).isEqualTo("purge: 2 purged\n");
    assertThat(scene.row("ok-1")).isNull();
    assertThat(scene.row("code:B201-1")).isNull();
    assertThat(scene.state("ok-2")).isEqualTo(State.DONE);
    assertThat(scene.state("drop-1")).isEqualTo(State.UNKNOWN);
    assertThat(scene.state("failed")).isEqualTo(State.FAILED);
    assertThat(scene.send("OK-1"))
        .isInstanceOfSatisfying(
            Answer.Refused.class, refused -> assertThat(refused.problem()).isEqualTo(Problem.E906));
    assertThat(scene.received("ok-1")).isEqualTo(1);
    assertThat(scene.received("OK-1")).isZero();
    assertThat(purge("--retention", "90d"))
        .returns("purge: nothing to do: no row is DONE for longer than 90d\n", Ran::err);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1d", "24h", "1ms", "23h"})
  void aRetentionNotLongerThanTheResendWindowIsExit2(String retention) {
    scene.send("ok-1");
    pass(Duration.ofDays(2));
    Ran ran = purge("--retention", retention);
    assertThat(ran).returns(2, Ran::exit);
    assertThat(ran.err()).hasLineCount(1).contains("resend-window 1d", "nothing was deleted");
    assertThat(purge("--retention", "90d", "--remember", retention)).returns(2, Ran::exit);
    assertThat(scene.state("ok-1")).isEqualTo(State.DONE);
  }

  @Test
  void theRowsAgeCountsToTheMillisecond() {
    scene.send("ok-1");
    pass(Duration.ofDays(2));
    assertThat(purge("--retention", "2d")).returns(0, Ran::exit);
    assertThat(scene.state("ok-1")).isEqualTo(State.DONE);
    scene.clock().advance(Duration.ofMillis(1));
    assertThat(purge("--retention", "2d")).returns(0, Ran::exit);
    assertThat(scene.state("ok-1")).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-365", "8", "365", "-1"})
  void aClockThatJumpsMakesNothingOldAndPurgeRefusesToRun(int days) {
    scene.send("ok-1");
    scene.clock().step(Duration.ofDays(days));
    Ran ran = purge("--retention", "2d");
    assertThat(ran).returns(2, Ran::exit);
    assertThat(ran.err()).hasLineCount(1).contains("nothing was deleted", "--clock-ok");
    assertThat(scene.state("ok-1")).isEqualTo(State.DONE);
    assertThat(purge("--retention", "2d", "-n")).returns(2, Ran::exit);
    assertThat(purge("--retention", "2d", "--clock-ok")).returns(0, Ran::exit);
    assertThat(scene.state("ok-1")).isEqualTo(days > 2 ? null : State.DONE);
  }

  @Test
  void theTimeZoneDoesNotMatter() {
    TimeZone before = TimeZone.getDefault();
    try {
      for (String zone : List.of("Pacific/Kiritimati", "UTC", "America/Los_Angeles")) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        done(zone.substring(0, 3), 1);
        pass(Duration.ofDays(3).minusMillis(1));
        assertThat(purge("--retention", "3d", "-n")).returns(0, Ran::exit);
        assertThat(purge("--retention", "3d"))
            .returns("purge: nothing to do: no row is DONE for longer than 3d\n", Ran::err);
        pass(Duration.ofMillis(2));
        assertThat(purge("--retention", "3d")).returns("purge: 1 purged\n", Ran::err);
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  void theJournalOfPurgedRowsGoesTooAndThatOfOthersStays() {
    scene.send("ok-1");
    scene.send("drop-1");
    Guid guid = new Guid("ok-1");
    pass(Duration.ofDays(2));
    try (LedgerView view = LedgerView.open(scene.path().toString())) {
      var row = view.find(guid, false).orElseThrow();
      assertThat(view.journal(row)).hasSize(2);
      assertThat(purge("--retention", "36h")).returns(0, Ran::exit);
      assertThat(view.journal(row)).isEmpty();
      assertThat(view.tombstone(guid))
          .hasValueSatisfying(s -> assertThat(s.code()).isEqualTo("0000"));
    }
    assertThat(scene.journal("drop-1")).hasSize(2);
  }

  @Test
  void tombstonesAreForgottenOnlyWhenThatIsAskedFor() {
    done("g", 450);
    pass(Duration.ofDays(2));
    assertThat(purge("--retention", "36h")).returns("purge: 450 purged\n", Ran::err);
    pass(Duration.ofDays(300));
    assertThat(purge("--retention", "36h")).returns(0, Ran::exit);
    assertThat(scene.send("g0")).isInstanceOf(Answer.Refused.class);
    assertThat(purge("--retention", "36h", "--remember", "300d", "-n"))
        .returns("purge: 450 would be forgotten\n", Ran::err);
    assertThat(purge("--retention", "36h", "--remember", "300d"))
        .returns("purge: 450 forgotten\n", Ran::err);
    assertThat(scene.send("g0")).isInstanceOf(Answer.Definite.class);
  }

  @Test
  void theLimitIsKeptAndTheOldestGoFirst() {
    done("a", 3);
    pass(Duration.ofHours(1));
    done("b", 3);
    pass(Duration.ofDays(2));
    assertThat(purge("--retention", "36h", "--limit", "4")).returns("purge: 4 purged\n", Ran::err);
    assertThat(scene.state("a2")).isNull();
    assertThat(scene.state("b0")).isNull();
    assertThat(scene.state("b1")).isEqualTo(State.DONE);
  }

  @Test
  void aDryRunCountsAndChangesNoByte() throws IOException {
    done("g", 1205);
    pass(Duration.ofDays(2));
    byte[] before = Files.readAllBytes(scene.path());
    assertThat(purge("--retention", "36h", "-n"))
        .returns("purge: 1205 would be purged\n", Ran::err);
    assertThat(purge("--retention", "36h", "-n", "--limit", "7"))
        .returns("purge: 7 would be purged\n", Ran::err);
    assertThat(Files.readAllBytes(scene.path())).isEqualTo(before);
  }

  // The archive.

  @Test
  void aCsvArchiveHasTheRowsWithTheirBodiesAndIs0600() throws IOException {
    done("g", 3);
    pass(Duration.ofDays(2));
    Path archive = folder.resolve("old.csv");
    assertThat(purge("--retention", "36h", "--archive", archive.toString()))
        .returns("purge: 3 purged, 3 archived\n", Ran::err);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archive)))
        .isEqualTo("rw-------");
    CSVFormat format = CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).get();
    try (Reader in = Files.newBufferedReader(archive);
        CSVParser rows = CSVParser.parse(in, format)) {
      assertThat(rows.getRecords())
          .extracting(row -> row.get("guid"), row -> row.get("request"), row -> row.get("reply"))
          .contains(
              org.assertj.core.groups.Tuple.tuple(
                  "g1",
                  new String(Scene.body("g1"), UTF_8),
                  "{\"code\":\"0000\",\"guid\":\"g1\"}"));
    }
  }

  @Test
  void anNdjsonArchiveHasTheJournalTooAndIsOnTheDiskBeforeTheFirstRowGoes() throws IOException {
    done("g", 401);
    pass(Duration.ofDays(2));
    Path archive = folder.resolve("old.ndjson");
    AtomicInteger pages = new AtomicInteger();
    Steps steps =
        (step, guid) -> {
          if (step == Step.ARCHIVED || step == Step.PURGE_WRITTEN) {
            // Nothing is deleted that is not in the file already.
            assertThat(scene.state(guid.value())).isEqualTo(State.DONE);
            assertThat(lines(archive)).anyMatch(line -> line.contains("\"guid\":\"" + guid + "\""));
            pages.incrementAndGet();
          }
        };
    assertThat(purge(steps, "--retention", "36h", "--archive", archive.toString()))
        .returns("purge: 401 purged, 401 archived\n", Ran::err);
    assertThat(pages).hasValue(6);
    assertThat(lines(archive)).filteredOn(line -> line.contains("\"type\":\"row\"")).hasSize(401);
    assertThat(lines(archive))
        .filteredOn(line -> line.contains("\"type\":\"journal\""))
        .hasSize(802);
  }

  private static List<String> lines(Path path) {
    try {
      return Files.readAllLines(path);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void anArchiveIsNeverOverwrittenAndNeedsAKnownEnding() throws IOException {
    done("g", 1);
    pass(Duration.ofDays(2));
    Path there = Files.writeString(folder.resolve("there.csv"), "mine");
    for (String name :
        List.of(
            there.toString(), folder + "/x.txt", scene.path() + "", "/", folder + "/none/x.csv")) {
      if (!name.contains("none")) {
        assertThat(purge("--retention", "36h", "-n", "--archive", name)).returns(2, Ran::exit);
      }
      Ran ran = purge("--retention", "36h", "--archive", name);
      assertThat(ran).returns(2, Ran::exit);
      assertThat(ran.err()).hasLineCount(1);
    }
    assertThat(there).hasContent("mine");
    assertThat(scene.state("g0")).isEqualTo(State.DONE);
  }

  @Test
  void anArchiveThatCannotBeWrittenDeletesNothingThatIsNotInIt() throws IOException {
    done("g", 450);
    pass(Duration.ofDays(2));
    Path archive = folder.resolve("full.ndjson");
    // Open here too, so that the limited process need not write the whole ledger when it ends.
    try (Ledger open = scene.open();
        Child child = pausing(Step.PURGE_COMMITTED, archive)) {
      var unused = open.halted();
      child.await("paused");
      child.limitFiles(Files.size(archive) + 1000);
      child.say("");
      assertThat(child.exit()).as(child.seen()).isEqualTo(1);
      assertThat(child.seen()).contains("cannot write the archive", "was not deleted");
    }
    assertThat(scene.state("g199")).isNull();
    assertThat(scene.state("g200")).isEqualTo(State.DONE);
    assertThat(purge("--retention", "36h")).returns("purge: 250 purged\n", Ran::err);
  }

  /** A purge in a process of its own that pauses whenever it reaches {@code step}. */
  private Child pausing(Step step, Path archive) {
    return Child.java(
        PausingPurge.class,
        step.name(),
        Long.toString(scene.clock().millis()),
        "--ledger",
        scene.path().toString(),
        "--retention",
        "36h",
        "--archive",
        archive.toString());
  }

  @Test
  void killedInTheMiddleItLosesNothingAndTheNextRunArchivesARowAtMostTwice() throws IOException {
    done("g", 450);
    pass(Duration.ofDays(2));
    List<Path> archives = new ArrayList<>();
    for (Step step : List.of(Step.ARCHIVED, Step.PURGE_WRITTEN, Step.PURGE_COMMITTED)) {
      Path archive = folder.resolve(step + ".ndjson");
      archives.add(archive);
      try (Child child = pausing(step, archive)) {
        child.await("paused");
        // While it is there nobody else may run, and right after its death anybody.
        assertThat(purge("--retention", "36h")).returns(11, Ran::exit);
        child.kill();
      }
    }
    Path last = folder.resolve("last.ndjson");
    archives.add(last);
    assertThat(purge("--retention", "36h", "--archive", last.toString())).returns(0, Ran::exit);
    Map<String, Integer> times = new java.util.HashMap<>();
    for (Path archive : archives) {
      for (String line : lines(archive)) {
        if (line.contains("\"type\":\"row\"")) {
          times.merge(line.replaceAll(".*?\"guid\":\"([^\"]*)\".*", "$1"), 1, Integer::sum);
        }
      }
    }
    assertThat(times).hasSize(450);
    // Three runs of this test were killed behind the archive; one such run archives a row twice.
    assertThat(times.values()).allMatch(n -> n <= 4);
    assertThat(scene.state("g0")).isNull();
    assertThat(scene.state("g449")).isNull();
    assertThat(scene.send("g0")).isInstanceOf(Answer.Refused.class);
  }

  // Locks, signals, output.

  @Test
  void onSigtermItStopsBetweenTwoTransactionsAndExits143() {
    done("g", 401);
    pass(Duration.ofDays(2));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Streams streams =
        new Streams(
            new ByteArrayInputStream(new byte[0]), out, new ByteArrayOutputStream(), Map.of());
    Steps steps =
        (step, guid) -> {
          if (step == Step.PURGE_COMMITTED) {
            streams.signals().raise(SIGTERM);
          }
        };
    int exit =
        Main.run(
            PurgeMain.commandLine(scene.clock(), steps),
            scene.command("--retention", "36h", "--format", "json"),
            streams);
    assertThat(exit).isEqualTo(143);
    assertThat(out.toString(UTF_8))
        .isEqualTo(
            "{\"v\":1,\"type\":\"summary\",\"purged\":200,\"archived\":0,\"would_be_purged\":0,"
                + "\"forgotten\":0,\"would_be_forgotten\":0,\"exit\":143}\n");
  }

  @Test
  void vacuumMakesTheFileSmallerAndOtherwiseItStays() throws IOException {
    done("g", 2000);
    pass(Duration.ofDays(2));
    assertThat(purge("--retention", "36h")).returns(0, Ran::exit);
    long kept = Files.size(scene.path());
    Ran vacuumed = purge("--retention", "36h", "--vacuum");
    assertThat(vacuumed.exit()).as(vacuumed.err()).isZero();
    assertThat(Files.size(scene.path())).isLessThan(kept / 2);
    assertThat(scene.send("ok-9")).isInstanceOf(Answer.Definite.class);
  }

  @Test
  void quietItSaysNothingAndAMissingLedgerIsExit10() {
    assertThat(purge("--retention", "90d", "-q"))
        .returns(0, Ran::exit)
        .returns("", Ran::out)
        .returns("", Ran::err);
    assertThat(purge("--retention", "90d", "--ledger", folder + "/none")).returns(10, Ran::exit);
    assertThat(purge()).returns(2, Ran::exit);
    assertThat(purge("--retention", "90d", "G1")).returns(2, Ran::exit);
  }

  @Test
  void whileItRunsChannelsGoOn() {
    done("g", 1000);
    pass(Duration.ofDays(2));
    List<Answer> answers = new ArrayList<>();
    try (Ledger hub = scene.open()) {
      Steps steps =
          (step, guid) -> {
            if (step == Step.PURGE_COMMITTED) {
              Taken taken = hub.claim(Scene.request("live-" + guid), scene.url(), CHANNEL);
              try (Claim claim = ((Taken.Won) taken).claim()) {
                claim.settle(new Outcome.NotSent("no"), null, null);
              }
              answers.add(scene.send("ok-" + guid));
            }
          };
      assertThat(purge(steps, "--retention", "36h")).returns("purge: 1000 purged\n", Ran::err);
    }
    assertThat(answers).hasSize(5).allMatch(Answer.Definite.class::isInstance);
  }
}
