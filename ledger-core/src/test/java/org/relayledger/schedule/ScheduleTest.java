package org.relayledger.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.ledger.Step;

/**
 * The real code in many orders that two or three programs can have. A failure tells the seed;
 * {@code -Dseed=…} runs that one alone.
 */
class ScheduleTest {
  /** The pairs of every build. */
  static final int QUICK_PAIRS = 48;

  private static final int QUICK_SEEDS = 240;
  private static final int ALL_SEEDS = 900;

  @TempDir static Path folder;
  private static Schedules schedules;

  @BeforeAll
  static void open() throws Exception {
    schedules = new Schedules(folder);
  }

  @AfterAll
  static void close() {
    schedules.close();
  }

  /** Some of all, as many as every build has the time for. */
  static int some(Schedules schedules) {
    int count = Pairs.run(schedules, 0, QUICK_PAIRS);
    return count + Triples.run(schedules, 0, QUICK_SEEDS);
  }

  @Test
  void noneOfFiveHundredSchedulesDoesAnyHarmAndNoStepIsLeftOut() {
    if (System.getProperty("seed") != null) {
      long seed = Long.getLong("seed");
      int unused = Triples.run(schedules, seed, seed + 1);
      return;
    }
    int count = some(schedules);
    System.out.println(count + " schedules");
    assertThat(count).isGreaterThanOrEqualTo(500);
    Set<Step> ofOneRow = EnumSet.range(Step.BYTE_TAKEN, Step.PURGE_COMMITTED);
    ofOneRow.remove(Step.ARCHIVED);
    assertThat(schedules.stoodAt()).containsAll(ofOneRow);
  }

  @Test
  @Tag("long")
  void noneOfManySchedulesOfThreeDoesAnyHarm() {
    int count = Triples.run(schedules, QUICK_SEEDS, ALL_SEEDS);
    System.out.println(count + " schedules of three");
  }
}
