package org.relayledger.ledger;

import java.util.List;
import java.util.Optional;

/**
 * The ledger, opened to send: one row a GUID, moved only by those who hold its claim byte. Safe for
 * any number of threads and processes of one host.
 *
 * <p>Every call may throw {@link LedgerException}; after one of kind HALTED all others of this
 * instance do too.
 */
public interface Ledger extends AutoCloseable {
  /** The most requests that are taken in by one transaction. */
  int MAX_INTAKE = 1000;

  /**
   * Creates a ledger and its claims file, both 0600, where neither is; a kill leaves no ledger that
   * would open.
   *
   * @throws LedgerException of kind UNAVAILABLE if anything is there already or cannot be written
   */
  static Settings init(String location, Settings settings, HostClock clock) {
    return Sqlite.init(location, settings, clock);
  }

  /**
   * Opens the ledger at {@code location} to send.
   *
   * @throws LedgerException of kind UNAVAILABLE if it is missing, no ledger, newer than this,
   *     hard-linked, not writable, on a file system whose locks are not known to hold, or without
   *     its own claims file; nothing is created or changed
   */
  static Ledger open(String location, HostClock clock, Steps steps) {
    return new JdbcLedger(Sqlite.existing(location), clock, steps);
  }

  /**
   * Puts {@code backup} in the place of the ledger at {@code location}, or where none is. The new
   * one has an identity of its own and asks first from now on. A kill leaves the old or the new
   * ledger, whole.
   *
   * @param backup a file that {@link LedgerView#backup} has made; it stays as it is
   * @return also where the ledger that was replaced is kept
   * @throws LedgerException of kind RUNNING if anybody has the ledger open, UNAVAILABLE if {@code
   *     backup} is none or anything cannot be written; then nothing is replaced
   */
  static Restored restore(
      String backup, String location, Actor operator, HostClock clock, Steps steps) {
    return Restore.from(backup, location, operator, clock, steps);
  }

  /**
   * Gives a ledger whose claims file is lost, or belongs to another, a new one, and a new identity;
   * it asks first from now on.
   *
   * @throws LedgerException of kind RUNNING if anybody has the ledger open, UNAVAILABLE if its own
   *     claims file is there
   */
  static Restored renew(String location, Actor operator, HostClock clock, Steps steps) {
    return Restore.inPlace(location, operator, clock, steps);
  }

  /** The same ledger, to read. */
  LedgerView view();

  /**
   * What stands about {@code arrival}'s GUID if no claim can change it: its row unless that is
   * FAILED, a conflict, or a tombstone. Empty means that a claim may be tried. Takes no byte and
   * waits for nobody.
   */
  Optional<Taken> look(Request arrival);

  /**
   * Takes in requests of a batch, in one transaction: those whose GUID is new become RECEIVED.
   *
   * @param arrivals at most {@value #MAX_INTAKE}
   * @return where each of them stands then, in their order: Standing, Conflict or Forgotten
   */
  List<Taken> receive(List<Request> arrivals, Actor actor);

  /**
   * Claims {@code arrival} for a send to {@code account}: a new row, or a FAILED one again, whose
   * stored request is then sent. The claim is durable when this returns Won.
   */
  Taken claim(Request arrival, String account, Actor actor);

  /**
   * Claims a known row that still is in {@code from}, RECEIVED or FAILED, and has not been claimed
   * since it was read; any other is Standing, or Forgotten if it was purged meanwhile.
   */
  Taken claim(Row known, State from, String account, Actor actor);

  /**
   * Takes over somebody else's SENT or UNKNOWN row, if its owner is gone: a SENT row becomes
   * UNKNOWN; a row whose exchange has no recorded end begins to age now. Empty if a live owner
   * holds it or the row has moved on.
   */
  Optional<Claim> adopt(Row sentOrUnknown, Actor actor);

  /**
   * Takes over a row in any state but DONE for an operator who settles it by hand, if no live owner
   * holds it; otherwise like {@link #adopt}.
   */
  Optional<Claim> hold(Row unfinished, Actor operator);

  /**
   * Changes how claims are made. When this returns, no process makes another claim in the mode
   * before.
   *
   * @param reason why, for the journal
   */
  void changeMode(Settings.Mode mode, Actor operator, String reason);

  /**
   * Notes that a person has seen to what may have been a duplicate execution of {@code guid}.
   *
   * @param reason what was found and done, for the journal
   * @return false if there is no DOUBLE_SUSPECT of it that nobody has seen to
   */
  boolean ack(Guid guid, Actor operator, String reason);

  /**
   * Makes the caller the only bulk run of {@code role} on this ledger, until this is closed or the
   * process is gone.
   *
   * @throws LedgerException of kind RUNNING if there is one already; the message names it
   */
  void runLock(Actor.Role role);

  /**
   * Deletes those of {@code rows} that are DONE since before {@code doneBefore} with what the
   * journal tells of them, but for a DOUBLE_SUSPECT, in one transaction. A tombstone stays of each.
   *
   * @return how many were deleted
   */
  int purge(List<Row> rows, long doneBefore);

  /**
   * Deletes up to {@code limit} tombstones of what had finished before {@code finishedBefore}:
   * their GUIDs are new again.
   *
   * @return how many were deleted
   */
  int forget(long finishedBefore, int limit);

  /** Copies what it can from the write-ahead log into the main file, waiting for nobody. */
  void checkpoint();

  /** Rewrites the main file without its free pages; everybody else's claims wait for it. */
  void vacuum();

  /**
   * Notes what the channel has just heard about {@code guid}, unless that is noted already. Returns
   * at once; the note is lost if the process dies first.
   */
  void told(Guid guid, String code);

  /** Why this instance no longer works, once a commit or the disk has failed it. */
  Optional<String> halted();

  @Override
  void close();
}
