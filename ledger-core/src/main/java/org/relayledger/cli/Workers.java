package org.relayledger.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A bounded number of threads that work on one row each, at a limited rate, until told to stop. */
public final class Workers implements AutoCloseable {
  /** The most threads. */
  public static final int MAX_CONCURRENCY = 256;

  /** What is done to one row. */
  public interface Work {
    /** Does it. */
    void run() throws InterruptedException;
  }

  private final int concurrency;
  private final Duration gap;
  private final Semaphore free;
  private final ExecutorService threads;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private long next = System.nanoTime();

  /**
   * @param concurrency how many rows are worked on at once, at most {@value #MAX_CONCURRENCY}
   * @param gap the least time between two beginnings
   */
  public Workers(int concurrency, Duration gap) {
    if (concurrency > MAX_CONCURRENCY) {
      throw new Failure(Exit.USAGE, "--concurrency is at most " + MAX_CONCURRENCY);
    }
    this.concurrency = concurrency;
    this.gap = gap;
    this.free = new Semaphore(concurrency);
    this.threads = Executors.newFixedThreadPool(concurrency);
  }

  /** Nothing new is begun from now on; may be called from any thread. */
  public void stop() {
    stopped.countDown();
  }

  /** Whether nothing new is begun any more. */
  public boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /**
   * Begins {@code work} when a thread is free and the rate allows it; not after a stop. One thread
   * only calls this.
   *
   * @return whether it is begun
   */
  public boolean begin(Work work) throws InterruptedException {
    boolean cut = stopped.await(next - System.nanoTime(), TimeUnit.NANOSECONDS);
    free.acquire();
    if (cut || isStopped()) {
      free.release();
      return false;
    }
    next = System.nanoTime() + gap.toNanos();
    threads.execute(
        () -> {
          try {
            work.run();
          } catch (InterruptedException | RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            stop();
          } finally {
            free.release();
          }
        });
    return true;
  }

  /** Waits until all that was begun is done; throws what the first that failed threw. */
  public void finish() throws InterruptedException {
    free.acquire(concurrency);
    free.release(concurrency);
    Throwable thrown = failure.get();
    if (thrown instanceof RuntimeException e) {
      throw e;
    }
    if (thrown instanceof Error e) {
      throw e;
    }
    if (thrown instanceof InterruptedException e) {
      throw e;
    }
  }

  /** Lets the threads go; what they have begun goes on. */
  @Override
  public void close() {
    stop();
    threads.shutdown();
  }
}
