package org.relayledger.relaycli;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.report.Table;

/** How many rows there are of each kind, and how old the oldest is. */
final class Stats {
  private static final class Count {
    private long rows;
    private Long oldest;

    void add(long more, Long receivedAt) {
      rows += more;
      if (receivedAt != null && (oldest == null || receivedAt < oldest)) {
        oldest = receivedAt;
      }
    }
  }

  private final int maxAttempts;
  private final Map<State, Count> states = new EnumMap<>(State.class);
  private final Count usedUp = new Count();
  private final Count open = new Count();
  private final Count untold = new Count();
  private final Count suspects = new Count();

  private Stats(int maxAttempts) {
    this.maxAttempts = maxAttempts;
    for (State state : State.values()) {
      states.put(state, new Count());
    }
  }

  /** Counts the rows that match; what may have been executed twice is counted in any case. */
  static Stats of(LedgerView view, Filter filter, int maxAttempts) {
    Stats stats = new Stats(maxAttempts);
    if (filter.isAll()) {
      for (State state : State.values()) {
        if (state != State.DONE) {
          forEach(view, Filter.in(state), stats::add);
        }
      }
      stats.addFinished(view);
    } else {
      forEach(view, filter, stats::add);
    }
    view.doubleSuspects().forEach(entry -> stats.suspects.add(1, entry.at()));
    return stats;
  }

  private static void forEach(LedgerView view, Filter filter, Consumer<Row> row) {
    long after = 0;
    for (List<Row> page = view.page(filter, after, LedgerView.MAX_PAGE);
        !page.isEmpty();
        page = view.page(filter, after, LedgerView.MAX_PAGE)) {
      page.forEach(row);
      after = page.get(page.size() - 1).seq();
    }
  }

  private void add(Row row) {
    states.get(row.state()).add(1, row.receivedAt());
    if (row.state() == State.FAILED && row.attempt() >= maxAttempts) {
      usedUp.add(1, row.receivedAt());
    }
    if (row.state() == State.SENT || (row.state() == State.UNKNOWN && row.endedAt() == null)) {
      open.add(1, row.receivedAt());
    }
    if (row.isUntold()) {
      untold.add(1, row.receivedAt());
    }
  }

  /** What is DONE is counted by its indexes: most of a ledger is. */
  private void addFinished(LedgerView view) {
    LedgerView.Finished finished = view.finished();
    states.get(State.DONE).add(finished.rows(), finished.oldestAt());
    Filter wanted = new Filter(Set.of(), Set.of(), null, null, null, true, Map.of(), false);
    forEach(view, wanted, row -> untold.add(1, row.receivedAt()));
  }

  /** How many rows match. */
  long rows() {
    return states.values().stream().mapToLong(count -> count.rows).sum();
  }

  /** All counts, as they are reported. */
  List<Table.Stat> all(long now) {
    List<Table.Stat> all = new ArrayList<>();
    states.forEach((state, count) -> all.add(stat(state.name(), count, now)));
    all.add(stat("used_up", usedUp, now));
    all.add(stat("open_exchanges", open, now));
    all.add(stat("untold", untold, now));
    all.add(stat("double_suspect", suspects, now));
    return all;
  }

  private static Table.Stat stat(String name, Count count, long now) {
    Long age = count.oldest == null ? null : Math.max(0, now - count.oldest) / 1000;
    return new Table.Stat(name, count.rows, count.oldest, age);
  }

  /** The same in Prometheus's text format. */
  static String metrics(List<Table.Stat> stats) {
    StringBuilder rows = new StringBuilder("# TYPE relay_ledger_rows gauge\n");
    StringBuilder ages = new StringBuilder("# TYPE relay_ledger_oldest_age_seconds gauge\n");
    for (Table.Stat stat : stats) {
      String label = "{kind=\"" + stat.name().toLowerCase(Locale.ROOT) + "\"} ";
      rows.append("relay_ledger_rows").append(label).append(stat.count()).append('\n');
      ages.append("relay_ledger_oldest_age_seconds")
          .append(label)
          .append(stat.oldestAge() == null ? 0 : stat.oldestAge())
          .append('\n');
    }
    return rows.append(ages).toString();
  }
}
