package org.relayledger.ledger;

import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

/** Both sides in one table, grouped by the folded GUID. */
final class JdbcComparison implements Comparison {
  private static final String ADD =
      "INSERT INTO said (guid, executions, at, none_is_right, one_is_right, earliest, latest)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?)";

  private final JdbcView view;
  private final Scratch scratch =
      new Scratch(
          "CREATE TABLE said (guid TEXT, executions INTEGER, at INTEGER, none_is_right INTEGER,"
              + " one_is_right INTEGER, earliest INTEGER, latest INTEGER)",
          "CREATE TABLE differences (id INTEGER PRIMARY KEY, guid TEXT, executions INTEGER,"
              + " at INTEGER)");

  JdbcComparison(JdbcView view) {
    this.view = view;
  }

  @Override
  public void executed(Guid guid, Long at) {
    scratch.add(ADD, guid.value(), 1, at, 0, 0, null, null);
  }

  @Override
  public void match(Rule rule, Listener listener) {
    // Rows first: one that is purged meanwhile is met again as a tombstone.
    long seq = 0;
    for (List<Row> page = page(seq); !page.isEmpty(); page = page(seq)) {
      for (Row row : page) {
        known(row.guid(), rule, row, null);
      }
      seq = page.get(page.size() - 1).seq();
      listener.matched(page.size());
    }
    long id = 0;
    for (var page = view.tombstones(id); !page.isEmpty(); page = view.tombstones(id)) {
      for (Tombstone tombstone : page.values()) {
        known(tombstone.guid(), rule, null, tombstone);
      }
      id = page.lastKey();
      listener.matched(page.size());
    }
    scratch.add(
        "INSERT INTO differences (guid, executions, at)"
            + " SELECT min(guid), sum(executions), CASE sum(executions) WHEN 1 THEN max(at) END"
            + " FROM said GROUP BY lower(guid) HAVING CASE sum(executions)"
            + " WHEN 0 THEN NOT max(none_is_right)"
            + " WHEN 1 THEN NOT max(one_is_right) OR max(at) < max(earliest)"
            + " OR max(at) > max(latest)"
            + " ELSE 1 END");
  }

  private List<Row> page(long afterSeq) {
    return view.page(Filter.ALL, afterSeq, LedgerView.MAX_PAGE);
  }

  private void known(Guid guid, Rule rule, Row row, Tombstone tombstone) {
    scratch.add(
        ADD,
        guid.value(),
        0,
        null,
        rule.isRight(0, row, tombstone),
        rule.isRight(1, row, tombstone),
        row == null ? null : rule.earliest(row),
        row == null ? null : rule.latest(row));
  }

  @Override
  public List<Difference> differences(long afterId) {
    return scratch.run(
        session -> {
          List<Difference> page = new ArrayList<>();
          try (ResultSet result =
              session
                  .bind(
                      "SELECT id, guid, executions, at FROM differences WHERE id > ?"
                          + " ORDER BY id LIMIT ?",
                      afterId,
                      LedgerView.MAX_PAGE)
                  .executeQuery()) {
            while (result.next()) {
              page.add(
                  new Difference(
                      result.getLong(1),
                      new Guid(result.getString(2)),
                      result.getLong(3),
                      JdbcView.number(result, 4)));
            }
          }
          return page;
        });
  }

  @Override
  public void close() {
    scratch.close();
  }
}
