package org.relayledger.ledger;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * What can be read of a ledger. No call keeps a transaction open after it returns; every one throws
 * {@link LedgerException} if the ledger cannot be read.
 */
public sealed interface LedgerView extends AutoCloseable permits JdbcView {
  /** The largest page. */
  int MAX_PAGE = 1000;

  /**
   * Opens the ledger at {@code location} to read it only; needs no claims file and changes no byte
   * of it. SQLite may leave an empty -wal and a -shm beside it.
   *
   * @throws LedgerException of kind UNAVAILABLE if it is missing, no ledger, or newer than this
   */
  static LedgerView open(String location) {
    Path ledger = Sqlite.existing(location);
    Intact.checkToRead(ledger);
    return new JdbcView(ledger, new Health());
  }

  /** Whether {@code file}, under whatever name, is one of those that the ledger is kept in. */
  static boolean isPartOf(String location, Path file) {
    return Sqlite.isPartOf(location, file);
  }

  /**
   * Begins to compare the ledger with a list of executions.
   *
   * @throws LedgerException of kind UNAVAILABLE if there is no room for a temporary file, now or in
   *     any call of it
   */
  Comparison compare();

  /** How many rows are DONE, and when the one came in that was DONE first. */
  Finished finished();

  /**
   * What is DONE.
   *
   * @param oldestAt null if there is none
   */
  record Finished(long rows, Long oldestAt) {}

  /**
   * Finds different GUIDs with one fingerprint among the rows that match.
   *
   * @param filter which rows
   */
  Twins twins(Filter filter);

  /** The row of {@code guid}, with both bodies if {@code bodies}. */
  Optional<Row> find(Guid guid, boolean bodies);

  /** What purge left of {@code guid}. */
  Optional<Tombstone> tombstone(Guid guid);

  /** How many tombstones are of what had finished before {@code finishedBefore}. */
  long tombstonesBefore(long finishedBefore);

  /**
   * The first rows after {@code afterSeq} by seq: at most {@code limit} and {@value #MAX_PAGE}, and
   * no more than some megabytes of bodies. Only an empty page means that there are no more.
   */
  List<Row> page(Filter filter, long afterSeq, int limit);

  /**
   * The first UNKNOWN rows after {@code last} by when they were last asked about, those never asked
   * first: at most {@code limit} and {@value #MAX_PAGE}, without bodies.
   *
   * @param last the last row of the page before, as it was then, or null
   * @param start left out are rows that were asked about between this time and {@code now}: they
   *     are those of the present run; a time yet to come is the slip of a clock
   */
  List<Row> unknown(Row last, long start, long now, int limit);

  /**
   * The first rows after {@code last} that are DONE since before {@code doneBefore}, oldest first:
   * at most {@code limit} and {@value #MAX_PAGE}, and no more than some megabytes of bodies.
   *
   * @param last the last row of the page before, or null
   */
  List<Row> finished(Row last, long doneBefore, int limit, boolean bodies);

  /**
   * The row that became DONE last, among those that were sent to a URL that {@code account}
   * accepts, have a code that {@code success} accepts, and whose outcome came as the reply to their
   * transfer.
   */
  Optional<Row> newestReply(Predicate<String> account, Predicate<String> success);

  /** When the journal's newest entry was written, in epoch milliseconds; empty if it has none. */
  OptionalLong newestEntryAt();

  /**
   * The first entries after {@code afterId} that belong to no row: changes of the mode, and what is
   * kept of rows that were purged. At most {@value #MAX_PAGE}.
   */
  List<Entry> entriesWithoutRow(long afterId);

  /** The last DOUBLE_SUSPECT of {@code guid}, if nobody has seen to it. */
  Optional<Entry> doubleSuspect(Guid guid);

  /**
   * The DOUBLE_SUSPECT entries that nobody has seen to, oldest first; at most {@value #MAX_PAGE}.
   */
  List<Entry> doubleSuspects();

  /** The journal of {@code row}, oldest first. */
  List<Entry> journal(Row row);

  /** The last move of each of {@code rows} that has one, by seq. */
  Map<Long, Entry> lastMoves(List<Row> rows);

  /**
   * Copies the ledger as it is now to a new {@code file}, 0600, which is marked as a backup and can
   * only be read. Others go on meanwhile. It has its name only once it is whole and checked.
   *
   * @return how many GUIDs are in it, tombstones included
   * @throws LedgerException of kind UNAVAILABLE if the file is there already or cannot be made
   *     whole
   */
  long backup(Path file, HostClock clock, Steps steps);

  /** The last change of the mode, if there was one since init. */
  Optional<ModeChange> lastModeChange();

  /** When this was copied from a ledger, in epoch milliseconds; empty if it is no backup. */
  OptionalLong backupOf();

  /** What init fixed, and the present mode. */
  Settings settings();

  @Override
  void close();
}
