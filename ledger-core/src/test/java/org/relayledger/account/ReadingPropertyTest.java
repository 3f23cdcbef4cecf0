package org.relayledger.account;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsReport;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Outcome;
import tools.jackson.core.JsonPointer;

/** The tables of replies and inquiries, for answers of all kinds put together from their parts. */
final class ReadingPropertyTest {
  private static final Guid GUID = new Guid("T-1");
  private static final int MOST = 200;
  private static final AccountOptions OPTIONS =
      new AccountOptions(
          "http://h/t",
          null,
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          List.of(),
          JsonPointer.compile("/result/code"),
          JsonPointer.compile("/guid"),
          Codes.parse("0000,B2??,E500,7"),
          Codes.parse("N1??,-1.50"),
          Codes.parse("0000,B2??"),
          "E404",
          MOST);

  /** How the end of the body is marked. */
  private enum Framing {
    LENGTH,
    CHUNKED,
    TOO_SHORT,
    TOO_LONG,
    TWICE,
    BOTH,
    NEITHER,
    COMPRESSED;

    Map<String, List<String>> headers(int length) {
      String right = Integer.toString(length);
      List<String> chunked = List.of("Chunked");
      return switch (this) {
        case LENGTH -> Map.of("Content-Length", List.of(right));
        case CHUNKED -> Map.of("Transfer-Encoding", chunked);
        case TOO_SHORT -> Map.of("Content-Length", List.of(Integer.toString(length + 1)));
        case TOO_LONG -> Map.of("Content-Length", List.of(Integer.toString(length - 1)));
        case TWICE -> Map.of("Content-Length", List.of(right, right));
        case BOTH -> Map.of("Content-Length", List.of(right), "Transfer-Encoding", chunked);
        case NEITHER -> Map.of();
        case COMPRESSED -> Map.of("Transfer-Encoding", List.of("gzip, chunked"));
      };
    }
  }

  /** What surrounds the members that matter. */
  private enum Form {
    PLAIN("{%s}"),
    SPACED(" \n{%s , \"more\" : [ {\"guid\":\"T-2\",\"code\":\"x\"} ] }\r\n"),
    LARGE("{%s,\"more\":\"" + "y".repeat(MOST) + "\"}"),
    CUT("{%s"),
    REPEATED("{%s,\"a\":1,\"a\":1}"),
    MARKED("\ufeff{%s}"),
    PAGE("<html>{%s}</html>"),
    TWO("{%s}{}"),
    LIST("[{%s}]");

    private final String text;

    Form(String text) {
      this.text = text;
    }

    String around(String members) {
      return text.replace("%s", members);
    }
  }

  /**
   * An answer.
   *
   * @param code its code in JSON, or null
   * @param guid its GUID in JSON, or null
   */
  private record Case(
      int status, Framing framing, Form form, String code, String guid, boolean broken) {
    String body() {
      String codes = code == null ? "\"result\":{}" : "\"result\":{\"code\":" + code + "}";
      return form.around(guid == null ? codes : "\"guid\":" + guid + "," + codes);
    }

    Answer answer() {
      byte[] bytes = body().getBytes(UTF_8);
      Map<String, List<String>> headers = new TreeMap<>(framing.headers(bytes.length));
      headers.put("Content-Type", List.of("application/json"));
      return new Answer(
          status,
          HttpHeaders.of(headers, (name, value) -> true),
          bytes,
          broken ? "the connection broke" : null);
    }

    /** Whether it is a whole reply in JSON that is not about another transfer. */
    boolean isClear() {
      boolean whole = !broken && (framing == Framing.LENGTH || framing == Framing.CHUNKED);
      boolean last = (status >= 200 && status < 300) || (status >= 400 && status < 600);
      boolean json = form == Form.PLAIN || form == Form.SPACED;
      return whole && last && json && (guid == null || isOurs());
    }

    boolean isOurs() {
      return guid != null && List.of("\"T-1\"", "\"t-1\"", "\"\\u0054-1\"").contains(guid);
    }

    boolean hasCode(String... codes) {
      return code != null && List.of(codes).contains(code);
    }
  }

  @Provide
  Arbitrary<Case> answers() {
    Arbitrary<Integer> statuses =
        Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.of(200, 404)),
            Tuple.of(2, Arbitraries.of(201, 202, 299, 400, 401, 409, 429, 500, 503, 599)),
            Tuple.of(1, Arbitraries.of(0, 100, 101, 199, 300, 302, 307, 399, 600, 999)));
    Arbitrary<Framing> framings =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.of(Framing.LENGTH, Framing.CHUNKED)),
            Tuple.of(1, Arbitraries.of(Framing.class)));
    Arbitrary<Form> forms =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.of(Form.PLAIN, Form.SPACED)),
            Tuple.of(1, Arbitraries.of(Form.class)));
    Arbitrary<String> codes =
        Arbitraries.frequencyOf(
                Tuple.of(1, Arbitraries.of("\"0000\"", "\"E404\"")),
                Tuple.of(1, Arbitraries.of("\"B2xy\"", "\"B2??\"", "\"E500\"", "7")),
                Tuple.of(1, Arbitraries.of("\"N1ab\"", "-1.50", "\"-1.50\"")),
                Tuple.of(
                    1, Arbitraries.of("\"B2é?\"", "\"B2\\n?\"", "\"0000 \"", "\"E501\"", "\"\"")),
                Tuple.of(1, Arbitraries.of("0", "7.0", "true", "[7]", "{\"code\":\"0000\"}")))
            .injectNull(0.05);
    Arbitrary<String> guids =
        Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.of("\"T-1\"", "\"t-1\"", "\"\\u0054-1\"")),
                Tuple.of(
                    1, Arbitraries.of("\"T-2\"", "\"T-1 \"", "\"\"", "1", "null", "[\"T-1\"]")))
            .injectNull(0.2);
    Arbitrary<Boolean> breaks = Arbitraries.frequency(Tuple.of(9, false), Tuple.of(1, true));
    return Combinators.combine(statuses, framings, forms, codes, guids, breaks).as(Case::new);
  }

  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  @Property(seed = "61", tries = 4000, edgeCases = EdgeCasesMode.NONE)
  void aReplyIsWhatTheTableSays(@ForAll("answers") Case answer) {
    Class<? extends Outcome> expected = Outcome.InDoubt.class;
    if (answer.isClear()) {
      if (answer.hasCode("\"0000\"", "\"B2xy\"", "\"B2??\"", "\"E500\"", "7")) {
        expected = Outcome.Done.class;
      } else if (answer.hasCode("\"N1ab\"", "-1.50", "\"-1.50\"")) {
        expected = Outcome.NotSent.class;
      }
    }
    cover(expected, Outcome.Done.class, Outcome.NotSent.class);
    Outcome outcome = Reading.reply(answer.answer(), GUID, OPTIONS);
    assertThat(outcome).isExactlyInstanceOf(expected);
    if (outcome instanceof Outcome.Done done) {
      assertThat(done.reply().body()).isEqualTo(answer.body().getBytes(UTF_8));
      assertThat(done.reply().httpStatus()).isEqualTo(answer.status);
      assertThat(done.code()).isEqualTo(answer.code.replace("\"", ""));
    }
  }

  private static void cover(Class<?> expected, Class<?> one, Class<?> other) {
    Statistics.collect(expected);
    Statistics.coverage(
        all -> {
          all.check(one).count(times -> times > 20);
          all.check(other).count(times -> times > 20);
        });
  }

  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  @Property(seed = "62", tries = 4000, edgeCases = EdgeCasesMode.NONE)
  void anInquiryIsWhatTheTableSays(@ForAll("answers") Case answer) {
    Class<? extends Verdict> expected = Verdict.Inconclusive.class;
    if (answer.isClear() && answer.isOurs()) {
      if (answer.status == 200 && answer.hasCode("\"0000\"", "\"B2xy\"", "\"B2??\"")) {
        expected = Verdict.Processed.class;
      } else if (answer.status == 404 && answer.hasCode("\"E404\"")) {
        expected = Verdict.NoRecord.class;
      }
    }
    cover(expected, Verdict.Processed.class, Verdict.NoRecord.class);
    Verdict verdict = Reading.inquiry(answer.answer(), GUID, OPTIONS);
    assertThat(verdict).isExactlyInstanceOf(expected);
    if (verdict instanceof Verdict.Processed processed) {
      assertThat(processed.reply().body()).isEqualTo(answer.body().getBytes(UTF_8));
      assertThat(processed.code()).isEqualTo(answer.code.replace("\"", ""));
    }
  }
}
