package org.relayledger.ledger;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread that writes: it drains a bounded queue into one transaction at a time, so that all
 * who wait share one fsync, and tells each caller only after the COMMIT.
 */
final class Writer {
  static final int MAX_QUEUE = 8_192;
  static final int MAX_GROUP = 512;

  private static final int CHECKPOINT_PAGES = 2_000;

  /**
   * Of what a checkpoint answers: whether another one was at work, how many pages the log has, and
   * how many of them are in the main file.
   */
  private static final int BUSY = 0;

  private static final int LOGGED = 1;

  private static final int DONE = 2;

  /**
   * How often the write lock is tried. SQLite's own waiting sleeps for up to 100 ms, and comes late
   * again and again beside somebody who writes much.
   */
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** What to do in the transaction; it may run twice, and only what is committed counts. */
  interface Work<T> {
    T run(Session session) throws SQLException;
  }

  /** What becomes of a job while somebody else has the write lock. */
  enum Patience {
    /** Given up: nothing was begun, the caller may come again. */
    CLAIM,
    /** Tried until it is written: what happened has to be told. */
    SETTLEMENT
  }

  private static final class Job<T> {
    final Work<T> work;
    final Patience patience;
    final CompletableFuture<T> done = new CompletableFuture<>();
    private T result;

    Job(Work<T> work, Patience patience) {
      this.work = work;
      this.patience = patience;
    }

    void run(Session session) throws SQLException {
      result = work.run(session);
    }

    void succeed() {
      done.complete(result);
    }
  }

  private final Session session;
  private final Health health;
  private final ClaimBytes bytes;
  private final Intact files;
  private final BlockingQueue<Job<?>> queue = new ArrayBlockingQueue<>(MAX_QUEUE);
  private final Thread thread = new Thread(this::run, "ledger-writer");
  private volatile boolean closing;

  /** Whether to checkpoint after the next transaction, however little there is. */
  private volatile boolean wanted;

  /** How many transactions there are. */
  private long transactions;

  /** How many rows this session had changed before the present transaction. */
  private long changes;

  /** Wakes the thread when there is nothing else to write; never run. */
  private final Job<?> wake = new Job<>(session -> null, Patience.CLAIM);

  /** Set before the thread fails what is queued for the last time: who queues later sees it. */
  private volatile boolean gone;

  /**
   * @param bytes keeps how far the ledger has come
   * @param files those that {@code session} writes to
   */
  Writer(Session session, Health health, ClaimBytes bytes, Intact files) {
    this.session = session;
    this.health = health;
    this.bytes = bytes;
    this.files = files;
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Runs {@code work} and returns its result once that is durable.
   *
   * @throws LedgerException BUSY if a claim found the ledger locked or the queue full, HALTED if it
   *     is unknown whether the work is there
   */
  <T> T write(Work<T> work, Patience patience) {
    Job<T> job = new Job<>(work, patience);
    health.check();
    if (patience == Patience.SETTLEMENT) {
      put(job);
    } else if (!queue.offer(job)) {
      throw new LedgerException(
          LedgerException.Kind.BUSY, MAX_QUEUE + " moves wait for the ledger already");
    }
    if (gone) {
      failQueued(); // nobody has seen this job, or will
    }
    try {
      return job.done.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof LedgerException known) {
        throw new LedgerException(known.kind(), known.getMessage(), known);
      }
      throw e;
    }
  }

  /** Runs {@code work} some time, or never if the queue is full or the ledger halts. */
  void offer(Work<?> work) {
    if (health.halted().isEmpty()) {
      queue.offer(new Job<>(work, Patience.CLAIM));
    }
  }

  private void put(Job<?> job) {
    boolean interrupted = false;
    while (true) {
      try {
        queue.put(job);
        break;
      } catch (InterruptedException e) {
        interrupted = true; // a settlement is not given up for an interrupt
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Writes what is queued, then closes the connection; of a ledger that has halted, neither. */
  void close() {
    closing = true;
    queue.offer(wake);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    ArrayDeque<Job<?>> waiting = new ArrayDeque<>();
    try {
      while (!closing || !queue.isEmpty() || !waiting.isEmpty()) {
        if (waiting.isEmpty()) {
          waiting.add(queue.take());
        }
        queue.drainTo(waiting, MAX_GROUP - waiting.size());
        health.check();
        waiting.remove(wake);
        if (!waiting.isEmpty()) {
          write(waiting);
        }
      }
      health.check();
      session.close();
      gone = true;
      failQueued();
    } catch (SQLException | InterruptedException | RuntimeException | Error e) {
      // The connection is left as it is: closing it would touch the disk that has just failed.
      LedgerException why = health.halt("the ledger stopped: " + Sqlite.reason(e), e);
      waiting.forEach(job -> job.done.completeExceptionally(why));
      gone = true;
      failQueued();
    }
  }

  private void failQueued() {
    LedgerException why =
        new LedgerException(
            LedgerException.Kind.HALTED, health.halted().orElse("the ledger is closed"));
    for (Job<?> job = queue.poll(); job != null; job = queue.poll()) {
      job.done.completeExceptionally(why);
    }
  }

  /** Writes {@code jobs}; those that are left found the ledger locked and are settlements. */
  private void write(ArrayDeque<Job<?>> jobs) throws SQLException {
    if (!begin(jobs)) {
      return;
    }
    Exception refused = null;
    for (Job<?> job : jobs) {
      try {
        job.run(session);
      } catch (SQLException e) {
        if (Sqlite.fatal(e)) {
          throw e;
        }
        refused = e;
        break;
      } catch (RuntimeException e) {
        refused = e;
        break;
      }
    }
    if (refused == null) {
      if (session.changes() == changes) {
        session.commit(); // of nothing
      } else {
        transactions++;
        Sqlite.number(session, transactions);
        session.commit();
        // Before anybody acts on it: if it is lost after that, whoever comes next misses it.
        bytes.raise(transactions);
      }
      files.check(); // else it was committed to what nobody will ever open again
      jobs.forEach(Job::succeed);
      jobs.clear();
      int pages = wanted ? 1 : CHECKPOINT_PAGES;
      wanted = false;
      checkpoint(pages);
      return;
    }
    session.rollback();
    if (jobs.size() == 1) {
      jobs.remove().done.completeExceptionally(refused);
      return;
    }
    // One job cannot be written: each gets a transaction of its own, so that no neighbour fails.
    for (Job<?> job : List.copyOf(jobs)) {
      ArrayDeque<Job<?>> alone = new ArrayDeque<>(List.of(job));
      write(alone);
      if (alone.isEmpty()) {
        jobs.remove(job);
      }
    }
  }

  /**
   * Brings the write-ahead log into the main file if it has {@code pages} or more that are not
   * there yet, and takes down how far the main file has come, before its log is begun anew.
   */
  private void checkpoint(int pages) throws SQLException {
    int[] before = session.integers("PRAGMA wal_checkpoint(NOOP)");
    if (before[LOGGED] - before[DONE] < pages) {
      return;
    }
    try {
      int[] after = session.integers("PRAGMA wal_checkpoint(PASSIVE)");
      if (after[BUSY] == 0 && after[LOGGED] == after[DONE]) {
        bytes.raiseCheckpointed(transactions);
      }
    } catch (SQLException e) {
      if (!Sqlite.full(e)) {
        throw e;
      }
      // All is in the log, and stays there as long as there is no room for it elsewhere.
    }
  }

  /** Copies what it can from the write-ahead log into the main file, waiting for nobody. */
  void checkpoint() {
    wanted = true;
    Object unused = write(nothing -> null, Patience.SETTLEMENT);
  }

  /** Nothing was begun, because of somebody else's lock. */
  static LedgerException busy() {
    return new LedgerException(
        LedgerException.Kind.BUSY,
        "the ledger was locked by somebody else for "
            + Sqlite.BUSY_TIMEOUT_MILLIS / 1000
            + " s; nothing was begun; try again");
  }

  private boolean beginNow() throws SQLException {
    try {
      session.begin();
      return true;
    } catch (SQLException e) {
      if (Sqlite.busy(e)) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Begins a transaction on a ledger of the version known here. If somebody else has the lock,
   * nothing is begun: claims are answered so and leave {@code jobs}.
   */
  private boolean begin(ArrayDeque<Job<?>> jobs) throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Sqlite.BUSY_TIMEOUT_MILLIS);
    while (!beginNow()) {
      if (System.nanoTime() - deadline > 0) {
        jobs.removeIf(
            job -> job.patience == Patience.CLAIM && job.done.completeExceptionally(busy()));
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    try {
      Sqlite.checkVersion(session);
      changes = session.changes();
      transactions = Sqlite.transactions(session);
      Intact.checkWhole(transactions, bytes.highWater());
      files.check();
    } catch (LedgerException e) {
      session.rollback();
      throw e;
    }
    return true;
  }
}
