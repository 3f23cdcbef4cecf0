package org.relayledger.ledger;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sqlite.SQLiteOpenMode;

/**
 * Puts a ledger in the place of another, or of its own lost claims file. Whatever it knows may be
 * old: from then on the account system is asked before anything is sent.
 *
 * <p>One rename is the moment of it. Before, the old ledger is whole and works; after, the new one.
 * The claims file belongs to both while that may happen, and no write-ahead log is there.
 */
final class Restore {
  /** What the steps of backup and restore are about, which are no GUID's. */
  static final Guid LEDGER = new Guid("ledger");

  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

  private final Path ledger;
  private final String id = UUID.randomUUID().toString();
  private final Actor operator;
  private final HostClock clock;
  private final Steps steps;

  private Restore(Path ledger, Actor operator, HostClock clock, Steps steps) {
    this.ledger = ledger;
    this.operator = operator;
    this.clock = clock;
    this.steps = steps;
  }

  /** See {@link Ledger#restore}. */
  static Restored from(
      String backup, String location, Actor operator, HostClock clock, Steps steps) {
    if (!Files.exists(Path.of(backup))) {
      throw Sqlite.unavailable("no backup at " + backup + "; nothing was replaced", null);
    }
    Path source = Sqlite.existing(backup);
    Optional<String> backedUp = Sqlite.setting(source, Sqlite.BACKUP_AT);
    if (backedUp.isEmpty()) {
      throw Sqlite.unavailable(
          backup + " is no backup: only what 'relay backup' has made is restored", null);
    }
    Instant at = Instant.ofEpochMilli(Long.parseLong(backedUp.get()));
    return new Restore(place(location), operator, clock, steps)
        .replace(source, "restored from the backup of " + at);
  }

  /** See {@link Ledger#renew}. */
  static Restored inPlace(String location, Actor operator, HostClock clock, Steps steps) {
    if (!Files.exists(Sqlite.path(location))) {
      throw Sqlite.unavailable(
          "no ledger at " + location + ": only its claims file may be lost; see restore FILE",
          null);
    }
    return new Restore(Sqlite.existing(location), operator, clock, steps).renew();
  }

  /** Where the ledger is or is to be. */
  private static Path place(String location) {
    Path asked = Sqlite.path(location).toAbsolutePath();
    if (Files.isSymbolicLink(asked) && !Files.exists(asked)) {
      throw Sqlite.unavailable(
          asked + " leads nowhere; is its volume mounted? nothing was replaced", null);
    }
    try {
      return Files.exists(asked)
          ? known(location)
          : asked.getParent().toRealPath().resolve(asked.getFileName());
    } catch (IOException e) {
      throw Sqlite.unavailable("no directory " + asked.getParent() + "; nothing was replaced", e);
    }
  }

  private static Path known(String location) {
    try {
      return Sqlite.existing(location);
    } catch (LedgerException e) {
      throw Sqlite.unavailable(
          e.getMessage() + "; nothing was replaced: move it away by hand, then restore again", e);
    }
  }

  private Restored replace(Path source, String reason) {
    Optional<ClaimBytes> bytes = alone();
    Path draft = Sqlite.beside(ledger, ".restore");
    try {
      prepare(draft, source, reason, highWater(bytes));
      Path kept = keep();
      claim(bytes);
      steps.reached(Step.RESTORE_CLAIMED, LEDGER);
      ClaimBytes.refuseIfOpen(ledger);
      Sqlite.BESIDE.forEach(end -> Sqlite.delete(Sqlite.beside(ledger, end)));
      Files.move(
          draft, ledger, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      ClaimBytes.syncDirectory(ledger);
      steps.reached(Step.RESTORE_SWITCHED, LEDGER);
      bytes.ifPresent(found -> found.belongTo(id));
      return new Restored(settings(), kept);
    } catch (IOException | SQLException e) {
      throw Sqlite.unavailable(
          "cannot restore "
              + ledger
              + ": "
              + Sqlite.reason(e)
              + "; it is the old one or the new one: look with 'relay mode', then run it again",
          e);
    } finally {
      Backup.discard(draft); // gone already, if it got its place
      bytes.ifPresent(ClaimBytes::share);
    }
  }

  private Settings settings() {
    try (LedgerView view = new JdbcView(ledger, new Health())) {
      return view.settings();
    }
  }

  private boolean isWhole(ClaimBytes bytes) {
    try {
      Intact.checkWhole(ledger, bytes);
      return true;
    } catch (LedgerException e) {
      return false;
    }
  }

  private static long highWater(Optional<ClaimBytes> bytes) {
    return bytes.map(ClaimBytes::highWater).orElse(0L);
  }

  /** Makes sure that nobody has the ledger open, and that nobody opens it to send. */
  private Optional<ClaimBytes> alone() {
    Optional<ClaimBytes> bytes = ClaimBytes.beside(ledger);
    bytes.ifPresent(ClaimBytes::keepAlone);
    try {
      ClaimBytes.refuseIfOpen(ledger);
      return bytes;
    } catch (LedgerException e) {
      bytes.ifPresent(ClaimBytes::share);
      throw e;
    }
  }

  /** The whole new ledger, beside the place that it is to have. */
  private void prepare(Path draft, Path source, String reason, long highWater)
      throws IOException, SQLException {
    Backup.discard(draft); // what a killed restore has left; nobody else is at work
    Files.createFile(draft, Sqlite.OWNER_ONLY);
    Backup.copy(source, draft);
    Backup.check(draft);
    try (Connection connection = Sqlite.connect(draft, "", SQLiteOpenMode.READWRITE)) {
      Session session = new Session(connection);
      session.execute("PRAGMA journal_mode=WAL");
      begin(session, reason, highWater);
    }
    steps.reached(Step.RESTORE_PREPARED, LEDGER);
  }

  /** The ledger begins anew: with an identity of its own, and asking first. */
  private void begin(Session session, String reason, long highWater) throws SQLException {
    Moment now = Moment.now(clock);
    session.execute("PRAGMA synchronous=FULL");
    session.execute("BEGIN IMMEDIATE");
    session.set("ledger_id", id);
    // Not less than the claims file knows of the ledger that it belonged to before.
    Sqlite.number(session, Math.max(Sqlite.transactions(session), highWater) + 1);
    session.set("mode", Settings.Mode.ASK_FIRST.word());
    Sqlite.setAsksSince(session, now);
    session.bind("DELETE FROM settings WHERE key = ?", Sqlite.BACKUP_AT).executeUpdate();
    JdbcLedger.journalMode(session, Settings.Mode.ASK_FIRST, operator, now.at(), reason);
    session.execute("COMMIT");
    session.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** Keeps what is to be replaced aside; null if there is nothing. */
  private Path keep() throws IOException, SQLException {
    if (!Files.exists(ledger, LinkOption.NOFOLLOW_LINKS)
        && !Files.exists(Sqlite.beside(ledger, "-wal"))) {
      return null;
    }
    Path kept = Sqlite.beside(ledger, ".replaced-" + STAMP.format(clock.instant()));
    Path part = Sqlite.beside(ledger, ".replaced.part"); // what a kill may leave is not kept
    try {
      emptyLog();
      Backup.discard(part);
      Files.createFile(part, Sqlite.OWNER_ONLY);
      Backup.copy(ledger, part);
      Files.move(part, kept);
    } catch (SQLException e) {
      Backup.discard(part);
      boolean there = Files.exists(ledger);
      if (there && (Sqlite.busy(e) || !Sqlite.fatal(e) || Sqlite.full(e))) {
        throw e;
      }
      // Damaged: there is no whole old ledger that a kill could take away.
      for (String end : List.of("", "-wal", "-shm")) {
        Path file = Sqlite.beside(ledger, end);
        if (Files.exists(file)) {
          Files.move(file, Sqlite.beside(kept, end), StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
    steps.reached(Step.RESTORE_KEPT, LEDGER);
    return kept;
  }

  /** Brings all of the write-ahead log into the ledger. */
  private void emptyLog() throws SQLException {
    try (Connection connection = Sqlite.connect(ledger, "", SQLiteOpenMode.READWRITE);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("PRAGMA wal_checkpoint(TRUNCATE)")) {
      if (result.next() && result.getInt(1) != 0) {
        throw new LedgerException(
            LedgerException.Kind.RUNNING,
            "the ledger is in use by somebody who cannot be seen from here; nothing was replaced");
      }
    }
  }

  /** Lets the claims file belong to the ledger that is there, if any, and to the new one. */
  private void claim(Optional<ClaimBytes> bytes) {
    if (bytes.isEmpty()) {
      ClaimBytes.create(ledger, id);
    } else if (Files.exists(ledger)) {
      bytes.get().belongTo(Sqlite.setting(ledger, "ledger_id").orElse("-"), id);
    } else {
      bytes.get().belongTo(id);
    }
  }

  private Restored renew() {
    String old = Sqlite.ledgerId(ledger);
    Optional<ClaimBytes> bytes = ClaimBytes.beside(ledger);
    boolean itsOwn = bytes.filter(found -> found.isOf(old)).isPresent();
    if (itsOwn && isWhole(bytes.get())) {
      throw Sqlite.unavailable(
          "the claims file of "
              + ledger
              + " is in its place, and nothing is missing; nothing was changed",
          null);
    }
    bytes = alone();
    try {
      emptyLog();
      if (itsOwn) {
        // The log of one file over another is no ledger.
        Backup.check(ledger);
      }
      // Nobody can use it before its new claims file is there: in between a kill leaves it so.
      try (Connection connection = Sqlite.connect(ledger, "", SQLiteOpenMode.READWRITE)) {
        begin(
            new Session(connection),
            itsOwn ? "it had forgotten what was committed" : "its claims file was lost",
            highWater(bytes));
      }
      steps.reached(Step.RESTORE_SWITCHED, LEDGER);
      if (bytes.isEmpty()) {
        ClaimBytes.create(ledger, id);
      } else {
        bytes.get().belongTo(id);
      }
      return new Restored(settings(), null);
    } catch (SQLException e) {
      throw Sqlite.unavailable(
          "cannot give " + ledger + " a new claims file: " + Sqlite.reason(e), e);
    } finally {
      bytes.ifPresent(ClaimBytes::share);
    }
  }
}
