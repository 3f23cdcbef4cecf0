package org.relayledger.ledger;

import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The fingerprints of all rows, sorted. */
final class JdbcTwins implements Twins {
  private final JdbcView view;
  private final Scratch scratch =
      new Scratch(
          "CREATE TABLE prints (seq INTEGER PRIMARY KEY, print TEXT)",
          "CREATE TABLE twins (id INTEGER PRIMARY KEY, seq INTEGER, first INTEGER)");

  JdbcTwins(JdbcView view, Filter filter) {
    this.view = view;
    long seq = 0;
    for (List<Row> page = page(filter, seq); !page.isEmpty(); page = page(filter, seq)) {
      for (Row row : page) {
        // Prints of two schemes say nothing about each other.
        String print = row.fingerprint().sha256() + row.fingerprint().scheme().text();
        scratch.add("INSERT INTO prints (seq, print) VALUES (?, ?)", row.seq(), print);
      }
      seq = page.get(page.size() - 1).seq();
    }
    scratch.add(
        "INSERT INTO twins (seq, first) SELECT seq, first FROM (SELECT seq,"
            + " min(seq) OVER (PARTITION BY print) AS first,"
            + " count(*) OVER (PARTITION BY print) AS twins FROM prints)"
            + " WHERE twins > 1 ORDER BY first, seq");
  }

  private List<Row> page(Filter filter, long afterSeq) {
    return view.page(filter.withBodies(false), afterSeq, LedgerView.MAX_PAGE);
  }

  /** Where a twin stands. */
  private record Place(long id, long seq, long first) {}

  @Override
  public List<Twin> page(long afterId) {
    List<Twin> twins = new ArrayList<>();
    long after = afterId;
    List<Place> places = places(after);
    while (twins.isEmpty() && !places.isEmpty()) {
      for (Place place : places) {
        Optional<Row> row = view.at(place.seq); // it may have been purged meanwhile
        row.ifPresent(found -> twins.add(new Twin(place.id, place.first, found)));
        after = place.id;
      }
      places = places(after);
    }
    return twins;
  }

  private List<Place> places(long afterId) {
    String sql = "SELECT id, seq, first FROM twins WHERE id > ? ORDER BY id LIMIT ?";
    return scratch.run(
        session -> {
          List<Place> page = new ArrayList<>();
          try (ResultSet result = session.bind(sql, afterId, LedgerView.MAX_PAGE).executeQuery()) {
            while (result.next()) {
              page.add(new Place(result.getLong(1), result.getLong(2), result.getLong(3)));
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
