package org.relayledger.ledger;

/** What became of one send. */
public sealed interface Outcome {
  /** The state that a row with this outcome moves to. */
  State state();

  /** The code that goes with it: the account system's for DONE, ours else. */
  String code();

  /** The evidence in a few words, for the journal and the channel. */
  String note();

  /**
   * A definite reply.
   *
   * @param reply the bytes to store and replay
   * @param code the account system's code, one of the final codes
   */
  record Done(Reply reply, String code) implements Outcome {
    @Override
    public State state() {
      return State.DONE;
    }

    @Override
    public String note() {
      return "HTTP " + reply.httpStatus();
    }
  }

  /**
   * Certainly not processed: no byte of the body was handed out, or the account system said so.
   *
   * @param note what happened
   */
  record NotSent(String note) implements Outcome {
    @Override
    public State state() {
      return State.FAILED;
    }

    @Override
    public String code() {
      return "E902";
    }
  }

  /**
   * Sent or maybe sent, and no definite reply: the default whenever there is doubt.
   *
   * @param note what happened
   * @param exchangeOpen whether the exchange goes on and a late reply may still settle the row; its
   *     age then does not count yet
   */
  record InDoubt(String note, boolean exchangeOpen) implements Outcome {
    @Override
    public State state() {
      return State.UNKNOWN;
    }

    @Override
    public String code() {
      return "E901";
    }
  }
}
