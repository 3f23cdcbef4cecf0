package org.relayledger.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Fingerprint;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import tools.jackson.core.JsonPointer;

class MaskTest {
  private static Row row(byte[] request, byte[] reply) {
    return new Row(
        1,
        new Guid("g-1"),
        null,
        "http://a",
        State.DONE,
        "0000",
        1,
        "application/json",
        new Fingerprint(Fingerprint.Scheme.without(List.of()), "00"),
        "00",
        200,
        "application/json",
        "00",
        1,
        1L,
        1L,
        1L,
        1,
        null,
        "0000",
        1L,
        "boot",
        1L,
        request,
        reply);
  }

  private static Mask mask(String... pointers) {
    return new Mask(Stream.of(pointers).map(JsonPointer::compile).toList());
  }

  private static String masked(String json, String... pointers) {
    Row row = mask(pointers).mask(row(json.getBytes(UTF_8), null), true).row();
    return new String(row.request(), UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":\"12345678\"} | {\"a\":\"****5678\"}",
        "{\"a\":\"1234567\"} | {\"a\":\"****\"}",
        "{\"a\":\"\"} | {\"a\":\"****\"}",
        "{ \"a\" : 123456789.50 , \"b\":1e9} | { \"a\" : \"****9.50\" , \"b\":1e9}",
        "{\"a\":true,\"b\":[1, 2]} | {\"a\":\"****\",\"b\":[1, 2]}",
        "{\"a\":{\"x\":[1,{\"y\":\"z\"}]},\"b\":2} | {\"a\":\"****\",\"b\":2}",
        "{\"a\":[\"x\",[]],\"b\":2} | {\"a\":\"****\",\"b\":2}",
        "{\"b\":{\"a\":\"keep me here\"}} | {\"b\":{\"a\":\"keep me here\"}}",
        "{\"a\":\"\\u0031234567\\\"9\"} | {\"a\":\"****67\\\"9\"}",
        "{\"a\":\"abcd\ud83d\ude00efg\"} | {\"a\":\"****\ud83d\ude00efg\"}",
        "[{\"a\":\"123456789\"},{\"a\":7}] | [{\"a\":\"****6789\"},{\"a\":\"****\"}]",
        "{\"a\":1,\"a\":2} | {\"a\":\"****\",\"a\":\"****\"}",
      })
  void theMemberIsHiddenAndTheRestIsAsItWas(String json, String shown) {
    assertThat(masked(json, "/a")).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/p/i", "/p/*/i", "/*/*/i"})
  void aPointerReachesIntoArrays(String pointer) {
    assertThat(masked("{\"p\":[{\"i\":\"first-0001\"},[{\"i\":\"second-0002\"}],3]}", pointer))
        .contains("****0001")
        .doesNotContain("first");
    assertThat(masked("{\"p\":[{\"i\":\"first-0001\"},[{\"i\":\"second-0002\"}],3]}", "/p/i"))
        .isEqualTo("{\"p\":[{\"i\":\"****0001\"},[{\"i\":\"****0002\"}],3]}");
  }

  @Test
  void anIndexIsThatElementOnly() {
    assertThat(masked("{\"p\":[{\"i\":\"first-0001\"},{\"i\":\"second-0002\"}]}", "/p/0/i"))
        .isEqualTo("{\"p\":[{\"i\":\"****0001\"},{\"i\":\"second-0002\"}]}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "not json at all 12345678 | ****",
        "{\"b\":1,\"a\":\"1234567 | {\"b\":1,\"a\"****",
        "{\"a\":\"123456789\"} and more secrets | {\"a\":\"****6789\"}****",
        "{\"a\":\"123456789\",, | {\"a\":\"****6789\"****",
      })
  void whatCannotBeReadIsHiddenFromThereOn(String body, String shown) {
    assertThat(masked(body, "/a")).isEqualTo(shown);
  }

  @Test
  void bytesThatAreNoTextAreHiddenAsAWhole() {
    Row row = mask("/a").mask(row(new byte[] {(byte) 0xff, '1'}, null), true).row();
    assertThat(new String(row.request(), UTF_8)).isEqualTo("****");
  }

  @Test
  void theValueIsHiddenInTheReplyAndInNotesToo() {
    Mask.Masked masked =
        mask("/iban")
            .mask(
                row(
                    "{\"iban\":\"DE89370400440532013000\"}".getBytes(UTF_8),
                    "{\"text\":\"paid to DE89370400440532013000\"}".getBytes(UTF_8)),
                true);
    Entry entry =
        masked.entry(
            new Entry(
                1,
                new Guid("g-1"),
                1,
                "inquiry",
                null,
                null,
                null,
                "resolve",
                "ann",
                "DE89370400440532013000",
                1,
                "found; HTTP 200: {\"iban\":\"GB33BUKB20201555555555\",\"x\":\"cut of"));

    assertThat(new String(masked.row().reply(), UTF_8))
        .isEqualTo("{\"text\":\"paid to ****3000\"}");
    assertThat(entry.ticket()).isEqualTo("****3000");
    assertThat(entry.note()).isEqualTo("found; HTTP 200: {\"iban\":\"****5555\",\"x\"****");
  }

  private static String noted(String note, String request, String... pointers) {
    Row row = row(request.getBytes(UTF_8), null);
    Entry entry =
        new Entry(1, row.guid(), 1, "inquiry", null, null, null, "resolve", "ann", null, 1, note);
    return mask(pointers).mask(row, false).entry(entry).note();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // One value within the other, in either order.
        "{\"bank\":\"37040044\",\"iban\":\"DE89370400440532013000\",\"m\":\"to DE89370400440532013000\"}"
            + " | {\"bank\":\"****0044\",\"iban\":\"****3000\",\"m\":\"to ****3000\"}",
        "{\"iban\":\"DE89370400440532013000\",\"bank\":\"37040044\",\"m\":\"37040044 DE8937040044\"}"
            + " | {\"iban\":\"****3000\",\"bank\":\"****0044\",\"m\":\"****0044 DE89****0044\"}",
        // Spelled in another way.
        "{\"iban\":\"J\\u00fcrgen-12345678\",\"m\":\"(J\u00fcrgen-12345678)\"}"
            + " | {\"iban\":\"****5678\",\"m\":\"(****5678)\"}",
        "{\"iban\":\"a/b/c/d/e1234\",\"m\":\"a\\/b\\/c\\/d\\/e1234\"}"
            + " | {\"iban\":\"****1234\",\"m\":\"****1234\"}",
        "{\"iban\":12345678.5,\"m\":\"12345678.5\"} | {\"iban\":\"****78.5\",\"m\":\"****78.5\"}",
        // A short one only where it stands alone.
        "{\"iban\":\"1234\",\"m\":\"1234\",\"n\":\"x1234\"}"
            + " | {\"iban\":\"****\",\"m\":\"****\",\"n\":\"x1234\"}",
        // As the name of a member.
        "{\"iban\":\"12345678\",\"12345678\":1} | {\"iban\":\"****5678\",\"****5678\":1}",
      })
  void theValueIsHiddenWhereverElseItStands(String json, String shown) {
    assertThat(masked(json, "/iban", "/bank")).isEqualTo(shown);
  }

  @Test
  void anAnswerThatIsNoJsonIsHiddenAsAWholeAndOtherTextOnlyWhereItSaysAValue() {
    String request = "{\"iban\":\"DE89370400440532013000\",\"blz\":\"37040044\"}";
    String get = "inconclusive; GET http://a/t/g-1: ";
    assertThat(noted(get + "HTTP 200: iban=XX99887766554433221100", request, "/iban"))
        .isEqualTo(get + "HTTP 200: ****");
    assertThat(noted(get + "HTTP 404: <p>E. M. {\"iban\":1}", request, "/iban"))
        .isEqualTo(get + "HTTP 404: ****");
    assertThat(noted(get + "no answer", request, "/iban")).isEqualTo(get + "no answer");
    assertThat(noted("booked to DE89370400440532013000, says A.", request, "/iban", "/blz"))
        .isEqualTo("booked to ****3000, says A.");
    assertThat(noted("late reply", request, "/iban")).isEqualTo("late reply");
  }

  @Test
  void withoutBodiesNothingOfThemIsLeft() {
    Row row = mask("/a").mask(row("{\"a\":1}".getBytes(UTF_8), null), false).row();
    assertThat(row.request()).isNull();
  }

  @Test
  void noMaskChangesNothing() {
    Row row = row(new byte[] {(byte) 0xff}, "{".getBytes(UTF_8));
    assertThat(Mask.NONE.mask(row, true).row()).isSameAs(row);
  }

  /** Documents of any shape with the secret wherever the pointer leads; a published seed. */
  @Test
  void aSecretIsNeverShownWhereverItStandsInADocument() {
    Random random = new Random(5);
    for (int i = 0; i < 2_000; i++) {
      List<String> secrets = new ArrayList<>();
      String json = document(random, 0, secrets);
      String shown = masked(json, "/s", "/o/s", "/o/o/s");
      for (String secret : secrets) {
        assertThat(shown).as(json).doesNotContain(secret.substring(0, secret.length() - 4));
      }
      assertThat(shown.replaceAll("\"\\*{4}[^\"]*\"", "S"))
          .as(json)
          .isEqualTo(json.replaceAll("\"secret[^\"]*\"|777777[0-9]*|\\{\"hid\":[^}]*\\}", "S"));
    }
  }

  private static String document(Random random, int depth, List<String> secrets) {
    if (depth > 2) {
      return "1";
    }
    StringBuilder out = new StringBuilder("{");
    if (random.nextBoolean()) {
      out.append("\"x\" : [1,2.50, null],");
    }
    if (random.nextBoolean()) {
      String secret = "secret-" + random.nextLong(1L << 40) + "-";
      String number = "777777" + (10_000_000 + random.nextInt(1_000_000));
      secrets.add(random.nextBoolean() ? secret : number);
      String value = secrets.get(secrets.size() - 1).equals(secret) ? quoted(secret) : number;
      out.append("\"s\":").append(random.nextInt(4) == 0 ? "{\"hid\":" + value + "}" : value);
      out.append(random.nextBoolean() ? " ," : ",");
    }
    String below = document(random, depth + 1, secrets);
    out.append("\"o\":").append(random.nextBoolean() ? "[" + below + ",[" + below + "]]" : below);
    return out.append("}").toString();
  }

  private static String quoted(String text) {
    return "\"" + text + "\"";
  }
}
