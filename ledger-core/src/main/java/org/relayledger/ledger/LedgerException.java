package org.relayledger.ledger;

/**
 * The ledger cannot do what was asked; the message is one line for the operator. What was asked for
 * did not happen, unless the kind is {@link Kind#HALTED}.
 */
public final class LedgerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What kind of trouble, and so what the caller may do. */
  public enum Kind {
    /** Missing, foreign, newer, unwritable: nothing was begun; a person must look. */
    UNAVAILABLE,
    /** Another bulk run of the same tool holds the run lock: nothing was begun. */
    RUNNING,
    /** Somebody else holds the write lock: nothing was begun; try again. */
    BUSY,
    /** A COMMIT, or the disk below, failed: whether the move is there is unknown; stop working. */
    HALTED,
    /** A stored request or reply is not what its SHA-256 says: it must not be used. */
    DAMAGED
  }

  private final Kind kind;

  LedgerException(Kind kind, String message) {
    this(kind, message, null);
  }

  LedgerException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** What kind of trouble it is. */
  public Kind kind() {
    return kind;
  }
}
