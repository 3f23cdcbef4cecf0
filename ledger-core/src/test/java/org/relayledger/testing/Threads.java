package org.relayledger.testing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * A thread for each thing that happens at the same time: the common pool has as few as one, and
 * then the second waits for the first.
 */
public final class Threads {
  private static final ExecutorService POOL =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "test");
            thread.setDaemon(true);
            return thread;
          });

  private Threads() {}

  /** What {@code call} returns, once it has. */
  public static <T> CompletableFuture<T> supply(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, POOL);
  }

  /** Done when {@code call} is. */
  public static CompletableFuture<Void> run(Runnable call) {
    return CompletableFuture.runAsync(call, POOL);
  }
}
