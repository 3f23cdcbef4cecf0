package org.relayledger.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** A connection and its prepared statements, for one thread at a time. */
final class Session {
  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();
  private Map<String, String> settings;
  private boolean writing;

  Session(Connection connection) {
    this.connection = connection;
  }

  /** The statement of {@code sql}, prepared once and reused: the texts are constants. */
  PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    return statement;
  }

  /** {@code sql} with {@code values} bound in order; null binds NULL. */
  PreparedStatement bind(String sql, Object... values) throws SQLException {
    PreparedStatement statement = prepare(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  void execute(String sql) throws SQLException {
    PreparedStatement statement = prepare(sql);
    if (statement.execute()) {
      // Many a PRAGMA answers, and is at work until the answer is closed.
      statement.getResultSet().close();
    }
  }

  /** The one row that {@code sql} answers, which has integers only. */
  int[] integers(String sql) throws SQLException {
    try (ResultSet result = prepare(sql).executeQuery()) {
      result.next();
      int[] all = new int[result.getMetaData().getColumnCount()];
      for (int i = 0; i < all.length; i++) {
        all[i] = result.getInt(i + 1);
      }
      return all;
    }
  }

  /** How many rows it has changed so far, those that triggers have changed included. */
  long changes() throws SQLException {
    try (ResultSet result = prepare("SELECT total_changes()").executeQuery()) {
      result.next();
      return result.getLong(1);
    }
  }

  /** Begins a transaction that may write. */
  void begin() throws SQLException {
    execute("BEGIN IMMEDIATE");
    settings = null;
    writing = true;
  }

  void commit() throws SQLException {
    execute("COMMIT");
    writing = false;
  }

  void rollback() throws SQLException {
    execute("ROLLBACK");
    writing = false;
  }

  /** All settings; a transaction that may write reads them once, and again after it has set one. */
  Map<String, String> settings() throws SQLException {
    if (settings == null || !writing) {
      settings = new HashMap<>();
      try (ResultSet result = prepare("SELECT key, value FROM settings").executeQuery()) {
        while (result.next()) {
          settings.put(result.getString(1), result.getString(2));
        }
      }
    }
    return settings;
  }

  void set(String key, String value) throws SQLException {
    String sql =
        "INSERT INTO settings (key, value) VALUES (?, ?)"
            + " ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    bind(sql, key, value).executeUpdate();
    settings = null;
  }

  void close() throws SQLException {
    connection.close();
  }
}
