package org.relayledger.relay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.relayledger.account.AccountOptions;
import org.relayledger.account.AccountSystem;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Request;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.sandbox.Sandbox;
import org.relayledger.testing.Scene;
import tools.jackson.core.JsonPointer;

/** One attempt from claim to outcome, on a real ledger and over real sockets. */
final class RelayTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final Actor ACTOR = new Actor(Actor.Role.RELAY, "test", null);
  private static final Intake INTAKE = new Intake(JsonPointer.compile("/guid"), List.of());

  @TempDir Path folder;
  private String ledgerPath;
  private Sandbox sandbox;
  private final List<Ledger> ledgers = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    ledgerPath = folder.resolve("ledger.db").toString();
    Duration day = Duration.ofDays(1);
    Ledger.init(ledgerPath, new Settings("id", Settings.Mode.NORMAL, day, day), HostClock.system());
    sandbox =
        Sandbox.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Sandbox.BALANCE);
  }

  @AfterEach
  void close() {
    sandbox.close();
    ledgers.forEach(Ledger::close);
  }

  /** A relay with a ledger of its own on the same file, as another process has it. */
  private Relay relay(Relay.Limits limits, Steps steps) {
    Ledger ledger = Ledger.open(ledgerPath, HostClock.system(), steps);
    ledgers.add(ledger);
    AccountOptions options = AccountOptions.at(sandbox.transfers().toString());
    AccountSystem account = new AccountSystem(options, limits.openFor(), steps);
    AskFirst askFirst = Scene.askFirst(ledger, account, HostClock.system());
    return new Relay(ledger, account, askFirst, limits, ACTOR, steps);
  }

  private Relay patient(Steps steps) {
    return relay(new Relay.Limits(PATIENCE, PATIENCE, 100), steps);
  }

  private static Request request(String guid) {
    byte[] body = ("{\"guid\":\"" + guid + "\",\"amount\":1}").getBytes(UTF_8);
    Intake.Arrival arrival = INTAKE.read(List.of(), null, "application/json", body);
    return ((Intake.Arrival.Accepted) arrival).request();
  }

  private static CompletableFuture<Answer> begin(Supplier<Answer> call) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                answer.complete(call.get());
              } catch (RuntimeException e) {
                answer.completeExceptionally(e);
              }
            },
            "caller");
    thread.setDaemon(true);
    thread.start();
    return answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private Row row(String guid) {
    return ledgers.get(0).view().find(new Guid(guid), true).orElse(null);
  }

  private int received(String guid) {
    return sandbox.received().getOrDefault(guid, 0);
  }

  private static void assertProblem(Answer answer, Problem problem) {
    assertThat(answer).isInstanceOf(Answer.Refused.class);
    assertThat(((Answer.Refused) answer).problem()).isEqualTo(problem);
  }

  private static Answer.Definite assertDefinite(Answer answer, boolean replayed) {
    assertThat(answer).isInstanceOf(Answer.Definite.class);
    assertThat(((Answer.Definite) answer).replayed()).isEqualTo(replayed);
    return (Answer.Definite) answer;
  }

  /** Stops the first thread that reaches a step until it is let go. */
  private static final class Pause implements Steps {
    private final Step step;
    private final AtomicBoolean first = new AtomicBoolean();
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    Pause(Step step) {
      this.step = step;
    }

    @Override
    public void reached(Step at, Guid guid) {
      if (at == step && first.compareAndSet(false, true)) {
        reached.countDown();
        await(goOn);
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(to = "BYTE_FREED")
  void whileASenderIsPausedAtAnyStepAllOthersGetE903OrItsReplyAndItSendsOnce(Step step)
      throws Exception {
    Pause pause = new Pause(step);
    Relay sender = patient(pause);
    Relay other = patient(Steps.NONE);
    CompletableFuture<Answer> first = begin(() -> sender.relay(request("g")));
    await(pause.reached);

    Answer same = sender.relay(request("g"));
    Answer elsewhere = other.relay(request("g"));

    boolean committed = step == Step.OUTCOME_COMMITTED || step == Step.BYTE_FREED;
    for (Answer answer : List.of(same, elsewhere)) {
      if (committed) {
        assertDefinite(answer, true);
      } else {
        assertProblem(answer, Problem.E903);
      }
    }
    assertThat(first).isNotDone();
    pause.goOn.countDown();
    Answer.Definite reply = assertDefinite(first.join(), false);
    assertThat(assertDefinite(other.relay(request("g")), true).reply().body())
        .isEqualTo(reply.reply().body());
    assertThat(received("g")).isEqualTo(1);
  }

  /** Throws once, where a bug would. */
  private static Steps bugAt(Step step) {
    AtomicBoolean thrown = new AtomicBoolean();
    return (at, guid) -> {
      if (at == step && thrown.compareAndSet(false, true)) {
        throw new IllegalStateException("a bug");
      }
    };
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "BYTE_TAKEN",
        "CLAIM_WRITTEN",
        "GATE_CHECKED",
        "GATE_OPENED",
        "REPLY_READ",
        "OUTCOME_WRITTEN",
        "OUTCOME_COMMITTED",
        "BYTE_FREED"
      })
  void aBugInASenderSendsNothingTwiceAndGivesBackItsByteAndItsPlace(Step step) throws Exception {
    Relay relay = patient(bugAt(step));

    Throwable thrown = catchThrowable(() -> relay.relay(request("g")));

    // The client's threads meet the bug at the gate, and the exchange ends like any other.
    boolean atTheGate = step == Step.GATE_CHECKED || step == Step.GATE_OPENED;
    assertThat(thrown == null).isEqualTo(atTheGate);
    assertThat(relay.awaitIdle(PATIENCE)).isTrue();
    Row left = row("g");
    Answer next = relay.relay(request("g"));
    if (left != null && left.state() == State.UNKNOWN) {
      assertProblem(next, Problem.E901);
    } else {
      // Nothing was sent, or its reply is stored.
      assertDefinite(next, left != null && left.state() == State.DONE);
    }
    assertThat(received("g")).isLessThan(2);
    assertThat(relay.inFlight()).isZero();
  }

  @Test
  void ofAHundredAtOnceOnTwoLedgersOneIsSent() throws Exception {
    List<Relay> relays = List.of(patient(Steps.NONE), patient(Steps.NONE));
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Relay relay = relays.get(i % 2);
      answers.add(begin(() -> relay.relay(request("g"))));
    }
    int fresh = 0;
    for (CompletableFuture<Answer> answer : answers) {
      if (answer.join() instanceof Answer.Definite definite) {
        fresh += definite.replayed() ? 0 : 1;
      } else {
        assertProblem(answer.join(), Problem.E903);
      }
    }
    assertThat(fresh).isEqualTo(1);
    assertThat(received("g")).isEqualTo(1);
  }

  /** Remembers which GUIDs' bytes were freed, and lets a test wait for it. */
  private static final class Ends implements Steps {
    private final Map<Guid, CountDownLatch> freed = new ConcurrentHashMap<>();

    private CountDownLatch of(Guid guid) {
      return freed.computeIfAbsent(guid, g -> new CountDownLatch(1));
    }

    @Override
    public void reached(Step step, Guid guid) {
      if (step == Step.BYTE_FREED) {
        of(guid).countDown();
      }
    }
  }

  @Test
  void aLateReplySettlesItsRowAndGivesItsPlaceBack() throws Exception {
    Relay relay = relay(new Relay.Limits(TIMEOUT, PATIENCE, 1), Steps.NONE);
    warmUp();

    assertProblem(relay.relay(request("held-g")), Problem.E901);
    assertThat(relay.inFlight()).isEqualTo(1);
    assertThat(row("held-g")).returns(State.UNKNOWN, Row::state).returns(null, Row::endedAt);
    assertProblem(relay.relay(request("held-g")), Problem.E901);
    assertProblem(relay.relay(request("other")), Problem.E907);
    assertDefinite(relay.relay(request("warm")), true);
    sandbox.release("held-g");

    assertThat(relay.awaitIdle(PATIENCE)).isTrue();
    assertThat(relay.lateReplies()).isEqualTo(1);
    assertThat(row("held-g")).returns(State.DONE, Row::state).returns("E901", Row::toldCode);
    assertDefinite(relay.relay(request("held-g")), true);
    assertDefinite(relay.relay(request("other")), false);
    assertThat(received("held-g")).isEqualTo(1);
  }

  /** The first call loads classes; a time-out must not end before that. */
  private void warmUp() {
    assertDefinite(patient(Steps.NONE).relay(request("warm")), false);
  }

  @Test
  void anExchangeIsEndedWhenItsTotalTimeIsOverAndItsEndNoted() throws Exception {
    Relay relay = relay(new Relay.Limits(TIMEOUT, TIMEOUT.plusMillis(500), 1), Steps.NONE);
    warmUp();
    assertProblem(relay.relay(request("held-g")), Problem.E901);

    assertThat(relay.awaitIdle(PATIENCE)).isTrue();

    assertThat(row("held-g")).returns(State.UNKNOWN, Row::state);
    assertThat(row("held-g").endedAt()).isNotNull();
    sandbox.release("held-g");
    sandbox.awaitExecuted("held-g", 1, PATIENCE);
    assertProblem(relay.relay(request("held-g")), Problem.E901);
  }

  @Test
  void aRelayThatMayNotStayOpenEndsItsExchangeAtTheTimeOut() {
    Relay relay = relay(new Relay.Limits(TIMEOUT, TIMEOUT, 1), Steps.NONE);
    warmUp();

    assertProblem(relay.relay(request("held-g")), Problem.E901);

    assertThat(relay.inFlight()).isZero();
    assertThat(row("held-g").endedAt()).isNotNull();
  }

  @Test
  void anInterruptedSenderIsInDoubtAndItsLateReplyStillSettles() throws Exception {
    Relay other = patient(Steps.NONE);
    Relay late = relay(new Relay.Limits(PATIENCE, PATIENCE.multipliedBy(2), 1), Steps.NONE);
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    CompletableFuture<Answer> answer =
        begin(
            () -> {
              thread.complete(Thread.currentThread());
              return late.relay(request("held-g"));
            });
    sandbox.awaitReceived("held-g", 1, PATIENCE);

    thread.join().interrupt();

    assertProblem(answer.join(), Problem.E901);
    assertProblem(other.relay(request("held-g")), Problem.E901);
    sandbox.release("held-g");
    assertThat(late.awaitIdle(PATIENCE)).isTrue();
    assertDefinite(other.relay(request("held-g")), true);
    assertThat(received("held-g")).isEqualTo(1);
  }

  @Test
  void aStoppedRelayClaimsNothingNewAndStillAnswersWhatStands() {
    Relay relay = patient(Steps.NONE);
    relay.relay(request("done"));
    assertThat(relay.isWell()).isTrue();

    relay.stop();

    assertThat(relay.isWell()).isFalse();
    assertProblem(relay.relay(request("new")), Problem.E907);
    assertDefinite(relay.relay(request("done")), true);
    assertThat(row("new")).isNull();
    assertThat(received("new")).isZero();
    assertThat(relay.inFlight()).isZero();
  }

  @Test
  void windingUpEndsWhatIsOpenWaitingOrLateAndNotesItsEnd() throws Exception {
    Ends ends = new Ends();
    Relay relay = relay(new Relay.Limits(TIMEOUT, PATIENCE, 10), ends);
    warmUp();
    assertProblem(relay.relay(request("held-late")), Problem.E901);
    Relay waiting = patient(ends);
    CompletableFuture<Answer> answer = begin(() -> waiting.relay(request("held-waiting")));
    sandbox.awaitReceived("held-waiting", 1, PATIENCE);

    relay.windUp(Duration.ZERO);
    waiting.windUp(Duration.ZERO);

    assertProblem(answer.join(), Problem.E901);
    for (String guid : List.of("held-late", "held-waiting")) {
      await(ends.of(new Guid(guid)));
      assertThat(row(guid)).returns(State.UNKNOWN, Row::state);
      assertThat(row(guid).endedAt()).isNotNull();
    }
  }

  @Test
  void whatWasNeverSentIsClaimedAgainAndGoesOutAsItIsStored() throws Exception {
    try (Socket nobody = new Socket()) {
      nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      String refusing = "http://127.0.0.1:" + nobody.getLocalPort() + "/transfers";
      Relay relay = patient(Steps.NONE);
      AccountSystem account = new AccountSystem(AccountOptions.at(refusing), PATIENCE, Steps.NONE);
      Relay cutOff =
          new Relay(
              ledgers.get(0),
              account,
              Scene.askFirst(ledgers.get(0), account, HostClock.system()),
              new Relay.Limits(PATIENCE, PATIENCE, 1),
              ACTOR,
              Steps.NONE);

      Answer.Refused refused = (Answer.Refused) cutOff.relay(request("g"));

      assertThat(refused)
          .returns(Problem.E902, Answer.Refused::problem)
          .returns(503, Answer.Refused::httpStatus)
          .returns(Problem.Retry.SAME_GUID, Answer.Refused::retry);
      assertThat(row("g")).returns(State.FAILED, Row::state).returns(1, Row::attempt);
      assertThat(assertDefinite(relay.relay(request("g")), false).attempt()).isEqualTo(2);
      assertThat(row("g")).returns(State.DONE, Row::state).returns(2, Row::attempt);
      assertThat(received("g")).isEqualTo(1);
    }
  }

  @Test
  void everyProblemHasItsStatusItsRetryAndOneLine() {
    Map<Problem, String> facts =
        Map.of(
            Problem.E901, "504 later 0",
            Problem.E902, "503 same-guid 5",
            Problem.E903, "409 later 1",
            Problem.E904, "422 never 0",
            Problem.E905, "400 never 0",
            Problem.E906, "410 never 0",
            Problem.E907, "503 same-guid 5",
            Problem.E908, "503 same-guid 0");
    for (Problem problem : Problem.values()) {
      Answer.Refused refused = Answer.Refused.of(problem, new Guid("g"), "it is \"so\"");
      String[] fact = facts.get(problem).split(" ", -1);

      assertThat(problem.retryAfterSeconds()).isEqualTo(Integer.parseInt(fact[2]));
      assertThat(refused.reply().httpStatus()).isEqualTo(Integer.parseInt(fact[0]));
      assertThat(refused.reply().contentType()).isEqualTo("application/problem+json");
      assertThat(refused.reply().body())
          .asString()
          .isEqualTo(
              ("{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%s,\"code\":\"%s\","
                      + "\"guid\":\"g\",\"retry\":\"%s\",\"detail\":\"it is \\\"so\\\"\"}")
                  .formatted(problem.title(), fact[0], problem, fact[1]));
    }
  }
}
