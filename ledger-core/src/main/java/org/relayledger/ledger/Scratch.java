package org.relayledger.ledger;

import java.sql.SQLException;

/**
 * A temporary database of one thread, on disk and without a name: what is longer than memory is
 * sorted here, by SQLite. It is gone with its process.
 */
final class Scratch implements AutoCloseable {
  /** What it keeps in memory, in KiB. */
  private static final int CACHE_KIB = 32 * 1024;

  /** What to do with it. */
  interface Work<T> {
    T on(Session session) throws SQLException;
  }

  private final Session session;

  /** An empty one with the tables of {@code schema}. */
  Scratch(String... schema) {
    try {
      session = new Session(Sqlite.temporary());
      session.execute("PRAGMA journal_mode=OFF");
      session.execute("PRAGMA synchronous=OFF");
      session.execute("PRAGMA cache_size=-" + CACHE_KIB);
      for (String table : schema) {
        session.execute(table);
      }
      session.execute("BEGIN");
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  <T> T run(Work<T> work) {
    try {
      return work.on(session);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** Adds one row by an INSERT. */
  void add(String insert, Object... values) {
    int unused = run(session -> session.bind(insert, values).executeUpdate());
  }

  private static LedgerException failed(SQLException e) {
    return Sqlite.unavailable(
        "the temporary database failed: "
            + Sqlite.reason(e)
            + "; SQLITE_TMPDIR says where there is room for it",
        e);
  }

  @Override
  public void close() {
    run(
        session -> {
          session.close();
          return null;
        });
  }
}
