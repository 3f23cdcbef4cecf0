package org.relayledger.purgecli;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.relayledger.cli.Results;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;

/** One run of purge: page by page, the archive before the deletion. */
final class PurgeRun {
  /** The rows of one transaction: few enough that a claim which waits for it is not late. */
  static final int PAGE = 200;

  /** How long others have the ledger to themselves between two transactions. */
  private static final Duration GAP = Duration.ofMillis(2);

  private final LedgerView view;
  private final long doneBefore;
  private final int most;
  private final Results results;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /**
   * @param doneBefore what became DONE before this time goes, epoch milliseconds
   * @param most how many rows go
   */
  PurgeRun(LedgerView view, long doneBefore, int most, Results results) {
    this.view = view;
    this.doneBefore = doneBefore;
    this.most = most;
    this.results = results;
  }

  /** Begins nothing new; may be called from any thread. */
  void stop() {
    stopped.countDown();
  }

  boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /**
   * Counts what would go.
   *
   * @param finishedBefore the tombstones of what had finished before would go too; empty for none
   */
  void count(Optional<Long> finishedBefore) {
    finishedBefore.ifPresent(
        before -> results.count("would_be_forgotten", view.tombstonesBefore(before)));
    int counted = 0;
    Row last = null;
    while (counted < most) {
      int size = Math.min(LedgerView.MAX_PAGE, most - counted);
      List<Row> page = view.finished(last, doneBefore, size, false);
      if (page.isEmpty()) {
        return;
      }
      counted += page.size();
      results.count("would_be_purged", page.size());
      results.advance(page.size());
      last = page.get(page.size() - 1);
    }
  }

  /** Deletes what is to go; of what is in {@code archive} nothing before it is on the disk. */
  void purge(Ledger ledger, Optional<Archive> archive, Steps steps) throws InterruptedException {
    int gone = 0;
    Row last = null;
    while (gone < most && !isStopped()) {
      int size = Math.min(PAGE, most - gone);
      List<Row> page = view.finished(last, doneBefore, size, archive.isPresent());
      if (page.isEmpty()) {
        return;
      }
      if (archive.isPresent()) {
        archive.get().add(page, view);
        results.count("archived", page.size());
        steps.reached(Step.ARCHIVED, page.get(0).guid());
      }
      int purged = ledger.purge(page, doneBefore);
      results.count("purged", purged);
      results.advance(page.size());
      gone += page.size();
      last = page.get(page.size() - 1);
      boolean unused = stopped.await(GAP.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Deletes the tombstones of what had finished before {@code finishedBefore}. */
  void forget(Ledger ledger, long finishedBefore) {
    int forgotten = PAGE;
    while (forgotten == PAGE && !isStopped()) {
      forgotten = ledger.forget(finishedBefore, PAGE);
      results.count("forgotten", forgotten);
    }
  }
}
