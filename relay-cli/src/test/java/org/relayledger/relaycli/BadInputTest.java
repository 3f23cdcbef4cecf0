package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Steps;
import org.relayledger.relaycli.Channel.Heard;

/** Claim 9: what is refused as E905, over HTTP and by send: no row, no call. */
class BadInputTest {
  private static final int MAX_BODY = 1 << 20;
  private static final String JSON = "Content-Type: application/json";

  @TempDir static Path folder;
  private static Stage stage;
  private static Serving hub;

  @BeforeAll
  static void open() throws Exception {
    stage = new Stage(folder);
    hub = stage.serve();
  }

  @AfterAll
  static void close() {
    hub.close();
    stage.close();
  }

  @AfterEach
  void thereIsNoRowAndNoCall() {
    try (LedgerView view = LedgerView.open(stage.ledger.toString())) {
      assertThat(view.page(Filter.ALL, 0, 1)).isEmpty();
    }
    assertThat(stage.sandbox.received()).isEmpty();
  }

  /** A bad request: its body, and what its Idempotency-Key headers say. */
  private record Bad(String name, byte[] body, String... keys) {
    static Bad of(String name, String body, String... keys) {
      return new Bad(name, body.getBytes(UTF_8), keys);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Bad> requests() {
    String long128 = "a".repeat(128);
    return Stream.of(
        Bad.of("no GUID", "{\"amount\":1}"),
        Bad.of("a GUID deeper down", "{\"x\":{\"guid\":\"g\"}}"),
        Bad.of("empty key", "{\"amount\":1}", ""),
        Bad.of("empty quoted key", "{\"amount\":1}", "\"\""),
        Bad.of("half-quoted key", "{\"amount\":1}", "\"g"),
        Bad.of("a quote only", "{\"amount\":1}", "\""),
        Bad.of("blank in key", "{\"amount\":1}", "a b"),
        Bad.of("blank in quoted key", "{\"amount\":1}", "\" g\""),
        Bad.of("slash in key", "{\"amount\":1}", "a/b"),
        Bad.of("list of keys", "{\"amount\":1}", "a, b"),
        Bad.of("no letter or digit in key", "{\"amount\":1}", "-._:"),
        Bad.of("129 characters in key", "{\"amount\":1}", long128 + "b"),
        Bad.of("bad key beside a good member", "{\"guid\":\"g\"}", "a b"),
        Bad.of("key and member differ", "{\"guid\":\"g1\"}", "g2"),
        Bad.of("key and member differ in case", "{\"guid\":\"g1\"}", "G1"),
        Bad.of("member is a number", "{\"guid\":1}"),
        Bad.of("member is null", "{\"guid\":null}"),
        Bad.of("member is an array", "{\"guid\":[\"g\"]}"),
        Bad.of("member is empty", "{\"guid\":\"\"}"),
        Bad.of("member is a number beside a good key", "{\"guid\":1}", "1"),
        Bad.of("blank in member", "{\"guid\":\"a b\"}"),
        Bad.of("line break in member", "{\"guid\":\"a\\nb\"}"),
        Bad.of("NUL in member", "{\"guid\":\"a\\u0000\"}"),
        Bad.of("letter beyond ASCII in member", "{\"guid\":\"Z\u00fcrich\"}"),
        Bad.of("digit beyond ASCII in member", "{\"guid\":\"\u0661\"}"),
        Bad.of("129 characters in member", "{\"guid\":\"" + long128 + "b\"}"),
        Bad.of("empty body", "", "g"),
        Bad.of("blank body", " \r\n", "g"),
        Bad.of("members twice", "{\"guid\":\"g\",\"a\":1,\"a\":1}"),
        Bad.of("the GUID twice", "{\"guid\":\"g\",\"guid\":\"g\"}"),
        Bad.of("members twice, one escaped", "{\"guid\":\"g\",\"\\u0061\":1,\"a\":2}"),
        Bad.of("members twice deeper down", "{\"guid\":\"g\",\"x\":[{\"a\":1,\"a\":2}]}"),
        Bad.of("trailing text", "{\"guid\":\"g\"} x"),
        Bad.of("trailing brace", "{\"guid\":\"g\"}}"),
        Bad.of("two documents", "{\"guid\":\"g\"}{\"guid\":\"g\"}"),
        Bad.of("cut off", "{\"guid\":\"g\""),
        Bad.of("no JSON", "guid=g", "g"),
        Bad.of("single quotes", "{'guid':'g'}", "g"),
        Bad.of("comment", "{\"guid\":\"g\"/* */}"),
        Bad.of("trailing comma", "{\"guid\":\"g\",}"),
        Bad.of("leading zero", "{\"guid\":\"g\",\"amount\":01}"),
        Bad.of("NaN", "{\"guid\":\"g\",\"amount\":NaN}"),
        Bad.of("control character in a string", "{\"guid\":\"g\",\"a\":\"\u0001\"}"),
        Bad.of("endless nesting", "[".repeat(100_000), "g"),
        new Bad("Latin-1", "{\"guid\":\"g\",\"a\":\"\u00fc\"}".getBytes(ISO_8859_1)),
        new Bad("UTF-16", "{\"guid\":\"g\"}".getBytes(UTF_16), "g"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("requests")
  void overHttpItIsE905(Bad bad) throws Exception {
    List<String> headers = new ArrayList<>(List.of(JSON));
    Arrays.stream(bad.keys).map(key -> "Idempotency-Key: " + key).forEach(headers::add);

    assertRefused(Channel.post(hub.url(), bad.body, headers.toArray(String[]::new)), 400);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("requests")
  void bySendItIsE905WithOneLineAndExit9(Bad bad) {
    List<String> more = new ArrayList<>(List.of("-q"));
    Arrays.stream(bad.keys).forEach(key -> more.addAll(List.of("--guid", key)));

    Ran sent = stage.send(Steps.NONE, bad.body, more.toArray(String[]::new));

    assertThat(sent.exit()).as(sent.err()).isEqualTo(9);
    assertThat(sent.out()).contains("\"code\":\"E905\"", "\"retry\":\"never\"");
    assertThat(sent.err())
        .startsWith("relay send: E905: ")
        .endsWith("; nothing was sent\n")
        .doesNotContain("Exception", "jackson")
        .hasLineCount(1);
  }

  private static void assertRefused(Heard heard, int status) {
    assertThat(heard.status()).as(heard.text()).isEqualTo(status);
    assertThat(heard.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(heard.header("Retry-After")).isNull();
    assertThat(heard.text())
        .contains("\"code\":\"E905\"", "\"retry\":\"never\"", "nothing was sent")
        .doesNotContain("Exception", "jackson", "jetty");
  }

  @Test
  void twoKeysThatDifferAreE905EvenInCase() throws Exception {
    for (String second : List.of("g2", "\"g2\"", "G1", "")) {
      assertRefused(
          Channel.post(hub.url(), "{}", JSON, "Idempotency-Key: g1", "Idempotency-Key: " + second),
          400);
    }
  }

  @Test
  void aKeyBeyondAsciiIsE905() throws Exception {
    assertRefused(Channel.post(hub.url(), "{}", JSON, "Idempotency-Key: Z\u00fcrich"), 400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"application/json", "Application/JSON; charset=utf-8", "text/json", "a/b+json"})
  void whatClaimsToBeJsonMustBe(String type) throws Exception {
    assertRefused(
        Channel.post(hub.url(), "no json", "Content-Type: " + type, "Idempotency-Key: g"), 400);
  }

  @Test
  void aBodyOverOneMebibyteIs413WithContentLengthAndInChunks() throws Exception {
    byte[] body = ("{\"guid\":\"g\"}" + " ".repeat(MAX_BODY)).getBytes(UTF_8);
    // Refused by its length alone: not one byte of it is sent.
    assertRefused(
        Channel.exchange(
            hub.url(), Channel.post(hub.url().getPath(), MAX_BODY + 1L, JSON), new byte[0]),
        413);
    assertRefused(
        Channel.exchange(
            hub.url(), Channel.post(hub.url().getPath(), Long.MAX_VALUE, JSON), new byte[0]),
        413);
    ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    chunks.writeBytes((Integer.toHexString(body.length) + "\r\n").getBytes(UTF_8));
    chunks.writeBytes(body);
    String head = Channel.request("POST", hub.url().getPath(), JSON, "Transfer-Encoding: chunked");
    // Without the end of the last chunk: the answer does not wait for it.
    assertRefused(Channel.exchange(hub.url(), head, chunks.toByteArray()), 413);
  }

  @Test
  void aFileOverOneMebibyteIsE905BySend() throws Exception {
    Path file = folder.resolve("large");
    Files.writeString(file, "{\"guid\":\"g\"}" + " ".repeat(MAX_BODY));

    Ran sent = stage.send("", file.toString());

    assertThat(sent.exit()).isEqualTo(9);
    assertThat(sent.out()).contains("\"code\":\"E905\"", "\"status\":413");
    assertThat(sent.err()).contains("larger than 1048576 bytes", "nothing was sent");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /transfers, 405",
    "PUT, /transfers, 405",
    "DELETE, /transfers, 405",
    "OPTIONS, /transfers, 405",
    "POST, /, 404",
    "POST, /transfers/, 404",
    "POST, /Transfers, 404",
    "POST, /transfers/g, 404",
    "POST, /healthz, 404",
    "GET, /transfer, 404"
  })
  void anotherMethodOrPathIsRefused(String method, String path, int status) throws Exception {
    byte[] body = Channel.body("g").getBytes(UTF_8);
    String head = Channel.request(method, path, "Content-Length: " + body.length, JSON);

    assertRefused(Channel.exchange(hub.url(), head, body), status);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense\r\n\r\n",
        "POST /transfers HTTP/1.1\r\nHost: r\r\nContent-Length: x\r\n\r\n",
        "POST /transfers HTTP/1.1\r\nHost: r\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12",
        "POST /transfers HTTP/1.1\r\nHost: r\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /transfers HTTP/1.1\r\nHost: r\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      })
  void whatIsNoHttpRequestIsE905(String text) throws Exception {
    assertRefused(Channel.exchange(hub.url(), text, new byte[0]), 400);
  }

  @Test
  void aBodyThatEndsBeforeItsLengthIsNeverClaimed() throws Exception {
    byte[] whole = Channel.body("g").getBytes(UTF_8);
    try (Socket socket = Channel.connect(hub.url())) {
      String head = Channel.post(hub.url().getPath(), whole.length + 1, JSON);
      socket.getOutputStream().write(head.getBytes(UTF_8));
      socket.getOutputStream().write(whole);
      socket.shutdownOutput();
      assertRefused(Channel.hear(socket), 400);
    }
  }

  @Test
  void slowClientsHoldNoThreadAndOthersAreServed() throws Exception {
    List<Socket> slow = new ArrayList<>();
    try {
      // More than there are threads of any kind.
      for (int i = 0; i < 500; i++) {
        Socket socket = Channel.connect(hub.url());
        slow.add(socket);
        String head = Channel.post(hub.url().getPath(), 100, JSON);
        socket.getOutputStream().write((head + "{\"guid\":").getBytes(UTF_8));
      }
      assertThat(Channel.get(hub.url(), "/healthz").status()).isEqualTo(200);
      assertRefused(Channel.post(hub.url(), "{}", JSON), 400);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }
}
