package org.relayledger.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.relayledger.account.ScriptedServer.answering;
import static org.relayledger.account.ScriptedServer.chunked;
import static org.relayledger.account.ScriptedServer.sized;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.relayledger.account.ScriptedServer.Script;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Steps;
import tools.jackson.core.JsonPointer;

/** Every row of the inquiry table, from real sockets. */
@Timeout(120)
final class InquiryTest {
  private static final Guid GUID = new Guid("T:1");
  private static final String FOUND = "{\"code\":\"0000\",\"guid\":\"T:1\"}";
  private static final String ABSENT = "{\"code\":\"E404\",\"guid\":\"T:1\"}";
  private static final Duration LONG = Duration.ofSeconds(60);

  private static AccountSystem account(String url, Duration timeout) {
    AccountOptions options =
        new AccountOptions(
            url,
            null,
            timeout,
            LONG,
            List.of(new Header("X-Bank", "7")),
            JsonPointer.compile("/code"),
            JsonPointer.compile("/guid"),
            Codes.parse("0000,B2??,E500"),
            Codes.NONE,
            Codes.parse("0000,B2??"),
            "E404",
            8192);
    return new AccountSystem(options, LONG, Steps.NONE);
  }

  private record Case(
      String name,
      Class<? extends Verdict> expected,
      int status,
      boolean outage,
      String evidence,
      Script script) {
    static Case says(
        String name, Class<? extends Verdict> expected, int status, String body, String answer) {
      return new Case(name, expected, status, status >= 500, body, answering(answer));
    }

    static Case nothing(String name, Script script) {
      return new Case(name, Verdict.Inconclusive.class, 0, true, "", script);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> answers() {
    Class<? extends Verdict> inconclusive = Verdict.Inconclusive.class;
    return Stream.of(
        Case.says("found", Verdict.Processed.class, 200, FOUND, sized("200 OK", FOUND)),
        Case.says("found, chunked", Verdict.Processed.class, 200, FOUND, chunked("200 OK", FOUND)),
        Case.says("absent", Verdict.NoRecord.class, 404, ABSENT, sized("404 No", ABSENT)),
        Case.says("a bare 404", inconclusive, 404, "", "HTTP/1.1 404 No\r\n\r\n"),
        Case.says("an empty 404", inconclusive, 404, "", sized("404 No", "")),
        Case.says("404 in HTML", inconclusive, 404, "<html>", sized("404 No", "<html>")),
        Case.says("absent with 200", inconclusive, 200, ABSENT, sized("200 OK", ABSENT)),
        Case.says("found with 404", inconclusive, 404, FOUND, sized("404 No", FOUND)),
        Case.says("202", inconclusive, 202, FOUND, sized("202 Wait", FOUND)),
        Case.says("401", inconclusive, 401, ABSENT, sized("401 No", ABSENT)),
        Case.says("403", inconclusive, 403, ABSENT, sized("403 No", ABSENT)),
        Case.says("429", inconclusive, 429, "", sized("429 Slow", "")),
        Case.says("503", inconclusive, 503, ABSENT, sized("503 Down", ABSENT)),
        Case.says("302", inconclusive, 302, "", sized("302 X\r\nLocation: /transfers", FOUND)),
        Case.says(
            "two lengths", inconclusive, 200, "", sized("200 OK\r\nContent-Length: 28", FOUND)),
        Case.says(
            "5,000 bytes of HTML",
            inconclusive,
            200,
            "x".repeat(Inquiry.MAX_EVIDENCE),
            sized("200 OK", "x".repeat(5000))),
        new Case(
            "cut off",
            inconclusive,
            200,
            false,
            FOUND,
            peer -> {
              peer.request();
              peer.send(sized("200 OK", FOUND + " ").stripTrailing());
            }),
        Case.nothing("closed", peer -> peer.request()),
        Case.nothing(
            "a reset",
            peer -> {
              peer.request();
              peer.reset();
            }),
        Case.nothing("not HTTP", answering("hello\r\n")));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void whatComesBackDecidesTheVerdictAndItIsAskedOnce(Case answer) throws Exception {
    try (ScriptedServer server = new ScriptedServer(answer.script)) {
      Inquiry inquiry = account(server.url(), LONG).ask(GUID);

      assertThat(inquiry.verdict()).isInstanceOf(answer.expected);
      assertThat(inquiry.httpStatus()).isEqualTo(answer.status);
      assertThat(inquiry.outage()).isEqualTo(answer.outage);
      assertThat(inquiry.evidence()).isEqualTo(answer.evidence);
      assertThat(inquiry.url()).hasToString(server.url() + "/T%3A1");
      assertThat(server.surplus()).isZero();
      assertThat(server.connections()).isEqualTo(1);
      assertThat(server.requests()).hasSize(1);
      assertThat(server.requests().get(0).head().lines())
          .startsWith("GET /transfers/T%3A1 HTTP/1.1")
          .contains("X-Bank: 7");
    }
  }

  @Test
  void aProcessedTransferComesWithTheAnswerAsItsReply() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(answering(sized("200 OK\r\nContent-Type: application/json", FOUND)))) {
      Inquiry inquiry = account(server.url(), LONG).ask(GUID);

      assertThat(inquiry.verdict())
          .isInstanceOfSatisfying(
              Verdict.Processed.class,
              processed -> {
                assertThat(processed.code()).isEqualTo("0000");
                assertThat(processed.reply().httpStatus()).isEqualTo(200);
                assertThat(processed.reply().contentType()).isEqualTo("application/json");
                assertThat(processed.reply().body()).asString().isEqualTo(FOUND);
              });
    }
  }

  @Test
  void theTimeOutCoversADrippingAnswer() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.request();
              peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
              while (!peer.closedSoon()) {
                peer.send(" ");
              }
            })) {
      Inquiry inquiry = account(server.url(), Duration.ofMillis(500)).ask(GUID);

      assertThat(inquiry.verdict()).isEqualTo(new Verdict.Inconclusive("no answer within 500ms"));
      assertThat(inquiry.outage()).isTrue();
      assertThat(server.surplus()).isZero();
    }
  }

  @Test
  void aRefusedConnectionIsAnOutage() throws Exception {
    ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    gone.close();

    Inquiry inquiry =
        account("http://localhost:" + gone.getLocalPort() + "/transfers", LONG).ask(GUID);

    assertThat(inquiry.verdict()).isInstanceOf(Verdict.Inconclusive.class);
    assertThat(inquiry.outage()).isTrue();
  }

  @Test
  void anInterruptEndsTheInquiryWithoutAVerdict() throws Exception {
    try (ScriptedServer server = new ScriptedServer(peer -> peer.untilClosed())) {
      Thread.currentThread().interrupt();

      Inquiry inquiry = account(server.url(), LONG).ask(GUID);

      assertThat(Thread.interrupted()).isTrue();
      assertThat(inquiry.verdict()).isEqualTo(new Verdict.Inconclusive("interrupted"));
    }
  }
}
