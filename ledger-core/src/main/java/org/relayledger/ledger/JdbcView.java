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

  /** How many rows one statement looks at, where no index leads to those that match. */
  private static final long SPAN = 20_000;

  static final String COLUMNS =
      "l.seq, l.guid, l.channel, l.account, l.state, l.code, l.attempt, l.content_type,"
          + " l.fingerprint, l.scheme, l.request_sha256, l.http_status, l.reply_type,"
          + " l.reply_sha256, l.received_at, l.sent_at, l.ended_at, l.done_at, l.updated_at,"
          + " l.asked_at, l.told_code, l.told_at, l.ended_boot, l.ended_uptime";
  static final String BODIES = ", l.request, l.reply";

  private static final String ENTRY =
      "id, guid, attempt, event, from_state, to_state, code, actor, \"by\", ticket, at, note";

  private static final int SEQ_BEHIND_ENTRY = 13;

  private static final String ENTRIES = "SELECT " + ENTRY + " FROM journal";

  /** The very term of the index of entries that are never deleted. */
  private static final String KEPT =
      "(event = 'double_suspect' OR event = 'ack' OR event = 'mode')";

  private static final String SUSPECTS =
      ENTRIES
          + " WHERE "
          + KEPT
          + " AND event = 'double_suspect' AND NOT EXISTS (SELECT 1 FROM journal a WHERE "
          + KEPT.replace("event", "a.event")
          + " AND a.event = 'ack' AND a.id > journal.id AND lower(a.guid) = lower(journal.guid))";

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
  public Twins twins(Filter filter) {
    return new JdbcTwins(this, filter);
  }

  @Override
  public Finished finished() {
    // The very terms of the index of DONE rows, which both questions are answered from.
    String count = "SELECT count(*) FROM ledger l WHERE l.state = 'DONE' AND l.done_at > ?";
    String oldest =
        "SELECT received_at FROM ledger WHERE state = 'DONE' ORDER BY done_at, seq LIMIT 1";
    return read(
        session -> {
          try (ResultSet counted = session.bind(count, Long.MIN_VALUE).executeQuery();
              ResultSet first = session.prepare(oldest).executeQuery()) {
            counted.next();
            return new Finished(counted.getLong(1), first.next() ? first.getLong(1) : null);
          }
        });
  }

  /** The row of that seq. */
  Optional<Row> at(long seq) {
    String sql = "SELECT " + COLUMNS + " FROM ledger l WHERE l.seq = ?";
    return read(session -> rows(session.bind(sql, seq), false)).stream().findFirst();
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

  /** Whether the row of {@code guid} is SENT by that attempt. */
  boolean isSent(Guid guid, int attempt) {
    String sql = "SELECT 1 FROM ledger WHERE lower(guid) = ? AND state = 'SENT' AND attempt = ?";
    return read(
        session -> {
          try (ResultSet result = session.bind(sql, guid.folded(), attempt).executeQuery()) {
            return result.next();
          }
        });
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
    boolean bodies = filter.bodies() || !filter.where().isEmpty();
    Query query = query(filter, bodies);
    long last = query.indexed ? Long.MAX_VALUE : read(JdbcView::lastSeq);
    long from = afterSeq;
    while (from < last) {
      // Short spans: one statement that looks at a million rows for the one that matches would keep
      // the write-ahead log from being checkpointed.
      long to = query.indexed ? Long.MAX_VALUE : Math.min(last, from + SPAN);
      Object[] values = query.values(from, to, Math.min(limit, MAX_PAGE));
      List<Row> read = read(session -> rows(session.bind(query.sql, values), bodies));
      List<Row> page =
          read.stream()
              .filter(filter::matches)
              .map(row -> filter.bodies() || !bodies ? row : row.withBodies(null, null))
              .toList();
      if (!page.isEmpty()) {
        return page;
      }
      from = read.isEmpty() ? to : read.get(read.size() - 1).seq();
    }
    return List.of();
  }

  /** A statement for rows between two seqs, at most so many. */
  private record Query(String sql, List<Object> conditions, boolean indexed) {
    Object[] values(long after, long to, int limit) {
      List<Object> values = new ArrayList<>(List.of(after, to));
      values.addAll(conditions);
      values.add(limit);
      return values.toArray();
    }
  }

  private static Query query(Filter filter, boolean bodies) {
    List<Object> values = new ArrayList<>();
    StringBuilder sql =
        new StringBuilder("SELECT ")
            .append(COLUMNS)
            .append(bodies ? BODIES : "")
            .append(" FROM ledger l WHERE l.seq > ? AND l.seq <= ?");
    if (!filter.states().isEmpty()) {
      sql.append(" AND l.state IN (").append(marks(filter.states().size())).append(')');
      filter.states().forEach(state -> values.add(state.name()));
    }
    boolean open = filter.states().size() == 1 && !filter.states().contains(State.DONE);
    if (open) {
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
      // The very term of the index of untold rows.
      sql.append(" AND l.state = 'DONE' AND l.told_code IN ('E901', 'E902', 'E903')");
    }
    sql.append(" ORDER BY l.seq LIMIT ?");
    return new Query(sql.toString(), values, open || filter.untold());
  }

  private static long lastSeq(Session session) throws SQLException {
    try (ResultSet result = session.prepare("SELECT max(seq) FROM ledger").executeQuery()) {
      result.next();
      return result.getLong(1);
    }
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
  public Map<Long, Entry> lastMoves(List<Row> rows) {
    return read(session -> isDense(rows) ? lastOfAll(session, rows) : lastOfEach(session, rows));
  }

  /** Whether there are hardly any other rows between the first and the last. */
  private static boolean isDense(List<Row> rows) {
    int size = rows.size();
    return size > 1 && rows.get(size - 1).seq() - rows.get(0).seq() < 2L * size;
  }

  private static Map<Long, Entry> lastOfAll(Session session, List<Row> rows) throws SQLException {
    String sql =
        "SELECT "
            + ENTRY
            + ", seq FROM journal WHERE seq BETWEEN ? AND ? AND event = 'move' ORDER BY seq, id";
    Map<Long, Guid> guids = new HashMap<>();
    rows.forEach(row -> guids.put(row.seq(), row.guid()));
    Map<Long, Entry> moves = new HashMap<>();
    PreparedStatement query = session.bind(sql, rows.get(0).seq(), rows.get(rows.size() - 1).seq());
    try (ResultSet result = query.executeQuery()) {
      while (result.next()) {
        Entry entry = entry(result);
        long seq = result.getLong(SEQ_BEHIND_ENTRY);
        // Not that of a row before it, which was purged and had the same seq.
        if (entry.guid().equals(guids.get(seq))) {
          moves.put(seq, entry);
        }
      }
    }
    return moves;
  }

  private static Map<Long, Entry> lastOfEach(Session session, List<Row> rows) throws SQLException {
    Map<Long, Entry> moves = new HashMap<>();
    for (Row row : rows) {
      for (Entry entry : entries(session, row, " AND event = 'move' ORDER BY id DESC LIMIT 1")) {
        moves.put(row.seq(), entry);
      }
    }
    return moves;
  }

  private static List<Entry> entries(Session session, Row row, String rest) throws SQLException {
    return entries(
        session.bind(
            ENTRIES + " WHERE seq = ? AND guid = ?" + rest, row.seq(), row.guid().value()));
  }

  @Override
  public List<Entry> entriesWithoutRow(long afterId) {
    String sql =
        ENTRIES
            + " WHERE "
            + KEPT
            + " AND id > ? AND NOT EXISTS (SELECT 1 FROM ledger l"
            + " WHERE l.seq = journal.seq AND l.guid = journal.guid) ORDER BY id LIMIT ?";
    return read(session -> entries(session.bind(sql, afterId, MAX_PAGE)));
  }

  @Override
  public List<Entry> doubleSuspects() {
    return read(session -> entries(session.bind(SUSPECTS + " ORDER BY id LIMIT ?", MAX_PAGE)));
  }

  @Override
  public Optional<Entry> doubleSuspect(Guid guid) {
    return read(session -> doubleSuspect(session, guid));
  }

  static Optional<Entry> doubleSuspect(Session session, Guid guid) throws SQLException {
    String sql = SUSPECTS + " AND lower(guid) = ? ORDER BY id DESC LIMIT 1";
    return entries(session.bind(sql, guid.folded())).stream().findFirst();
  }

  private static List<Entry> entries(PreparedStatement query) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    try (ResultSet result = query.executeQuery()) {
      while (result.next()) {
        entries.add(entry(result));
      }
    }
    return entries;
  }

  private static Entry entry(ResultSet result) throws SQLException {
    int at = 0;
    long id = result.getLong(++at);
    String guid = result.getString(++at);
    return new Entry(
        id,
        guid == null ? null : new Guid(guid),
        result.getInt(++at),
        result.getString(++at),
        state(result.getString(++at)),
        state(result.getString(++at)),
        result.getString(++at),
        result.getString(++at),
        result.getString(++at),
        result.getString(++at),
        result.getLong(++at),
        result.getString(++at));
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
  public OptionalLong backupOf() {
    return read(
        session -> {
          String sql = "SELECT value FROM settings WHERE key = ?";
          try (ResultSet result = session.bind(sql, Sqlite.BACKUP_AT).executeQuery()) {
            return result.next()
                ? OptionalLong.of(Sqlite.number(result.getString(1)))
                : OptionalLong.empty();
          }
        });
  }

  @Override
  public Settings settings() {
    return read(JdbcView::settings);
  }

  static Settings settings(Session session) throws SQLException {
    Map<String, String> values = session.settings();
    try {
      return parsed(values);
    } catch (IllegalArgumentException | NullPointerException e) {
      throw Sqlite.damagedSettings(e);
    }
  }

  private static Settings parsed(Map<String, String> values) {
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
    try {
      return parsed(result, bodies);
    } catch (IllegalArgumentException | NullPointerException e) {
      // A bit that has flipped where SQLite does not look.
      throw new LedgerException(
          LedgerException.Kind.DAMAGED,
          "row " + result.getLong(1) + " of the ledger is damaged; compare with a backup",
          e);
    }
  }

  /** By position: looking columns up by name takes longer than reading them. */
  private static Row parsed(ResultSet result, boolean bodies) throws SQLException {
    int at = 0;
    return new Row(
        result.getLong(++at),
        new Guid(result.getString(++at)),
        result.getString(++at),
        result.getString(++at),
        State.valueOf(result.getString(++at)),
        result.getString(++at),
        result.getInt(++at),
        result.getString(++at),
        fingerprint(hex(result, ++at), result.getString(++at)),
        hex(result, ++at),
        integer(result, ++at),
        result.getString(++at),
        hex(result, ++at),
        result.getLong(++at),
        number(result, ++at),
        number(result, ++at),
        number(result, ++at),
        result.getLong(++at),
        number(result, ++at),
        result.getString(++at),
        number(result, ++at),
        result.getString(++at),
        number(result, ++at),
        bodies ? result.getBytes(++at) : null,
        bodies ? result.getBytes(++at) : null);
  }

  private static Fingerprint fingerprint(String sha256, String scheme) {
    return new Fingerprint(Fingerprint.Scheme.parse(scheme), sha256);
  }

  private static String hex(ResultSet result, int column) throws SQLException {
    byte[] bytes = result.getBytes(column);
    return bytes == null ? null : HexFormat.of().formatHex(bytes);
  }

  static Long number(ResultSet result, int column) throws SQLException {
    long value = result.getLong(column);
    return value == 0 && result.wasNull() ? null : value;
  }

  private static Integer integer(ResultSet result, int column) throws SQLException {
    Long value = number(result, column);
    return value == null ? null : Math.toIntExact(value);
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
