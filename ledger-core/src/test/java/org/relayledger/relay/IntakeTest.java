package org.relayledger.relay;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Request;
import tools.jackson.core.JsonPointer;

/** Claim 9: bad input is E905, and says why in one line. */
final class IntakeTest {
  private static final String JSON = "application/json";
  private static final JsonPointer GUID = JsonPointer.compile("/guid");
  private static final Intake INTAKE = new Intake(GUID, List.of(JsonPointer.compile("/sentAt")));

  private static Intake.Arrival read(List<String> keys, String contentType, String body) {
    return INTAKE.read(keys, "atm", contentType, body.getBytes(UTF_8));
  }

  private static Request accepted(List<String> keys, String contentType, String body) {
    Intake.Arrival arrival = read(keys, contentType, body);
    assertThat(arrival).isInstanceOf(Intake.Arrival.Accepted.class);
    return ((Intake.Arrival.Accepted) arrival).request();
  }

  private static Answer.Refused rejected(Intake.Arrival arrival) {
    assertThat(arrival).isInstanceOf(Intake.Arrival.Rejected.class);
    Answer.Refused refused = ((Intake.Arrival.Rejected) arrival).answer();
    assertThat(refused.problem()).isEqualTo(Problem.E905);
    assertThat(refused.httpStatus()).isEqualTo(400);
    assertThat(refused.retry()).isEqualTo(Problem.Retry.NEVER);
    assertThat(refused.detail())
        .endsWith("; nothing was sent")
        .doesNotContain("\n")
        .doesNotContainPattern("[A-Z]\\w+(Exception|Constraints|Feature)|\\w\\.\\w+\\(|null");
    return refused;
  }

  private static Answer.Refused rejected(List<String> keys, String contentType, String body) {
    return rejected(read(keys, contentType, body));
  }

  @Test
  void aContentTypeThatCannotBeHandedOnAsItCameIsRefused() {
    for (String type : List.of("application/j\u00f6son", "text/plain\u0000", "a/b\r\nX: y")) {
      assertThat(rejected(List.of("p"), type, "body"))
          .returns(new Guid("p"), Answer.Refused::guid)
          .satisfies(refused -> assertThat(refused.detail()).contains("content type"));
    }
  }

  @Test
  void theGuidComesFromTheHeaderOrTheMemberAndIsKeptAsReceived() {
    String body = "{\"amount\":1}";
    String withGuid = "{\"guid\":\"Pay-1\",\"amount\":1}";
    assertThat(accepted(List.of("Pay-1"), JSON, body).guid().value()).isEqualTo("Pay-1");
    assertThat(accepted(List.of("\"Pay-1\""), JSON, body).guid().value()).isEqualTo("Pay-1");
    assertThat(accepted(List.of(" Pay-1 "), JSON, body).guid().value()).isEqualTo("Pay-1");
    assertThat(accepted(List.of(), JSON, withGuid).guid().value()).isEqualTo("Pay-1");
    assertThat(accepted(List.of("Pay-1"), JSON, withGuid).guid().value()).isEqualTo("Pay-1");
    assertThat(accepted(List.of("Pay-1", "\"Pay-1\""), JSON, body).guid().value())
        .isEqualTo("Pay-1");

    Request request = accepted(List.of("Pay-1"), "application/json; v=1", body);
    assertThat(request.body()).isEqualTo(body.getBytes(UTF_8));
    assertThat(request.contentType()).isEqualTo("application/json; v=1");
    assertThat(request.channel()).isEqualTo("atm");
  }

  @Test
  void theGuidIsWhereThePointerSays() {
    Intake nested = new Intake(JsonPointer.compile("/head/ids/1"), List.of());
    String body = "{\"guid\":\"no\",\"head\":{\"ids\":[\"no\",\"yes\"]}}";
    Intake.Arrival arrival = nested.read(List.of(), null, JSON, body.getBytes(UTF_8));
    assertThat(((Intake.Arrival.Accepted) arrival).request().guid().value()).isEqualTo("yes");
  }

  @Test
  void theGuidDoesNotCountInTheFingerprintWhereverItIs() {
    assertThat(accepted(List.of("p"), JSON, "{\"amount\":1}").fingerprint())
        .isEqualTo(accepted(List.of(), JSON, "{\"guid\":\"p\",\"amount\":1}").fingerprint())
        .isEqualTo(
            accepted(List.of(), JSON, "{\"amount\":1,\"sentAt\":9,\"guid\":\"P\"}").fingerprint())
        .isNotEqualTo(accepted(List.of("p"), JSON, "{\"amount\":2}").fingerprint());
  }

  @Test
  void aRequestWithoutAGuidIsRejected() {
    for (String body :
        List.of("{}", "{\"GUID\":\"p\"}", "{\"a\":{\"guid\":\"p\"}}", "[\"p\"]", "\"p\"", "1")) {
      assertThat(rejected(List.of(), JSON, body).detail()).startsWith("no GUID: neither");
      assertThat(rejected(List.of(), JSON, body).guid()).isNull();
    }
    rejected(List.of(), "text/plain", "guid=p");
    rejected(List.of(), null, "guid=p");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "\"\"", "\"", "a b", "a,b", "a, a", "\"a\", \"a\"", "\"a\";v=1", "\"a", "a\"",
        "'a'", "..", "a/b", "%41", "a\u0000", "\u00e9", "\u212a", "\"\"a\"\"", "a\tb", "a;b", "{}"
      })
  void aMalformedKeyIsRejectedAlsoIfTheMemberIsGood(String key) {
    assertThat(rejected(List.of(key), JSON, "{\"guid\":\"p\"}").detail())
        .startsWith("the Idempotency-Key header is no GUID");
    rejected(List.of("p", key), JSON, "{\"guid\":\"p\"}");
    rejected(List.of("a".repeat(129)), JSON, "{}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\"",
        "\"a b\"",
        "\"..\"",
        "\"a\\u0000\"",
        "\"\\u00e9\"",
        "\"\\ud800\"",
        "\" p\"",
        "1",
        "1.5",
        "true",
        "null",
        "[\"p\"]",
        "{\"p\":1}",
        "[]",
        "{}"
      })
  void aMalformedMemberIsRejectedAlsoIfTheKeyIsGood(String member) {
    String body = "{\"guid\":" + member + "}";
    assertThat(rejected(List.of(), JSON, body).detail())
        .startsWith("the member at /guid is no GUID");
    Answer.Refused refused = rejected(List.of("p"), JSON, body);
    assertThat(refused.detail()).startsWith("the member at /guid is no GUID");
    assertThat(refused.guid().value()).isEqualTo("p");
    rejected(List.of(), JSON, "{\"guid\":\"" + "a".repeat(129) + "\"}");
  }

  @Test
  void twoGuidsThatDifferAreRejectedAlsoIfOnlyTheirCaseDiffers() {
    for (String member : List.of("q", "P")) {
      Answer.Refused refused = rejected(List.of("p"), JSON, "{\"guid\":\"" + member + "\"}");
      assertThat(refused.detail()).startsWith("two GUIDs that differ");
      assertThat(refused.guid()).isNull();
      assertThat(rejected(List.of("p", member), JSON, "{}").detail())
          .startsWith("two Idempotency-Key headers that differ");
    }
  }

  @Test
  void anEmptyBodyIsRejectedWhateverItsType() {
    for (String type : new String[] {JSON, "text/plain", null}) {
      Answer.Refused refused = rejected(List.of("p"), type, "");
      assertThat(refused.detail()).startsWith("the request body is empty");
      assertThat(refused.guid().value()).isEqualTo("p");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"guid\":\"p\",\"guid\":\"p\"}",
        "{\"guid\":\"p\",\"\\u0067uid\":\"q\"}",
        "{\"guid\":\"p\",\"a\":{\"b\":1,\"b\":2}}",
        "{\"guid\":\"p\"} x",
        "{\"guid\":\"p\"}{\"guid\":\"q\"}",
        "{\"guid\":\"p\"",
        "{guid:\"p\"}",
        "{\"guid\":\"p\",\"a\":NaN}",
        "\ufeff{\"guid\":\"p\"}",
        " ",
        "guid=p"
      })
  void ambiguousJsonUnderAJsonTypeIsRejectedAlsoIfTheKeyIsGood(String body) {
    for (String type : List.of(JSON, "application/vnd.bank+json", "APPLICATION/JSON;charset=x")) {
      Answer.Refused refused = rejected(List.of("p"), type, body);
      assertThat(refused.detail()).startsWith("the request body is no unambiguous JSON: ");
      assertThat(refused.guid().value()).isEqualTo("p");
      rejected(List.of(), type, body);
    }
    // Under another type it is what its bytes are; its GUID is then the header's alone.
    if (!body.contains("q")) {
      assertThat(accepted(List.of("p"), "text/plain", body).guid().value()).isEqualTo("p");
    }
    rejected(List.of(), "text/plain", body);
  }

  @Test
  void jsonInAnotherEncodingOrTooDeepIsRejected() {
    byte[] utf16 = "{\"guid\":\"p\"}".getBytes(UTF_16);
    rejected(INTAKE.read(List.of("p"), null, JSON, utf16));
    byte[] broken = "{\"guid\":\"p\",\"a\":\"\u00e9\"}".getBytes(ISO_8859_1);
    rejected(INTAKE.read(List.of("p"), null, JSON, broken));
    rejected(List.of("p"), JSON, "[".repeat(501) + "]".repeat(501));
    rejected(List.of("p"), JSON, "[".repeat(100_000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"guid\":\"p\",\"guid\":\"q\"}",
        "{\"guid\":\"q\",\"guid\":\"p\"}",
        "{\"guid\":\"p\"}{\"guid\" : \"q\"}",
        "{\"guid\":\"q\"",
        "{\"guid\":\"q\",}",
        "{\"guid\":12,}",
        "{\"gu\\u0069d\":\"\\u0071\",}",
        "\uFEFF{\"guid\":\"q\"}",
        "{\"guid\":\"P\",}"
      })
  void aBodyInWhichALessStrictReaderFindsAnotherGuidIsRejectedWhateverItsType(String body) {
    for (String type : new String[] {"text/plain", null, "application/octet-stream"}) {
      for (Charset charset : List.of(UTF_8, UTF_16, UTF_16LE, Charset.forName("UTF-32"))) {
        Answer.Refused refused =
            rejected(INTAKE.read(List.of("p"), null, type, body.getBytes(charset)));
        assertThat(refused.problem()).isEqualTo(Problem.E905);
      }
    }
    String same = "{\"guid\" : \"p\", \"guid\":\"p\"}";
    assertThat(accepted(List.of("p"), "text/plain", same).guid().value()).isEqualTo("p");
  }

  @Test
  void aBodyThatParsesIsJsonWhateverItsType() {
    for (String type : new String[] {"text/plain", null, "application/octet-stream"}) {
      Request one = accepted(List.of(), type, "{\"guid\":\"p\",\"a\":1}");
      Request two = accepted(List.of("p"), type, "{ \"a\":1 }");
      assertThat(one.guid().value()).isEqualTo("p");
      assertThat(one.fingerprint()).isEqualTo(two.fingerprint());
      rejected(List.of("q"), type, "{\"guid\":\"p\"}");
    }
    assertThat(accepted(List.of("p"), "text/plain", "a=1").fingerprint())
        .isNotEqualTo(accepted(List.of("p"), "text/plain", "a=1 ").fingerprint());
  }

  @Test
  void aBodyTooLargeIsSaidToBe() {
    Answer.Refused refused = Intake.tooLarge();
    assertThat(refused.httpStatus()).isEqualTo(413);
    assertThat(refused.problem()).isEqualTo(Problem.E905);
    assertThat(refused.retry()).isEqualTo(Problem.Retry.NEVER);
    assertThat(refused.detail()).contains("1048576 bytes").endsWith("; nothing was sent");
  }
}
