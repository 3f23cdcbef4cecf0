package org.relayledger.account;

import org.relayledger.ledger.Reply;

/** What the account system said of one transfer that it was asked about. */
public sealed interface Verdict {
  /**
   * The transfer was processed.
   *
   * @param reply the answer, which becomes the stored reply
   * @param code its code
   */
  record Processed(Reply reply, String code) implements Verdict {}

  /** The account system has no record of it: true only of now, and only if it can be trusted. */
  record NoRecord() implements Verdict {}

  /**
   * Neither; nothing follows from it.
   *
   * @param why what came instead
   */
  record Inconclusive(String why) implements Verdict {}
}
