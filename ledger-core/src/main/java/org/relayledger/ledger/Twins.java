package org.relayledger.ledger;

import java.util.List;

/** Rows with different GUIDs and one fingerprint. For one thread. */
public sealed interface Twins extends AutoCloseable permits JdbcTwins {
  /**
   * One of two or more that are the same but for their GUID.
   *
   * @param id in which order
   * @param group the same for all of one kind: the seq of the first of them
   */
  record Twin(long id, long group, Row row) {}

  /** The first twins after {@code afterId}, group by group; empty after the last. */
  List<Twin> page(long afterId);

  @Override
  void close();
}
