package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.relayledger.testing.SteppedClock;

/** How old a row is, whatever the clocks of its host go through. */
final class RowAgePropertyTest {
  /** What clocks go through; only {@code PASS} makes anything older. */
  private enum Event {
    PASS,
    STEP,
    REBOOT
  }

  private record Change(Event event, Duration by) {
    void happen(SteppedClock clock) {
      switch (event) {
        case PASS -> clock.advance(by.abs());
        case STEP -> clock.step(by);
        case REBOOT -> clock.reboot(by);
      }
    }
  }

  @Provide
  Arbitrary<List<Change>> histories() {
    Arbitrary<Event> events =
        Arbitraries.frequency(
            Tuple.of(4, Event.PASS), Tuple.of(2, Event.STEP), Tuple.of(1, Event.REBOOT));
    Arbitrary<Duration> spans =
        Arbitraries.longs().between(-1_000_000, 1_000_000).map(Duration::ofMillis);
    return Combinators.combine(events, spans).as(Change::new).list().ofMaxSize(12);
  }

  private static Row ended(SteppedClock clock) {
    return RowAgeTest.ended(clock.millis(), clock.boot(), clock.uptimeMillis());
  }

  @Property(seed = "21")
  void theAgeOfARowIsTheSmallestOfTheClocks(
      @ForAll("histories") List<Change> before, @ForAll("histories") List<Change> after) {
    SteppedClock clock = new SteppedClock();
    before.forEach(change -> change.happen(clock));
    Row row = ended(clock);
    long wall = 0;
    long up = 0;
    for (Change change : after) {
      change.happen(clock);
      long by = change.by.toMillis();
      switch (change.event) {
        case PASS -> {
          wall += Math.abs(by);
          up += Math.abs(by);
        }
        case STEP -> wall += by;
        case REBOOT -> {
          wall += by;
          up = 0;
        }
      }
    }
    assertThat(row.age(clock)).isEqualTo(Duration.ofMillis(Math.min(wall, up)));
  }

  @Property(seed = "22")
  void noRowIsOlderThanTheTimeThatReallyPassed(
      @ForAll("histories") List<Change> before, @ForAll("histories") List<Change> after) {
    SteppedClock clock = new SteppedClock();
    before.forEach(change -> change.happen(clock));
    Row row = ended(clock);
    Duration passed = Duration.ZERO;
    for (Change change : after) {
      change.happen(clock);
      passed = change.event == Event.PASS ? passed.plus(change.by.abs()) : passed;
    }
    assertThat(row.age(clock)).isLessThanOrEqualTo(passed);
  }
}
