package org.relayledger.account;

import java.net.URI;

/**
 * One answered or unanswered question about one transfer.
 *
 * @param verdict what follows from it
 * @param url the URL that was asked
 * @param httpStatus the answer's status, or 0 if none came
 * @param evidence the first {@value #MAX_EVIDENCE} bytes of the answer's body, as text
 * @param outage whether no answer came in time, or HTTP 5xx
 */
public record Inquiry(Verdict verdict, URI url, int httpStatus, String evidence, boolean outage) {
  /** The most of a body that is kept, in bytes. */
  public static final int MAX_EVIDENCE = 4096;

  /** The same question and answer with another verdict. */
  public Inquiry with(Verdict other) {
    return new Inquiry(other, url, httpStatus, evidence, outage);
  }

  /** Question, answer and verdict, for the journal. */
  public String text() {
    return verdict.word()
        + "; GET "
        + url
        + ": "
        + (httpStatus == 0 ? "no answer" : "HTTP " + httpStatus)
        + (evidence.isEmpty() ? "" : ": " + evidence);
  }
}
