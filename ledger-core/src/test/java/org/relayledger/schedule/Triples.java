package org.relayledger.schedule;

import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Schedules of three programs, drawn by a seed. */
final class Triples {
  private static final int PROGRAMS = 3;

  private Triples() {}

  /**
   * Runs the schedules of the seeds from {@code from} up to {@code to}.
   *
   * @return how many that was
   */
  static int run(Schedules schedules, long from, long to) {
    for (long seed = from; seed < to; seed++) {
      run(schedules, seed);
    }
    return (int) (to - from);
  }

  private static void run(Schedules schedules, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Schedules.Plan plan =
        new Schedules.Plan(
            one(random, Beginning.values()),
            random.nextBoolean(),
            random.nextInt(4) == 0,
            Stream.generate(() -> one(random, Deed.values())).limit(PROGRAMS).toList());
    schedules.run(
        "triple-" + seed,
        plan,
        possible -> Optional.of(possible.get(random.nextInt(possible.size()))));
  }

  private static <T> T one(SplittableRandom random, T[] values) {
    return values[random.nextInt(values.length)];
  }
}
