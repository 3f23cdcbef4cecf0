package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.sqlite.JDBC;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import org.sqlite.SQLiteOpenMode;

/** What the ledger needs to know of SQLite: files, connections, and what its errors mean. */
final class Sqlite {
  static final int APPLICATION_ID = 0x524c4752;
  static final int VERSION = 1;
  static final int BUSY_TIMEOUT_MILLIS = 5_000;

  /** The setting that marks a backup. */
  static final String BACKUP_AT = "backup_at";

  /** The setting that counts the transactions which our programs have committed. */
  private static final String TRANSACTIONS = "transactions";

  /** What SQLite may leave beside a file of that name. */
  static final List<String> BESIDE = List.of("-wal", "-shm", "-journal");

  private static final int WRITER_CACHE_KIB = 64 * 1024;

  static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private Sqlite() {}

  /**
   * The real path of the ledger at {@code location}, which must be a ledger of a version known
   * here.
   */
  static Path existing(String location) {
    Path path;
    try {
      path = path(location).toRealPath();
    } catch (IOException e) {
      throw unavailable("no ledger at " + location + "; 'relay init' creates one", e);
    }
    if (!Files.isRegularFile(path)) {
      throw unavailable(location + " is no regular file, so it is no ledger", null);
    }
    if (!Files.isReadable(path)) {
      throw unavailable("the ledger " + path + " cannot be read by this user", null);
    }
    if (links(path) != 1) {
      // SQLite looks for the -wal beside the name it was given: another name, another history.
      throw unavailable(
          "the ledger " + path + " has " + links(path) + " hard links; remove all but one", null);
    }
    try (Connection connection = peek(path)) {
      if (pragma(connection, "application_id") != APPLICATION_ID) {
        throw unavailable(path + " is not a relay-ledger", null);
      }
      checkVersion(pragma(connection, "user_version"));
    } catch (SQLException e) {
      throw e instanceof SQLiteException
          ? unavailable(path + " is not a relay-ledger: " + reason(e), e)
          : unavailable(
              "SQLite cannot be loaded, so "
                  + path
                  + " was not looked at: is there room in TMPDIR?",
              e);
    }
    return path;
  }

  /**
   * A first look at what may be a foreign file. Where there is a write-ahead log the main file
   * alone is no ledger: a checkpoint may be half done. Without one nothing is left beside it.
   */
  private static Connection peek(Path path) throws SQLException {
    boolean logged = Files.exists(beside(path, "-wal"));
    return connect(path, logged ? "" : "?immutable=1", SQLiteOpenMode.READONLY);
  }

  /**
   * The identity of {@code ledger}.
   *
   * @throws LedgerException of kind UNAVAILABLE if it is a backup
   */
  static String ledgerId(Path ledger) {
    Optional<String> backedUp = setting(ledger, BACKUP_AT);
    if (backedUp.isPresent()) {
      throw unavailable(
          ledger
              + " is a backup of "
              + Instant.ofEpochMilli(number(backedUp.get()))
              + "; it can only be read; 'relay restore' makes a ledger of it",
          null);
    }
    return setting(ledger, "ledger_id").orElseThrow(() -> damagedSettings(null));
  }

  /** One of the settings. */
  static Optional<String> setting(Path ledger, String key) {
    try (Connection connection = peek(ledger);
        PreparedStatement query =
            connection.prepareStatement("SELECT value FROM settings WHERE key = ?")) {
      query.setString(1, key);
      try (ResultSet result = query.executeQuery()) {
        return result.next() ? Optional.ofNullable(result.getString(1)) : Optional.empty();
      }
    } catch (SQLException e) {
      throw unavailable("the ledger " + ledger + " cannot be read: " + reason(e), e);
    }
  }

  /** How many transactions {@code ledger} has in it that our programs have committed. */
  static long transactions(Path ledger) {
    return number(setting(ledger, TRANSACTIONS).orElse("0"));
  }

  /** The same, within a transaction. */
  static long transactions(Session session) throws SQLException {
    return number(session.settings().getOrDefault(TRANSACTIONS, "0"));
  }

  /** The number that one of the settings spells. */
  static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw damagedSettings(e);
    }
  }

  /** What is not as {@code init} has written it. */
  static LedgerException damagedSettings(RuntimeException e) {
    return unavailable("the settings of the ledger are damaged; restore a backup", e);
  }

  /** This is transaction number {@code number}. */
  static void number(Session session, long number) throws SQLException {
    session.set(TRANSACTIONS, Long.toString(number));
  }

  /**
   * How many of them are in the main file alone, whatever its write-ahead log adds; empty if it
   * cannot be read so, because it is damaged or a checkpoint is at work.
   */
  static Optional<Long> transactionsOfMainFile(Path ledger) {
    try (Connection connection = connect(ledger, "?immutable=1", SQLiteOpenMode.READONLY)) {
      return Optional.of(transactions(new Session(connection)));
    } catch (SQLException e) {
      return Optional.empty();
    }
  }

  private static int links(Path path) {
    try {
      return (Integer) Files.getAttribute(path, "unix:nlink");
    } catch (IOException e) {
      throw unavailable("cannot read the attributes of " + path, e);
    }
  }

  static Path path(String location) {
    if (location.startsWith("jdbc:")) {
      throw unavailable(location + ": this version keeps its ledger in a SQLite file only", null);
    }
    try {
      return Path.of(location);
    } catch (InvalidPathException e) {
      throw unavailable("this JVM's locale has no such file name: " + location, e);
    }
  }

  /** Refuses a ledger that another version has changed since it was opened. */
  static void checkVersion(Session session) throws SQLException {
    try (ResultSet result = session.prepare("PRAGMA user_version").executeQuery()) {
      result.next();
      checkVersion(result.getInt(1));
    }
    try (ResultSet result = session.prepare("PRAGMA application_id").executeQuery()) {
      result.next();
      if (result.getInt(1) != APPLICATION_ID) {
        throw unavailable("the ledger is no longer a relay-ledger", null);
      }
    }
  }

  private static void checkVersion(int version) {
    if (version != VERSION) {
      throw unavailable(
          "the ledger has schema version "
              + version
              + ", this program knows "
              + VERSION
              + "; use the newer program",
          null);
    }
  }

  static Settings init(String location, Settings settings, HostClock clock) {
    Path asked = path(location).toAbsolutePath();
    Path ledger;
    try {
      ledger = asked.getParent().toRealPath().resolve(asked.getFileName());
    } catch (IOException e) {
      throw unavailable("no directory " + asked.getParent() + "; nothing was created", e);
    }
    Path draft = beside(ledger, ".init");
    for (Path each :
        List.of(
            ledger,
            beside(ledger, "-wal"),
            beside(ledger, "-shm"),
            beside(ledger, "-journal"),
            draft)) {
      if (Files.exists(each, LinkOption.NOFOLLOW_LINKS)) {
        throw unavailable(each + " is there already; nothing was created", null);
      }
    }
    // The claims file comes first: of two inits at once only one creates it.
    ClaimBytes.create(ledger, settings.id());
    try {
      Files.createFile(draft, OWNER_ONLY);
      try (Connection connection = connect(draft, "", SQLiteOpenMode.READWRITE);
          Statement statement = connection.createStatement()) {
        statement.executeUpdate("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; BEGIN");
        statement.executeUpdate(schema());
        try (var insert =
            connection.prepareStatement("INSERT INTO settings (key, value) VALUES (?, ?)")) {
          for (var entry : asText(settings, clock).entrySet()) {
            insert.setString(1, entry.getKey());
            insert.setString(2, entry.getValue());
            insert.executeUpdate();
          }
        }
        if (settings.mode() == Settings.Mode.ASK_FIRST) {
          setAsksSince(new Session(connection), Moment.now(clock));
        }
        statement.executeUpdate("COMMIT");
      }
      // Closing checkpointed it: the main file is whole, and gets its name only now.
      Files.move(draft, ledger);
      ClaimBytes.syncDirectory(ledger);
      return settings;
    } catch (IOException | SQLException e) {
      for (String end : List.of("", "-wal", "-shm", "-journal")) {
        delete(beside(draft, end));
      }
      delete(ClaimBytes.fileOf(ledger));
      throw unavailable(
          "cannot create " + ledger + ": " + reason(e) + "; nothing is left of it", e);
    }
  }

  static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // What cannot be deleted is named by the next init, which refuses to overwrite it.
    }
  }

  private static Map<String, String> asText(Settings settings, HostClock clock) {
    return Map.of(
        "ledger_id", settings.id(),
        "mode", settings.mode().word(),
        "max_processing_ms", Long.toString(settings.maxProcessing().toMillis()),
        "resend_window_ms", Long.toString(settings.resendWindow().toMillis()),
        "created_at", Long.toString(clock.millis()));
  }

  /** The mode ask-first begins. */
  static void setAsksSince(Session session, Moment now) throws SQLException {
    session.set("asks_since", Long.toString(now.at()));
    session.set("asks_since_boot", now.boot());
    session.set("asks_since_uptime", Long.toString(now.uptime()));
  }

  private static String schema() throws IOException {
    try (InputStream in = Sqlite.class.getResourceAsStream("sqlite.sql")) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  static Path beside(Path file, String end) {
    return file.resolveSibling(file.getFileName() + end);
  }

  static boolean isPartOf(String location, Path file) {
    try {
      Path ledger = path(location).toRealPath();
      List<Path> parts = new ArrayList<>(List.of(ledger, ClaimBytes.fileOf(ledger)));
      BESIDE.forEach(end -> parts.add(beside(ledger, end)));
      for (Path part : parts) {
        if (Files.exists(part) && Files.exists(file) && Files.isSameFile(part, file)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false; // there is no ledger
    }
  }

  /** A session that can only read. */
  static Session reader(Path ledger) throws SQLException {
    Connection connection = connect(ledger, "", SQLiteOpenMode.READONLY);
    Session session = new Session(connection);
    session.execute("PRAGMA query_only=ON");
    try {
      checkVersion(session);
    } catch (LedgerException e) {
      session.close();
      throw e;
    }
    return session;
  }

  /** The session that writes; every commit of it is fsynced. */
  static Session writer(Path ledger) throws SQLException {
    Session session = new Session(connect(ledger, "", SQLiteOpenMode.READWRITE));
    session.execute("PRAGMA synchronous=FULL");
    session.execute("PRAGMA busy_timeout=0"); // the writer waits in its own way
    session.execute("PRAGMA wal_autocheckpoint=0"); // the writer does it, and takes it down
    session.execute("PRAGMA cache_size=-" + WRITER_CACHE_KIB);
    return session;
  }

  /** Never creates a file: without SQLITE_OPEN_CREATE a missing one is an error. */
  static Connection connect(Path path, String query, SQLiteOpenMode mode) throws SQLException {
    String quoted = path.toString().replace("%", "%25").replace("?", "%3f").replace("#", "%23");
    Properties properties = new Properties();
    properties.setProperty("open_mode", Integer.toString(mode.flag | SQLiteOpenMode.OPEN_URI.flag));
    properties.setProperty("busy_timeout", Integer.toString(BUSY_TIMEOUT_MILLIS));
    properties.setProperty("jdbc.get_generated_keys", "false");
    return JDBC.createConnection("jdbc:sqlite:file:" + quoted + query, properties);
  }

  /** A database of its own on disk, which is deleted while it is open. */
  static Connection temporary() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("jdbc.get_generated_keys", "false");
    // An empty name is a temporary file; no name at all would be memory.
    return JDBC.createConnection("jdbc:sqlite:file:", properties);
  }

  private static int pragma(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("PRAGMA " + name)) {
      result.next();
      return result.getInt(1);
    }
  }

  /** Somebody else has the lock; nothing was begun. */
  static boolean busy(SQLException e) {
    return primaryCode(e) == SQLiteErrorCode.SQLITE_BUSY.code
        || primaryCode(e) == SQLiteErrorCode.SQLITE_LOCKED.code;
  }

  /**
   * Everything but a lock and what is wrong with the statement itself: the disk, the file, the
   * memory below can no longer be trusted by this process.
   */
  static boolean fatal(SQLException e) {
    SQLiteErrorCode code = SQLiteErrorCode.getErrorCode(primaryCode(e));
    return !busy(e)
        && code != SQLiteErrorCode.SQLITE_CONSTRAINT
        && code != SQLiteErrorCode.SQLITE_ERROR
        && code != SQLiteErrorCode.SQLITE_MISMATCH
        && code != SQLiteErrorCode.SQLITE_TOOBIG;
  }

  /** The disk is full. */
  static boolean full(SQLException e) {
    return primaryCode(e) == SQLiteErrorCode.SQLITE_FULL.code;
  }

  private static int primaryCode(SQLException e) {
    return e instanceof SQLiteException sqlite ? sqlite.getResultCode().code & 0xff : -1;
  }

  /** What the error says, on one line and without the driver's own words for it. */
  static String reason(Throwable e) {
    if (e instanceof FileAlreadyExistsException exists) {
      return exists.getFile() + " is there already";
    }
    if (e instanceof NoSuchFileException missing) {
      return "no such file or directory: " + missing.getFile();
    }
    if (e instanceof AccessDeniedException denied) {
      return "permission denied: " + denied.getFile();
    }
    String text = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return e instanceof SQLException ? text.replaceFirst("^\\[(\\w+)] *", "$1: ") : text;
  }

  static LedgerException unavailable(String message, Throwable cause) {
    return new LedgerException(LedgerException.Kind.UNAVAILABLE, message, cause);
  }
}
