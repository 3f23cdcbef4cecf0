package org.relayledger.ledger;

/** How a claim went. */
public sealed interface Taken {
  /** The right to send is won, and durable. */
  record Won(Claim claim) implements Taken {}

  /** The GUID is known with this very request and stands as {@code row} says, bodies included. */
  record Standing(Row row) implements Taken {}

  /** The GUID is known with another request or from another channel; the row is untouched. */
  record Conflict(Row row, String what) implements Taken {}

  /** Somebody alive holds the GUID's claim byte. */
  record Held() implements Taken {}

  /** The ledger is in a mode in which this is not claimed; nothing was. */
  record OnHold(Settings.Mode mode) implements Taken {}

  /**
   * It has to be asked about first, at the account URL that {@code row} was sent to the last time,
   * which is another one, where transfers have been processed; nothing was claimed.
   */
  record Elsewhere(Row row) implements Taken {}

  /**
   * The GUID finished earlier and was purged.
   *
   * @param tombstone null if even that is no longer kept
   */
  record Forgotten(Tombstone tombstone) implements Taken {}
}
