package org.relayledger.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.relayledger.account.ScriptedServer.answering;
import static org.relayledger.account.ScriptedServer.chunked;
import static org.relayledger.account.ScriptedServer.sized;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.account.ScriptedServer.Script;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import tools.jackson.core.JsonPointer;

/** Every row of the reply table, and the end of exchanges, from real sockets. */
@Timeout(120)
final class ExchangeTest {
  private static final Guid GUID = new Guid("T-1");
  private static final byte[] BODY =
      "{\"guid\":\"T-1\",\"amount\":\"é\"}".getBytes(StandardCharsets.UTF_8);
  private static final String OK = "{\"code\":\"0000\",\"guid\":\"T-1\"}";
  private static final Duration LONG = Duration.ofSeconds(60);

  /** What comes back, and what to make of it. */
  private record Case(String name, Class<? extends Outcome> expected, String why, Script script) {
    static Case done(String name, Script script) {
      return new Case(name, Outcome.Done.class, "", script);
    }

    static Case doubt(String name, String why, Script script) {
      return new Case(name, Outcome.InDoubt.class, why, script);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static AccountOptions options(String url, Duration connect, int maxReply) {
    return new AccountOptions(
        url,
        null,
        LONG,
        connect,
        List.of(new Header("Authorization", "Bearer s3cret")),
        JsonPointer.compile("/code"),
        JsonPointer.compile("/guid"),
        Codes.parse("0000,B2??,E500"),
        Codes.parse("N1??"),
        Codes.parse("0000,B2??"),
        "E404",
        maxReply);
  }

  private static AccountSystem account(String url, Steps steps) {
    return new AccountSystem(options(url, LONG, 1024), LONG, steps);
  }

  private static Exchange send(AccountSystem account) {
    return account.send(GUID, 3, "application/json", BODY, () -> true);
  }

  private static String why(Outcome outcome) {
    if (outcome instanceof Outcome.NotSent notSent) {
      return notSent.note();
    }
    return outcome instanceof Outcome.InDoubt doubt ? doubt.note() : "";
  }

  private static String url(ServerSocket socket) {
    return "http://localhost:" + socket.getLocalPort() + "/transfers";
  }

  static Stream<Case> replies() {
    return Stream.of(
        Case.done("sized", answering(sized("200 OK", OK))),
        Case.done("chunked", answering(chunked("200 OK", OK))),
        Case.done("a refusal", answering(sized("200 OK", "{\"code\":\"E500\"}"))),
        Case.done("400", answering(sized("400 Bad", OK))),
        Case.done("502", answering(chunked("502 Bad", OK))),
        Case.done(
            "401 with a challenge",
            answering(sized("401 No\r\nWWW-Authenticate: Basic realm=\"x\"", OK))),
        Case.done("401 without", answering(sized("401 No", OK))),
        Case.done(
            "407 with a challenge",
            answering(sized("407 No\r\nProxy-Authenticate: Basic realm=\"x\"", OK))),
        Case.done("HTTP/1.0, sized", answering(sized("200 OK", OK).replace("/1.1", "/1.0"))),
        Case.done("after 100", answering("HTTP/1.1 100 Go\r\n\r\n" + sized("200 OK", OK))),
        Case.done(
            "after 103",
            answering("HTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n" + chunked("200 OK", OK))),
        Case.done(
            "byte by byte",
            peer -> {
              peer.request();
              for (char c : chunked("200 OK", OK).toCharArray()) {
                peer.send(String.valueOf(c));
              }
              peer.untilClosed();
            }),
        Case.done(
            "before the body was read",
            peer -> {
              peer.head();
              peer.send(sized("200 OK", OK));
              peer.untilClosed();
            }),
        Case.done("and more bytes", answering(sized("200 OK", OK) + sized("200 OK", "{}"))),
        new Case(
            "a not-sent code",
            Outcome.NotSent.class,
            "answered N100",
            answering(sized("200 OK", "{\"code\":\"N100\"}"))),
        Case.doubt("no reply", "closed", peer -> peer.request()),
        Case.doubt(
            "a reset",
            "reset",
            peer -> {
              peer.request();
              peer.reset();
            }),
        Case.doubt(
            "100 and the end",
            "closed",
            peer -> {
              peer.request();
              peer.send("HTTP/1.1 100 Go\r\n\r\n");
            }),
        Case.doubt("101", "malformed", answering("HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n")),
        Case.doubt(
            "a flood of 102",
            "",
            peer -> {
              peer.request();
              while (true) {
                peer.send("HTTP/1.1 102 Wait\r\n\r\n".repeat(1000));
              }
            }),
        Case.doubt("302", "redirect", answering(sized("302 X\r\nLocation: /transfers", OK))),
        Case.doubt("307", "redirect", answering(sized("307 X\r\nLocation: /transfers", OK))),
        Case.doubt("304", "redirect", answering(sized("304 X", OK))),
        Case.doubt("204", "framed", answering("HTTP/1.1 204 X\r\n\r\n")),
        Case.doubt("204 with a body", "", answering(sized("204 X", OK))),
        Case.doubt("502 in HTML", "not strict JSON", answering(sized("502 X", "<html>"))),
        Case.doubt("another code", "E999", answering(sized("200 OK", "{\"code\":\"E999\"}"))),
        Case.doubt("no code", "without a code", answering(sized("200 OK", "{}"))),
        Case.doubt(
            "another guid", "another GUID", answering(sized("200 OK", OK.replace("T-1", "T-2")))),
        Case.doubt("empty", "without a body", answering(sized("200 OK", ""))),
        Case.doubt(
            "empty chunks",
            "JSON",
            answering("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")),
        Case.doubt(
            "cut off, sized",
            "closed",
            peer -> {
              peer.request();
              peer.send(sized("200 OK", OK + " ").stripTrailing());
            }),
        Case.doubt(
            "cut off, chunked",
            "closed",
            peer -> {
              peer.request();
              peer.send(chunked("200 OK", OK).replace("0\r\n\r\n", ""));
            }),
        Case.doubt(
            "cut off by a reset",
            "",
            peer -> {
              peer.request();
              peer.send(chunked("200 OK", OK).replace("0\r\n\r\n", ""));
              peer.reset();
            }),
        Case.doubt(
            "framed by the end of the connection",
            "framed",
            peer -> {
              peer.request();
              peer.send("HTTP/1.0 200 OK\r\n\r\n" + OK);
            }),
        Case.doubt("two lengths", "framed", answering(sized("200 OK\r\nContent-Length: 29", OK))),
        Case.doubt(
            "a list of lengths",
            "framed",
            answering("HTTP/1.1 200 X\r\nContent-Length: 29, 29\r\n\r\n" + OK)),
        Case.doubt(
            "both framings", "framed", answering(chunked("200 OK\r\nContent-Length: 29", OK))),
        Case.doubt(
            "a broken chunk",
            "",
            answering(chunked("200 OK", OK).replace("chunked\r\n\r\n", "chunked\r\n\r\nzz\r\n"))),
        Case.doubt(
            "too large, sized",
            "more than 1024",
            answering("HTTP/1.1 200 X\r\nContent-Length: 1025\r\n\r\n")),
        Case.doubt(
            "an endless body",
            "more than 1024",
            peer -> {
              peer.request();
              peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
              while (true) {
                peer.send("a\r\n0123456789\r\n".repeat(100));
              }
            }),
        Case.doubt(
            "endless headers",
            "malformed",
            peer -> {
              peer.request();
              peer.send("HTTP/1.1 200 OK\r\n");
              while (true) {
                peer.send("X-A: b\r\n".repeat(1000));
              }
            }),
        Case.doubt("not HTTP", "malformed", answering("SSH-2.0-OpenSSH\u001b[31m\r\n")),
        Case.doubt("no status", "malformed", answering("HTTP/1.1 okay\r\n\r\n")));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void whatComesBackDecidesTheOutcomeAndNothingIsSentTwice(Case reply) throws Exception {
    try (ScriptedServer server = new ScriptedServer(reply.script)) {
      Outcome outcome = send(account(server.url(), Steps.NONE)).await(LONG).orElseThrow();

      assertThat(outcome).isInstanceOf(reply.expected);
      assertThat(why(outcome)).contains(reply.why).matches("[ -~]*").doesNotContain("java");
      assertThat(server.surplus()).isLessThanOrEqualTo(BODY.length);
      assertThat(server.connections()).isEqualTo(1);
      assertThat(server.requests()).hasSizeLessThanOrEqualTo(1);
    }
  }

  @Test
  void theRequestGoesOutAsReceivedWithItsKeyItsAttemptAndTheHeaders() throws Exception {
    try (ScriptedServer server = new ScriptedServer(answering(sized("200 OK", OK)))) {
      account(server.url(), Steps.NONE)
          .send(new Guid("a:B"), 7, "application/json; charset=utf-8", BODY, () -> true)
          .await(LONG);

      assertThat(server.requests()).hasSize(1);
      assertThat(server.requests().get(0).body()).isEqualTo(BODY);
      assertThat(server.requests().get(0).head().lines())
          .startsWith("POST /transfers HTTP/1.1")
          .containsOnlyOnce(
              "Idempotency-Key: \"a:B\"",
              "Relay-Attempt: 7",
              "Content-Type: application/json; charset=utf-8",
              "Authorization: Bearer s3cret",
              "Content-Length: " + BODY.length);
    }
  }

  @Test
  void aRequestWithoutContentTypeIsSentWithoutOne() throws Exception {
    try (ScriptedServer server = new ScriptedServer(answering(sized("200 OK", OK)))) {
      account(server.url(), Steps.NONE).send(GUID, 1, null, BODY, () -> true).await(LONG);

      assertThat(server.requests().get(0).head().toLowerCase(Locale.ROOT))
          .doesNotContain("content-type");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/json\r\nX-A: b", "ä"})
  void aContentTypeThatIsNoHeaderValueIsNotSent(String contentType) throws Exception {
    try (ScriptedServer server = new ScriptedServer(answering(sized("200 OK", OK)))) {
      Outcome outcome =
          account(server.url(), Steps.NONE)
              .send(GUID, 1, contentType, BODY, () -> true)
              .await(LONG)
              .orElseThrow();

      assertThat(outcome).isEqualTo(new Outcome.NotSent("its content type cannot be sent"));
      assertThat(server.connections()).isZero();
    }
  }

  @Test
  void anEmptyBodyIsRefusedForTheGateWouldNotKnowOfIt() {
    AccountSystem account = account("http://localhost:1/t", Steps.NONE);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> account.send(GUID, 1, null, new byte[0], () -> true));
  }

  @Test
  void aRefusedConnectionIsNotSent() throws Exception {
    ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    gone.close();

    Outcome outcome = send(account(url(gone), Steps.NONE)).await(LONG).orElseThrow();

    assertThat(outcome).isInstanceOf(Outcome.NotSent.class);
    assertThat(why(outcome)).startsWith("no connection");
  }

  @Test
  void anUnknownHostIsNotSent() {
    Outcome outcome =
        send(account("http://no-such-host.invalid/t", Steps.NONE)).await(LONG).orElseThrow();

    assertThat(outcome).isEqualTo(new Outcome.NotSent("its host name was not resolved"));
  }

  @Test
  void aConnectTimeOutIsNotSent() throws Exception {
    List<SocketChannel> fillers = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      // Nobody accepts: once the backlog is full the kernel drops every further attempt.
      for (int i = 0; i < 8; i++) {
        SocketChannel filler = SocketChannel.open();
        fillers.add(filler);
        filler.configureBlocking(false);
        filler.connect(new InetSocketAddress(full.getInetAddress(), full.getLocalPort()));
      }
      AccountSystem account =
          new AccountSystem(options(url(full), Duration.ofMillis(300), 1024), LONG, Steps.NONE);

      Outcome outcome = send(account).await(LONG).orElseThrow();

      assertThat(outcome).isEqualTo(new Outcome.NotSent("connecting timed out"));
    } finally {
      for (SocketChannel filler : fillers) {
        filler.close();
      }
    }
  }

  @Test
  void ourOwnDeadlineBeforeTheGateIsNotSent() throws Exception {
    CountDownLatch checking = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.head();
              peer.untilClosed();
            })) {
      AccountSystem account =
          new AccountSystem(options(server.url(), LONG, 1024), Duration.ofMillis(200), Steps.NONE);
      Exchange exchange =
          account.send(
              GUID,
              1,
              null,
              BODY,
              () -> {
                checking.countDown();
                return passed(mayGoOn);
              });

      Outcome outcome = exchange.await(LONG).orElseThrow();
      checking.await();
      mayGoOn.countDown();

      assertThat(outcome).isEqualTo(new Outcome.NotSent("no reply within 200ms"));
      assertThat(server.surplus()).isZero();
    }
  }

  private static boolean passed(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aRowThatIsNoLongerOursIsNotSent() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.head();
              peer.untilClosed();
            })) {
      Outcome outcome =
          account(server.url(), Steps.NONE)
              .send(GUID, 1, null, BODY, () -> false)
              .await(LONG)
              .orElseThrow();

      assertThat(outcome).isInstanceOf(Outcome.NotSent.class);
      assertThat(server.surplus()).isZero();
    }
  }

  @Test
  void theGateIsCheckedAndOpenedOnceAndInThisOrder() throws Exception {
    ConcurrentLinkedQueue<Object> order = new ConcurrentLinkedQueue<>();
    try (ScriptedServer server = new ScriptedServer(answering(sized("200 OK", OK)))) {
      account(server.url(), (step, guid) -> order.add(step))
          .send(GUID, 1, null, BODY, () -> order.add("mine?"))
          .await(LONG);

      assertThat(order).containsExactly("mine?", Step.GATE_CHECKED, Step.GATE_OPENED);
    }
  }

  /** Lets a test hold an exchange at one step. */
  private static final class Stop implements Steps {
    final Step at;
    final CountDownLatch reached = new CountDownLatch(1);
    final CountDownLatch mayGoOn = new CountDownLatch(1);

    Stop(Step at) {
      this.at = at;
    }

    @Override
    public void reached(Step step, Guid guid) {
      if (step == at) {
        reached.countDown();
        assertThat(passed(mayGoOn)).isTrue();
      }
    }
  }

  @Test
  void whoGivesUpBeforeTheGateIsOpenKnowsThatNothingWasSent() throws Exception {
    Stop stop = new Stop(Step.GATE_CHECKED);
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.head();
              peer.untilClosed();
            })) {
      Exchange exchange = send(account(server.url(), stop));
      stop.reached.await();

      assertThat(exchange.await(Duration.ofMillis(1))).isEmpty();
      assertThat(exchange.giveUp("no reply within 1ms"))
          .contains(new Outcome.NotSent("no reply within 1ms"));
      stop.mayGoOn.countDown();

      assertThat(server.surplus()).isZero();
      assertThat(exchange.await(LONG)).contains(new Outcome.NotSent("no reply within 1ms"));
    }
  }

  @Test
  void whoEndsItBetweenTheGateAndTheWireIsInDoubtThoughNothingGoesOut() throws Exception {
    Stop stop = new Stop(Step.GATE_OPENED);
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.head();
              peer.untilClosed();
            })) {
      Exchange exchange = send(account(server.url(), stop));
      stop.reached.await();

      assertThat(exchange.giveUp("late")).isEmpty();
      assertThat(exchange.end("late")).isEqualTo(new Outcome.InDoubt("late", false));
      stop.mayGoOn.countDown();

      assertThat(server.surplus()).isZero();
    }
  }

  @Test
  void afterTheEndNotOneMoreByteOfTheBodyGoesOut() throws Exception {
    byte[] body = new byte[32 * 1024 * 1024];
    Arrays.fill(body, (byte) 'x');
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    ServerSocket small = new ServerSocket();
    small.setReceiveBufferSize(16 * 1024);
    small.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    try (ScriptedServer server =
        new ScriptedServer(
            small,
            "http",
            peer -> {
              peer.head();
              peer.in().readNBytes(1);
              begun.countDown();
              ended.await();
              peer.untilClosed();
            })) {
      Exchange exchange = account(server.url(), Steps.NONE).send(GUID, 1, null, body, () -> true);
      begun.await();

      assertThat(exchange.end("no reply")).isEqualTo(new Outcome.InDoubt("no reply", false));
      ended.countDown();

      assertThat(server.surplus()).isLessThan(body.length / 2);
    }
  }

  @Test
  void whatEndedBeforeItsConnectionWasOpenedOpensNone() throws Exception {
    AtomicInteger tasks = new AtomicInteger();
    HttpClient client = HttpClient.newBuilder().executor(task -> tasks.incrementAndGet()).build();
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost/t")).build();

    new Connection(1, answer -> {}).open(client, request);
    assertThat(tasks).as("the client's first task").hasValue(1);

    Connection closed = new Connection(1, answer -> {});
    closed.close();
    closed.open(client, request);
    assertThat(tasks).hasValue(1);
  }

  @Test
  void anInterruptEndsTheWaitAndNothingElse() throws Exception {
    CountDownLatch mayAnswer = new CountDownLatch(1);
    CompletableFuture<Boolean> received = new CompletableFuture<>();
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.request();
              received.complete(true);
              mayAnswer.await();
              peer.send(sized("200 OK", OK));
              peer.untilClosed();
            })) {
      Exchange exchange = send(account(server.url(), Steps.NONE));
      received.get();
      Thread.currentThread().interrupt();

      Optional<Outcome> interrupted = exchange.await(LONG);

      assertThat(Thread.interrupted()).isTrue();
      assertThat(interrupted).isEmpty();
      assertThat(exchange.giveUp("interrupted")).isEmpty();
      mayAnswer.countDown();
      assertThat(exchange.await(LONG).orElseThrow()).isInstanceOf(Outcome.Done.class);
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void anInterruptBeforeTheGateLeavesNothingSent() throws Exception {
    Stop stop = new Stop(Step.GATE_CHECKED);
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.head();
              peer.untilClosed();
            })) {
      Exchange exchange = send(account(server.url(), stop));
      stop.reached.await();
      Thread.currentThread().interrupt();

      assertThat(exchange.await(LONG)).isEmpty();
      assertThat(exchange.giveUp("interrupted")).contains(new Outcome.NotSent("interrupted"));
      assertThat(Thread.interrupted()).isTrue();
      stop.mayGoOn.countDown();
      assertThat(server.surplus()).isZero();
    }
  }

  @Test
  void aLateReplyEndsAnExchangeThatStayedOpen() throws Exception {
    CountDownLatch mayAnswer = new CountDownLatch(1);
    CountDownLatch received = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.request();
              received.countDown();
              mayAnswer.await();
              peer.send(sized("200 OK", OK));
              peer.untilClosed();
            })) {
      Exchange exchange = send(account(server.url(), Steps.NONE));
      received.await();
      assertThat(exchange.await(Duration.ofMillis(1))).isEmpty();
      assertThat(exchange.giveUp("no reply within 1ms")).isEmpty();
      CompletableFuture<Outcome> late = exchange.ended().toCompletableFuture();
      assertThat(late).isNotDone();

      mayAnswer.countDown();

      assertThat(late.get()).isInstanceOf(Outcome.Done.class);
      assertThat(exchange.giveUp("late")).contains(late.get());
      assertThat(exchange.end("late")).isEqualTo(late.get());
      assertThat(server.surplus()).isZero();
    }
  }

  @Test
  void theTotalDeadlineEndsAReplyThatDrips() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.request();
              peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
              while (!peer.closedSoon()) {
                peer.send(" ");
              }
            })) {
      AccountSystem account =
          new AccountSystem(options(server.url(), LONG, 1024), Duration.ofMillis(500), Steps.NONE);

      Outcome outcome = send(account).await(LONG).orElseThrow();

      assertThat(outcome).isEqualTo(new Outcome.InDoubt("no reply within 500ms", false));
      assertThat(server.surplus()).isZero();
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void theTotalDeadlineEndsASilence() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.request();
              peer.untilClosed();
            })) {
      AccountSystem account =
          new AccountSystem(options(server.url(), LONG, 1024), Duration.ofSeconds(1), Steps.NONE);

      Outcome outcome = send(account).await(LONG).orElseThrow();

      assertThat(outcome).isEqualTo(new Outcome.InDoubt("no reply within 1s", false));
      assertThat(server.surplus()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noConnectionCarriesASecondRequestHoweverManyAreSentAtOnce(boolean chunks) throws Exception {
    int senders = 16;
    int each = 100;
    // A faulty account system: it keeps connections open, though a second request on one gets a
    // reply that would pass for its own.
    AtomicInteger second = new AtomicInteger();
    Script faulty =
        peer -> {
          peer.request();
          peer.send(chunks ? chunked("200 OK", OK) : sized("200 OK", OK));
          peer.head();
          second.incrementAndGet();
          peer.send(sized("200 OK", "{\"code\":\"B299\"}"));
          peer.untilClosed();
        };
    try (ScriptedServer server = new ScriptedServer(faulty)) {
      AccountSystem account = account(server.url(), Steps.NONE);
      ConcurrentLinkedQueue<Outcome> outcomes = new ConcurrentLinkedQueue<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < senders; i++) {
        Thread thread =
            new Thread(
                () -> {
                  for (int k = 0; k < each; k++) {
                    outcomes.add(send(account).await(LONG).orElseThrow());
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }

      assertThat(outcomes)
          .hasSize(senders * each)
          .allSatisfy(outcome -> assertThat(outcome.code()).isEqualTo("0000"));
      assertThat(second).hasValue(0);
      assertThat(server.connections()).isEqualTo(senders * each);
    }
  }

  @Test
  void aJvmOptionThatWouldSendTwiceIsRefused() {
    String option = "jdk.httpclient.enableAllMethodRetry";
    System.setProperty(option, "");
    try {
      assertThatIllegalStateException()
          .isThrownBy(() -> account("http://localhost/t", Steps.NONE))
          .withMessageContaining(option);
    } finally {
      System.clearProperty(option);
    }
  }
}
