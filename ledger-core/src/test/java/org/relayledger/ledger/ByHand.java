package org.relayledger.ledger;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Somebody at an SQL prompt: a connection that goes past all our code, but not past the schema. */
final class ByHand implements AutoCloseable {
  static final List<String> TABLES = List.of("ledger", "journal", "settings", "tombstones");

  private final Connection connection;

  private ByHand(Connection connection) {
    this.connection = connection;
  }

  /** Opens a SQLite file; a missing one is created, as a shell does it. */
  static ByHand sqlite(Path file) {
    try {
      ByHand hand = new ByHand(DriverManager.getConnection("jdbc:sqlite:" + file));
      hand.exec("PRAGMA synchronous=OFF");
      return hand;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Runs statements that must work. */
  void exec(String... sql) {
    for (String each : sql) {
      try {
        run(each);
      } catch (SQLException e) {
        throw new AssertionError(each, e);
      }
    }
  }

  /** Runs one statement; how many rows it changed, triggers not counted. */
  int run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  /** Changes one row, with values bound. */
  void change(String sql, Object... values) {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      if (statement.executeUpdate() != 1) {
        throw new AssertionError("not one row: " + sql);
      }
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** Takes {@code request} in as a batch does. */
  void receive(Request request, long now) {
    change(
        "INSERT INTO ledger (guid, channel, state, attempt, content_type, fingerprint, scheme,"
            + " request_sha256, received_at, updated_at, request)"
            + " VALUES (?, ?, 'RECEIVED', 0, ?, ?, ?, ?, ?, ?, ?)",
        request.guid().value(),
        request.channel(),
        request.contentType(),
        HexFormat.of().parseHex(request.fingerprint().sha256()),
        request.fingerprint().scheme().text(),
        HexFormat.of().parseHex(Fingerprint.sha256(request.body())),
        now,
        now,
        request.body());
  }

  /** Every value of every row, with its type; blobs in hexadecimal. */
  List<List<String>> rows(String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<List<String>> rows = new ArrayList<>();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          Object value = result.getObject(i);
          row.add(
              value instanceof byte[] bytes
                  ? "x'" + HexFormat.of().formatHex(bytes) + "'"
                  : value instanceof String ? "'" + value + "'" : String.valueOf(value));
        }
        rows.add(row);
      }
      return rows;
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** The one value that {@code sql} yields. */
  String value(String sql) {
    List<List<String>> rows = rows(sql);
    if (rows.size() != 1 || rows.get(0).size() != 1) {
      throw new AssertionError("not one value: " + sql + " " + rows);
    }
    return rows.get(0).get(0);
  }

  /** All that is in the ledger, in an order of its own. */
  List<List<String>> everything() {
    List<List<String>> all = new ArrayList<>();
    for (String table : TABLES) {
      all.add(List.of(table));
      all.addAll(rows("SELECT * FROM " + table + " ORDER BY 1"));
    }
    return all;
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
