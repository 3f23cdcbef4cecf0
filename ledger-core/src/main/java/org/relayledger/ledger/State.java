package org.relayledger.ledger;

/**
 * Where a GUID stands. The moves that {@link #canBecome} allows are the only ones; the database
 * refuses every other by trigger.
 */
public enum State {
  /** Taken in by a batch, not yet claimed. */
  RECEIVED,
  /** Claimed; being sent. */
  SENT,
  /** A definite reply is stored. */
  DONE,
  /** Sent or maybe sent, no reply: never sent again, only asked about. */
  UNKNOWN,
  /** Certainly not sent, or confirmed not processed: may be claimed again. */
  FAILED;

  /** Whether a row may move from this state to {@code next}. */
  public boolean canBecome(State next) {
    return switch (this) {
      case RECEIVED -> next == SENT || next == DONE;
      case SENT -> next == DONE || next == UNKNOWN || next == FAILED;
      case UNKNOWN -> next == DONE || next == FAILED;
      case FAILED -> next == SENT || next == DONE;
      case DONE -> false;
    };
  }
}
