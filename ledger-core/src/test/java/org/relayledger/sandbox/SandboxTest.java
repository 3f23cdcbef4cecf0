package org.relayledger.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String HONEST =
      json(200, "{\"code\":\"0000\",\"guid\":\"g\",\"balance\":999}");

  private Sandbox sandbox;

  @BeforeEach
  void start() throws IOException {
    sandbox = Sandbox.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
  }

  @AfterEach
  void close() {
    sandbox.close();
  }

  private static String json(int status, String body) {
    return reply(
        status, body, "Content-Type: application/json", "Content-Length: " + body.length());
  }

  private static String reply(int status, String body, String... headers) {
    return "HTTP/1.1 %d \r\nConnection: close\r\n%s\r\n\r\n%s"
        .formatted(status, String.join("\r\n", headers), body);
  }

  private String transfer(String body, String... headers) throws IOException {
    try (Client client = new Client(sandbox)) {
      return client.send(Client.post(body, headers)).body();
    }
  }

  private String ask(String path) throws IOException {
    try (Client client = new Client(sandbox)) {
      return client.send(Client.get(path)).body();
    }
  }

  private String failed(String fault) throws IOException {
    String body = "{\"guid\":\"g\",\"fault\":\"%s\"}".formatted(fault);
    return Client.exchange(sandbox, Client.post(body, "Connection: close"));
  }

  @Test
  void aTransferIsExecutedAsOftenAsItComes() throws IOException {
    try (Client client = new Client(sandbox)) {
      client.send(Client.post("{\"guid\":\"g\",\"amount\":3}"));
      assertThat(client.body()).isEqualTo("{\"code\":\"0000\",\"guid\":\"g\",\"balance\":997}");
      client.send(Client.post("{\"guid\":\"g\",\"amount\":3}"));
      assertThat(client.body()).isEqualTo("{\"code\":\"0000\",\"guid\":\"g\",\"balance\":994}");
    }
    assertThat(sandbox.received()).isEqualTo(Map.of("g", 2));
    assertThat(sandbox.executed()).isEqualTo(Map.of("g", 2));
    assertThat(sandbox.balance()).isEqualTo(994);
  }

  @Test
  void anHonestReplyIsWellFramedJson() throws IOException {
    assertThat(failed("honest")).isEqualTo(HONEST);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"guid\":\"g\"}; 999",
        "{\"guid\":\"g\",\"amount\":1.10}; 998.90",
        "{\"guid\":\"g\",\"amount\":-5}; 1005",
        "{\"guid\":\"g\",\"amount\":1e3}; 0",
        "{\"guid\":\"g\",\"amount\":\"7\"}; 999",
        "{\"x\":{\"amount\":9,\"guid\":\"y\"},\"guid\":\"g\"}; 999"
      })
  void theAmountIsTakenOffTheBalance(String body, String balance) throws IOException {
    transfer(body);
    assertThat(ask("/stats"))
        .isEqualTo("{\"received\":{\"g\":1},\"executed\":{\"g\":1},\"balance\":" + balance + "}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e2000", "1e-2000", "1e2147483647"})
  void anAmountTooLongToWriteOutIsRefused(String amount) throws IOException {
    assertThat(transfer("{\"guid\":\"g\",\"amount\":" + amount + "}")).contains("E400");
    assertThat(sandbox.received()).isEqualTo(Map.of("g", 1));
    assertThat(sandbox.executed()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"amount\":1}; \"h\"; h",
        "{\"amount\":1}; h; h",
        "{\"guid\":7}; h; h",
        "pay 1 to Bob; h; h",
        "''; h; h",
        "{\"guid\":\"b\"}; h; b"
      })
  void theGuidIsInTheBodyOrElseInTheHeader(String body, String key, String guid)
      throws IOException {
    transfer(body, "Idempotency-Key: " + key);
    assertThat(sandbox.executed()).isEqualTo(Map.of(guid, 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{}", "[]", "", "{\"guid\":\"\"}", "{\"guid\":\"a b\"}", "{\"guid\":\"ä\"}"})
  void withoutGuidNothingIsCountedNorBooked(String body) throws IOException {
    assertThat(transfer(body)).contains("\"code\":\"E400\"", "no GUID");
    assertThat(ask("/stats")).isEqualTo("{\"received\":{},\"executed\":{},\"balance\":1000}");
  }

  @Test
  void guidsAreToldApartAsSpelled() throws IOException {
    transfer("{\"guid\":\"ABC\"}");
    transfer("{\"guid\":\"abc\"}");
    assertThat(sandbox.executed()).isEqualTo(Map.of("ABC", 1, "abc", 1));
    assertThat(ask("/transfers/Abc")).isEqualTo("{\"code\":\"E404\",\"guid\":\"Abc\"}");
  }

  @Test
  void theStatementHasALineForEachExecution() throws IOException {
    assertThat(ask("/statement")).isEqualTo("guid,at\r\n");
    Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    transfer("{\"guid\":\"a\"}");
    transfer("{\"guid\":\"code:B201-b\"}");
    transfer("{\"guid\":\"a\"}");
    String[] lines = ask("/statement").split("\r\n", -1);
    assertThat(lines).hasSize(4).startsWith("guid,at").endsWith("");
    for (String line : List.of(lines[1], lines[2])) {
      assertThat(line).matches("a,\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
      assertThat(Instant.parse(line.substring(2))).isBetween(before, Instant.now());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "g; {\"code\":\"0000\",\"guid\":\"g\"}",
        "code:B201-1; {\"code\":\"B201\",\"guid\":\"code:B201-1\"}",
        "code:E500-1; {\"code\":\"E404\",\"guid\":\"code:E500-1\"}",
        "dropbefore-1; {\"code\":\"E404\",\"guid\":\"dropbefore-1\"}",
        "drop-1; {\"code\":\"0000\",\"guid\":\"drop-1\"}"
      })
  void theInquirySaysWhatCameOfIt(String guid, String answer) throws IOException {
    Client.exchange(sandbox, Client.post("{\"guid\":\"" + guid + "\"}", "Connection: close"));
    assertThat(ask("/transfers/" + guid)).isEqualTo(answer);
  }

  @Test
  void theInquiryHasHttp404ForWhatNeverCame() throws IOException {
    assertThat(Client.exchange(sandbox, Client.get("/transfers/g", "Connection: close")))
        .isEqualTo(json(404, "{\"code\":\"E404\",\"guid\":\"g\"}"));
  }

  @Test
  void anInquiryIsPercentDecoded() throws IOException {
    transfer("{\"guid\":\"a:b\"}");
    assertThat(ask("/transfers/%61%3ab?x=1")).isEqualTo("{\"code\":\"0000\",\"guid\":\"a:b\"}");
    assertThat(ask("/transfers/a%3")).contains("E400", "percent");
    assertThat(ask("/transfers/a%2Fb")).contains("E400", "no GUID");
    assertThat(ask("/transfers/")).contains("E400", "no GUID");
  }

  @Test
  void onceBookedALaterRefusalDoesNotHideIt() throws IOException {
    transfer("{\"guid\":\"g\"}");
    transfer("{\"guid\":\"g\",\"fault\":\"code:B201\"}");
    assertThat(ask("/transfers/g")).isEqualTo("{\"code\":\"0000\",\"guid\":\"g\"}");
  }

  @Test
  void noCountIsLostAmongManyClients() throws Exception {
    int clients = 16;
    int times = 50;
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        done.add(
            threads.submit(
                () -> {
                  try (Client client = new Client(sandbox)) {
                    for (int n = 0; n < times; n++) {
                      client.send(Client.post("{\"guid\":\"g\"}")).body();
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> one : done) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(sandbox.received()).isEqualTo(Map.of("g", clients * times));
    assertThat(sandbox.executed()).isEqualTo(Map.of("g", clients * times));
    assertThat(sandbox.balance()).isEqualTo(1000 - clients * times);
  }

  @Test
  void otherPathsAndMethodsAreRefused() throws IOException {
    assertThat(Client.exchange(sandbox, Client.get("/"))).startsWith("HTTP/1.1 404 ");
    assertThat(Client.exchange(sandbox, Client.get("/transfers"))).startsWith("HTTP/1.1 405 ");
    assertThat(Client.exchange(sandbox, Client.post("{}").replace("/transfers", "/stats")))
        .startsWith("HTTP/1.1 405 ");
  }

  // Faults: what comes over the wire, and what the counts say.

  static Stream<Arguments> spoiledAnswers() {
    String good = "{\"code\":\"0000\",\"guid\":\"g\",\"balance\":999}";
    String half = "14\r\n{\"code\":\"0000\",\"guid\r\n14\r\n\":\"g\",\"balance\":999}\r\n0\r\n\r\n";
    String type = "Content-Type: application/json";
    String chunked = "Transfer-Encoding: chunked";
    return Stream.of(
        arguments("drop", ""),
        arguments("delay:1ms", HONEST),
        arguments("drip:1ms", HONEST),
        arguments("code:0000", HONEST),
        arguments(
            "html:502",
            reply(502, "<h1>Out of order</h1>\n", "Content-Type: text/html", "Content-Length: 22")),
        arguments("bare404", reply(404, "", "Content-Length: 0")),
        arguments("redirect:307", reply(307, "", "Location: /transfers", "Content-Length: 0")),
        arguments("truncated", HONEST.replace("Length: 40", "Length: 41")),
        arguments("otherguid", json(200, good.replace("\"g\"", "\"g0\""))),
        arguments("noguid", json(200, "{\"code\":\"0000\",\"balance\":999}")),
        arguments("empty", json(200, "")),
        arguments("notjson", json(200, "OK")),
        arguments("nocode", json(200, "{\"guid\":\"g\",\"balance\":999}")),
        arguments("othercode", json(200, good.replace("0000", "P100"))),
        arguments("duplicate", json(200, good.replace("{", "{\"code\":\"B201\","))),
        arguments("closedelimited", reply(200, good, type)),
        arguments("chunked", reply(200, half, type, chunked)),
        arguments("bothframings", reply(200, good, type, "Content-Length: 40", chunked)),
        arguments("continue", "HTTP/1.1 100 Continue\r\n\r\n"),
        arguments("malformed", "220 smtp ready\r\n"),
        arguments("nobody", json(404, "{\"code\":\"E404\",\"guid\":\"g\",\"balance\":999}")),
        arguments("everybody", HONEST));
  }

  @ParameterizedTest
  @MethodSource("spoiledAnswers")
  void whateverTheAnswerTheTransferIsExecuted(String fault, String wire) throws IOException {
    assertThat(failed(fault)).isEqualTo(wire);
    assertThat(sandbox.received()).isEqualTo(Map.of("g", 1));
    assertThat(sandbox.executed()).isEqualTo(Map.of("g", 1));
  }

  @Test
  void tooLargeIsGoodButLongerThanAMebibyte() throws IOException {
    String wire = failed("toolarge");
    assertThat(wire.length()).isGreaterThan(1024 * 1024);
    assertThat(wire).endsWith(" }").contains("{\"code\":\"0000\",\"guid\":\"g\",\"balance\":999 ");
    assertThat(sandbox.executed()).isEqualTo(Map.of("g", 1));
  }

  @Test
  void aResetComesAfterTheExecution() throws IOException {
    assertThatThrownBy(() -> failed("rst")).isInstanceOf(SocketException.class);
    assertThat(sandbox.executed()).isEqualTo(Map.of("g", 1));
  }

  @ParameterizedTest
  @CsvSource({"code:B201, 200, B201", "code:E500, 500, E500", "code:X1, 200, X1"})
  void aRefusalIsReceivedButNotExecuted(String fault, int status, String code) throws IOException {
    assertThat(failed(fault))
        .isEqualTo(json(status, "{\"code\":\"" + code + "\",\"guid\":\"g\",\"balance\":1000}"));
    assertThat(ask("/stats"))
        .isEqualTo("{\"received\":{\"g\":1},\"executed\":{},\"balance\":1000}");
  }

  @Test
  void droppedBeforeIsReceivedButNotExecuted() throws IOException {
    assertThat(failed("dropbefore")).isEmpty();
    assertThat(ask("/stats"))
        .isEqualTo("{\"received\":{\"g\":1},\"executed\":{},\"balance\":1000}");
  }

  @Test
  void whatIsLostTheFirstTimeIsExecutedTheSecond() throws IOException {
    assertThat(failed("lost")).isEmpty();
    assertThat(ask("/transfers/g")).isEqualTo("{\"code\":\"E404\",\"guid\":\"g\"}");
    assertThat(failed("lost")).contains("\"code\":\"0000\"");
    assertThat(ask("/stats"))
        .isEqualTo("{\"received\":{\"g\":2},\"executed\":{\"g\":1},\"balance\":999}");
  }

  /** The end of the sandbox is the end of the wait, so that nothing was sent before it. */
  @ParameterizedTest
  @CsvSource({
    "silent, 1",
    "delay:9999s, 1",
    "void, 0",
    "slow:9999s, 0",
    "held, 0",
  })
  void whileItStallsNothingIsAnswered(String fault, int executed) throws Exception {
    try (Client client = new Client(sandbox)) {
      client.send(Client.post("{\"guid\":\"g\",\"fault\":\"" + fault + "\"}"));
      sandbox.awaitReceived("g", 1, LONG);
      sandbox.awaitExecuted("g", executed, LONG);
      sandbox.close();
      assertThat(client.rest()).isEmpty();
    }
    assertThat(sandbox.executed().getOrDefault("g", 0)).isEqualTo(executed);
  }

  @Test
  void aDripIsAByteAtATime() throws Exception {
    try (Client client = new Client(sandbox)) {
      client.send(Client.post("{\"guid\":\"g\",\"fault\":\"drip:9999s\"}"));
      assertThat(client.until("H")).isEqualTo("H");
      sandbox.close();
      assertThat(client.rest()).isEmpty();
    }
  }

  @Test
  void aSlowOneIsExecutedAlthoughTheClientHasGone() throws Exception {
    try (Client client = new Client(sandbox)) {
      client.send(Client.post("{\"guid\":\"slow:50ms-1\"}"));
      sandbox.awaitReceived("slow:50ms-1", 1, LONG);
    }
    sandbox.awaitExecuted("slow:50ms-1", 1, LONG);
  }

  @Test
  void aSlowOneIsNeverAnswered() throws Exception {
    try (Client client = new Client(sandbox)) {
      client.send(Client.post("{\"guid\":\"slow:1ms-1\"}"));
      sandbox.awaitExecuted("slow:1ms-1", 1, LONG);
      sandbox.close();
      assertThat(client.rest()).isEmpty();
    }
  }

  @Test
  void aHeldOneIsExecutedAndAnsweredWhenReleased() throws Exception {
    try (Client client = new Client(sandbox);
        Client other = new Client(sandbox)) {
      client.send(Client.post("{\"guid\":\"held-1\"}"));
      other.send(Client.post("{\"guid\":\"held-2\"}"));
      sandbox.awaitReceived("held-1", 1, LONG);
      sandbox.awaitReceived("held-2", 1, LONG);
      sandbox.release("held-1");
      assertThat(client.body())
          .isEqualTo("{\"code\":\"0000\",\"guid\":\"held-1\",\"balance\":999}");
      assertThat(sandbox.executed()).isEqualTo(Map.of("held-1", 1));
    }
  }

  @Test
  void theMemberWinsOverTheGuid() throws IOException {
    assertThat(transfer("{\"guid\":\"drop-1\",\"fault\":\"code:B201\"}")).contains("B201");
    assertThat(transfer("{\"guid\":\"drop-2\",\"fault\":\"honest\"}")).contains("0000");
  }

  @Test
  void anUnknownFaultIsRefusedNotExecuted() throws IOException {
    assertThat(transfer("{\"guid\":\"g\",\"fault\":\"dorp\"}"))
        .contains("\"code\":\"E400\"", "no such fault", "dropbefore");
    assertThat(ask("/stats"))
        .isEqualTo("{\"received\":{\"g\":1},\"executed\":{},\"balance\":1000}");
  }

  // Faults of the inquiry.

  static Stream<Arguments> spoiledInquiries() {
    String good = "{\"code\":\"0000\",\"guid\":\"g\"}";
    return Stream.of(
        arguments("honest", json(200, good)),
        arguments("nobody", json(404, good.replace("0000", "E404"))),
        arguments("code:X9", json(200, good.replace("0000", "X9"))),
        arguments("code:E503", json(503, good.replace("0000", "E503"))),
        arguments("otherguid", json(200, good.replace("\"g\"", "\"g0\""))),
        arguments("noguid", json(200, "{\"code\":\"0000\"}")),
        arguments("drip:1ms", json(200, good)),
        arguments("bare404", reply(404, "", "Content-Length: 0")),
        arguments(
            "html:502",
            reply(502, "<h1>Out of order</h1>\n", "Content-Type: text/html", "Content-Length: 22")),
        arguments("redirect:302", reply(302, "", "Location: /transfers", "Content-Length: 0")),
        arguments("dropbefore", ""));
  }

  @ParameterizedTest
  @MethodSource("spoiledInquiries")
  void anInquiryFailsAsTheTestWantsIt(String fault, String wire) throws IOException {
    transfer("{\"guid\":\"g\"}");
    sandbox.inquiryFaults(guid -> fault);
    assertThat(Client.exchange(sandbox, Client.get("/transfers/g", "Connection: close")))
        .isEqualTo(wire);
    assertThat(sandbox.received()).isEqualTo(Map.of("g", 1));
  }

  @Test
  void theFaultOfAnInquiryMayDependOnItsGuid() throws IOException {
    sandbox.inquiryFaults(guid -> guid.equals("g") ? "everybody" : "honest");
    assertThat(ask("/transfers/g")).isEqualTo("{\"code\":\"0000\",\"guid\":\"g\"}");
    assertThat(ask("/transfers/h")).isEqualTo("{\"code\":\"E404\",\"guid\":\"h\"}");
  }

  @Test
  void anInquiryCanStall() throws Exception {
    sandbox.inquiryFaults(guid -> "silent");
    try (Client client = new Client(sandbox);
        Client other = new Client(sandbox)) {
      client.send(Client.get("/transfers/g"));
      assertThat(other.send(Client.post("{\"guid\":\"g\"}")).body()).contains("0000");
      sandbox.close();
      assertThat(client.rest()).isEmpty();
    }
  }

  // The API for tests.

  @Test
  void waitingInVainSaysForWhat() {
    assertThatThrownBy(() -> sandbox.awaitReceived("g", 1, Duration.ofMillis(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("g: not received 1 times within PT0.001S");
    assertThatThrownBy(() -> sandbox.awaitExecuted("g", 2, Duration.ofMillis(1)))
        .hasMessage("g: not executed 2 times within PT0.001S");
  }

  @Test
  void theAddressIsWhereTransfersGo() throws IOException {
    assertThat(sandbox.transfers())
        .hasScheme("http")
        .hasPort(sandbox.port())
        .hasPath("/transfers")
        .hasNoQuery();
    try (Sandbox everywhere = Sandbox.start(new InetSocketAddress(0), 0)) {
      assertThat(everywhere.transfers()).hasHost(InetAddress.getLoopbackAddress().getHostAddress());
    }
  }

  @Test
  void aTakenPortIsAnError() {
    InetSocketAddress taken =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), sandbox.port());
    assertThatThrownBy(() -> Sandbox.start(taken, 0)).isInstanceOf(IOException.class);
  }

  @Test
  void closedItCanBeClosedAgainAndListensNoMore() throws IOException {
    sandbox.close();
    sandbox.close();
    assertThatThrownBy(() -> new Client(sandbox)).isInstanceOf(IOException.class);
  }
}
