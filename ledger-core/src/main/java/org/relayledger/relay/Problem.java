package org.relayledger.relay;

/** What the relay itself answers, when it has no reply of the account system to give. */
public enum Problem {
  /** The outcome is unknown; the same GUID may ask again, to learn it, never to send. */
  E901(504, "Outcome unknown", Retry.LATER, 0),
  /** Certainly not sent. */
  E902(503, "Not sent", Retry.SAME_GUID, 5),
  /** In progress. */
  E903(409, "In progress", Retry.LATER, 1),
  /** The GUID is known with another request or from another channel. */
  E904(422, "GUID conflict", Retry.NEVER, 0),
  /** The request is malformed. */
  E905(400, "Bad request", Retry.NEVER, 0),
  /** The transaction finished earlier and its reply is no longer kept. */
  E906(410, "Finished earlier", Retry.NEVER, 0),
  /** The relay is busy, on hold or stopping; nothing was claimed. */
  E907(503, "Relay busy", Retry.SAME_GUID, 5),
  /** The ledger is unavailable; nothing was sent. */
  E908(503, "Ledger unavailable", Retry.SAME_GUID, 0);

  /** What the channel may do next. */
  public enum Retry {
    /** The same request again, later, to learn what became of it. */
    LATER("later"),
    /** The same request with the same GUID. */
    SAME_GUID("same-guid"),
    /** Nothing: the same request would be answered the same. */
    NEVER("never");

    private final String word;

    Retry(String word) {
      this.word = word;
    }

    /** As the problem body spells it. */
    public String word() {
      return word;
    }
  }

  private final int httpStatus;
  private final String title;
  private final Retry retry;
  private final int retryAfterSeconds;

  Problem(int httpStatus, String title, Retry retry, int retryAfterSeconds) {
    this.httpStatus = httpStatus;
    this.title = title;
    this.retry = retry;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  int httpStatus() {
    return httpStatus;
  }

  String title() {
    return title;
  }

  Retry retry() {
    return retry;
  }

  /** Seconds for a Retry-After header; 0 where there is none. */
  public int retryAfterSeconds() {
    return retryAfterSeconds;
  }
}
