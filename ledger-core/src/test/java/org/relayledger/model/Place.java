package org.relayledger.model;

/** Where a process stands between two steps. */
enum Place {
  IDLE,
  // A sender: a relay for a channel, or reprocess.
  LOOKED,
  BYTE_TAKEN,
  CLAIM_COMMITTED,
  GATE_CHECKED,
  WAITING,
  REPLY_READ,
  IN_DOUBT,
  NOT_SENT,
  LATE,
  LATE_ENDED,
  OUTCOME_COMMITTED,
  // Resolve.
  READ,
  ADOPTED,
  ASKED,
  // Either.
  FREEING;

  /** Whether an exchange may be open, or about to be opened without another look. */
  boolean isSending() {
    return this == GATE_CHECKED || this == WAITING || this == LATE || this == REPLY_READ;
  }
}
