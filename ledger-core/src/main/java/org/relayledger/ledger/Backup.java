package org.relayledger.ledger;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteOpenMode;

/** Copies whole ledgers, by SQLite alone: a file that is in use is read by nobody else. */
final class Backup {
  /** What there is of a ledger, to compare a copy with: both only grow, unless it forgets. */
  private record Size(long guids, long entries) {
    boolean isWithin(Size before, Size after) {
      return guids >= before.guids
          && guids <= after.guids
          && entries >= before.entries
          && entries <= after.entries;
    }
  }

  private Backup() {}

  /**
   * Copies {@code ledger} to a new {@code file}, marked as a backup; see {@link LedgerView#backup}.
   */
  static long write(Path ledger, Path file, HostClock clock, Steps steps) {
    Path part = Sqlite.beside(file, ".part");
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw Sqlite.unavailable(file + " is there already; nothing was written", null);
    }
    if (Files.exists(part, LinkOption.NOFOLLOW_LINKS)) {
      throw Sqlite.unavailable(
          part
              + " is there already: another backup is at work, or one was killed; then remove it;"
              + " nothing was written",
          null);
    }
    long at = clock.millis();
    try {
      Files.createFile(part, Sqlite.OWNER_ONLY);
      Size before = size(ledger);
      copy(ledger, part);
      steps.reached(Step.BACKUP_WRITTEN, Restore.LEDGER);
      Size after = size(ledger);
      try (Connection connection = Sqlite.connect(part, "", SQLiteOpenMode.READWRITE)) {
        Session session = new Session(connection);
        session.execute("PRAGMA journal_mode=DELETE");
        session.execute("PRAGMA synchronous=FULL");
        session.set(Sqlite.BACKUP_AT, Long.toString(at));
      }
      check(part);
      Size copied = size(part);
      if (!copied.isWithin(before, after)) {
        throw Sqlite.unavailable(
            "the copy has " + copied + ", the ledger " + before + " to " + after + "; try again",
            null);
      }
      steps.reached(Step.BACKUP_VERIFIED, Restore.LEDGER);
      Files.move(part, file);
      ClaimBytes.syncDirectory(file);
      return copied.guids;
    } catch (IOException | SQLException | LedgerException e) {
      discard(part);
      throw Sqlite.unavailable(
          "cannot back up " + ledger + ": " + Sqlite.reason(e) + "; " + file + " was not made", e);
    }
  }

  /** Deletes {@code draft} and what SQLite has left beside it. */
  static void discard(Path draft) {
    Sqlite.delete(draft);
    Sqlite.BESIDE.forEach(end -> Sqlite.delete(Sqlite.beside(draft, end)));
  }

  /** Copies {@code from}, as it is now, into the empty file {@code to}. */
  static void copy(Path from, Path to) throws SQLException {
    try (Connection connection = Sqlite.connect(from, "", SQLiteOpenMode.READONLY);
        PreparedStatement copy = connection.prepareStatement("VACUUM INTO ?")) {
      copy.setString(1, to.toString());
      copy.execute();
    }
  }

  /** Throws unless SQLite finds nothing wrong with {@code file}. */
  static void check(Path file) throws SQLException {
    try (Connection connection = Sqlite.connect(file, "", SQLiteOpenMode.READONLY);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("PRAGMA integrity_check(1)")) {
      String found = result.next() ? result.getString(1) : "nothing";
      if (!found.equals("ok")) {
        throw Sqlite.unavailable(file + " is damaged: " + found, null);
      }
    }
  }

  private static Size size(Path file) throws SQLException {
    String sql =
        "SELECT (SELECT count(*) FROM ledger) + (SELECT count(*) FROM tombstones),"
            + " (SELECT COALESCE(max(id), 0) FROM journal)";
    try (Connection connection = Sqlite.connect(file, "", SQLiteOpenMode.READONLY);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return new Size(result.getLong(1), result.getLong(2));
    }
  }
}
