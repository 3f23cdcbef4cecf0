package org.relayledger.account;

import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Json;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Reply;

/** What an answer means: pure functions, for which whatever is not certain is doubt. */
final class Reading {
  private static final int MAX_QUOTED = 40;

  private Reading() {}

  /** What the reply to a transfer means, whose body was handed out. */
  static Outcome reply(Answer answer, Guid guid, AccountOptions options) {
    Understood read = understand(answer, guid, options);
    if (read.unclear != null) {
      return new Outcome.InDoubt(read.unclear, false);
    }
    if (options.finalCodes().matches(read.code)) {
      return new Outcome.Done(read.reply, read.code);
    }
    if (options.notSentCodes().matches(read.code)) {
      return new Outcome.NotSent("the account system answered " + read.code + ": not processed");
    }
    return new Outcome.InDoubt(read.describe() + ", which is not final", false);
  }

  /** The definite reply that {@code body}, which came by hand, is. */
  static Outcome.Done definite(byte[] body, Guid guid, AccountOptions options) {
    Map<String, List<String>> headers =
        Map.of(
            "content-type", List.of("application/json"),
            "content-length", List.of(Integer.toString(body.length)));
    Answer answer = new Answer(200, HttpHeaders.of(headers, (name, value) -> true), body, null);
    Understood read = understand(answer, guid, options);
    if (read.unclear != null) {
      throw new IllegalArgumentException("read as " + read.unclear);
    }
    if (!read.namesGuid) {
      throw new IllegalArgumentException("it does not name the GUID");
    }
    if (!options.finalCodes().matches(read.code)) {
      throw new IllegalArgumentException("read as " + read.describe() + ", which is not final");
    }
    return new Outcome.Done(read.reply, read.code);
  }

  /** What the answer to a question about a transfer means. */
  static Verdict inquiry(Answer answer, Guid guid, AccountOptions options) {
    Understood read = understand(answer, guid, options);
    if (read.unclear != null) {
      return new Verdict.Inconclusive(read.unclear);
    }
    if (!read.namesGuid) {
      return new Verdict.Inconclusive(read.describe() + ", but no GUID");
    }
    if (answer.status() == 200 && options.inquiryFinalCodes().matches(read.code)) {
      return new Verdict.Processed(read.reply, read.code);
    }
    if (answer.status() == 404 && options.absentCode().equals(read.code)) {
      return new Verdict.NoRecord();
    }
    return new Verdict.Inconclusive(read.describe() + ", which tells nothing");
  }

  /**
   * Why an answer with this head can mean nothing, whatever its body says; empty if its body is
   * worth reading.
   */
  static Optional<String> defect(int status, HttpHeaders headers, int maxReply) {
    List<String> lengths = headers.allValues("content-length");
    List<String> codings = headers.allValues("transfer-encoding");
    String http = "HTTP " + status;
    if (status < 200 || status > 599) {
      return Optional.of(http + ", not a final status");
    }
    if (status >= 300 && status <= 399) {
      return Optional.of(http + ", a redirect, which is not followed");
    }
    boolean chunked =
        lengths.isEmpty() && codings.size() == 1 && codings.get(0).equalsIgnoreCase("chunked");
    boolean sized =
        codings.isEmpty() && lengths.size() == 1 && lengths.get(0).matches("[0-9]{1,18}");
    if (!chunked && !sized) {
      return Optional.of(
          http
              + ", not framed by exactly one of Content-Length and chunked: its end is not certain");
    }
    if (sized && Long.parseLong(lengths.get(0)) == 0) {
      return Optional.of(http + " without a body");
    }
    if (sized && Long.parseLong(lengths.get(0)) > maxReply) {
      return Optional.of(http + " with more than " + maxReply + " bytes");
    }
    return Optional.empty();
  }

  /**
   * What a whole, strict JSON answer says that is not about another transfer.
   *
   * @param unclear why it is none, or null; the others count only then
   */
  private record Understood(Reply reply, String code, boolean namesGuid, String unclear) {
    static Understood not(String why) {
      return new Understood(null, null, false, why);
    }

    /** Quotes the code only where it cannot harm a line of a log. */
    String describe() {
      boolean quotable =
          code.length() <= MAX_QUOTED && code.chars().allMatch(c -> c > ' ' && c < 0x7f);
      return "HTTP " + reply.httpStatus() + " with code " + (quotable ? code : "(unreadable)");
    }
  }

  private static Understood understand(Answer answer, Guid guid, AccountOptions options) {
    if (answer.broken() != null) {
      return Understood.not(answer.broken());
    }
    Optional<String> defect = defect(answer.status(), answer.headers(), options.maxReply());
    if (defect.isPresent()) {
      return Understood.not(defect.get());
    }
    String http = "HTTP " + answer.status();
    byte[] body = answer.body();
    if (body.length != answer.headers().firstValueAsLong("content-length").orElse(body.length)) {
      return Understood.not(http + ", cut off");
    }
    if (body.length > options.maxReply()) {
      return Understood.not(http + " with more than " + options.maxReply() + " bytes");
    }
    Json json;
    try {
      json = Json.read(body, List.of(options.codePointer(), options.guidPointer()), List.of());
    } catch (Json.Malformed e) {
      return Understood.not(http + ", not strict JSON");
    }
    Json.Value named = json.at(options.guidPointer());
    if (named != null
        && !(named.isString() && Guid.parse(named.text()).filter(guid::equals).isPresent())) {
      return Understood.not(http + ", but about another GUID");
    }
    Json.Value code = json.at(options.codePointer());
    if (code == null || !(code.isString() || isNumber(code))) {
      return Understood.not(http + " without a code");
    }
    String type = answer.headers().firstValue("content-type").orElse(null);
    Reply reply = new Reply(answer.status(), type, body);
    return new Understood(reply, code.text(), named != null, null);
  }

  private static boolean isNumber(Json.Value value) {
    return "-0123456789".indexOf(value.text().charAt(0)) >= 0;
  }
}
