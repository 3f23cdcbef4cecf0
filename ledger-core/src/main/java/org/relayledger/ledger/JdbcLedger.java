package org.relayledger.ledger;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.relayledger.ledger.Writer.Patience;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ledger in a SQL database: every statement that writes stands here. */
final class JdbcLedger implements Ledger {
  private static final Logger LOG = LoggerFactory.getLogger(JdbcLedger.class);
  private static final int MAX_URLS = 100;

  private final Path path;
  private final HostClock clock;
  private final Steps steps;
  private final Health health = new Health();
  private final JdbcView view;
  private final ClaimBytes bytes;
  private final Intact files;
  private final Writer writer;
  private final Set<Actor.Role> runLocks = ConcurrentHashMap.newKeySet();

  /** Whether anything was processed at that URL, for the first few; only the writer looks. */
  private final Map<String, Boolean> booked = new HashMap<>();

  JdbcLedger(Path path, HostClock clock, Steps steps) {
    this.path = path;
    this.clock = clock;
    this.steps = steps;
    if (!Files.isWritable(path) || !Files.isWritable(path.getParent())) {
      throw Sqlite.unavailable("the ledger " + path + " cannot be written by this user", null);
    }
    // Before the first connection that locks: it would leave a -wal and a -shm beside a ledger that
    // is then refused.
    this.bytes = ClaimBytes.open(path, Sqlite.ledgerId(path));
    try {
      Intact.checkToWrite(path, bytes);
    } catch (LedgerException e) {
      bytes.leave();
      throw e;
    }
    this.view = new JdbcView(path, health);
    try {
      this.files = new Intact(path, bytes);
      this.writer = new Writer(Sqlite.writer(path), health, bytes, files);
    } catch (SQLException e) {
      view.close();
      bytes.leave();
      throw Sqlite.unavailable("cannot open " + path + ": " + Sqlite.reason(e), e);
    }
  }

  @Override
  public LedgerView view() {
    return view;
  }

  @Override
  public Optional<String> halted() {
    return health.halted();
  }

  @Override
  public Optional<Taken> look(Request arrival) {
    Optional<Row> known = view.find(arrival.guid(), true);
    if (known.isEmpty()) {
      return view.tombstone(arrival.guid()).map(Taken.Forgotten::new);
    }
    Row row = known.get();
    Optional<String> conflict = conflict(row, arrival);
    if (conflict.isPresent()) {
      return Optional.of(new Taken.Conflict(row, conflict.get()));
    }
    return row.state() == State.FAILED ? Optional.empty() : Optional.of(new Taken.Standing(row));
  }

  @Override
  public List<Taken> receive(List<Request> arrivals, Actor actor) {
    if (arrivals.isEmpty()) {
      return List.of();
    }
    if (arrivals.size() > MAX_INTAKE) {
      throw new IllegalArgumentException("more than " + MAX_INTAKE + " requests at once");
    }
    Guid first = arrivals.get(0).guid();
    List<Arrival> all = arrivals.stream().map(Arrival::of).toList();
    List<Taken> standing =
        writer.write(
            session -> {
              List<Taken> taken = new ArrayList<>(all.size());
              for (Arrival arrival : all) {
                taken.add(receive(session, arrival, actor));
              }
              steps.reached(Step.INTAKE_WRITTEN, first);
              return taken;
            },
            Patience.CLAIM);
    steps.reached(Step.INTAKE_COMMITTED, first);
    return standing;
  }

  /** A request with the hashes of it that its row will have, made before the writer's turn. */
  private record Arrival(Request request, byte[] fingerprint, String scheme, String sha256) {
    static Arrival of(Request request) {
      return new Arrival(
          request,
          HexFormat.of().parseHex(request.fingerprint().sha256()),
          request.fingerprint().scheme().text(),
          Fingerprint.sha256(request.body()));
    }

    /** The row of that seq as it begins. */
    Row row(long seq, State state, String account, long now) {
      boolean sent = state == State.SENT;
      return new Row(
          seq,
          request.guid(),
          request.channel(),
          account,
          state,
          null,
          sent ? 1 : 0,
          request.contentType(),
          request.fingerprint(),
          sha256,
          null,
          null,
          null,
          now,
          sent ? now : null,
          null,
          null,
          now,
          null,
          null,
          null,
          null,
          null,
          null,
          null);
    }
  }

  private Taken receive(Session session, Arrival arrival, Actor actor) throws SQLException {
    Optional<Row> begun = insert(session, arrival, State.RECEIVED, null);
    if (begun.isPresent()) {
      Row row = begun.get();
      journalMove(session, row, null, State.RECEIVED, null, actor, row.receivedAt(), null);
      return new Taken.Standing(row);
    }
    Guid guid = arrival.request().guid();
    Optional<Row> known = JdbcView.find(session, guid, true);
    if (known.isEmpty()) {
      return new Taken.Forgotten(JdbcView.tombstone(session, guid).orElseThrow());
    }
    Optional<String> conflict = conflict(known.get(), arrival.request());
    return conflict.isPresent()
        ? new Taken.Conflict(known.get(), conflict.get())
        : new Taken.Standing(known.get());
  }

  @Override
  public Taken claim(Request request, String account, Actor actor) {
    Arrival arrival = Arrival.of(request);
    return underByte(
        request.guid(),
        session -> {
          Settings settings = JdbcView.settings(session);
          if (settings.mode() == Settings.Mode.HOLD) {
            return new Taken.OnHold(settings.mode());
          }
          Optional<Row> begun = insert(session, arrival, State.SENT, account);
          if (begun.isPresent()) {
            Row row = begun.get();
            journalMove(session, row, null, State.SENT, null, actor, row.sentAt(), null);
            return won(
                row,
                request,
                actor,
                settings.mode() == Settings.Mode.ASK_FIRST ? settings.asksSince() : null);
          }
          Optional<Row> known = JdbcView.find(session, request.guid(), true);
          if (known.isEmpty()) {
            return new Taken.Forgotten(JdbcView.tombstone(session, request.guid()).orElseThrow());
          }
          Optional<String> conflict = conflict(known.get(), request);
          return conflict.isPresent()
              ? new Taken.Conflict(known.get(), conflict.get())
              : claimKnown(session, known.get(), State.FAILED, account, actor, settings);
        });
  }

  @Override
  public Taken claim(Row known, State from, String account, Actor actor) {
    return underByte(
        known.guid(),
        session -> {
          Settings settings = JdbcView.settings(session);
          if (settings.mode() == Settings.Mode.HOLD) {
            return new Taken.OnHold(settings.mode());
          }
          Optional<Row> now = JdbcView.find(session, known.guid(), true);
          if (now.isEmpty()) {
            // Between a slow reader's two looks the tombstone may have gone, too.
            return new Taken.Forgotten(JdbcView.tombstone(session, known.guid()).orElse(null));
          }
          // Claimed by somebody else since it was read, it has had an attempt that nobody counted.
          return now.get().attempt() == known.attempt() || now.get().state() == State.SENT
              ? claimKnown(session, now.get(), from, account, actor, settings)
              : new Taken.Standing(now.get());
        });
  }

  /** Takes the byte of {@code guid}, in the file that all others take it in, or halts. */
  private boolean take(Guid guid) {
    health.check(); // a halted instance still holds bytes: its own are no answer
    if (!bytes.inPlace()) {
      throw health.halt("the claims file was replaced while this program ran", null);
    }
    return bytes.take(guid);
  }

  /** Takes the byte, writes, and keeps the byte only if the claim was won. */
  private Taken underByte(Guid guid, Writer.Work<Taken> work) {
    if (!take(guid)) {
      return new Taken.Held();
    }
    boolean won = false;
    try {
      steps.reached(Step.BYTE_TAKEN, guid);
      Taken taken = writer.write(work, Patience.CLAIM);
      won = taken instanceof Taken.Won;
      if (won) {
        // The claim is durable; from here on a crash means in doubt.
        steps.reached(Step.CLAIM_COMMITTED, guid);
      }
      return taken;
    } finally {
      if (!won) {
        bytes.free(guid);
      }
    }
  }

  private Taken claimKnown(
      Session session, Row row, State from, String account, Actor actor, Settings settings)
      throws SQLException {
    if (row.state() == State.SENT) {
      // The byte is ours and the row is not: its owner is gone.
      return new Taken.Standing(orphaned(session, row, actor));
    }
    if (row.state() != from) {
      return new Taken.Standing(row);
    }
    // What was FAILED before the ledger had to ask may have been sent since, by a ledger that a
    // restore has replaced: that is asked about in any mode.
    boolean old = settings.asksSince() != null && row.updatedAt() <= settings.asksSince().at();
    boolean asks = old || settings.mode() == Settings.Mode.ASK_FIRST;
    if (asks
        && row.account() != null
        && !row.account().equals(account)
        && hasBooked(session, row.account())) {
      return new Taken.Elsewhere(row);
    }
    Request stored = row.storedRequest();
    String sql =
        "UPDATE ledger SET state = 'SENT', code = NULL, attempt = attempt + 1, account = ?,"
            + " sent_at = ?, ended_at = NULL, ended_boot = NULL, ended_uptime = NULL,"
            + " updated_at = ? WHERE lower(guid) = ? AND state = ? AND attempt = ?";
    long now = clock.millis();
    mustChangeOne(
        session.bind(
            sql, account, now, now, row.guid().folded(), row.state().name(), row.attempt()),
        row.guid());
    Row sent = JdbcView.find(session, row.guid(), false).orElseThrow();
    journalMove(session, sent, row.state(), State.SENT, null, actor, now, null);
    return won(sent, stored, actor, asks ? settings.asksSince() : null);
  }

  /** Whether an account system that was sent to at {@code account} has processed anything. */
  private boolean hasBooked(Session session, String account) throws SQLException {
    Boolean known = booked.get(account);
    if (known == null) {
      // Looks at every row if it has not; once for each URL, and only where the ledger has to ask.
      String sql = "SELECT 1 FROM ledger WHERE state = 'DONE' AND account = ? LIMIT 1";
      try (ResultSet result = session.bind(sql, account).executeQuery()) {
        known = result.next();
      }
      if (booked.size() < MAX_URLS) {
        booked.put(account, known);
      }
    }
    return known;
  }

  private Taken won(Row row, Request request, Actor actor, Moment asksSince) {
    steps.reached(Step.CLAIM_WRITTEN, row.guid());
    return new Taken.Won(new JdbcClaim(this, row, request, actor, asksSince));
  }

  /** Adds a row in {@code state}, SENT or RECEIVED, unless its GUID is known. */
  private Optional<Row> insert(Session session, Arrival arrival, State state, String account)
      throws SQLException {
    String sql =
        "INSERT INTO ledger (guid, channel, account, state, attempt, content_type, fingerprint,"
            + " scheme, request_sha256, received_at, sent_at, updated_at, request)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
            + " RETURNING seq";
    Request request = arrival.request();
    boolean sent = state == State.SENT;
    long now = clock.millis();
    PreparedStatement insert =
        session.bind(
            sql,
            request.guid().value(),
            request.channel(),
            account,
            state.name(),
            sent ? 1 : 0,
            request.contentType(),
            arrival.fingerprint(),
            arrival.scheme(),
            HexFormat.of().parseHex(arrival.sha256()),
            now,
            sent ? now : null,
            now,
            request.body());
    try (ResultSet inserted = insert.executeQuery()) {
      return inserted.next()
          ? Optional.of(arrival.row(inserted.getLong(1), state, account, now))
          : Optional.empty();
    }
  }

  /** Why {@code arrival} is not the request that {@code row} holds, if it is not. */
  private static Optional<String> conflict(Row row, Request arrival) {
    if (row.channel() != null
        && arrival.channel() != null
        && !row.channel().equals(arrival.channel())) {
      return Optional.of("it came from channel " + row.channel());
    }
    Fingerprint stored = row.fingerprint();
    Fingerprint asked = arrival.fingerprint();
    boolean same =
        stored.scheme().equals(asked.scheme())
            ? stored.equals(asked)
            : stored.equals(stored.scheme().of(arrival.body()))
                || asked.equals(asked.scheme().of(row.request()));
    return same ? Optional.empty() : Optional.of("it is known with another request");
  }

  @Override
  public Optional<Claim> adopt(Row sentOrUnknown, Actor actor) {
    return takeOver(sentOrUnknown.guid(), Set.of(), actor);
  }

  @Override
  public Optional<Claim> hold(Row unfinished, Actor operator) {
    return takeOver(unfinished.guid(), Set.of(State.RECEIVED, State.FAILED), operator);
  }

  /** Takes over a row that is SENT, UNKNOWN or in one of {@code more}. */
  private Optional<Claim> takeOver(Guid guid, Set<State> more, Actor actor) {
    if (!take(guid)) {
      return Optional.empty();
    }
    Optional<Claim> adopted = Optional.empty();
    try {
      adopted =
          writer.write(
              session -> {
                Optional<Row> known = JdbcView.find(session, guid, true);
                if (known.isEmpty()) {
                  return Optional.empty();
                }
                Row row = known.get();
                return switch (row.state()) {
                  case SENT -> Optional.of(adopted(orphaned(session, row, actor), actor));
                  case UNKNOWN -> Optional.of(adopted(aging(session, row), actor));
                  case RECEIVED, FAILED, DONE ->
                      more.contains(row.state())
                          ? Optional.of(adopted(row, actor))
                          : Optional.empty();
                };
              },
              Patience.CLAIM);
      if (adopted.isPresent()) {
        steps.reached(Step.ADOPTED, guid);
      }
      return adopted;
    } finally {
      if (adopted.isEmpty()) {
        bytes.free(guid);
      }
    }
  }

  private Claim adopted(Row row, Actor actor) {
    return new JdbcClaim(this, row, null, actor, null);
  }

  /** A SENT row whose owner is gone becomes UNKNOWN and begins to age now. */
  private Row orphaned(Session session, Row row, Actor actor) throws SQLException {
    String sql =
        "UPDATE ledger SET state = 'UNKNOWN', code = 'E901', ended_at = ?, ended_boot = ?,"
            + " ended_uptime = ?, updated_at = ?"
            + " WHERE lower(guid) = ? AND state = 'SENT' AND attempt = ?";
    long now = clock.millis();
    mustChangeOne(
        session.bind(
            sql, now, clock.boot(), clock.uptimeMillis(), now, row.guid().folded(), row.attempt()),
        row.guid());
    journalMove(
        session, row, State.SENT, State.UNKNOWN, "E901", actor, now, "orphan: the sender is gone");
    return JdbcView.find(session, row.guid(), true).orElseThrow();
  }

  /** An UNKNOWN row whose exchange has no recorded end begins to age now. */
  private Row aging(Session session, Row row) throws SQLException {
    if (row.endedAt() != null) {
      return row;
    }
    writeEnd(session, row.guid(), row.attempt());
    return JdbcView.find(session, row.guid(), true).orElseThrow();
  }

  private boolean writeEnd(Session session, Guid guid, int attempt) throws SQLException {
    String sql =
        "UPDATE ledger SET ended_at = ?, ended_boot = ?, ended_uptime = ?, updated_at = ?"
            + " WHERE lower(guid) = ? AND state = 'UNKNOWN' AND attempt = ? AND ended_at IS NULL";
    long now = clock.millis();
    return session
            .bind(sql, now, clock.boot(), clock.uptimeMillis(), now, guid.folded(), attempt)
            .executeUpdate()
        == 1;
  }

  private static void mustChangeOne(PreparedStatement update, Guid guid) throws SQLException {
    if (update.executeUpdate() != 1) {
      throw new IllegalStateException(guid + " changed within one transaction");
    }
  }

  private static void journalMove(
      Session session,
      Row row,
      State from,
      State to,
      String code,
      Actor actor,
      long at,
      String note)
      throws SQLException {
    journal(session, "move", row, from, to, code, actor, at, note);
  }

  private static void journal(
      Session session,
      String event,
      Row row,
      State from,
      State to,
      String code,
      Actor actor,
      long at,
      String note)
      throws SQLException {
    String sql =
        "INSERT INTO journal (seq, guid, attempt, event, from_state, to_state, code, actor, \"by\","
            + " ticket, at, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    session
        .bind(
            sql,
            row.seq(),
            row.guid().value(),
            row.attempt(),
            event,
            from == null ? null : from.name(),
            to == null ? null : to.name(),
            code,
            actor.role().word(),
            actor.by(),
            actor.ticket(),
            at,
            note)
        .executeUpdate();
  }

  void asked(JdbcClaim claim, State conclusion, String evidence) {
    Row row = claim.row();
    long now = clock.millis();
    writer.write(
        session -> {
          session
              .bind(
                  "UPDATE ledger SET asked_at = ? WHERE lower(guid) = ? AND attempt = ?",
                  now,
                  row.guid().folded(),
                  row.attempt())
              .executeUpdate();
          session
              .bind(
                  "DELETE FROM journal WHERE seq = ? AND guid = ? AND event = 'inquiry'"
                      + " AND to_state IS NULL",
                  row.seq(),
                  row.guid().value())
              .executeUpdate();
          journal(session, "inquiry", row, null, conclusion, null, claim.actor(), now, evidence);
          return null;
        },
        Patience.SETTLEMENT);
  }

  @Override
  public void changeMode(Settings.Mode mode, Actor operator, String reason) {
    Moment now = Moment.now(clock);
    writer.write(
        session -> {
          if (mode == Settings.Mode.ASK_FIRST
              && JdbcView.settings(session).mode() != Settings.Mode.ASK_FIRST) {
            Sqlite.setAsksSince(session, now);
          }
          session.set("mode", mode.word());
          journalMode(session, mode, operator, now.at(), reason);
          return null;
        },
        Patience.SETTLEMENT);
  }

  @Override
  public boolean ack(Guid guid, Actor operator, String reason) {
    long now = clock.millis();
    return writer.write(
        session -> {
          Optional<Entry> suspect = JdbcView.doubleSuspect(session, guid);
          if (suspect.isEmpty()) {
            return false;
          }
          String sql =
              "INSERT INTO journal (seq, guid, attempt, event, actor, \"by\", ticket, at, note)"
                  + " SELECT seq, guid, attempt, 'ack', ?, ?, ?, ?, ? FROM journal WHERE id = ?";
          session
              .bind(
                  sql,
                  operator.role().word(),
                  operator.by(),
                  operator.ticket(),
                  now,
                  reason,
                  suspect.get().id())
              .executeUpdate();
          return true;
        },
        Patience.SETTLEMENT);
  }

  static void journalMode(
      Session session, Settings.Mode mode, Actor operator, long at, String reason)
      throws SQLException {
    String sql =
        "INSERT INTO journal (event, code, actor, \"by\", ticket, at, note)"
            + " VALUES ('mode', ?, ?, ?, ?, ?, ?)";
    session
        .bind(
            sql, mode.word(), operator.role().word(), operator.by(), operator.ticket(), at, reason)
        .executeUpdate();
  }

  @Override
  public void runLock(Actor.Role role) {
    bytes.takeRunLock(role);
    runLocks.add(role);
  }

  @Override
  public int purge(List<Row> rows, long doneBefore) {
    if (rows.isEmpty()) {
      return 0;
    }
    Guid first = rows.get(0).guid();
    int purged =
        writer.write(
            session -> {
              int deleted = 0;
              for (Row row : rows) {
                deleted += purge(session, row, doneBefore);
              }
              steps.reached(Step.PURGE_WRITTEN, first);
              return deleted;
            },
            Patience.CLAIM);
    steps.reached(Step.PURGE_COMMITTED, first);
    return purged;
  }

  private static int purge(Session session, Row row, long doneBefore) throws SQLException {
    String sql =
        "DELETE FROM ledger WHERE seq = ? AND lower(guid) = ? AND state = 'DONE' AND done_at < ?";
    int deleted = session.bind(sql, row.seq(), row.guid().folded(), doneBefore).executeUpdate();
    if (deleted == 1) {
      session
          .bind(
              "DELETE FROM journal WHERE seq = ? AND guid = ?"
                  + " AND event NOT IN ('double_suspect', 'ack')",
              row.seq(),
              row.guid().value())
          .executeUpdate();
    }
    return deleted;
  }

  @Override
  public int forget(long finishedBefore, int limit) {
    String sql =
        "DELETE FROM tombstones WHERE rowid IN"
            + " (SELECT rowid FROM tombstones WHERE finished_at < ? LIMIT ?)";
    return writer.write(
        session -> session.bind(sql, finishedBefore, limit).executeUpdate(), Patience.CLAIM);
  }

  @Override
  public void checkpoint() {
    writer.checkpoint();
  }

  @Override
  public void vacuum() {
    health.check();
    String sql = "VACUUM"; // which cannot be part of a transaction
    try {
      Session session = Sqlite.writer(path);
      session.execute("PRAGMA busy_timeout=" + Sqlite.BUSY_TIMEOUT_MILLIS);
      session.execute(sql);
      session.close();
    } catch (SQLException e) {
      if (Sqlite.busy(e)) {
        throw Writer.busy();
      }
      throw health.halt("the ledger stopped at " + sql + ": " + Sqlite.reason(e), e);
    }
    writer.checkpoint();
  }

  @Override
  public void told(Guid guid, String code) {
    String sql =
        "UPDATE ledger SET told_code = ?, told_at = ?"
            + " WHERE lower(guid) = ? AND told_code IS NOT ?";
    long now = clock.millis();
    writer.offer(session -> session.bind(sql, code, now, guid.folded(), code).executeUpdate());
  }

  boolean stillSent(Guid guid, int attempt) {
    try {
      files.check();
      return bytes.inPlace() && view.isSent(guid, attempt);
    } catch (LedgerException e) {
      LOG.error("{} is not sent: its row cannot be read again: {}", guid, e.getMessage());
      return false;
    }
  }

  /** Moves the row of {@code claim} from {@code from}; false if it was not there to be moved. */
  boolean settle(JdbcClaim claim, State from, Outcome outcome, String told, String note) {
    Guid guid = claim.row().guid();
    Reply reply = outcome instanceof Outcome.Done done ? done.reply() : null;
    boolean ended = !(outcome instanceof Outcome.InDoubt doubt && doubt.exchangeOpen());
    String sql =
        "UPDATE ledger SET state = ?, code = ?, http_status = ?, reply_type = ?, reply_sha256 = ?,"
            + " reply = ?, done_at = ?, updated_at = ?, ended_at = COALESCE(ended_at, ?),"
            + " ended_boot = COALESCE(ended_boot, ?), ended_uptime = COALESCE(ended_uptime, ?),"
            + " told_code = COALESCE(?, told_code), told_at = COALESCE(?, told_at)"
            + " WHERE lower(guid) = ? AND state = ? AND attempt = ?";
    long now = clock.millis();
    String boot = ended ? clock.boot() : null;
    Long uptime = ended ? clock.uptimeMillis() : null;
    byte[] sha256 =
        reply == null ? null : HexFormat.of().parseHex(Fingerprint.sha256(reply.body()));
    boolean moved =
        writer.write(
            session -> {
              PreparedStatement update =
                  session.bind(
                      sql,
                      outcome.state().name(),
                      outcome.code(),
                      reply == null ? null : reply.httpStatus(),
                      reply == null ? null : reply.contentType(),
                      sha256,
                      reply == null ? null : reply.body(),
                      reply == null ? null : now,
                      now,
                      ended ? now : null,
                      boot,
                      uptime,
                      told,
                      told == null ? null : now,
                      guid.folded(),
                      from.name(),
                      claim.attempt());
              if (update.executeUpdate() != 1) {
                return false;
              }
              journalMove(
                  session,
                  claim.row(),
                  from,
                  outcome.state(),
                  outcome.code(),
                  claim.actor(),
                  now,
                  note);
              steps.reached(Step.OUTCOME_WRITTEN, guid);
              return true;
            },
            Patience.SETTLEMENT);
    if (moved) {
      // The outcome is durable; from here on it is only replayed.
      steps.reached(Step.OUTCOME_COMMITTED, guid);
    }
    return moved;
  }

  /** Records the end of {@code claim}'s exchange. */
  void writeEnd(JdbcClaim claim) {
    writer.write(
        session -> writeEnd(session, claim.row().guid(), claim.attempt()), Patience.SETTLEMENT);
  }

  void free(Guid guid) {
    bytes.free(guid);
    steps.reached(Step.BYTE_FREED, guid);
  }

  @Override
  public void close() {
    view.close();
    writer.close();
    runLocks.forEach(bytes::freeRunLock);
    bytes.leave();
  }
}
