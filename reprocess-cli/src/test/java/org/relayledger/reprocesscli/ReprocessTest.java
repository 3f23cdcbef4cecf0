package org.relayledger.reprocesscli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
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
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.ledger.Taken;
import org.relayledger.testing.Scene;
import org.relayledger.testing.Threads;

class ReprocessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
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

  private Ran reprocess(String... arguments) {
    return reprocess(Steps.NONE, arguments);
  }

  private Ran reprocess(Steps steps, String... arguments) {
    return scene.run(ReprocessMain.commandLine(scene.clock(), steps), withUrl(arguments));
  }

  private String[] withUrl(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--account-url", scene.url(), "--rate", "100000/s"));
    all.addAll(List.of(arguments));
    return all.toArray(String[]::new);
  }

  private static String[] guids(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i).toArray(String[]::new);
  }

  @Test
  void aFailedRowIsSentAgainWithItsGuidAndItsStoredBytes() {
    scene.fail("again");
    Ran ran = reprocess();
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.err()).isEqualTo("reprocess: 1 done\n");
    assertThat(scene.row("again"))
        .returns(State.DONE, Row::state)
        .returns(2, Row::attempt)
        // Whoever channel last heard E902 has not been told of it yet.
        .returns("E902", Row::toldCode)
        .returns(new String(Scene.body("again"), UTF_8), row -> new String(row.request(), UTF_8));
    assertThat(scene.executed("again")).isEqualTo(1);
    assertThat(scene.journal("again"))
        .extracting(Entry::actor)
        .containsExactly("relay", "relay", "reprocess", "reprocess");
    assertThat(reprocess()).returns(0, Ran::exit);
    assertThat(scene.received("again")).isEqualTo(1);
  }

  @Test
  void rowsAreSentInTheOrderInWhichTheyCameIn() {
    scene.fail(guids("g", 5));
    Ran ran = reprocess("--format", "csv", "--limit", "3");
    assertThat(ran).returns(0, Ran::exit);
    assertThat(ran.out().lines())
        .containsExactly(
            "guid,result,state,code,attempt,detail",
            "g0,done,DONE,0000,2,attempt 2 was answered",
            "g1,done,DONE,0000,2,attempt 2 was answered",
            "g2,done,DONE,0000,2,attempt 2 was answered");
    assertThat(scene.state("g3")).isEqualTo(State.FAILED);
  }

  @Test
  void anUnknownRowIsNeverSentWhateverIsAsked() {
    scene.send("drop-1");
    scene.send("ok-1");
    scene.clock().advance(Duration.ofDays(400));
    assertThat(reprocess("--received", "--max-age", "9999d", "--max-attempts", "99"))
        .returns(0, Ran::exit);
    Ran named = reprocess("drop-1", "ok-1", "--max-attempts", "99", "--received");
    assertThat(named).returns(7, Ran::exit);
    assertThat(named.err())
        .contains("drop-1 is UNKNOWN and was not sent: only FAILED rows are; resolve asks about it")
        .contains("ok-1 is DONE and was not sent");
    assertThat(scene.received("drop-1")).isEqualTo(1);
    assertThat(scene.state("drop-1")).isEqualTo(State.UNKNOWN);
  }

  @Test
  void refusalsAndRowsLeftUnknownDecideTheExitCode() {
    scene.fail("code:B201-1", "drop-1", "ok-1");
    Ran ran = reprocess();
    assertThat(ran).returns(5, Ran::exit);
    assertThat(ran.err()).contains("code:B201-1 is DONE, refused by the account system: B201");
    assertThat(ran.err()).contains("1 done, 1 refused, 1 unknown (exit 5:");
    scene.fail("code:B201-2");
    assertThat(reprocess()).returns(3, Ran::exit);
    assertThat(reprocess()).returns(0, Ran::exit);
  }

  // Claim 6.

  @Test
  void withTheAccountSystemDownItExits12AndNoRowIsTouched() throws IOException {
    scene.fail(guids("g", 3));
    int port;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = closed.getLocalPort();
    }
    String down = "http://127.0.0.1:" + port + "/transfers";
    for (String[] arguments : List.of(new String[0], new String[] {"g0", "g1"})) {
      List<String> all = new ArrayList<>(List.of("--account-url", down));
      all.addAll(List.of(arguments));
      Ran ran = reprocess(all.toArray(String[]::new));
      assertThat(ran).returns(12, Ran::exit);
      assertThat(ran.err())
          .contains("the account system cannot be reached", "no row was claimed")
          .contains("reprocess: nothing was done (exit 12:")
          .doesNotContain("nothing to do");
    }
    for (String guid : guids("g", 3)) {
      assertThat(scene.row(guid)).returns(1, Row::attempt).returns(State.FAILED, Row::state);
      assertThat(scene.journal(guid)).hasSize(2);
    }
    // With nothing to send nobody is called.
    assertThat(reprocess("--account-url", down, "--max-attempts", "1")).returns(4, Ran::exit);
  }

  @Test
  void afterSoManyConnectFailuresInARowItStopsWith12() throws IOException {
    scene.fail(guids("g", 9));
    try (Door door = new Door()) {
      Ran ran = reprocess("--account-url", door.url());
      assertThat(ran).returns(12, Ran::exit);
      assertThat(ran.err()).contains("could be opened for 3 rows in a row; the run stopped");
    }
    assertThat(IntStream.range(0, 9).map(i -> scene.row("g" + i).attempt()))
        .containsExactly(2, 2, 2, 1, 1, 1, 1, 1, 1);
  }

  /** Takes the first connection and is gone. */
  private static final class Door implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final String url = "http://127.0.0.1:" + server.getLocalPort() + "/transfers";
    private final Thread thread = new Thread(this::openOnce, "door");

    Door() throws IOException {
      thread.start();
    }

    String url() {
      return url;
    }

    private void openOnce() {
      try (server;
          Socket first = server.accept()) {
        int end = first.getInputStream().read();
        assertThat(end).isEqualTo(-1);
      } catch (IOException e) {
        // Closed before anybody came: the test tells.
      }
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }

  @Test
  void aThousandUsedUpRowsNeverBlockTheHead() {
    scene.fail(guids("used", 1000));
    scene.fail("fresh");
    // All but the last have had both their attempts.
    try (Ledger ledger = scene.open()) {
      for (String guid : guids("used", 1000)) {
        Taken taken =
            ledger.claim(Scene.request(guid), scene.url(), new Actor(Actor.Role.RELAY, "t", null));
        try (Claim claim = ((Taken.Won) taken).claim()) {
          claim.settle(new org.relayledger.ledger.Outcome.NotSent("no"), null, "no");
        }
      }
    }
    Ran ran = reprocess("--limit", "1", "--max-attempts", "2");
    assertThat(ran).returns(4, Ran::exit);
    assertThat(ran.err())
        .contains("used up their attempts (--max-attempts 2) and were not sent again: 1000;")
        .contains("1 done");
    assertThat(scene.executed("fresh")).isEqualTo(1);
    assertThat(scene.sandbox().received()).hasSize(1);
    Ran quiet = reprocess("-q", "--max-attempts", "2");
    assertThat(quiet).returns(4, Ran::exit).returns("", Ran::out);
    assertThat(quiet.err()).hasLineCount(1);
    assertThat(reprocess("used7", "--max-attempts", "2")).returns(4, Ran::exit);
    assertThat(reprocess("used7", "--max-attempts", "3")).returns(0, Ran::exit);
  }

  @Test
  void aNamedRowThatWasNotSentIsExit4AndInABulkRunIsNoFailureAsLongAsItHasAttemptsLeft() {
    scene.fail("code:N1-1", "code:N1-2");
    Ran named = reprocess("--not-sent-codes", "N1", "code:N1-1", "-q");
    assertThat(named).returns(4, Ran::exit);
    assertThat(named.err()).contains("code:N1-1 was certainly not sent").hasLineCount(1);
    assertThat(reprocess("--not-sent-codes", "N1"))
        .returns(0, Ran::exit)
        .returns("reprocess: 2 not sent\n", Ran::err);
    assertThat(reprocess("--not-sent-codes", "N1", "--max-attempts", "4")).returns(4, Ran::exit);
    assertThat(scene.row("code:N1-1")).returns(4, Row::attempt);
  }

  @Test
  void theLimitHoldsForNamedRowsToo() {
    scene.fail("g0", "g1");
    Ran ran = reprocess("g0", "g1", "--limit", "1");
    assertThat(ran).returns(4, Ran::exit);
    assertThat(ran.err()).contains("g1 was not sent: --limit was reached before");
    assertThat(scene.state("g1")).isEqualTo(State.FAILED);
  }

  @Test
  void rowsThatCameInTooLongAgoNeedAPersonWhoNamesThem() {
    scene.fail("old");
    scene.clock().advance(Duration.ofHours(25));
    scene.fail("young");
    Ran ran = reprocess();
    assertThat(ran).returns(4, Ran::exit);
    assertThat(ran.err()).contains("longer ago than --max-age and were not sent again: 1;");
    assertThat(scene.state("old")).isEqualTo(State.FAILED);
    assertThat(scene.state("young")).isEqualTo(State.DONE);
    assertThat(reprocess("old")).returns(0, Ran::exit);
    assertThat(scene.executed("old")).isEqualTo(1);
  }

  @Test
  void twoRunsAtOnceBeginOneAndTheOtherIsExit11() {
    scene.fail("held-1");
    CompletableFuture<Ran> first = Threads.supply(() -> reprocess());
    await(() -> scene.sandbox().awaitReceived("held-1", 1, PATIENCE));
    assertThat(reprocess()).returns(11, Ran::exit);
    // Named rows need no lock, but whoever holds the row keeps it.
    Ran named = reprocess("held-1");
    assertThat(named).returns(6, Ran::exit);
    scene.sandbox().release("held-1");
    assertThat(first.join()).returns(0, Ran::exit);
    assertThat(scene.received("held-1")).isEqualTo(1);
  }

  private interface Waiting {
    void run() throws InterruptedException;
  }

  private static void await(Waiting waiting) {
    try {
      waiting.run();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aRowClaimedBySomebodyElseSinceItWasReadIsNotSentAgain() {
    scene.fail("g");
    Row stale = scene.row("g");
    assertThat(reprocess()).returns(0, Ran::exit);
    try (Ledger ledger = scene.open()) {
      assertThat(
              ledger.claim(
                  stale, State.FAILED, scene.url(), new Actor(Actor.Role.REPROCESS, "t", null)))
          .isInstanceOf(Taken.Standing.class);
    }
    assertThat(scene.received("g")).isEqualTo(1);
  }

  @Test
  void fortyGuidsAtOnceByManyRunsAreExecutedOnceEach() {
    String[] guids = guids("g", 40);
    scene.fail(guids);
    List<CompletableFuture<Ran>> runs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      // Named, they take no run lock: only the claims stand between them.
      runs.add(
          Threads.supply(
              () -> {
                List<String> all = new ArrayList<>(List.of(guids));
                all.addAll(List.of("--concurrency", "4"));
                return reprocess(all.toArray(String[]::new));
              }));
    }
    runs.add(
        Threads.supply(
            () -> {
              for (String guid : guids) {
                var unused = scene.send(guid);
              }
              return new Ran(0, new byte[0], "");
            }));
    runs.forEach(CompletableFuture::join);
    assertThat(scene.sandbox().received()).hasSize(40);
    assertThat(scene.sandbox().received().values()).containsOnly(1);
  }

  // Late replies.

  @Test
  void aLateReplySettlesItsRowBeforeTheRunEnds() {
    scene.fail("held-1", "ok-1");
    CompletableFuture<Ran> run = Threads.supply(() -> reprocess("--timeout", "100ms"));
    await(() -> scene.sandbox().awaitReceived("ok-1", 1, PATIENCE));
    assertThat(run).isNotDone();
    assertThat(scene.state("held-1")).isEqualTo(State.UNKNOWN);
    scene.sandbox().release("held-1");
    assertThat(run.join()).returns(0, Ran::exit).returns("reprocess: 2 done\n", Ran::err);
    assertThat(scene.state("held-1")).isEqualTo(State.DONE);
  }

  @Test
  void onSigtermNothingNewIsClaimedWhatIsInFlightIsSettledAndTheExitIs143() throws Exception {
    scene.fail("held-1", "g2", "g3");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Streams streams =
        new Streams(
            new ByteArrayInputStream(new byte[0]), out, new ByteArrayOutputStream(), Map.of());
    CompletableFuture<Integer> exit =
        Threads.supply(
            () ->
                Main.run(
                    ReprocessMain.commandLine(scene.clock(), Steps.NONE)
                        .setOverwrittenOptionsAllowed(true),
                    scene.command(withUrl("--format", "json", "--timeout", "60s", "--rate", "1/h")),
                    streams));
    scene.sandbox().awaitReceived("held-1", 1, PATIENCE);
    CompletableFuture<Void> signal = Threads.run(() -> streams.signals().raise(SIGTERM));
    assertThat(exit).isNotDone();
    scene.sandbox().release("held-1");
    assertThat(exit.join()).isEqualTo(143);
    signal.join();
    assertThat(out.toString(UTF_8)).contains("\"guid\":\"held-1\"").endsWith("\"exit\":143}\n");
    assertThat(scene.state("held-1")).isEqualTo(State.DONE);
    assertThat(scene.row("g3")).returns(1, Row::attempt);
  }

  // Modes and refusals.

  private void mode(Settings.Mode mode) {
    try (Ledger ledger = scene.open()) {
      ledger.changeMode(mode, new Actor(Actor.Role.OPERATOR, "ann", null), "why");
    }
  }

  @Test
  void aLedgerOnHoldClaimsNothingAndExits12() {
    scene.fail("g");
    mode(Settings.Mode.HOLD);
    Ran ran = reprocess();
    assertThat(ran).returns(12, Ran::exit);
    assertThat(ran.err())
        .contains("the ledger is in mode hold", "nothing was sent", "nothing was done")
        .doesNotContain("nothing to do");
    assertThat(scene.row("g")).returns(1, Row::attempt);
    mode(Settings.Mode.NORMAL);
    assertThat(reprocess()).returns(0, Ran::exit);
  }

  @Test
  void aLedgerThatAsksFirstSendsOnlyWhatIsNotThereAndWasNotUnderWayWhenThatBegan() {
    scene.send("ok-1");
    scene.fail("booked", "absent");
    scene.execute("booked");
    mode(Settings.Mode.ASK_FIRST);
    Ran soon = reprocess();
    assertThat(soon).returns(5, Ran::exit);
    assertThat(soon.err()).contains("absent was processed is unknown: asked first: no record");
    assertThat(scene.row("booked")).returns(State.DONE, Row::state);
    assertThat(scene.row("absent")).returns(State.UNKNOWN, Row::state);
    scene.fail("later");
    scene.clock().advance(Scene.MIN_AGE);
    assertThat(reprocess()).returns(0, Ran::exit);
    assertThat(scene.executed("later")).isEqualTo(1);
    assertThat(scene.executed("booked")).isEqualTo(1);
    assertThat(scene.received("absent")).isZero();
  }

  @Test
  void anInquiryThatLiesSendsNothingInAskFirstAndExits14() {
    scene.send("ok-1");
    scene.fail("g", "h");
    mode(Settings.Mode.ASK_FIRST);
    scene.clock().advance(Scene.MIN_AGE);
    scene.sandbox().inquiryFaults(guid -> "nobody");
    assertThat(reprocess()).returns(14, Ran::exit);
    // It stops there: the others keep their attempts.
    assertThat(scene.row("h")).returns(1, Row::attempt);
    assertThat(scene.received("g")).isZero();
    assertThat(scene.state("g")).isEqualTo(State.UNKNOWN);
  }

  @Test
  void aDryRunSendsNothingAndChangesNoByte() throws IOException {
    scene.fail("g0", "g1");
    byte[] before = Files.readAllBytes(scene.path());
    Ran ran = reprocess("-n");
    assertThat(ran).returns(0, Ran::exit).returns("reprocess: 2 would be sent\n", Ran::err);
    assertThat(Files.readAllBytes(scene.path())).isEqualTo(before);
    assertThat(scene.sandbox().received()).isEmpty();
    assertThat(scene.row("g0")).returns(1, Row::attempt);
  }

  @Test
  void quietItSaysNothingOnSuccessAndJsonAlwaysEndsInASummary() {
    assertThat(reprocess("-q")).returns(0, Ran::exit).returns("", Ran::out).returns("", Ran::err);
    assertThat(reprocess()).returns("reprocess: nothing to do: no row is FAILED\n", Ran::err);
    scene.fail("ok-1");
    assertThat(reprocess("--format", "json").out().lines().toList())
        .hasSize(2)
        .last()
        .asString()
        .contains("\"type\":\"summary\"", "\"done\":1", "\"exit\":0");
  }

  @Test
  void namedRowsThatAreNotThereAreExit8AndTheOthersAreSent() {
    scene.fail("g0");
    Ran ran = reprocess("g0", "nobody");
    assertThat(ran).returns(8, Ran::exit);
    assertThat(ran.err()).contains("nobody is not in this ledger; nothing was sent");
    assertThat(scene.state("g0")).isEqualTo(State.DONE);
    assertThat(reprocess("no guid")).returns(9, Ran::exit);
    assertThat(reprocess("--ledger", folder.resolve("none").toString())).returns(10, Ran::exit);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--rate 5",
        "--rate 0/s",
        "--rate 5/d",
        "--max-attempts 0",
        "--max-age 5",
        "--concurrency 0",
        "--settle done"
      })
  void whatCannotBeReadIsExit2(String line) {
    Ran ran = reprocess(line.split(" ", -1));
    assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
    assertThat(ran.err()).hasLineCount(1).startsWith("reprocess: ");
  }

  @Test
  void withoutARateItSendsFiveASecond() {
    assertThat(Ran.of(ReprocessMain.commandLine(scene.clock(), Steps.NONE), "--help").out())
        .containsPattern("--rate=N/UNIT[^-]*default: 5/s");
  }

  @Test
  void theRateIsKept() {
    scene.fail(guids("g", 4));
    List<Long> at = new ArrayList<>();
    Ran ran =
        reprocess(
            (step, guid) -> {
              if (step == Step.BYTE_TAKEN) {
                synchronized (at) {
                  at.add(System.nanoTime());
                }
              }
            },
            "--rate",
            "10/s",
            "--concurrency",
            "4");
    assertThat(ran).returns(0, Ran::exit);
    // Never faster than asked for; how much slower a busy machine is does not matter.
    assertThat(at.get(3) - at.get(0)).isGreaterThan(Duration.ofMillis(250).toNanos());
  }
}
