package org.relayledger.sandbox;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that are clumsy, slow, broken or worse; afterwards a good one is served all the same. */
class HostileClientTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  /** Longer than any client of these tests is patient. */
  private static final Duration FOREVER = Duration.ofHours(1);

  private static final Duration SHORT = Duration.ofMillis(200);
  private static final String GOOD = Client.post("{\"guid\":\"g\"}");

  private Sandbox sandbox;

  @BeforeEach
  void start() throws IOException {
    start(Sandbox.MAX_CONNECTIONS, FOREVER, FOREVER, FOREVER);
  }

  private void start(int connections, Duration idle, Duration request, Duration write)
      throws IOException {
    sandbox =
        Sandbox.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            1000,
            new Wire.Limits(connections, idle, request, write));
  }

  private void restart(int connections, Duration idle, Duration request, Duration write)
      throws IOException {
    sandbox.close();
    start(connections, idle, request, write);
  }

  @AfterEach
  void close() {
    sandbox.close();
  }

  private void assertServesOthers() throws IOException {
    try (Client client = new Client(sandbox)) {
      assertThat(client.send(Client.post("{\"guid\":\"other\"}")).body()).contains("0000");
    }
    assertThat(sandbox.received()).isEqualTo(Map.of("other", 1));
  }

  @Test
  void aRequestMayComeByteByByte() throws IOException {
    try (Client client = new Client(sandbox)) {
      for (int i = 0; i < GOOD.length(); i++) {
        client.send(GOOD.substring(i, i + 1));
      }
      assertThat(client.body()).contains("0000");
    }
  }

  @Test
  void theBodyMayWaitForTheInterimReply() throws IOException {
    try (Client client = new Client(sandbox)) {
      int body = GOOD.indexOf("{");
      client.send(GOOD.substring(0, body - 2) + "Expect: 100-Continue\r\n\r\n");
      assertThat(client.until("\r\n\r\n")).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
      assertThat(sandbox.received()).isEmpty();
      assertThat(client.send(GOOD.substring(body)).body()).contains("0000");
    }
  }

  @Test
  void theBodyMayComeInChunks() throws IOException {
    try (Client client = new Client(sandbox)) {
      client.send(
          "POST /transfers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "5;x=y\r\n{\"gui\r\n7\r\nd\":\"g\"}\r\n0\r\nTrailer: x\r\n\r\n"
              + GOOD);
      assertThat(client.body()).contains("\"guid\":\"g\",\"balance\":999");
      assertThat(client.body()).contains("\"guid\":\"g\",\"balance\":998");
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws IOException {
    try (Client client = new Client(sandbox)) {
      client.send(Client.post("{\"guid\":\"a\"}") + Client.post("{\"guid\":\"b\"}"));
      assertThat(client.body()).contains("\"guid\":\"a\"");
      assertThat(client.body()).contains("\"guid\":\"b\"");
    }
  }

  @Test
  void aBodyOfTheGreatestLengthIsTaken() throws IOException {
    String body = "{\"guid\":\"g\"}";
    String longest = body + " ".repeat(Wire.MAX_BODY - body.length());
    try (Client client = new Client(sandbox)) {
      assertThat(client.send(Client.post(longest)).body()).contains("0000");
    }
  }

  @Test
  void anHttp10ClientIsClosedUpon() throws IOException {
    assertThat(Client.exchange(sandbox, GOOD.replace("HTTP/1.1", "HTTP/1.0")))
        .contains("Connection: close", "0000");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\n",
        "\r\n\r\n",
        "hello\r\n\r\n",
        "GET /stats\r\n\r\n",
        "GET /stats HTTP/2.0\r\n\r\n",
        "GET /sta ts HTTP/1.1\r\n\r\n",
        "GET /stats HTTP/1.1\r\nno colon\r\n\r\n",
        "GET /stats HTTP/1.1\r\n: no name\r\n\r\n",
        "GET /stats HTTP/1.1\r\nA : b\r\n\r\n",
        "GET /stats HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
        "POST /transfers HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST /transfers HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST /transfers HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        "POST /transfers HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
        "POST /transfers HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nx",
        "POST /transfers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "POST /transfers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "POST /transfers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n"
      })
  void whatIsNoRequestIsBad(String garbage) throws IOException {
    assertThat(Client.exchange(sandbox, garbage))
        .startsWith("HTTP/1.1 400 ")
        .contains("Connection: close", "\"code\":\"E400\"");
    assertServesOthers();
  }

  @Test
  void randomBytesAreRefused() throws IOException {
    byte[] bytes = new byte[2 * Wire.MAX_HEAD];
    new Random(7).nextBytes(bytes);
    String garbage = new String(bytes, ISO_8859_1);
    assertThat(Client.exchange(sandbox, garbage)).startsWith("HTTP/1.1 4");
    assertServesOthers();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a: b\r\n", "a"})
  void aFloodOfHeadersIsCutOff(String drop) throws IOException {
    String flood = "GET /stats HTTP/1.1\r\n" + drop.repeat(Wire.MAX_HEAD / drop.length() + 100);
    assertThat(Client.exchange(sandbox, flood)).startsWith("HTTP/1.1 431 ");
    assertServesOthers();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1048577", "4294967297", "99999999999999999999"})
  void aBodyAnnouncedTooLargeIsRefusedUnread(String length) throws IOException {
    assertThat(
            Client.exchange(
                sandbox,
                "POST /transfers HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: "
                    + length
                    + "\r\n\r\n"))
        .startsWith("HTTP/1.1 413 ");
    assertServesOthers();
  }

  @Test
  void theRefusalReachesAClientThatIsStillSending() throws IOException {
    try (Client client = new Client(sandbox)) {
      String request = Client.post("x".repeat(2 * Wire.MAX_BODY));
      int half = request.length() / 2;
      client.send(request.substring(0, half));
      assertThat(client.until("\r\n\r\n")).startsWith("HTTP/1.1 413 ");
      client.send(request.substring(half));
      assertThat(client.rest()).contains("\"code\":\"E413\"");
    }
    assertServesOthers();
  }

  @Test
  void aBodyThatGrowsTooLargeByChunksIsRefused() throws IOException {
    String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
    assertThat(
            Client.exchange(
                sandbox,
                "POST /transfers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + chunk.repeat(Wire.MAX_BODY / 0x10000)
                    + "1\r\nx"))
        .startsWith("HTTP/1.1 413 ");
    assertServesOthers();
  }

  @Test
  void aBodyOfDeepNestingIsJustABody() throws IOException {
    String body = "{\"guid\":\"g\",\"x\":" + "[".repeat(100_000);
    try (Client client = new Client(sandbox)) {
      assertThat(client.send(Client.post(body)).body()).contains("0000");
    }
  }

  @Test
  void aRequestWhoseBodyNeverCameWholeIsNotReceived() throws IOException {
    try (Client client = new Client(sandbox)) {
      client.send(GOOD.substring(0, GOOD.length() - 1));
    }
    assertServesOthers();
    sandbox.close();
    assertThat(sandbox.received()).isEqualTo(Map.of("other", 1));
  }

  @Test
  void aClientThatSendsTooSlowlyIsToldAndCutOff() throws IOException {
    restart(Sandbox.MAX_CONNECTIONS, FOREVER, SHORT, FOREVER);
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    try (Client client = new Client(sandbox)) {
      Future<?> dribble =
          clock.scheduleAtFixedRate(
              () -> {
                try {
                  client.send("G");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              },
              0,
              20,
              TimeUnit.MILLISECONDS);
      assertThat(client.rest()).startsWith("HTTP/1.1 408 ");
      dribble.cancel(true);
    } finally {
      clock.shutdownNow();
    }
    assertServesOthers();
  }

  @Test
  void anIdleConnectionIsClosedWithoutAWord() throws IOException {
    restart(Sandbox.MAX_CONNECTIONS, SHORT, FOREVER, FOREVER);
    try (Client client = new Client(sandbox)) {
      assertThat(client.rest()).isEmpty();
    }
    assertServesOthers();
  }

  @Test
  void aConnectionTooManyIsToldSo() throws IOException {
    restart(2, FOREVER, FOREVER, FOREVER);
    try (Client one = new Client(sandbox);
        Client two = new Client(sandbox);
        Client three = new Client(sandbox)) {
      assertThat(one.send(Client.get("/stats")).body()).contains("balance");
      assertThat(two.send(Client.get("/stats")).body()).contains("balance");
      assertThat(three.rest()).startsWith("HTTP/1.1 503 ").contains("too many connections");
    }
    assertServedAtLast();
  }

  @Test
  void aClientThatDoesNotReadIsCutOff() throws IOException {
    restart(1, FOREVER, FOREVER, SHORT);
    try (Client deaf = new Client(sandbox)) {
      deaf.send(Client.post("{\"guid\":\"toolarge-1\"}").repeat(64));
      assertServedAtLast();
      assertThat(sandbox.executed().get("toolarge-1")).isLessThan(64);
    }
  }

  /** Asks until a place is free. */
  private void assertServedAtLast() throws IOException {
    long deadline = System.nanoTime() + LONG.toNanos();
    String answer;
    do {
      try {
        answer = Client.exchange(sandbox, Client.get("/statement", "Connection: close"));
      } catch (IOException e) {
        // A refusal that a request has crossed arrives as a reset.
        answer = "";
      }
    } while (!answer.startsWith("HTTP/1.1 200 ") && System.nanoTime() < deadline);
    assertThat(answer).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void aFailureInsideIsOneLineAndEndsOneConnection() throws Exception {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    PrintStream err = System.err;
    System.setErr(
        new PrintStream(new ByteArrayOutputStream(), true, UTF_8) {
          @Override
          public void println(String line) {
            lines.add(line);
          }
        });
    try {
      sandbox.inquiryFaults(
          guid -> {
            throw new IllegalStateException("boom");
          });
      assertThat(Client.exchange(sandbox, Client.get("/transfers/g"))).isEmpty();
      assertThat(lines.poll(LONG.toSeconds(), TimeUnit.SECONDS))
          .isEqualTo("sandbox: an internal failure ended a sandbox-connection: boom");
    } finally {
      System.setErr(err);
    }
    assertServesOthers();
    assertThat(lines).isEmpty();
  }
}
