package org.relayledger.ledger;

/**
 * The named points between which a crash or a pause must do no harm, in the order of one relay,
 * then those of resolve, batch, purge, backup and restore.
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
  /** Requests of a batch are taken in, and that is not yet committed. */
  INTAKE_WRITTEN,
  /** Requests of a batch are taken in, durably; none of them has been sent. */
  INTAKE_COMMITTED,
  /** Rows to be purged are in the archive, durably, and all still there. */
  ARCHIVED,
  /** Rows are deleted, and that is not yet committed. */
  PURGE_WRITTEN,
  /** Rows are deleted, durably; only their tombstones are left. */
  PURGE_COMMITTED,
  /** A backup is written under another name than its own; nothing of it is checked. */
  BACKUP_WRITTEN,
  /** A backup is whole and checked; it has not got its name. */
  BACKUP_VERIFIED,
  /** A ledger to be restored is whole beside the old one, which is untouched. */
  RESTORE_PREPARED,
  /** The old ledger is kept aside, and still in its place. */
  RESTORE_KEPT,
  /** The claims file belongs to the old ledger and to the new one. */
  RESTORE_CLAIMED,
  /** The new ledger is in the place of the old one. */
  RESTORE_SWITCHED
}
