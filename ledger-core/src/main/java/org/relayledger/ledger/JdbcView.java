package org.relayledger.ledger;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;

/** Reads through a few connections that can only read; each call uses one of them alone. */
final class JdbcView implements LedgerView {
  private static final int MAX_READERS = 4;
  private static final long MAX_PAGE_BYTES = 16 << 20;

  static final String COLUMNS =
      "l.seq, l.guid, l.channel, l.account, l.state, l.code, l.attempt, l.content_type,"
          + " l.fingerprint, l.scheme, l.request_sha256, l.http_status, l.reply_type,"
          + " l.reply_sha256, l.received_at, l.sent_at, l.ended_at, l.done_at, l.updated_at,"
          + " l.asked_at, l.told_code, l.told_at, l.ended_boot, l.ended_uptime";
  static final String BODIES = ", l.request, l.reply";

  /** Who moves a row to DONE because a reply came. */
  private static final Set<String> REPLIED =
      Set.of(Actor.Role.RELAY.word(), Actor.Role.BATCH.word(), Actor.Role.REPROCESS.word());

  private final Path path;
  private final Health health;
  private final Semaphore readers = new Semaphore(MAX_READERS);
  private final ConcurrentLinkedDeque<Session> idle = new ConcurrentLinkedDeque<>();

  JdbcView(Path path, Health health) {
    this.path = path;
    this.health = health;
    try {
      settings(); // whoever opens a ledger that cannot be read learns it at once
    } catch (LedgerException e) {
      throw e.kind() == LedgerException.Kind.HALTED ? Sqlite.unavailable(e.getMessage(), e) : e;
    }
  }

  /** What to read; nothing of a ResultSet leaves it. */
  private interface Reading<T> {
    T from(Session session) throws SQLException;
  }

  private <T> T read(Reading<T> reading) {
    health.check();
    readers.acquireUninterruptibly();
    Session session = idle.poll();
    try {
      if (session == null) {
        session = Sqlite.reader(path);
      }
      return reading.from(session);
    } catch (SQLException e) {
      session = null; // neither used again nor closed: its file may be what has failed
      if (Sqlite.busy(e)) {
        throw new LedgerException(
            LedgerException.Kind.BUSY, "the ledger is locked by somebody else; try again", e);
      }
      throw health.halt("the ledger " + path + " cannot be read: " + Sqlite.reason(e), e);
    } finally {
      if (session != null) {
        idle.push(session);
      }
      readers.release();
    }
  }

  @Override
  public Comparison compare() {
    return new JdbcComparison(this);
  }

  @Override
  public Optional<Row> find(Guid guid, boolean bodies) {
    return read(session -> find(session, guid, bodies));
  }

  static Optional<Row> find(Session session, Guid guid, boolean bodies) throws SQLException {
    String sql =
        "SELECT " + COLUMNS + (bodies ? BODIES : "") + " FROM ledger l WHERE lower(l.guid) = ?";
    try (ResultSet result = session.bind(sql, guid.folded()).executeQuery()) {
      return result.next() ? Optional.of(row(result, bodies)) : Optional.empty();
    }
  }

  @Override
  public Optional<Tombstone> tombstone(Guid guid) {
    return read(session -> tombstone(session, guid));
  }

  static Optional<Tombstone> tombstone(Session session, Guid guid) throws SQLException {
    String sql = "SELECT guid, code, finished_at FROM tombstones WHERE lower(guid) = ?";
    try (ResultSet result = session.bind(sql, guid.folded()).executeQuery()) {
      return result.next()
          ? Optional.of(
              new Tombstone(new Guid(result.getString(1)), result.getString(2), result.getLong(3)))
          : Optional.empty();
    }
  }

  /** The first tombstones after {@code afterId}, by id. */
  SortedMap<Long, Tombstone> tombstones(long afterId) {
    String sql =
        "SELECT rowid, guid, code, finished_at FROM tombstones WHERE rowid > ?"
            + " ORDER BY rowid LIMIT ?";
    return read(
        session -> {
          SortedMap<Long, Tombstone> page = new TreeMap<>();
          try (ResultSet result = session.bind(sql, afterId, MAX_PAGE).executeQuery()) {
            while (result.next()) {
              page.put(
                  result.getLong(1),
                  new Tombstone(
                      new Guid(result.getString(2)), result.getString(3), result.getLong(4)));
            }
          }
          return page;
        });
  }

  @Override
  public long tombstonesBefore(long finishedBefore) {
    String sql = "SELECT count(*) FROM tombstones WHERE finished_at < ?";
    return read(
        session -> {
          try (ResultSet result = session.bind(sql, finishedBefore).executeQuery()) {
            result.next();
            return result.getLong(1);
          }
        });
  }

  @Override
  public List<Row> page(Filter filter, long afterSeq, int limit) {
    List<Object> values = new ArrayList<>(List.of(afterSeq));
    StringBuilder sql =
        new StringBuilder("SELECT ")
            .append(COLUMNS)
            .append(filter.bodies() ? BODIES : "")
            .append(" FROM ledger l WHERE l.seq > ?");
    if (!filter.states().isEmpty()) {
      sql.append(" AND l.state IN (").append(marks(filter.states().size())).append(')');
      filter.states().forEach(state -> values.add(state.name()));
    }
    if (filter.states().size() == 1 && !filter.states().contains(State.DONE)) {
      sql.append(" AND l.state <> 'DONE'"); // the very term of the index of open rows
    }
    if (!filter.codes().isEmpty()) {
      sql.append(" AND l.code IN (").append(marks(filter.codes().size())).append(')');
      values.addAll(filter.codes());
    }
    if (filter.channel() != null) {
      sql.append(" AND l.channel = ?");
      values.add(filter.channel());
    }
    if (filter.since() != null) {
      sql.append(" AND l.received_at >= ?");
      values.add(filter.since());
    }
    if (filter.until() != null) {
      sql.append(" AND l.received_at < ?");
      values.add(filter.until());
    }
    if (filter.untold()) {
      sql.append(" AND l.state = 'DONE' AND l.told_code IN ('E901', 'E902', 'E903')");
    }
    sql.append(" ORDER BY l.seq LIMIT ?");
    values.add(Math.min(limit, MAX_PAGE));
    return read(session -> rows(session.bind(sql.toString(), values.toArray()), filter.bodies()));
  }

  private static List<Row> rows(PreparedStatement query, boolean bodies) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (ResultSet result = query.executeQuery()) {
      long bytes = 0;
      while (bytes < MAX_PAGE_BYTES && result.next()) {
        Row row = row(result, bodies);
        rows.add(row);
        bytes += size(row.request()) + size(row.reply());
      }
    }
    return rows;
  }

  private static long size(byte[] body) {
    return body == null ? 0 : body.length;
  }

  private static String marks(int count) {
    return String.join(", ", Collections.nCopies(count, "?"));
  }

  @Override
  public List<Row> unknown(Row last, long start, long now, int limit) {
    // The very terms of the index of UNKNOWN rows.
    String sql =
        "SELECT "
            + COLUMNS
            + " FROM ledger l WHERE l.state = 'UNKNOWN'"
            + " AND (COALESCE(l.asked_at, 0), l.seq) > (?, ?)"
            + " AND (COALESCE(l.asked_at, 0) < ? OR COALESCE(l.asked_at, 0) > ?)"
            + " ORDER BY COALESCE(l.asked_at, 0), l.seq LIMIT ?";
    long lastAsked = last == null || last.askedAt() == null ? 0 : last.askedAt();
    long lastSeq = last == null ? 0 : last.seq();
    return read(
        session ->
            rows(
                session.bind(sql, lastAsked, lastSeq, start, now, Math.min(limit, MAX_PAGE)),
                false));
  }

  @Override
  public List<Row> finished(Row last, long doneBefore, int limit, boolean bodies) {
    String sql =
        "SELECT "
            + COLUMNS
            + (bodies ? BODIES : "")
            + " FROM ledger l WHERE l.state = 'DONE' AND (l.done_at, l.seq) > (?, ?)"
            + " AND l.done_at < ? ORDER BY l.done_at, l.seq LIMIT ?";
    long lastDone = last == null ? Long.MIN_VALUE : last.doneAt();
    long lastSeq = last == null ? 0 : last.seq();
    return read(
        session ->
            rows(
                session.bind(sql, lastDone, lastSeq, doneBefore, Math.min(limit, MAX_PAGE)),
                bodies));
  }

  @Override
  public Optional<Row> newestReply(Predicate<String> account, Predicate<String> success) {
    String sql =
        "SELECT "
            + COLUMNS
            + " FROM ledger l WHERE l.state = 'DONE' AND (l.done_at, l.seq) < (?, ?)"
            + " ORDER BY l.done_at DESC, l.seq DESC LIMIT ?";
    long doneAt = Long.MAX_VALUE;
    long seq = Long.MAX_VALUE;
    while (true) {
      Object[] values = {doneAt, seq, MAX_PAGE};
      List<Row> page = read(session -> rows(session.bind(sql, values), false));
      for (Row row : page) {
        // An inquiry that lies must not vouch for itself, nor a person for the account system.
        if (row.account() != null
            && account.test(row.account())
            && success.test(row.code())
            && cameByItself(journal(row))) {
          return Optional.of(row);
        }
        doneAt = row.doneAt();
        seq = row.seq();
      }
      if (page.isEmpty()) {
        return Optional.empty();
      }
    }
  }

  /** Whether the account system replied to the transfer, and was not merely asked about it. */
  private static boolean cameByItself(List<Entry> journal) {
    return journal.stream()
            .anyMatch(entry -> entry.isMove(State.DONE) && REPLIED.contains(entry.actor()))
        && journal.stream()
            .noneMatch(entry -> !entry.isMove(State.DONE) && entry.to() == State.DONE);
  }

  @Override
  public OptionalLong newestEntryAt() {
    String sql = "SELECT at FROM journal ORDER BY id DESC LIMIT 1";
    return read(
        session -> {
          try (ResultSet result = session.prepare(sql).executeQuery()) {
            return result.next() ? OptionalLong.of(result.getLong(1)) : OptionalLong.empty();
          }
        });
  }

  @Override
  public List<Entry> journal(Row row) {
    return read(session -> entries(session, row, " ORDER BY id"));
  }

  @Override
  public Optional<Entry> lastMove(Row row) {
    return read(session -> entries(session, row, " AND event = 'move' ORDER BY id DESC LIMIT 1"))
        .stream()
        .findFirst();
  }

  private static List<Entry> entries(Session session, Row row, String rest) throws SQLException {
    String sql =
        "SELECT guid, attempt, event, from_state, to_state, code, actor, \"by\", ticket, at, note"
            + " FROM journal WHERE seq = ? AND guid = ?";
    PreparedStatement statement = session.bind(sql + rest, row.seq(), row.guid().value());
    List<Entry> entries = new ArrayList<>();
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        entries.add(
            new Entry(
                new Guid(result.getString(1)),
                result.getInt(2),
                result.getString(3),
                state(result.getString(4)),
                state(result.getString(5)),
                result.getString(6),
                result.getString(7),
                result.getString(8),
                result.getString(9),
                result.getLong(10),
                result.getString(11)));
      }
    }
    return entries;
  }

  private static State state(String name) {
    return name == null ? null : State.valueOf(name);
  }

  @Override
  public long backup(Path file, HostClock clock, Steps steps) {
    return Backup.write(path, file.toAbsolutePath(), clock, steps);
  }

  @Override
  public Optional<ModeChange> lastModeChange() {
    String sql =
        "SELECT code, \"by\", ticket, at, note FROM journal WHERE event = 'mode'"
            + " ORDER BY id DESC LIMIT 1";
    return read(
        session -> {
          try (ResultSet result = session.prepare(sql).executeQuery()) {
            return result.next()
                ? Optional.of(
                    new ModeChange(
                        Settings.Mode.of(result.getString(1)),
                        result.getString(2),
                        result.getString(3),
                        result.getLong(4),
                        result.getString(5)))
                : Optional.empty();
          }
        });
  }

  @Override
  public Settings settings() {
    return read(JdbcView::settings);
  }

  static Settings settings(Session session) throws SQLException {
    Map<String, String> values = new HashMap<>();
    try (ResultSet result = session.prepare("SELECT key, value FROM settings").executeQuery()) {
      while (result.next()) {
        values.put(result.getString(1), result.getString(2));
      }
    }
    return new Settings(
        values.get("ledger_id"),
        Settings.Mode.of(values.get("mode")),
        Duration.ofMillis(Long.parseLong(values.get("max_processing_ms"))),
        Duration.ofMillis(Long.parseLong(values.get("resend_window_ms"))),
        values.containsKey("asks_since")
            ? new Moment(
                Long.parseLong(values.get("asks_since")),
                values.get("asks_since_boot"),
                Long.parseLong(values.get("asks_since_uptime")))
            : null);
  }

  private static Row row(ResultSet result, boolean bodies) throws SQLException {
    return new Row(
        result.getLong("seq"),
        new Guid(result.getString("guid")),
        result.getString("channel"),
        result.getString("account"),
        State.valueOf(result.getString("state")),
        result.getString("code"),
        result.getInt("attempt"),
        result.getString("content_type"),
        new Fingerprint(
            Fingerprint.Scheme.parse(result.getString("scheme")), hex(result, "fingerprint")),
        hex(result, "request_sha256"),
        (Integer) result.getObject("http_status"),
        result.getString("reply_type"),
        hex(result, "reply_sha256"),
        result.getLong("received_at"),
        number(result, "sent_at"),
        number(result, "ended_at"),
        number(result, "done_at"),
        result.getLong("updated_at"),
        number(result, "asked_at"),
        result.getString("told_code"),
        number(result, "told_at"),
        result.getString("ended_boot"),
        number(result, "ended_uptime"),
        bodies ? result.getBytes("request") : null,
        bodies ? result.getBytes("reply") : null);
  }

  private static String hex(ResultSet result, String column) throws SQLException {
    byte[] bytes = result.getBytes(column);
    return bytes == null ? null : HexFormat.of().formatHex(bytes);
  }

  private static Long number(ResultSet result, String column) throws SQLException {
    long value = result.getLong(column);
    return result.wasNull() ? null : value;
  }

  @Override
  public void close() {
    if (health.halted().isPresent()) {
      return; // a file that has failed is not touched again
    }
    for (Session session = idle.poll(); session != null; session = idle.poll()) {
      try {
        session.close();
      } catch (SQLException e) {
        throw health.halt("the ledger " + path + " cannot be closed: " + Sqlite.reason(e), e);
      }
    }
  }
}
