package org.relayledger.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real code in every order that two programs can have. */
class SchedulePairsTest {
  @Test
  @Tag("long")
  void noTwoDeedsDoHarmWhereverTheFirstStandsStill(@TempDir Path folder) throws Exception {
    try (Schedules schedules = new Schedules(folder)) {
      int count = Pairs.run(schedules, ScheduleTest.QUICK_PAIRS, Pairs.COUNT);
      System.out.println(count + " schedules of two");
      assertThat(count).isGreaterThan(10_000);
    }
  }
}
