package org.relayledger.account;

import org.relayledger.ledger.Reply;

/** What the account system said of one transfer that it was asked about. */
public sealed interface Verdict {
  /** The verdict in a few words. */
  String word();

  /**
   * The transfer was processed.
   *
   * @param reply the answer, which becomes the stored reply
   * @param code its code
   */
  record Processed(Reply reply, String code) implements Verdict {
    @Override
    public String word() {
      return "processed with code " + code;
    }
  }

  /** The account system has no record of it: true only of now, and only if it can be trusted. */
  record NoRecord() implements Verdict {
    @Override
    public String word() {
      return "no record";
    }
  }

  /**
   * Neither; nothing follows from it.
   *
   * @param why what came instead
   */
  record Inconclusive(String why) implements Verdict {
    @Override
    public String word() {
      return "inconclusive, " + why;
    }
  }
}
