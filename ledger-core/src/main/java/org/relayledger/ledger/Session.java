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

  /** How many rows it has changed so far, those that triggers have changed included. */
  long changes() throws SQLException {
    try (ResultSet result = prepare("SELECT total_changes()").executeQuery()) {
      result.next();
      return result.getLong(1);
    }
  }

  void close() throws SQLException {
    connection.close();
  }
}
