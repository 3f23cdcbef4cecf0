package org.relayledger.ledger;

/**
 * The named points between which a crash or a pause must do no harm, in the order of one relay,
 * then those of resolve and purge.
 */
public enum Step {
  /** The claim byte is locked; nothing is written. */
  BYTE_TAKEN,
  /** The claim is written and not yet committed. */
  CLAIM_WRITTEN,
  /** The claim is durable; from here on a crash means in doubt. */
  CLAIM_COMMITTED,
  /** The row was read again under the byte; no byte of the body has been handed out. */
  GATE_CHECKED,
  /** The body is about to be handed to the HTTP client; from here on only a reply is proof. */
  GATE_OPENED,
  /** The exchange has ended, with a reply or without one; nothing of it is written. */
  REPLY_READ,
  /** The outcome is written and not yet committed. */
  OUTCOME_WRITTEN,
  /** The outcome is durable; the channel has not heard of it. */
  OUTCOME_COMMITTED,
  /** The claim byte is free; the channel has not heard of the outcome. */
  BYTE_FREED,
  /** Somebody else's row is held and an orphan became UNKNOWN. */
  ADOPTED,
  /** The answer to an inquiry is read; nothing of it is written. */
  INQUIRY_READ,
  /** Rows to be purged are in the archive, durably, and all still there. */
  ARCHIVED,
  /** Rows are deleted, and that is not yet committed. */
  PURGE_WRITTEN,
  /** Rows are deleted, durably; only their tombstones are left. */
  PURGE_COMMITTED
}
