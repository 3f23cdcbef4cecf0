package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** The guards as the driver's SQLite fires them. */
final class GuardsTest extends GuardsContract {
  private ByHand shell;

  @Override
  void openShell(Path file) {
    shell = ByHand.sqlite(file);
  }

  @Override
  void closeShell() {
    shell.close();
  }

  @Override
  boolean changes(String sql) {
    try {
      return shell.run(sql) > 0;
    } catch (SQLException e) {
      // Refused for what it does, and not because it could not be understood.
      assertThat(((SQLiteException) e).getResultCode().code & 0xff)
          .as(sql + ": " + e.getMessage())
          .isIn(SQLiteErrorCode.SQLITE_CONSTRAINT.code, SQLiteErrorCode.SQLITE_MISMATCH.code);
      return false;
    }
  }

  private static final long SEED = 20260131;
  private static final int STATEMENTS = 1_000;
  private static final List<String> MADE_OF =
      List.of(
          "seq",
          "guid",
          "channel",
          "content_type",
          "fingerprint",
          "scheme",
          "request_sha256",
          "received_at",
          "request");
  private static final List<String> CLAIMED = List.of("attempt", "account", "sent_at");
  private static final List<String> ENDED = List.of("ended_at", "ended_boot", "ended_uptime");
  private static final List<String> ANSWERED =
      List.of("code", "http_status", "reply_type", "reply_sha256", "reply", "done_at");
  private static final List<String> VALUES =
      List.of(
          "NULL",
          "0",
          "1",
          "2",
          "3",
          "-1",
          "'4'",
          "5.0",
          "200",
          "''",
          "'Sent'",
          "'DONE'",
          "'UNKNOWN'",
          "'FAILED'",
          "'SENT'",
          "'gone'",
          "'new'",
          "'E901'",
          "'E902'",
          "x''",
          "x'7b7d'",
          "zeroblob(32)",
          "attempt + 1",
          "guid",
          "seq + 1",
          "char(0)",
          "'new' || char(0)");

  @Test
  void whatIsRefusedIsSaidInPlainWords() {
    Map<String, String> said = new LinkedHashMap<>();
    said.put("DELETE FROM ledger WHERE state = 'UNKNOWN'", "only DONE rows may be deleted");
    said.put("DELETE FROM journal", "the journal is only added to");
    said.put(update("", 4, shape(State.SENT)), "the ledger does not allow this move");
    said.put("UPDATE ledger SET reply = x'' WHERE state = 'DONE'", "a DONE row does not change");
    said.put(
        "UPDATE ledger SET guid = 'x' WHERE state = 'FAILED'",
        "seq, guid, channel, request and fingerprint of a row never change");
    said.forEach(
        (sql, words) ->
            assertThatThrownBy(() -> shell.run(sql))
                .as(sql)
                .hasMessageContaining("(" + words + ")"));
  }

  @Test
  void noRandomStatementBreaksARule() {
    Random random = new Random(SEED);
    List<String> columns = new ArrayList<>(List.of("state", "rowid", "told_code", "told_at"));
    List.of(MADE_OF, CLAIMED, ENDED, ANSWERED).forEach(columns::addAll);
    int went = 0;
    hand.exec("BEGIN");
    for (int i = 0; i < STATEMENTS; i++) {
      String sql = statement(random, columns);
      Map<String, Map<String, String>> before = byGuid();
      List<List<String>> buried = hand.rows("SELECT lower(guid) FROM tombstones");
      hand.exec("SAVEPOINT one");
      try {
        went += hand.run(sql) > 0 ? 1 : 0;
      } catch (SQLException e) {
        // Refused, or nonsense.
      }
      Map<String, Map<String, String>> after = byGuid();
      assertThat(hand.rows("SELECT lower(guid) FROM tombstones")).containsAll(buried);
      before.forEach((guid, row) -> checkMove(sql, guid, row, after.get(guid)));
      after.forEach(
          (guid, row) -> {
            if (!before.containsKey(guid)) {
              assertThat(buried).as(sql).doesNotContain(List.of(guid));
              assertThat(row.get("state") + row.get("attempt"))
                  .as(sql)
                  .isIn("'SENT'1", "'RECEIVED'0");
            }
            assertThat(Guid.parse(row.get("guid").replace("'", ""))).as(sql).isPresent();
          });
      if (random.nextInt(5) > 0) {
        hand.exec("ROLLBACK TO one");
      }
      hand.exec("RELEASE one");
      if (i % 200 == 199) {
        hand.exec("ROLLBACK", "BEGIN");
      }
    }
    hand.exec("ROLLBACK");
    assertThat(went).isGreaterThan(STATEMENTS / 20);
  }

  private static String statement(Random random, List<String> columns) {
    String or = pick(random, OR.subList(0, 4));
    Map<String, String> set = new LinkedHashMap<>();
    if (random.nextInt(4) > 0) {
      set.putAll(shape(pick(random, List.of(State.values()))));
    }
    for (int i = random.nextInt(3); i > 0 || set.isEmpty(); i--) {
      set.put(pick(random, columns), pick(random, VALUES));
    }
    int seq = 1 + random.nextInt(8);
    return switch (random.nextInt(8)) {
      case 0 -> "DELETE FROM ledger WHERE " + pick(random, columns) + " IS NOT 3";
      case 1 -> "DELETE FROM ledger WHERE seq = " + seq;
      case 2, 3 -> {
        List<String> all = inserted(set);
        yield "INSERT "
            + or
            + "INTO ledger ("
            + String.join(", ", all)
            + ") SELECT "
            + String.join(", ", all.stream().map(c -> set.getOrDefault(c, c)).toList())
            + " FROM ledger WHERE seq = "
            + seq
            + (random.nextBoolean() ? " ON CONFLICT DO UPDATE SET state = excluded.state" : "");
      }
      default -> update(or, seq, set);
    };
  }

  /** The columns that an INSERT names: those every row has, and those of {@code set}. */
  private static List<String> inserted(Map<String, String> set) {
    Set<String> all = new TreeSet<>(MADE_OF);
    all.addAll(List.of("state", "attempt", "account", "sent_at", "updated_at"));
    all.addAll(set.keySet());
    if (set.containsKey("rowid") || !set.containsKey("seq")) {
      all.remove("seq");
    }
    return List.copyOf(all);
  }

  private static <T> T pick(Random random, List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  private Map<String, Map<String, String>> byGuid() {
    List<String> columns = new ArrayList<>(List.of("state"));
    List.of(MADE_OF, CLAIMED, ENDED, ANSWERED).forEach(columns::addAll);
    Map<String, Map<String, String>> rows = new LinkedHashMap<>();
    String sql = "SELECT lower(guid), " + String.join(", ", columns) + " FROM ledger";
    for (List<String> values : hand.rows(sql)) {
      Map<String, String> row = new LinkedHashMap<>();
      for (int i = 0; i < columns.size(); i++) {
        row.put(columns.get(i), values.get(i + 1));
      }
      rows.put(values.get(0), row);
    }
    return rows;
  }

  private void checkMove(
      String sql, String guid, Map<String, String> before, Map<String, String> after) {
    if (after == null) {
      assertThat(before.get("state")).as(sql).isEqualTo("'DONE'");
      assertThat(hand.rows("SELECT lower(guid) FROM tombstones")).contains(List.of(guid));
      return;
    }
    State from = State.valueOf(before.get("state").replace("'", ""));
    State to = State.valueOf(after.get("state").replace("'", ""));
    List<String> same = new ArrayList<>(MADE_OF);
    if (to != State.SENT || from == to) {
      same.addAll(CLAIMED);
      if (!before.get("ended_at").equals("null")) {
        same.addAll(ENDED);
      }
    } else {
      assertThat(Integer.parseInt(after.get("attempt")))
          .as(sql)
          .isEqualTo(Integer.parseInt(before.get("attempt")) + 1);
    }
    if (from == to) {
      same.addAll(ANSWERED);
    } else {
      assertThat(StateTest.MOVES.get(from)).as(sql).contains(to);
    }
    for (String column : same) {
      assertThat(after.get(column)).as(sql + ": " + column).isEqualTo(before.get(column));
    }
  }
}
