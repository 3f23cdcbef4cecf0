package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.relayledger.cli.Ran;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.Intake;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.testing.Threads;

/** {@code relay batch}: a file of requests, one answer a line, and the same file again. */
class BatchTest {
  private static final String DOWN = "http://127.0.0.1:1/transfers";

  @TempDir Path folder;
  private Stage stage;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(folder);
  }

  @AfterEach
  void close() {
    stage.close();
  }

  private Ran batch(String lines, String... more) {
    return batch(Steps.NONE, lines.getBytes(UTF_8), more);
  }

  private Ran batch(Steps steps, byte[] lines, String... more) {
    return Stage.run(steps, lines, command(more));
  }

  private String[] command(String... more) {
    List<String> all = new ArrayList<>(List.of("-"));
    all.addAll(List.of(more));
    return stage.command("batch", all.toArray(String[]::new));
  }

  private static String lines(String... guids) {
    return Arrays.stream(guids).map(guid -> Channel.body(guid) + "\n").reduce("", String::concat);
  }

  /** Line, GUID, state and code of each line of the output but the summary. */
  private static List<String> answers(Ran ran) {
    return answers(ran.out());
  }

  private static List<String> answers(String out) {
    return out.lines()
        .filter(line -> line.contains("\"type\":\"line\""))
        .map(
            line ->
                String.join(
                    " ",
                    member(line, "line"),
                    member(line, "guid"),
                    member(line, "state"),
                    member(line, "code")))
        .toList();
  }

  private static String member(String line, String name) {
    Matcher value = Pattern.compile("\"" + name + "\":(null|[0-9]+|\"[^\"]*\")").matcher(line);
    assertThat(value.find()).as(name + " in " + line).isTrue();
    return value.group(1).replace("\"", "");
  }

  private static String summary(Ran ran) {
    return ran.out().lines().reduce((a, b) -> b).orElseThrow();
  }

  private List<Row> rows() {
    try (LedgerView view = LedgerView.open(stage.ledger.toString())) {
      return view.page(Filter.ALL, 0, LedgerView.MAX_PAGE);
    }
  }

  @Test
  void eachLineIsAnsweredInItsOrderWhateverBecameOfIt() {
    Ran ran =
        batch(
            Channel.body("ok-1")
                + "\n"
                + Channel.body("drop-2")
                + "\r\n\n \t \n{not json\n"
                + "{\"guid\":\"b201-6\",\"fault\":\"code:B201\"}\n"
                + "{\"amount\":1}\n"
                + "{\"guid\":\"ok-1\",\"amount\":2}\n"
                + "{\"guid\":\"ok-9\",\"amount\":1,\"guid\":\"ok-9\"}\n"
                + Channel.body("OK-1").replace("OK-1", "ok-1")
                + "\n"
                + Channel.body("ok-11"));

    assertThat(answers(ran))
        .containsExactly(
            "1 ok-1 DONE 0000",
            "2 drop-2 UNKNOWN E901",
            "5 null null E905",
            "6 b201-6 DONE B201",
            "7 null null E905",
            "8 ok-1 null E904",
            "9 null null E905",
            "10 ok-1 DONE 0000",
            "11 ok-11 DONE 0000");
    assertThat(ran.exit()).as(ran.err()).isEqualTo(7);
    assertThat(summary(ran))
        .contains("\"lines\":9", "\"taken_in\":4", "\"replayed\":1", "\"bad\":3", "\"exit\":7");
    assertThat(stage.sandbox.received().values()).containsOnly(1).hasSize(4);
    assertThat(rows()).extracting(row -> row.guid().value()).doesNotContain("ok-9");
  }

  @Test
  void aReplyIsTheAccountSystemsByteForByte() {
    Ran ran = batch(lines("ok-1"));

    String reply = new String(stage.row("ok-1").reply(), UTF_8);
    assertThat(ran.out()).contains("\"reply\":\"" + reply.replace("\"", "\\\"") + "\"");
    assertThat(stage.row("ok-1").toldCode()).isEqualTo("0000");
    assertThat(stage.journal("ok-1"))
        .extracting(entry -> entry.from() + ">" + entry.to() + " " + entry.actor())
        .containsExactly("null>RECEIVED batch", "RECEIVED>SENT batch", "SENT>DONE batch");
  }

  @Test
  void everyLineIsTakenInBeforeTheFirstIsSentAndByAThousandAtMost() {
    ConcurrentLinkedQueue<Integer> counted = new ConcurrentLinkedQueue<>();
    AtomicInteger commits = new AtomicInteger();
    AtomicBoolean begun = new AtomicBoolean();
    Steps steps =
        (step, guid) -> {
          if (step == Step.INTAKE_COMMITTED) {
            commits.incrementAndGet();
          } else if (step == Step.BYTE_TAKEN && begun.compareAndSet(false, true)) {
            counted.add(stage.sandbox.received().size());
            counted.add(commits.get());
          }
        };
    String[] guids = IntStream.range(0, 1_100).mapToObj(i -> "ok-" + i).toArray(String[]::new);

    Ran ran = batch(steps, lines(guids).getBytes(UTF_8), "--concurrency", "32");

    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(counted).containsExactly(0, 2);
    assertThat(answers(ran))
        .containsExactlyElementsOf(
            IntStream.range(0, 1_100).mapToObj(i -> (i + 1) + " ok-" + i + " DONE 0000").toList());
    assertThat(stage.sandbox.executed().values()).containsOnly(1).hasSize(1_100);
  }

  @Test
  void theSameFileAgainFinishesWhatIsLeftAndSendsNothingTwice() throws Exception {
    String file = lines("ok-1", "drop-2", "lost-3", "ok-4");
    batch(file, "--account-url", DOWN);
    assertThat(rows()).extracting(Row::state).containsOnly(State.RECEIVED);

    Ran first = batch(file);
    Ran again = batch(file);

    assertThat(answers(first))
        .containsExactly(
            "1 ok-1 DONE 0000",
            "2 drop-2 UNKNOWN E901",
            "3 lost-3 UNKNOWN E901",
            "4 ok-4 DONE 0000");
    assertThat(answers(again)).isEqualTo(answers(first));
    assertThat(again.exit()).isEqualTo(5);
    assertThat(again.out().lines().limit(1)).containsExactly(first.out().lines().toList().get(0));
    assertThat(stage.sandbox.received().values()).containsOnly(1).hasSize(4);
  }

  @Test
  void aLineWhoseRowAndTombstoneAreGoneBeforeItsTurnIsToldThatItFinishedEarlier() {
    batch(lines("ok-1"));
    Steps steps =
        (step, guid) -> {
          if (step == Step.INTAKE_COMMITTED) {
            String location = stage.ledger.toString();
            try (Ledger purge = Ledger.open(location, HostClock.system(), Steps.NONE)) {
              purge.purge(List.of(stage.row("ok-1")), Long.MAX_VALUE);
              purge.forget(Long.MAX_VALUE, 1);
            }
          }
        };

    Ran ran = batch(steps, lines("ok-1", "ok-2").getBytes(UTF_8));

    assertThat(answers(ran)).containsExactly("1 ok-1 null E906", "2 ok-2 DONE 0000");
    assertThat(ran.exit()).isEqualTo(8);
    assertThat(ran.err()).contains("line 1: ok-1 finished earlier; its reply is no longer kept");
    assertThat(stage.sandbox.received()).containsEntry("ok-1", 1);
  }

  @Test
  void anAccountSystemThatIsDownCostsNoAttemptAndTheLinesSayWhereTheyStand() {
    Ran ran = batch(lines("ok-1", "ok-2"), "--account-url", DOWN);

    assertThat(ran.exit()).isEqualTo(12);
    assertThat(answers(ran)).containsExactly("1 ok-1 RECEIVED E907", "2 ok-2 RECEIVED E907");
    assertThat(ran.err()).contains("cannot be reached", "no row was claimed");
    assertThat(rows()).extracting(Row::attempt).containsOnly(0);
  }

  @Test
  void aRunThatOnlyReplaysNeedsNoAccountSystem() {
    String file = lines("ok-1", "ok-2");
    batch(file);

    Ran again = batch(file, "--account-url", DOWN, "--rate", "1/h");

    assertThat(again.exit()).as(again.err()).isZero();
    assertThat(summary(again)).contains("\"replayed\":2");
  }

  @Test
  void anAccountSystemThatGoesAwayStopsTheRunAfterThreeRows() {
    AtomicInteger replies = new AtomicInteger();
    Steps steps =
        (step, guid) -> {
          if (step == Step.REPLY_READ && replies.incrementAndGet() == 2) {
            stage.sandbox.close();
          }
        };
    String[] guids = IntStream.range(0, 20).mapToObj(i -> "ok-" + i).toArray(String[]::new);

    Ran ran = batch(steps, lines(guids).getBytes(UTF_8), "--concurrency", "1");

    assertThat(ran.exit()).as(ran.err()).isEqualTo(12);
    assertThat(answers(ran)).hasSize(20).element(19).isEqualTo("20 ok-19 RECEIVED E907");
    assertThat(rows()).filteredOn(row -> row.state() == State.FAILED).hasSize(3);
    assertThat(rows()).filteredOn(row -> row.state() == State.RECEIVED).hasSize(15);
  }

  @Test
  void onHoldNothingIsTakenInAndAHoldInTheMiddleLeavesTheRestReceived() {
    Stage.run("mode", "hold", "--ledger", stage.ledger.toString(), "--reason", "test");
    Ran onHold = batch(lines("ok-1"));
    assertThat(onHold.exit()).isEqualTo(12);
    assertThat(answers(onHold)).isEmpty();
    assertThat(rows()).isEmpty();
    Stage.run("mode", "normal", "--ledger", stage.ledger.toString(), "--reason", "test");

    Steps steps =
        (step, guid) -> {
          if (step == Step.REPLY_READ) {
            Stage.run("mode", "hold", "--ledger", stage.ledger.toString(), "--reason", "test");
          }
        };
    Ran ran = batch(steps, lines("ok-1", "ok-2", "ok-3").getBytes(UTF_8), "--concurrency", "1");

    assertThat(ran.exit()).isEqualTo(12);
    assertThat(answers(ran))
        .containsExactly("1 ok-1 DONE 0000", "2 ok-2 RECEIVED E907", "3 ok-3 RECEIVED E907");
  }

  @Test
  void aLineOfAnySizeOrShapeIsRefusedAloneAndTheNextIsRead() throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    String filler = "x".repeat(Intake.MAX_BODY);
    file.write(("{\"guid\":\"ok-1\",\"f\":\"" + filler + "\"}\n").getBytes(UTF_8));
    int room = Intake.MAX_BODY - Channel.body("ok-2").length() - 7;
    String most = Channel.body("ok-2").replace("}", ",\"f\":\"" + "x".repeat(room) + "\"}");
    file.write((most + "\r\n").getBytes(UTF_8));
    file.write(new byte[] {'"', (byte) 0xff, '"', '\n', 0, '\n'});
    file.write(("[".repeat(100_000) + "\n").getBytes(UTF_8));
    file.write("\ufeff{\"guid\":\"ok-6\"}\n".getBytes(UTF_8));
    file.write("{\"guid\":\"../etc/passwd\"}\n{\"guid\":7}\n".getBytes(UTF_8));
    file.write(Channel.body("ok-9").getBytes(UTF_8));

    Ran ran = batch(Steps.NONE, file.toByteArray());

    assertThat(answers(ran))
        .containsExactly(
            "1 null null E905",
            "2 ok-2 DONE 0000",
            "3 null null E905",
            "4 null null E905",
            "5 null null E905",
            "6 null null E905",
            "7 null null E905",
            "8 null null E905",
            "9 ok-9 DONE 0000");
    assertThat(ran.exit()).isEqualTo(9);
    assertThat(stage.row("ok-2").request()).hasSize(Intake.MAX_BODY);
  }

  @Test
  void theSameGuidOnManyLinesAtOnceIsSentOnceAndAnsweredOnEach() {
    String file = lines("ok-1").repeat(50);

    Ran ran = batch(file);

    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(answers(ran)).hasSize(50).allMatch(line -> line.endsWith(" ok-1 DONE 0000"));
    assertThat(stage.executed("ok-1")).isEqualTo(1);
  }

  @Test
  void whatItsTimeOutHasCutOffIsAnsweredUnknownAndSettledByItsLateReply() {
    Ran ran =
        batch(
            (step, guid) -> {
              if (step == Step.OUTCOME_COMMITTED && guid.value().equals("held-1")) {
                stage.sandbox.release("held-1");
              }
            },
            lines("held-1").getBytes(UTF_8),
            "--timeout",
            "1s");

    assertThat(answers(ran)).containsExactly("1 held-1 UNKNOWN E901");
    assertThat(stage.row("held-1")).returns(State.DONE, Row::state).returns("E901", Row::toldCode);
    assertThat(ran.err()).contains("1 replies came too late");
    assertThat(answers(batch(lines("held-1")))).containsExactly("1 held-1 DONE 0000");
    assertThat(stage.row("held-1").toldCode()).isEqualTo("0000");
  }

  @Test
  void oneBatchAtATimeAndNoReprocessOfItsRowsBesideIt() throws Exception {
    CompletableFuture<Void> reached = new CompletableFuture<>();
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    Steps steps =
        (step, guid) -> {
          if (step == Step.INTAKE_COMMITTED) {
            reached.complete(null);
            goOn.join();
          }
        };
    CompletableFuture<Ran> batch =
        Threads.supply(() -> batch(steps, lines("ok-1").getBytes(UTF_8)));
    reached.get(Stage.PATIENCE.toSeconds(), TimeUnit.SECONDS);

    Ran second = batch(lines("ok-2"));
    Ran reprocess =
        Ran.of(
            ReprocessMain.commandLine(HostClock.system(), Steps.NONE),
            Map.of(),
            "--received",
            "--ledger",
            stage.ledger.toString(),
            "--account-url",
            stage.account().toString());
    goOn.complete(null);

    assertThat(second.exit()).isEqualTo(11);
    assertThat(second.err()).contains("another batch run is at work");
    assertThat(reprocess.exit()).isEqualTo(11);
    assertThat(batch.join().exit()).isZero();
    assertThat(stage.row("ok-2")).isNull();
  }

  @Test
  void whatABatchHasLeftIsSentByReprocessReceivedToo() {
    batch(lines("ok-1", "ok-2"), "--account-url", DOWN);

    Ran reprocess =
        Ran.of(
            ReprocessMain.commandLine(HostClock.system(), Steps.NONE),
            Map.of(),
            "--received",
            "--ledger",
            stage.ledger.toString(),
            "--account-url",
            stage.account().toString());

    assertThat(reprocess.exit()).as(reprocess.err()).isZero();
    assertThat(answers(batch(lines("ok-1", "ok-2"))))
        .containsExactly("1 ok-1 DONE 0000", "2 ok-2 DONE 0000");
    assertThat(stage.sandbox.executed()).isEqualTo(Map.of("ok-1", 1, "ok-2", 1));
  }

  @Test
  void aFileOfTheLedgerIsNoBatch() {
    for (String end : List.of("", "-wal", "-shm", ".claims")) {
      try (Ledger open = Ledger.open(stage.ledger.toString(), HostClock.system(), Steps.NONE)) {
        open.runLock(Actor.Role.RESOLVE);
        Ran ran = Stage.run(stage.command("batch", stage.ledger + end));
        assertThat(ran.exit()).as(end).isEqualTo(2);
        assertThat(ran.err()).contains("belongs to the ledger");
      }
    }
    assertThat(Stage.run(stage.command("batch", folder.toString())).exit()).isEqualTo(2);
    assertThat(Stage.run(stage.command("batch", folder.resolve("no").toString())).exit())
        .isEqualTo(2);
  }

  @Test
  void aStreamThatBreaksLeavesWhatCameReceivedAndSendsNothing() {
    InputStream broken =
        new SequenceInputStream(
            new ByteArrayInputStream(lines("ok-1").getBytes(UTF_8)),
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw new IOException("input/output error");
              }

              @Override
              public int read(byte[] to, int from, int length) throws IOException {
                return read();
              }
            });
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();

    int exit = RelayMain.run(command(), new Streams(broken, out, err, Map.of()), Steps.NONE);

    assertThat(exit).isEqualTo(1);
    assertThat(err.toString(UTF_8)).contains("could not be read to their end");
    assertThat(stage.sandbox.received()).isEmpty();
  }

  @Test
  void whenTheLedgerFailsEveryLineIsAnsweredAllTheSame() throws Exception {
    String[] guids = IntStream.range(0, 800).mapToObj(i -> "ok-" + i).toArray(String[]::new);
    Path file = Files.writeString(folder.resolve("batch"), lines(guids));
    try (Child child =
        Child.start(
            stage.command("batch", file.toString(), "--concurrency", "2", "--rate", "200/s"))) {
      stage.sandbox.awaitReceived(10, Stage.PATIENCE);
      child.limitFiles(1);
      String out = child.rest();

      assertThat(child.exit()).as(child.err().text()).isEqualTo(10);
      assertThat(answers(out)).hasSize(800).last().asString().endsWith("ok-799 null E908");
      assertThat(out).contains("\"left\":0,\"exit\":10");
    }
    Ran again = batch(Files.readString(file));
    assertThat(answers(again)).hasSize(800);
    assertThat(stage.sandbox.received().values()).containsOnly(1);
  }

  @Test
  void sigtermWhileItWaitsForMoreLinesSendsNothingAndSaysWhatIsLeft() throws Exception {
    String[] guids =
        IntStream.range(0, Ledger.MAX_INTAKE).mapToObj(i -> "ok-" + i).toArray(String[]::new);
    try (Child child = Child.start(command())) {
      child.write(lines(guids));
      while (rows().isEmpty()) {
        Thread.onSpinWait(); // until it has taken in what came, and waits for more
      }
      child.signal("TERM");

      assertThat(child.exit()).as(child.err().text()).isEqualTo(143);
      assertThat(child.rest()).contains("\"type\":\"summary\"", "\"left\":1000,\"exit\":143");
    }
    assertThat(stage.sandbox.received()).isEmpty();
  }

  @Test
  void sigtermSettlesWhatIsInFlightAndLeavesTheRest() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayInputStream in =
        new ByteArrayInputStream(lines("ok-1", "held-2", "ok-3", "ok-4").getBytes(UTF_8));
    Streams streams = new Streams(in, out, new ByteArrayOutputStream(), Map.of());
    CompletableFuture<Integer> exit =
        Threads.supply(() -> RelayMain.run(command("--concurrency", "1"), streams, Steps.NONE));
    stage.sandbox.awaitReceived("held-2", 1, Stage.PATIENCE);
    Thread signal = new Thread(() -> streams.signals().raise(15));
    signal.start();
    while (signal.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait(); // until it waits for what is in flight
    }

    stage.sandbox.release("held-2");

    assertThat(exit.join()).isEqualTo(143);
    assertThat(out.toString(UTF_8))
        .contains("\"guid\":\"held-2\",\"state\":\"DONE\"", "\"left\":1", "\"exit\":143");
    assertThat(rows()).extracting(Row::state).endsWith(State.RECEIVED, State.RECEIVED);
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {
        "INTAKE_WRITTEN",
        "INTAKE_COMMITTED",
        "CLAIM_COMMITTED",
        "GATE_OPENED",
        "REPLY_READ",
        "OUTCOME_WRITTEN"
      })
  void afterKill9AtAStepTheSameFileAgainFinishesAndDoublesNothing(Step step) throws Exception {
    String file = lines("ok-1", "ok-2", "ok-3", "ok-4");
    Path path = Files.writeString(folder.resolve("batch"), file);
    try (Child child =
        Child.startPausing(step, stage.command("batch", path.toString(), "--concurrency", "2"))) {
      child.awaitAnyPause(step);
      child.kill();
    }

    Ran again = batch(file);

    assertThat(again.exit()).as(again.err()).isIn(0, 5);
    assertThat(answers(again)).hasSize(4).noneMatch(line -> line.contains("E903"));
    for (Row row : rows()) {
      int executed = stage.executed(row.guid().value());
      assertThat(executed).as(row.guid().value()).isLessThanOrEqualTo(1);
      assertThat(row.state()).isIn(State.DONE, State.UNKNOWN);
      assertThat(row.state() == State.UNKNOWN || executed == 1).isTrue();
    }
    assertThat(stage.sandbox.received().values()).allMatch(n -> n == 1);
  }
}
