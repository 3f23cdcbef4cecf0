package org.relayledger.relay;

import java.io.ByteArrayOutputStream;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Reply;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** What a channel gets for one request. */
public sealed interface Answer {
  /** The bytes to give, with their status and content type. */
  Reply reply();

  /**
   * A definite reply of the account system.
   *
   * @param code its code
   * @param attempt the attempt that it answers
   * @param replayed whether it was given or executed earlier, and not for this call
   */
  record Definite(Guid guid, Reply reply, String code, int attempt, boolean replayed)
      implements Answer {}

  /**
   * The relay's own answer, a problem document (RFC 9457).
   *
   * @param guid the GUID it is about, or null if the request has none
   * @param httpStatus the problem's own, unless it says more exactly
   * @param retry what the channel may do next
   * @param detail what happened, what is certain, what to do next: one line
   */
  record Refused(Problem problem, Guid guid, int httpStatus, Problem.Retry retry, String detail)
      implements Answer {
    private static final JsonFactory JSON = new JsonFactory();

    /** {@code problem} with its own status and retry. */
    public static Refused of(Problem problem, Guid guid, String detail) {
      return new Refused(problem, guid, problem.httpStatus(), problem.retry(), detail);
    }

    @Override
    public Reply reply() {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
        json.writeStartObject();
        json.writeStringProperty("type", "about:blank");
        json.writeStringProperty("title", problem.title());
        json.writeNumberProperty("status", httpStatus);
        json.writeStringProperty("code", problem.name());
        if (guid != null) {
          json.writeStringProperty("guid", guid.value());
        }
        json.writeStringProperty("retry", retry.word());
        json.writeStringProperty("detail", detail);
        json.writeEndObject();
      }
      return new Reply(httpStatus, "application/problem+json", out.toByteArray());
    }
  }
}
