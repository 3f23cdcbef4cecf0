package org.relayledger.report;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Twins;

/**
 * A kind of record that is reported: one name a column, the same in every format.
 *
 * @param type what JSON Lines call one of them
 */
public record Table<T>(String type, List<Column<T>> columns) {
  /** How a column's values are written. */
  public enum Kind {
    /** As it is. */
    TEXT,
    /** A whole number. */
    NUMBER,
    /** Epoch milliseconds, written as {@code 2026-01-31T03:00:00.123Z}. */
    TIME
  }

  /**
   * One column.
   *
   * @param value what it shows of a record; null is an empty cell
   */
  public record Column<T>(String name, Kind kind, Function<T, Object> value) {
    /** What it shows of {@code item} as text, empty for nothing. */
    public String text(T item) {
      Object shown = value.apply(item);
      if (shown == null) {
        return "";
      }
      return kind == Kind.TIME ? Times.format((Long) shown) : shown.toString();
    }
  }

  /**
   * A row with the last move that its journal tells of.
   *
   * @param lastMove null if the journal has none
   */
  public record Listed(Row row, Entry lastMove) {
    private boolean settled() {
      return lastMove != null && row.state() != State.SENT && row.state() != State.RECEIVED;
    }
  }

  /** The rows of the ledger. */
  public static final Table<Listed> ROWS =
      new Table<>(
          "row",
          List.of(
              text("guid", listed -> listed.row().guid().value()),
              text("channel", listed -> listed.row().channel()),
              text("state", listed -> listed.row().state().name()),
              text("code", listed -> listed.row().code()),
              number("http_status", listed -> listed.row().httpStatus()),
              number("attempt", listed -> listed.row().attempt()),
              time("received_at", listed -> listed.row().receivedAt()),
              time("sent_at", listed -> listed.row().sentAt()),
              time("ended_at", listed -> listed.row().endedAt()),
              time("updated_at", listed -> listed.row().updatedAt()),
              text("told_code", listed -> listed.row().toldCode()),
              time("told_at", listed -> listed.row().toldAt()),
              text("account", listed -> listed.row().account()),
              text("settled_by", listed -> listed.settled() ? listed.lastMove().actor() : null),
              text("request_sha256", listed -> listed.row().requestSha256()),
              text("reply_sha256", listed -> listed.row().replySha256()),
              text("reason", listed -> of(listed, Entry::note)),
              text("by", listed -> of(listed, Entry::by)),
              text("ticket", listed -> of(listed, Entry::ticket))));

  /**
   * What a run has made of one row.
   *
   * @param result in one word
   * @param state the row's state now, or null if there is none
   * @param code its code now, or null
   * @param detail what happened and what is certain
   */
  public record Result(
      Guid guid, String result, State state, String code, Integer attempt, String detail) {}

  /** What runs have made of rows. */
  public static final Table<Result> RESULTS =
      new Table<>(
          "result",
          List.of(
              text("guid", result -> result.guid().value()),
              text("result", Result::result),
              text("state", result -> name(result.state())),
              text("code", Result::code),
              number("attempt", Result::attempt),
              text("detail", Result::detail)));

  /**
   * The answer to one line of a batch.
   *
   * @param line its number, from 1
   * @param guid null if it has none
   * @param state of the row, as it is known to be; null if the line's request is in none
   * @param code the account system's, or that of a problem
   * @param reply the account system's reply, or null
   * @param detail of a problem: what happened, what is certain, what to do next
   */
  public record Line(long line, Guid guid, State state, String code, byte[] reply, String detail) {}

  /** The answers to the lines of a batch. */
  public static final Table<Line> LINES =
      new Table<>(
          "line",
          List.of(
              number("line", Line::line),
              text("guid", Line::guid),
              text("state", line -> name(line.state())),
              text("code", Line::code),
              text("reply", line -> reply(line, "text")),
              text("reply_base64", line -> reply(line, "base64")),
              text("detail", Line::detail)));

  private static String reply(Line line, String encoding) {
    Body body = Body.of(line.reply());
    return encoding.equals(body.encoding()) ? body.text() : null;
  }

  /**
   * A count of rows.
   *
   * @param name a state, or what the rows have in common
   * @param oldestAt when the oldest of them came in, or null
   * @param oldestAge how many seconds ago that was, or null
   */
  public record Stat(String name, long count, Long oldestAt, Long oldestAge) {}

  /** Counts of rows. */
  public static final Table<Stat> STATS =
      new Table<>(
          "stat",
          List.of(
              text("name", Stat::name),
              number("count", Stat::count),
              time("oldest_at", Stat::oldestAt),
              number("oldest_age_seconds", Stat::oldestAge)));

  /** Rows that are the same but for their GUID; those of one group follow each other. */
  public static final Table<Twins.Twin> TWINS =
      new Table<>(
          "twin",
          List.of(
              number("group", Twins.Twin::group),
              text("guid", twin -> twin.row().guid()),
              text("channel", twin -> twin.row().channel()),
              text("state", twin -> twin.row().state().name()),
              text("code", twin -> twin.row().code()),
              time("received_at", twin -> twin.row().receivedAt()),
              text("fingerprint", twin -> twin.row().fingerprint().sha256())));

  /**
   * What is wrong, or worth a look, when the ledger is compared with the account system's own list.
   *
   * @param finding in one word
   * @param guid null if the list has none that could be read
   * @param executions how often the list has it
   * @param state the row's state, or null if there is no row
   * @param code the row's or the tombstone's code, or null
   * @param detail what that means, and what to do next
   */
  public record Finding(
      String finding, Guid guid, Long executions, State state, String code, String detail) {}

  /** What a comparison has found. */
  public static final Table<Finding> FINDINGS =
      new Table<>(
          "finding",
          List.of(
              text("finding", Finding::finding),
              text("guid", Finding::guid),
              number("executions", Finding::executions),
              text("state", finding -> name(finding.state())),
              text("code", Finding::code),
              text("detail", Finding::detail)));

  /**
   * What a look at one thing has found.
   *
   * @param result ok, warn or fail
   */
  public record Check(String check, String result, String detail) {}

  /** What a look at everything has found. */
  public static final Table<Check> CHECKS =
      new Table<>(
          "check",
          List.of(
              text("result", Check::result),
              text("check", Check::check),
              text("detail", Check::detail)));

  /** The rows of the ledger with their bodies, if they were read with them. */
  public static final Table<Listed> ARCHIVE =
      new Table<>(
          "row",
          Stream.concat(
                  ROWS.columns().stream(),
                  Stream.<Column<Listed>>of(
                      text("request", listed -> Body.of(listed.row().request()).text()),
                      text("request_encoding", l -> Body.of(l.row().request()).encoding()),
                      text("reply", listed -> Body.of(listed.row().reply()).text()),
                      text("reply_encoding", l -> Body.of(l.row().reply()).encoding())))
              .toList());

  /** The journal's entries. */
  public static final Table<Entry> JOURNAL =
      new Table<>(
          "journal",
          List.of(
              text("guid", Entry::guid),
              number("attempt", entry -> entry.guid() == null ? null : entry.attempt()),
              text("event", Entry::event),
              text("from", entry -> name(entry.from())),
              text("to", entry -> name(entry.to())),
              text("code", Entry::code),
              text("actor", Entry::actor),
              text("by", Entry::by),
              text("ticket", Entry::ticket),
              time("at", Entry::at),
              text("note", Entry::note)));

  private static Object of(Listed listed, Function<Entry, Object> part) {
    return listed.lastMove() == null ? null : part.apply(listed.lastMove());
  }

  private static String name(State state) {
    return state == null ? null : state.name();
  }

  private static <T> Column<T> text(String name, Function<T, Object> value) {
    return new Column<>(name, Kind.TEXT, value);
  }

  private static <T> Column<T> number(String name, Function<T, Object> value) {
    return new Column<>(name, Kind.NUMBER, value);
  }

  private static <T> Column<T> time(String name, Function<T, Object> value) {
    return new Column<>(name, Kind.TIME, value);
  }
}
