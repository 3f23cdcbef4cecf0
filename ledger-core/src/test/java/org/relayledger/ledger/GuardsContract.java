package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.testing.SteppedClock;

/**
 * Claim 10: the database refuses every illegal move that somebody tries by hand. The statements are
 * texts, so that any shell can run them; one thin subclass a shell.
 */
@DisplayName("Claim 10: what the database refuses")
abstract class GuardsContract {
  /** Rows 1 to 5; a sixth, DONE, is deleted and leaves the tombstone 'Gone'. */
  private static final Map<State, Integer> SEQ =
      Map.of(State.RECEIVED, 1, State.SENT, 2, State.DONE, 3, State.UNKNOWN, 4, State.FAILED, 5);

  private static final List<String> ALL =
      List.of(
          "guid",
          "state",
          "attempt",
          "account",
          "sent_at",
          "fingerprint",
          "scheme",
          "request_sha256",
          "received_at",
          "updated_at",
          "request");
  private static final String COLUMNS = String.join(", ", ALL);
  private static final String REST =
      ", x'" + "11".repeat(32) + "', '1', x'" + "22".repeat(32) + "', 1, 1, x'7b7d'";

  static final List<String> OR =
      List.of("", "OR REPLACE ", "OR IGNORE ", "OR FAIL ", "OR ROLLBACK ");

  @TempDir Path dir;
  ByHand hand;

  /** Opens {@code file}, which is no live ledger, in the shell; null if it is not there. */
  abstract void openShell(Path file);

  abstract void closeShell();

  /** Runs one statement; whether it went through and changed a row. */
  abstract boolean changes(String sql);

  @BeforeEach
  void copyOfALedger() {
    Path live = dir.resolve("ledger.db");
    Path copy = dir.resolve("copy.db");
    Ledger.init(live.toString(), Samples.SETTINGS, new SteppedClock());
    try (ByHand prompt = ByHand.sqlite(live)) {
      prompt.exec(
          insert("'Received'", "'RECEIVED'", 0),
          insert("'Sent'", "'SENT'", 1),
          insert("'Done'", "'SENT'", 1),
          insert("'Unknown'", "'SENT'", 1),
          insert("'Failed'", "'SENT'", 1),
          insert("'Gone'", "'SENT'", 1),
          move(3, State.DONE),
          move(4, State.UNKNOWN),
          move(5, State.FAILED),
          move(6, State.DONE),
          "DELETE FROM ledger WHERE seq = 6",
          "INSERT INTO journal (seq, guid, attempt, event, from_state, to_state, actor, \"by\", at)"
              + " SELECT seq, guid, attempt, 'move', NULL, state, 'relay', 'hub', 1 FROM ledger",
          journal("double_suspect", "3, 'Done', 1"),
          journal("inquiry", "4, 'Unknown', 1"),
          journal("mode", "NULL, NULL, NULL"),
          "VACUUM INTO '" + copy + "'");
    }
    hand = ByHand.sqlite(copy);
    openShell(copy);
  }

  @AfterEach
  void close() {
    closeShell();
    hand.close();
  }

  private static String insert(String guid, String state, Object attempt) {
    return insert("", guid, state, attempt);
  }

  private static String insert(String or, String guid, String state, Object attempt) {
    boolean sent = !state.equals("'RECEIVED'");
    return "INSERT "
        + or
        + "INTO ledger ("
        + COLUMNS
        + ") VALUES ("
        + String.join(", ", guid, state, "" + attempt, sent ? "'http://a'" : "NULL")
        + (sent ? ", 1" : ", NULL")
        + REST
        + ")";
  }

  private static String journal(String event, String row) {
    return "INSERT INTO journal (seq, guid, attempt, event, actor, \"by\", at) VALUES ("
        + row
        + ", '"
        + event
        + "', 'resolve', 'ann', 1)";
  }

  /** The columns of a row that is as the CHECKs want it in {@code to}, from whatever state. */
  static Map<String, String> shape(State to) {
    Map<String, String> set = new LinkedHashMap<>();
    set.put("state", "'" + to + "'");
    set.put(
        "attempt",
        switch (to) {
          case RECEIVED -> "0";
          case SENT -> "attempt + 1";
          case DONE -> "attempt";
          case UNKNOWN, FAILED -> "max(attempt, 1)";
        });
    set.put(
        "code",
        switch (to) {
          case RECEIVED, SENT -> "NULL";
          case DONE -> "'0000'";
          case UNKNOWN -> "'E901'";
          case FAILED -> "'E902'";
        });
    boolean done = to == State.DONE;
    set.put("http_status", done ? "200" : "NULL");
    set.put("reply", done ? "x'7b7d'" : "NULL");
    set.put("reply_sha256", done ? "x'" + "33".repeat(32) + "'" : "NULL");
    set.put("done_at", done ? "9" : "NULL");
    if (to == State.RECEIVED) {
      set.put("account", "NULL");
      set.put("sent_at", "NULL");
    } else if (!done) {
      set.put("account", "COALESCE(account, 'http://a')");
      set.put("sent_at", "COALESCE(sent_at, 5)");
    }
    boolean open = to == State.RECEIVED || to == State.SENT;
    set.put("ended_at", open ? "NULL" : "COALESCE(ended_at, 7)");
    set.put("ended_boot", open ? "NULL" : "COALESCE(ended_boot, 'b')");
    set.put("ended_uptime", open ? "NULL" : "COALESCE(ended_uptime, 7)");
    return set;
  }

  private static String move(int seq, State to) {
    return update("", seq, shape(to));
  }

  private static String move(int seq, State to, String column, String value) {
    Map<String, String> set = shape(to);
    set.put(column, value);
    return update("", seq, set);
  }

  static String update(String or, int seq, Map<String, String> set) {
    List<String> pairs = new ArrayList<>();
    set.forEach((column, value) -> pairs.add(column + " = " + value));
    return "UPDATE " + or + "ledger SET " + String.join(", ", pairs) + " WHERE seq = " + seq;
  }

  private void refused(List<String> statements) {
    List<List<String>> before = hand.everything();
    for (String sql : statements) {
      assertThat(changes(sql)).as(sql).isFalse();
      assertThat(hand.everything()).as(sql).isEqualTo(before);
    }
  }

  private record Move(State from, State to) {
    boolean legal() {
      return StateTest.MOVES.get(from).contains(to);
    }
  }

  /** Every ordered pair of states, itself included: whether the UPDATE went through. */
  private Map<Move, Boolean> walk() {
    Map<Move, Boolean> went = new LinkedHashMap<>();
    for (State from : State.values()) {
      for (State to : State.values()) {
        changes("SAVEPOINT walk");
        went.put(new Move(from, to), changes(move(SEQ.get(from), to)));
        changes("ROLLBACK TO walk");
        changes("RELEASE walk");
      }
    }
    return went;
  }

  @Test
  void ofAllPairsOfStatesOnlyTheLegalMovesGoThrough() {
    assertThat(walk())
        .allSatisfy(
            (move, went) -> {
              if (move.from != move.to) {
                assertThat(went).as("" + move).isEqualTo(move.legal());
              }
            })
        .containsEntry(new Move(State.SENT, State.SENT), false)
        .containsEntry(new Move(State.DONE, State.DONE), true); // the very same values
  }

  @Test
  void itIsOneTriggerThatDecidesAboutMoves() {
    dropTriggersBut("ledger_update_move");
    assertThat(walk())
        .allSatisfy(
            (move, went) ->
                assertThat(went).as("" + move).isEqualTo(move.from == move.to || move.legal()));

    dropTriggersBut("");
    assertThat(walk())
        .as("the CHECKs have nothing against any")
        .allSatisfy((move, went) -> assertThat(went).isTrue());
  }

  private void dropTriggersBut(String kept) {
    for (List<String> name : hand.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'")) {
      if (!name.get(0).equals("'" + kept + "'")) {
        changes("DROP TRIGGER " + name.get(0));
      }
    }
  }

  @Test
  void anAttemptIsCountedByClaimsOnlyAndByOne() {
    List<String> statements = new ArrayList<>();
    for (State from : State.values()) {
      for (String change : List.of("attempt - 1", "attempt + 1", "attempt + 2", "0", "7", "NULL")) {
        if (from != State.RECEIVED || !change.equals("0")) {
          statements.add("UPDATE ledger SET attempt = " + change + " WHERE seq = " + SEQ.get(from));
        }
        for (State to : StateTest.MOVES.get(from)) {
          boolean right =
              to == State.SENT
                  ? change.equals("attempt + 1")
                  : from == State.RECEIVED && change.equals("0");
          if (!right) {
            statements.add(move(SEQ.get(from), to, "attempt", change));
          }
        }
      }
      if (StateTest.MOVES.get(from).contains(State.SENT)) {
        statements.add(move(SEQ.get(from), State.SENT, "attempt", "attempt"));
      }
    }
    refused(statements);
  }

  @Test
  void whatMakesARowItselfNeverChanges() {
    Map<String, String> frozen = new LinkedHashMap<>();
    for (String name : List.of("seq", "rowid", "_rowid_", "oid")) {
      frozen.put(name, "77");
    }
    frozen.put("guid", "upper(guid)");
    frozen.put("channel", "'atm'");
    frozen.put("content_type", "'text/plain'");
    frozen.put("fingerprint", "x'" + "44".repeat(32) + "'");
    frozen.put("scheme", "'2'");
    frozen.put("request_sha256", "x'" + "44".repeat(32) + "'");
    frozen.put("request", "x'7b207d'");
    frozen.put("received_at", "received_at - 1");
    frozen.put("account", "'http://b'");
    frozen.put("sent_at", "COALESCE(sent_at, 0) - 1");
    List<String> statements = new ArrayList<>();
    for (State state : State.values()) {
      int seq = SEQ.get(state);
      frozen.forEach(
          (column, value) -> {
            for (String or : OR) {
              statements.add(update(or, seq, Map.of(column, value)));
            }
            for (State to : StateTest.MOVES.get(state)) {
              if (to != State.SENT || !List.of("account", "sent_at").contains(column)) {
                statements.add(move(seq, to, column, value));
              }
            }
          });
      for (int other = 1; other <= 5; other++) {
        if (other != seq) {
          statements.add(update("OR REPLACE ", seq, Map.of("seq", "" + other)));
          statements.add(update("OR REPLACE ", seq, Map.of("rowid", "'" + other + ".0'")));
          statements.add(
              update(
                  "OR REPLACE ",
                  seq,
                  Map.of("guid", "(SELECT lower(guid) FROM ledger WHERE seq = " + other + ")")));
        }
      }
    }
    statements.add("UPDATE ledger SET guid = upper(guid) || char(0)");
    statements.add("UPDATE ledger SET seq = -seq");
    statements.add("UPDATE OR REPLACE ledger SET seq = 1");
    statements.add("UPDATE ledger SET request = CAST(request AS TEXT)");
    refused(statements);
  }

  @Test
  void theEndOfAnExchangeIsWrittenOnce() {
    List<String> statements = new ArrayList<>();
    for (State state : List.of(State.DONE, State.UNKNOWN, State.FAILED)) {
      int seq = SEQ.get(state);
      statements.add(update("", seq, Map.of("ended_at", "1")));
      statements.add(update("", seq, Map.of("ended_boot", "'c'")));
      statements.add(update("", seq, Map.of("ended_uptime", "1")));
      statements.add(
          "UPDATE ledger SET ended_at = NULL, ended_boot = NULL, ended_uptime = NULL WHERE seq = "
              + seq);
      for (State to : StateTest.MOVES.get(state)) {
        if (to != State.SENT) {
          statements.add(move(seq, to, "ended_at", "1"));
        }
      }
    }
    refused(statements);
  }

  @Test
  void aDoneRowNeverChangesButForWhatTheChannelHeard() {
    List<String> statements = new ArrayList<>();
    for (String set :
        List.of(
            "reply = x'7b'",
            "reply = CAST(reply AS TEXT)",
            "reply = NULL",
            "code = 'B201'",
            "code = NULL",
            "http_status = 201",
            "http_status = NULL",
            "reply_type = 'text/html'",
            "reply_sha256 = x'" + "55".repeat(32) + "'",
            "done_at = 8",
            "done_at = NULL",
            "state = 'FAILED', code = 'E902', done_at = NULL, reply = NULL, http_status = NULL,"
                + " reply_sha256 = NULL, reply_type = NULL")) {
      OR.forEach(or -> statements.add("UPDATE " + or + "ledger SET " + set + " WHERE seq = 3"));
    }
    refused(statements);
    assertThat(changes("UPDATE ledger SET told_code = 'E901', told_at = 1 WHERE seq = 3")).isTrue();
  }

  @Test
  void aKnownOrFinishedGuidIsNeverInsertedAgain() {
    List<String> statements = new ArrayList<>();
    for (String guid : List.of("Received", "SENT", "done", "Unknown", "FAILED", "Gone", "GONE")) {
      for (String or : OR) {
        statements.add(insert(or, "'" + guid + "'", "'SENT'", 1));
        statements.add(insert(or, "'" + guid + "'", "'RECEIVED'", 0));
        statements.add(insert(or, "CAST('" + guid + "' AS BLOB)", "'SENT'", 1));
      }
      String values = insert("'" + guid + "'", "'SENT'", 1);
      for (String on : List.of("", "(lower(guid)) ", "(seq) ")) {
        statements.add(
            values
                + " ON CONFLICT "
                + on
                + "DO UPDATE SET state = 'SENT', attempt = attempt + 1, code = NULL,"
                + " ended_at = NULL, ended_boot = NULL, ended_uptime = NULL");
        statements.add(values + " ON CONFLICT " + on + "DO UPDATE SET request = excluded.request");
      }
    }
    for (String seq : List.of("1", "'2'", "3.0", "' 4 '", "'5.0'", "0", "-1", "-9")) {
      for (String alias : List.of("seq", "rowid", "_rowid_", "oid")) {
        for (String or : OR) {
          statements.add(
              insert(or, "'new'", "'SENT'", 1)
                  .replace("(guid,", "(" + alias + ", guid,")
                  .replace("VALUES (", "VALUES (" + seq + ", "));
        }
      }
    }
    statements.add("REPLACE INTO ledger SELECT * FROM ledger");
    statements.add("REPLACE INTO ledger SELECT * FROM ledger WHERE state = 'SENT'");
    statements.add(
        "INSERT OR REPLACE INTO ledger ("
            + COLUMNS
            + ") SELECT upper(guid), 'SENT', 1, 'http://a', 1, fingerprint, scheme,"
            + " request_sha256, received_at, updated_at, request FROM ledger");
    refused(statements);

    changes("PRAGMA recursive_triggers = ON");
    refused(statements);
  }

  @Test
  void aRowBeginsAsAClaimOrAsAnIntakeAndInNoOtherShape() {
    List<String> statements = new ArrayList<>();
    for (String or : OR) {
      for (State state : State.values()) {
        for (String attempt : List.of("-1", "0", "1", "2", "1000", "NULL", "'one'", "1.5")) {
          boolean right =
              (state == State.SENT && attempt.equals("1"))
                  || (state == State.RECEIVED && attempt.equals("0"));
          if (!right) {
            statements.add(insert(or, "'new'", "'" + state + "'", attempt));
          }
        }
      }
      for (String state :
          List.of("NULL", "''", "'sent'", "'SENT '", "'SENT' || char(0)", "CAST('SENT' AS BLOB)")) {
        statements.add(insert(or, "'new'", state, 1));
      }
      for (String guid :
          List.of(
              "NULL",
              "''",
              "'.'",
              "'-:_.'",
              "'a b'",
              "'a' || char(0)",
              "'Sent' || char(0) || 'x'",
              "'a' || char(10)",
              "'a/b'",
              "'a''b'",
              "'\u00e9'",
              "'a\u017f'", // long s, which some fold to s
              "'\u212a'", // Kelvin, which some fold to k
              "'\u0130'", // dotted I
              "CAST(x'ff61' AS TEXT)",
              "CAST(x'c1a1' AS TEXT)", // an overlong a
              "x'61'",
              "'" + "a".repeat(129) + "'")) {
        statements.add(insert(or, guid, "'SENT'", 1));
      }
    }
    statements.add("INSERT INTO ledger DEFAULT VALUES");
    for (String column : ALL) {
      String others = String.join(", ", ALL.stream().filter(c -> !c.equals(column)).toList());
      statements.add(
          "INSERT INTO ledger ("
              + others
              + ") SELECT "
              + others.replaceFirst("guid", "'new'")
              + " FROM ledger WHERE seq = 2");
    }
    refused(statements);
    assertThat(changes(insert("'" + "a".repeat(128) + "'", "'SENT'", 1))).isTrue();
    assertThat(changes(insert("'.a'", "'RECEIVED'", 0))).isTrue();
  }

  @Test
  void noCheckIsPassedByANull() {
    List<String> statements = new ArrayList<>();
    Map<State, Map<String, List<String>>> wrong = new LinkedHashMap<>();
    List<String> notDone = List.of("http_status", "reply", "reply_sha256", "done_at", "reply_type");
    wrong.put(
        State.DONE,
        Map.of(
            "code", List.of("NULL"),
            "http_status", List.of("NULL", "199", "600", "-200", "'x'", "200.5"),
            "reply", List.of("NULL", "'text'"),
            "reply_sha256", List.of("NULL", "x''", "x'" + "33".repeat(31) + "'"),
            "done_at", List.of("NULL", "'soon'"),
            "ended_boot", List.of("NULL"),
            "ended_uptime", List.of("NULL"),
            "ended_at", List.of("NULL")));
    wrong.put(
        State.UNKNOWN,
        Map.of(
            "code", List.of("NULL", "''", "'E902'", "'0000'"),
            "ended_boot", List.of("NULL"),
            "ended_uptime", List.of("NULL")));
    wrong.put(
        State.FAILED,
        Map.of(
            "code", List.of("NULL", "'E901'", "'0000'"),
            "ended_boot", List.of("NULL"),
            "ended_at", List.of("NULL")));
    wrong.put(
        State.SENT,
        Map.of(
            "code", List.of("'E901'", "''"),
            "account", List.of("NULL"),
            "sent_at", List.of("NULL"),
            "ended_at", List.of("1")));
    wrong.forEach(
        (to, columns) -> {
          int seq = SEQ.get(to == State.SENT ? State.FAILED : State.SENT);
          columns.forEach(
              (column, values) ->
                  values.forEach(value -> statements.add(move(seq, to, column, value))));
          if (to != State.DONE) {
            notDone.forEach(column -> statements.add(move(seq, to, column, "zeroblob(32)")));
            notDone.forEach(column -> statements.add(move(seq, to, column, "200")));
          }
        });
    Map<String, String> neverEnded = shape(State.FAILED);
    Map<String, String> ended = shape(State.SENT);
    for (String column : List.of("ended_at", "ended_boot", "ended_uptime")) {
      neverEnded.put(column, "NULL");
      ended.put(column, "1");
    }
    statements.add(update("", SEQ.get(State.SENT), neverEnded));
    statements.add(update("", SEQ.get(State.FAILED), ended));
    for (String set :
        List.of(
            "code = 'E901'",
            "account = 'http://a'",
            "sent_at = 1",
            "ended_at = 1, ended_boot = 'b', ended_uptime = 1",
            "reply = x'00'",
            "done_at = 1")) {
      statements.add("UPDATE ledger SET " + set + " WHERE seq = 1");
    }
    for (int seq = 1; seq <= 5; seq++) {
      for (String set :
          List.of(
              "told_at = 1",
              "told_code = 'E901'",
              "updated_at = NULL",
              "updated_at = 'now'",
              "asked_at = 1.5",
              "told_at = 1, told_code = x'00'")) {
        statements.add("UPDATE ledger SET " + set + " WHERE seq = " + seq);
      }
    }
    refused(statements);

    // The triggers refuse some of this too; the CHECKs alone must refuse all of it.
    dropTriggersBut("");
    for (int seq = 1; seq <= 5; seq++) {
      for (String set :
          List.of(
              "seq = 0",
              "state = 'BOOKED'",
              "state = 'sent'",
              "attempt = -1",
              "fingerprint = x'00'",
              "request_sha256 = zeroblob(33)",
              "request = x''",
              "guid = 'a b'")) {
        statements.add("UPDATE ledger SET " + set + " WHERE seq = " + seq);
      }
      if (seq != SEQ.get(State.DONE)) {
        statements.add("UPDATE ledger SET attempt = 1 - min(attempt, 1) WHERE seq = " + seq);
      }
      if (seq != SEQ.get(State.DONE) && seq != SEQ.get(State.RECEIVED)) {
        statements.add("UPDATE ledger SET account = NULL WHERE seq = " + seq);
        statements.add("UPDATE ledger SET sent_at = NULL WHERE seq = " + seq);
      }
    }
    refused(statements);
  }

  @Test
  void noTableTakesAValueOfAnotherType() {
    refused(
        List.of(
            "UPDATE ledger SET told_code = x'00', told_at = 1 WHERE seq = 3",
            "UPDATE settings SET value = x'00'",
            "INSERT INTO tombstones (guid, code, finished_at) VALUES ('x', '0000', 'now')",
            "INSERT INTO journal (event, actor, \"by\", at) VALUES ('mode', 'operator', 'x', 'now')"));
  }

  @Test
  void onlyDoneRowsAreDeletedAndLeaveATombstone() {
    List<String> statements = new ArrayList<>();
    statements.add("DELETE FROM ledger");
    for (State state : State.values()) {
      if (state != State.DONE) {
        statements.add("DELETE FROM ledger WHERE seq = " + SEQ.get(state));
        statements.add("DELETE FROM ledger WHERE rowid = " + SEQ.get(state));
        statements.add(
            "DELETE FROM ledger WHERE lower(guid) = '"
                + state.name()
                + "' OR state = '"
                + state
                + "'");
      }
    }
    statements.add("UPDATE tombstones SET guid = 'other'");
    statements.add("UPDATE OR REPLACE tombstones SET code = 'B201'");
    statements.add("INSERT INTO tombstones (guid, code, finished_at) VALUES ('GONE', '0000', 1)");
    refused(statements);

    assertThat(changes("DELETE FROM ledger WHERE state = 'DONE'")).isTrue();
    assertThat(hand.rows("SELECT guid, code, finished_at FROM tombstones ORDER BY guid"))
        .containsExactly(List.of("'Done'", "'0000'", "9"), List.of("'Gone'", "'0000'", "9"));
    refused(
        List.of(insert("'DONE'", "'SENT'", 1), insert("OR REPLACE ", "'done'", "'RECEIVED'", 0)));
  }

  @Test
  void theJournalIsOnlyAddedTo() {
    List<String> statements = new ArrayList<>();
    for (String or : OR) {
      statements.add("UPDATE " + or + "journal SET note = 'x'");
      statements.add("UPDATE " + or + "journal SET id = id + 100");
      statements.add("UPDATE " + or + "journal SET note = note");
      for (String id : List.of("1", "'1'", "8", "0", "-1")) {
        statements.add(
            "INSERT "
                + or
                + "INTO journal (id, event, actor, \"by\", at) VALUES ("
                + id
                + ", 'mode', 'operator', 'x', 1)");
      }
    }
    statements.add("DELETE FROM journal");
    for (String event : List.of("move", "double_suspect", "ack", "mode")) {
      statements.add("DELETE FROM journal WHERE event = '" + event + "'");
    }
    statements.add(journal("nonsense", "1, 'Received', 0"));
    statements.add(journal("move", "NULL, 'Received', 0"));
    statements.add(journal("move", "1, NULL, 0"));
    statements.add(journal("move", "1, 'Received', NULL"));
    statements.add("REPLACE INTO journal SELECT * FROM journal");
    refused(statements);

    assertThat(changes("DELETE FROM journal WHERE event = 'inquiry'")).isTrue();
    assertThat(changes(journal("inquiry", "4, 'Unknown', 1"))).isTrue();
    assertThat(changes("DELETE FROM ledger WHERE seq = 3")).isTrue();
    refused(List.of("DELETE FROM journal WHERE seq = 3"));
    assertThat(changes("DELETE FROM journal WHERE seq = 3 AND event = 'move'")).isTrue();
  }

  @Test
  void oneIllegalRowStopsTheWholeStatement() {
    refused(
        List.of(
            "UPDATE ledger SET state = 'UNKNOWN', code = 'E901'",
            "UPDATE ledger SET state = 'SENT', attempt = attempt + 1, code = NULL,"
                + " ended_at = NULL, ended_boot = NULL, ended_uptime = NULL"
                + " WHERE state IN ('FAILED', 'UNKNOWN')",
            "UPDATE ledger SET (state, attempt, code, ended_at, ended_boot, ended_uptime) ="
                + " (SELECT 'SENT', 2, NULL, NULL, NULL, NULL) WHERE seq = 4",
            "UPDATE ledger SET state = other.state FROM ledger AS other"
                + " WHERE other.state = 'SENT' AND ledger.state = 'UNKNOWN'",
            "WITH x AS (SELECT 4 AS s) UPDATE ledger SET state = 'SENT', attempt = attempt + 1,"
                + " code = NULL, ended_at = NULL, ended_boot = NULL, ended_uptime = NULL"
                + " WHERE seq IN (SELECT s FROM x)",
            "DELETE FROM ledger WHERE state IN ('DONE', 'FAILED')"));
  }
}
