package org.relayledger.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Outcome;
import tools.jackson.core.JsonPointer;

final class ReadingTest {
  private static final Guid GUID = new Guid("T-1");
  private static final AccountOptions OPTIONS =
      new AccountOptions(
          "http://h/t",
          null,
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          List.of(),
          JsonPointer.compile("/code"),
          JsonPointer.compile("/guid"),
          Codes.parse("0000,B2??,E500,7,-1.50"),
          Codes.parse("N1??"),
          Codes.parse("0000,B2??"),
          "E404",
          100);

  private static Answer answer(int status, String body, Map<String, List<String>> headers) {
    return new Answer(
        status,
        HttpHeaders.of(headers, (name, value) -> true),
        body.getBytes(StandardCharsets.UTF_8),
        null);
  }

  private static Answer chunked(int status, String body) {
    return answer(status, body, Map.of("Transfer-Encoding", List.of("chunked")));
  }

  private static Outcome reply(int status, String body) {
    return Reading.reply(chunked(status, body), GUID, OPTIONS);
  }

  private static Verdict inquiry(int status, String body) {
    return Reading.inquiry(chunked(status, body), GUID, OPTIONS);
  }

  @Test
  void aDefiniteReplyIsDoneWithItsBytesStatusAndContentType() {
    String body = " {\"code\":\"B201\",\"guid\":\"T-1\"} ";
    Map<String, List<String>> headers =
        Map.of(
            "content-length",
            List.of(Integer.toString(body.length())),
            "content-type",
            List.of("application/json; charset=utf-8"));

    Outcome outcome = Reading.reply(answer(422, body, headers), GUID, OPTIONS);

    assertThat(outcome)
        .isInstanceOfSatisfying(
            Outcome.Done.class,
            done -> {
              assertThat(done.code()).isEqualTo("B201");
              assertThat(done.reply().httpStatus()).isEqualTo(422);
              assertThat(done.reply().contentType()).isEqualTo("application/json; charset=utf-8");
              assertThat(done.reply().body()).asString().isEqualTo(body);
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"code\":\"0000\"}",
        "{\"code\":\"B2xy\"}",
        "{\"code\":\"E500\"}",
        "{\"code\":\"\\u0030000\"}",
        "{\"code\":7}",
        "{\"code\":-1.50}",
        "{\"code\":\"0000\",\"guid\":\"t-1\"}",
        "{\"guid\":\"T-1\",\"code\":\"0000\",\"more\":[{\"guid\":\"other\"}]}"
      })
  void aFinalCodeAsWrittenIsDone(String body) {
    assertThat(reply(200, body)).isInstanceOf(Outcome.Done.class);
  }

  @Test
  void theHttpStatusDoesNotMatter() {
    assertThat(IntStream.concat(IntStream.range(200, 300), IntStream.range(400, 600)))
        .allSatisfy(
            status ->
                assertThat(reply(status, "{\"code\":\"0000\"}")).isInstanceOf(Outcome.Done.class));
  }

  @Test
  void exceptThatInterimStatusesRedirectsAndUnknownOnesAreDoubt() {
    assertThat(IntStream.of(0, 99, 100, 103, 199, 300, 301, 302, 304, 307, 308, 399, 600, 999))
        .allSatisfy(
            status -> {
              String body = "{\"code\":\"0000\",\"guid\":\"T-1\"}";
              assertThat(reply(status, body)).isInstanceOf(Outcome.InDoubt.class);
              assertThat(inquiry(status, body)).isInstanceOf(Verdict.Inconclusive.class);
            });
  }

  @Test
  void aNotSentCodeIsNotSentIfTheReplyIsAsGood() {
    assertThat(reply(409, "{\"code\":\"N123\"}"))
        .isEqualTo(new Outcome.NotSent("the account system answered N123: not processed"));
    assertThat(reply(409, "{\"code\":\"N123\",\"guid\":\"T-2\"}"))
        .isInstanceOf(Outcome.InDoubt.class);
    assertThat(reply(302, "{\"code\":\"N123\"}")).isInstanceOf(Outcome.InDoubt.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "<html>0000</html>",
        "{\"code\":\"0000\"",
        "{\"code\":\"0000\"} x",
        "{\"code\":\"0000\",\"code\":\"0000\"}",
        "{\"code\":\"0000\",\"a\":1,\"a\":2}",
        "\uFEFF{\"code\":\"0000\"}",
        "{'code':'0000'}",
        "[\"0000\"]",
        "\"0000\"",
        "{}",
        "{\"Code\":\"0000\"}",
        "{\"code\":null}",
        "{\"code\":true}",
        "{\"code\":[\"0000\"]}",
        "{\"code\":{\"code\":\"0000\"}}",
        "{\"code\":\"\"}",
        "{\"code\":\"0001\"}",
        "{\"code\":\"????\"}",
        "{\"code\":\"0000 \"}",
        "{\"code\":0}",
        "{\"code\":7.0}",
        "{\"code\":-1.5}",
        "{\"code\":\"0000\",\"guid\":\"T-2\"}",
        "{\"code\":\"0000\",\"guid\":\"\"}",
        "{\"code\":\"0000\",\"guid\":null}",
        "{\"code\":\"0000\",\"guid\":1}",
        "{\"code\":\"0000\",\"guid\":[\"T-1\"]}"
      })
  void everythingElseIsDoubt(String body) {
    assertThat(reply(200, body)).isInstanceOf(Outcome.InDoubt.class);
    assertThat(inquiry(200, body)).isInstanceOf(Verdict.Inconclusive.class);
    assertThat(inquiry(404, body)).isInstanceOf(Verdict.Inconclusive.class);
  }

  static Stream<Map<String, List<String>>> badFramings() {
    return Stream.of(
        Map.of(),
        Map.of("Content-Length", List.of("15", "15")),
        Map.of("Content-Length", List.of("15, 15")),
        Map.of("Content-Length", List.of("+15")),
        Map.of("Content-Length", List.of("-15")),
        Map.of("Content-Length", List.of("0x0f")),
        Map.of("Content-Length", List.of("")),
        Map.of("Content-Length", List.of("99999999999999999999")),
        Map.of("Content-Length", List.of("0")),
        Map.of("Content-Length", List.of("14")),
        Map.of("Content-Length", List.of("16")),
        Map.of("Content-Length", List.of("101")),
        Map.of("Content-Length", List.of("15"), "Transfer-Encoding", List.of("chunked")),
        Map.of("Transfer-Encoding", List.of("chunked", "chunked")),
        Map.of("Transfer-Encoding", List.of("gzip, chunked")),
        Map.of("Transfer-Encoding", List.of("identity")));
  }

  @ParameterizedTest
  @MethodSource("badFramings")
  void aReplyWhoseEndIsNotCertainIsDoubt(Map<String, List<String>> headers) {
    assertThat(Reading.reply(answer(200, "{\"code\":\"0000\"}", headers), GUID, OPTIONS))
        .isInstanceOf(Outcome.InDoubt.class);
  }

  @Test
  void aReplyThatIsTooLargeIsDoubt() {
    String body = "{\"code\":\"0000\",\"x\":\"" + "y".repeat(100) + "\"}";

    assertThat(reply(200, body))
        .isEqualTo(new Outcome.InDoubt("HTTP 200 with more than 100 bytes", false));
  }

  @Test
  void aBrokenAnswerIsDoubtWhateverWasReadOfIt() {
    Answer whole = chunked(200, "{\"code\":\"0000\"}");

    assertThat(
            Reading.reply(
                new Answer(200, whole.headers(), whole.body(), "the connection broke"),
                GUID,
                OPTIONS))
        .isEqualTo(new Outcome.InDoubt("the connection broke", false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"code\":\"E999\"}          | HTTP 200 with code E999, which is not final",
        "{\"code\":\"E9\\n9 logged\"} | HTTP 200 with code (unreadable), which is not final",
        "{}                           | HTTP 200 without a code",
        "<html>                       | HTTP 200, not strict JSON",
      })
  void whyShowsNothingOfTheBodyButACodeThatIsFitForALog(String body, String why) {
    assertThat(reply(200, body)).isEqualTo(new Outcome.InDoubt(why, false));
  }

  @Test
  void anInquiryThatNamesTheGuidAndASuccessCodeSaysProcessed() {
    String body = "{\"code\":\"B200\",\"guid\":\"t-1\"}";

    assertThat(inquiry(200, body))
        .isInstanceOfSatisfying(
            Verdict.Processed.class,
            processed -> {
              assertThat(processed.code()).isEqualTo("B200");
              assertThat(processed.reply().httpStatus()).isEqualTo(200);
              assertThat(processed.reply().body()).asString().isEqualTo(body);
            });
  }

  @Test
  void anInquiryThatNamesTheGuidAndTheAbsentCodeWith404SaysNoRecord() {
    assertThat(inquiry(404, "{\"code\":\"E404\",\"guid\":\"T-1\"}"))
        .isEqualTo(new Verdict.NoRecord());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "200 | {\"code\":\"0000\"}",
        "201 | {\"code\":\"0000\",\"guid\":\"T-1\"}",
        "202 | {\"code\":\"0000\",\"guid\":\"T-1\"}",
        "200 | {\"code\":\"E500\",\"guid\":\"T-1\"}",
        "200 | {\"code\":\"E404\",\"guid\":\"T-1\"}",
        "404 | {\"code\":\"E404\"}",
        "404 | {\"code\":\"E404\",\"guid\":\"T-2\"}",
        "404 | {\"code\":\"0000\",\"guid\":\"T-1\"}",
        "404 | {\"code\":\"E4\",\"guid\":\"T-1\"}",
        "404 | {\"guid\":\"T-1\"}",
        "410 | {\"code\":\"E404\",\"guid\":\"T-1\"}",
        "401 | {\"code\":\"E404\",\"guid\":\"T-1\"}",
        "429 | {\"code\":\"0000\",\"guid\":\"T-1\"}",
        "500 | {\"code\":\"0000\",\"guid\":\"T-1\"}",
        "503 | {\"code\":\"E404\",\"guid\":\"T-1\"}",
      })
  void anyOtherInquiryIsInconclusive(int status, String body) {
    assertThat(inquiry(status, body)).isInstanceOf(Verdict.Inconclusive.class);
  }
}
