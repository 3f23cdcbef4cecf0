package org.relayledger.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/** Rounds of two or more ways, one after the other, and again: what disturbs one disturbs all. */
public final class Bench {
  private static final int ROUNDS = Integer.getInteger("rounds", 5);

  /** One way to do it, and the figure that a round of it comes to. */
  public record Case(String name, Callable<Double> round) {}

  /** What is done again and again. */
  public interface Deed {
    void run() throws Exception;
  }

  private Bench() {}

  /** Prints the median of each case, and its ratio to the first; a round before does not count. */
  public static void compare(String unit, Case... cases) throws Exception {
    double[][] figures = new double[cases.length][ROUNDS];
    for (int round = -1; round < ROUNDS; round++) {
      for (int i = 0; i < cases.length; i++) {
        double figure = cases[i].round().call();
        if (round >= 0) {
          figures[i][round] = figure;
        }
      }
    }
    for (int i = 0; i < cases.length; i++) {
      double median = median(figures[i]);
      System.out.printf(
          "%-32s %12.1f %s, %.2f x%n", cases[i].name(), median, unit, median / median(figures[0]));
    }
  }

  private static double median(double[] figures) {
    double[] sorted = figures.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** How many deeds a second {@code callers} threads do together, each waiting for its own. */
  public static double perSecond(int callers, Duration time, Deed deed) throws Exception {
    LongAdder done = new LongAdder();
    long start = System.nanoTime();
    long end = start + time.toNanos();
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        all.add(
            threads.submit(
                () -> {
                  while (System.nanoTime() - end < 0) {
                    deed.run();
                    done.increment();
                  }
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    return done.sum() * 1e9 / (System.nanoTime() - start);
  }
}
