package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.relaycli.Channel.Heard;

/** Claim 1: the first and every later answer of one GUID are the same bytes, and one call. */
class ReplayTest {
  @TempDir static Path folder;
  private static final Map<String, byte[]> REPLIES = new ConcurrentHashMap<>();
  private static Stage stage;
  private static Teller teller;
  private static Serving hub;

  @BeforeAll
  static void open() throws Exception {
    stage = new Stage(folder);
    teller = new Teller(asked -> REPLIES.get(asked.guid()));
    hub = stage.serve("--account-url", teller.url());
  }

  @AfterAll
  static void close() throws IOException {
    hub.close();
    teller.close();
    stage.close();
  }

  static Stream<Arguments> replies() {
    String json = "application/json";
    String padded = "{\"code\":\"0000\"}" + " ".repeat((1 << 20) - 15);
    return Stream.of(
        Arguments.of("plain", 200, json, "{\"code\":\"0000\",\"guid\":\"plain\"}", 0),
        Arguments.of(
            "odd",
            201,
            "Application/JSON;  Charset=\"utf-8\"",
            "\r\n\t { \"text\" : \"Z\u00fcrich \u96ea \\u00e9 \ud83d\ude00\" , \"n\": 1.10e+0 ,"
                + " \"code\" :  \"0000\"}  \n\n",
            0),
        Arguments.of("untyped", 200, null, "{\"code\":\"0000\"}", 0),
        Arguments.of("largest", 200, json, padded, 0),
        Arguments.of("business", 200, json, "{\"code\":\"B201\",\"why\":\"no funds\"}", 3),
        Arguments.of("business-4xx", 422, "application/vnd.x+json", "{\"code\":\"B299\"}", 3),
        Arguments.of("internal", 500, json, "{\"code\":\"E500\"}", 3));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("replies")
  void theReplyIsTheSameBytesStatusAndTypeEachTimeAndTheAccountSystemIsCalledOnce(
      String guid, int status, String type, String body, int exit) throws Exception {
    REPLIES.put(guid, Teller.reply(status, type, body.getBytes(UTF_8)));

    Heard first = Channel.transfer(hub.url(), guid);
    Heard again = Channel.transfer(hub.url(), guid);

    assertThat(first.status()).isEqualTo(status);
    assertThat(first.header("Content-Type")).isEqualTo(type);
    assertThat(first.body()).isEqualTo(body.getBytes(UTF_8));
    assertThat(again.reply()).isEqualTo(first.reply());
    assertThat(first.header("Idempotent-Replayed")).isNull();
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
    Ran sent = stage.transfer(guid, "--account-url", teller.url());
    assertThat(sent.stdout()).isEqualTo(first.body());
    assertThat(sent.exit()).isEqualTo(exit);
    assertThat(sent.err()).contains(guid + " DONE ", "replayed").hasLineCount(1);
    assertThat(teller.asked(guid)).hasSize(1);
    assertThat(stage.row(guid)).returns(State.DONE, Row::state).returns(1, Row::attempt);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("replies")
  void sendPrintsTheReplyByteForByteTheFirstTimeAndEveryOther(
      String name, int status, String type, String body, int exit) throws Exception {
    String guid = "send-" + name;
    String named = body.replace("\"" + name + "\"", "\"" + guid + "\"");
    REPLIES.put(guid, Teller.reply(status, type, named.getBytes(UTF_8)));

    Ran first = stage.transfer(guid, "--account-url", teller.url());
    Ran again = stage.transfer(guid, "--account-url", teller.url());

    assertThat(first.stdout()).isEqualTo(named.getBytes(UTF_8));
    assertThat(again.stdout()).isEqualTo(first.stdout());
    assertThat(first.exit()).isEqualTo(exit);
    assertThat(again.exit()).isEqualTo(exit);
    assertThat(first.err()).doesNotContain("replayed");
    assertThat(again.err()).contains("replayed");
    assertThat(Channel.transfer(hub.url(), guid).body()).isEqualTo(first.stdout());
    assertThat(teller.asked(guid)).hasSize(1);
  }

  @Test
  void theAccountSystemGetsTheRequestAsItCame() throws Exception {
    String body = " {\"guid\" : \"As-Is\",\r\n \"text\":\"Z\u00fcrich \u96ea\"}\n";
    REPLIES.put("As-Is", Teller.reply(200, null, "{\"code\":\"0000\"}".getBytes(UTF_8)));

    Channel.post(hub.url(), body, "Content-Type: application/json; charset=\"UTF-8\"");

    assertThat(teller.asked("As-Is"))
        .singleElement()
        .returns("\"As-Is\"", asked -> asked.header("Idempotency-Key"))
        .returns("1", asked -> asked.header("Relay-Attempt"))
        .returns("application/json; charset=\"UTF-8\"", asked -> asked.header("Content-Type"))
        .satisfies(asked -> assertThat(asked.body()).isEqualTo(body.getBytes(UTF_8)));
  }

  @Test
  void aGuidInOtherCaseAndABodyInOtherOrderGetTheSameReply() throws Exception {
    REPLIES.put("Case-1", Teller.reply(200, null, "{\"code\":\"0000\"}".getBytes(UTF_8)));

    Heard first = Channel.post(hub.url(), "{\"guid\":\"Case-1\",\"amount\":1}");
    Heard again = Channel.post(hub.url(), "{ \"amount\":1, \"guid\":\"cASE-1\" }");

    assertThat(again.reply()).isEqualTo(first.reply());
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(teller.asked("cASE-1")).isEmpty();
  }

  @Test
  void whatTheChannelHeardIsNotedWithTheRow() throws Exception {
    REPLIES.put("told-1", Teller.reply(200, null, "{\"code\":\"0000\"}".getBytes(UTF_8)));

    Channel.transfer(hub.url(), "told-1");

    assertThat(stage.row("told-1")).returns("0000", Row::toldCode);
  }
}
