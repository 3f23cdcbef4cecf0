package org.relayledger.ledger;

import java.util.List;

/**
 * The ledger beside somebody else's list of executions, GUID by GUID. What both say is kept in a
 * temporary file, so that memory stays flat however long they are. For one thread; first all is
 * added, then the ledger is matched, then the differences are read.
 */
public sealed interface Comparison extends AutoCloseable permits JdbcComparison {
  /** What the ledger knows of a GUID lets happen. */
  interface Rule {
    /**
     * Whether it is right that a GUID was executed so often.
     *
     * @param row its row, without bodies, or null
     * @param tombstone what purge left of it, or null
     */
    boolean isRight(long executions, Row row, Tombstone tombstone);

    /** The earliest time at which {@code row} was executed if it was, in epoch milliseconds. */
    long earliest(Row row);

    /** The latest such time. */
    long latest(Row row);
  }

  /** Hears how far the matching has come. */
  interface Listener {
    /** So many more rows have been matched. */
    void matched(int rows);
  }

  /**
   * A GUID of which the rule says that something is wrong, as the ledger was when it was matched.
   *
   * @param id in which order
   * @param at when it was executed, if that was once and is known; else null
   */
  record Difference(long id, Guid guid, long executions, Long at) {}

  /**
   * One execution of {@code guid}.
   *
   * @param at when, in epoch milliseconds, or null if that is not known
   */
  void executed(Guid guid, Long at);

  /** Matches every row and every tombstone by {@code rule}. */
  void match(Rule rule, Listener listener);

  /** The first differences after {@code afterId}, at most {@link LedgerView#MAX_PAGE}. */
  List<Difference> differences(long afterId);

  @Override
  void close();
}
