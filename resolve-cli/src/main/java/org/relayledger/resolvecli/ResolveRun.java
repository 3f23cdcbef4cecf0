package org.relayledger.resolvecli;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Results;
import org.relayledger.cli.Workers;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.relay.Inquirer;
import org.relayledger.relay.Resolution;
import org.relayledger.relay.Resolution.Resolved;
import org.relayledger.relay.Resolution.Result;
import org.relayledger.report.Table;

/** One run of resolve: which rows, how many at once, and what their results mean for the exit. */
final class ResolveRun {
  /** What the summary counts. */
  static final List<String> COUNTED =
      List.of(
          "done",
          "failed",
          "would_be_done",
          "would_be_failed",
          "inconclusive",
          "too_young",
          "elsewhere",
          "held",
          "contradicted",
          "wrong_state",
          "no_such_guid",
          "orphans",
          "left");

  /**
   * What bounds a run.
   *
   * @param stopAfter how many outages in a row end it
   * @param most how many rows are asked about
   */
  record Limits(int concurrency, int stopAfter, int most) {}

  private final LedgerView view;
  private final Optional<Ledger> ledger;
  private final Actor actor;
  private final Inquirer inquirer;
  private final Resolution resolution;
  private final Limits limits;
  private final HostClock clock;
  private final Results results;
  private final Workers workers;
  private final AtomicBoolean outage = new AtomicBoolean();
  private int asked;

  /**
   * @param ledger where to settle, or empty for a dry run
   */
  ResolveRun(
      LedgerView view,
      Optional<Ledger> ledger,
      Actor actor,
      Inquirer inquirer,
      Resolution resolution,
      Limits limits,
      HostClock clock,
      Results results) {
    this.view = view;
    this.ledger = ledger;
    this.actor = actor;
    this.inquirer = inquirer;
    this.resolution = resolution;
    this.limits = limits;
    this.clock = clock;
    this.results = results;
    this.workers = new Workers(limits.concurrency, Duration.ZERO);
  }

  /** Begins nothing new; may be called from any thread. */
  void stop() {
    workers.stop();
  }

  /** Every SENT and UNKNOWN row: orphans first, then the least recently asked. */
  void all() throws InterruptedException {
    long start = clock.millis();
    try (workers) {
      adoptOrphans();
      long left = 0;
      Row last = null;
      while (!workers.isStopped()) {
        List<Row> page = view.unknown(last, start, clock.millis(), LedgerView.MAX_PAGE);
        if (page.isEmpty()) {
          break;
        }
        for (Row row : page) {
          left += begin(row) ? 0 : 1;
        }
        last = page.get(page.size() - 1);
      }
      workers.finish();
      tellLeft(left);
    }
    tellTrust();
  }

  /** Begins to ask about {@code row}, if that is to be; false if only --limit is in the way. */
  private boolean begin(Row row) throws InterruptedException {
    Optional<Resolved> notNow = resolution.notNow(row);
    if (notNow.isPresent()) {
      // Without a recorded end its owner may be gone: who takes it over lets it age.
      tell(row, row.endedAt() == null ? settled(row) : notNow.get(), false);
      return true;
    }
    if (asked == limits.most) {
      return false;
    }
    asked++;
    workers.begin(() -> tell(row, settled(row), false));
    return true;
  }

  private void adoptOrphans() {
    Filter sent = Filter.in(State.SENT);
    long after = 0;
    while (!workers.isStopped()) {
      List<Row> page = view.page(sent, after, LedgerView.MAX_PAGE);
      if (page.isEmpty()) {
        return;
      }
      page.forEach(row -> tell(row, settled(row), false));
      after = page.get(page.size() - 1).seq();
    }
  }

  private void tellLeft(long left) {
    if (left > 0) {
      results.count("left", left);
      results.trouble(
          Exit.UNKNOWN,
          "rows left because of --limit, all of them UNKNOWN or named: "
              + left
              + "; run resolve again");
    }
  }

  /** The named rows, each on its own. */
  void each(Set<Guid> named) throws InterruptedException {
    try (workers) {
      long left = 0;
      for (Guid guid : named) {
        Optional<Row> row = view.find(guid, false);
        if (row.isEmpty()) {
          absent(guid);
        } else if (asked == limits.most) {
          left++;
        } else {
          asked++;
          workers.begin(() -> tell(row.get(), settled(row.get()), true));
        }
      }
      workers.finish();
      tellLeft(left);
    }
    tellTrust();
  }

  /** Has {@code by} settle the named rows by hand. */
  void each(Set<Guid> named, ByHand by) {
    for (Guid guid : named) {
      if (isStopped()) {
        return;
      }
      view.find(guid, false)
          .ifPresentOrElse(row -> tell(row, by.settle(ledger, row), true), () -> absent(guid));
    }
  }

  /** What an operator makes of a row. */
  interface ByHand {
    /**
     * Settles {@code row}.
     *
     * @param ledger where, or empty if only to say what would come of it
     */
    Resolved settle(Optional<Ledger> ledger, Row row);
  }

  private void absent(Guid guid) {
    String detail =
        view.tombstone(guid).isPresent()
            ? "finished earlier and was purged; there is nothing to settle"
            : "is not in this ledger; nothing is known of it";
    results.count("no_such_guid");
    results.row(Table.RESULTS, new Table.Result(guid, "no_such_guid", null, null, null, detail));
    results.trouble(Exit.NO_SUCH_GUID, guid + " " + detail);
  }

  private boolean isStopped() {
    return workers.isStopped();
  }

  private Resolved settled(Row row) {
    return ledger.isPresent()
        ? resolution.resolve(ledger.get(), actor, row)
        : resolution.foresee(row);
  }

  private void tell(Row row, Resolved resolved, boolean named) {
    Guid guid = row.guid();
    if (resolved.orphan()) {
      results.count("orphans");
    }
    // In a bulk run an orphan is met again, as an UNKNOWN row; what was settled meanwhile is no
    // row of this run.
    if (named || !(resolved.orphan() || resolved.result() == Result.SETTLED)) {
      results.count(word(resolved.result()));
    }
    boolean shown =
        switch (resolved.result()) {
          case DONE, FAILED -> true;
          case INCONCLUSIVE, ELSEWHERE -> {
            results.trouble(Exit.UNKNOWN, guid + " stays UNKNOWN: " + resolved.why());
            yield true;
          }
          case TOO_YOUNG -> {
            if (named) {
              results.trouble(Exit.UNKNOWN, guid + " is not asked about yet: " + resolved.why());
            }
            yield named || resolved.orphan();
          }
          case HELD -> {
            if (named) {
              results.trouble(Exit.IN_PROGRESS, guid + " was left alone: " + resolved.why());
            }
            yield named;
          }
          case SETTLED, CONTRADICTED -> {
            if (named) {
              results.trouble(Exit.CONFLICT, guid + " was not settled: " + resolved.why());
            }
            yield named;
          }
        };
    results.advance(1);
    if (shown) {
      Row now = view.find(guid, false).orElse(row);
      results.row(
          Table.RESULTS,
          new Table.Result(
              guid,
              word(resolved.result()),
              now.state(),
              now.code(),
              now.attempt(),
              resolved.why()));
    }
    if (inquirer.outagesInARow() >= limits.stopAfter && outage.compareAndSet(false, true)) {
      workers.stop();
      results.trouble(
          Exit.UNAVAILABLE,
          "the account system did not answer "
              + limits.stopAfter
              + " inquiries in a row; the run stopped, rows not asked about stay UNKNOWN; run"
              + " resolve again when it is back");
    }
  }

  /** The word for {@code result}, which in a dry run has not come about. */
  private String word(Result result) {
    return switch (result) {
      case DONE, FAILED -> (ledger.isEmpty() ? "would_be_" : "") + lower(result);
      case SETTLED -> "wrong_state";
      case INCONCLUSIVE, TOO_YOUNG, ELSEWHERE, HELD, CONTRADICTED -> lower(result);
    };
  }

  private static String lower(Result result) {
    return result.name().toLowerCase(Locale.ROOT);
  }

  private void tellTrust() {
    if (inquirer.isUntrusted()) {
      results.trouble(Exit.UNTRUSTED, Inquirer.UNTRUSTED);
    }
    if (inquirer.isUnproved()) {
      results.note(Inquirer.UNPROVED);
    }
  }
}
