package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.relayledger.testing.SteppedClock;

class RowAgeTest {
  private final SteppedClock clock = new SteppedClock();
  private final Row row = ended(clock.millis(), clock.boot(), clock.uptimeMillis());

  static Row ended(Long at, String boot, Long uptime) {
    return new Row(
        1,
        new Guid("g"),
        null,
        "http://x",
        State.UNKNOWN,
        "E901",
        1,
        null,
        null,
        null,
        null,
        null,
        null,
        0,
        0L,
        at,
        null,
        0,
        null,
        null,
        null,
        boot,
        uptime,
        null,
        null);
  }

  @Test
  void onAHostThatJustRunsItIsTheTimeSinceTheExchangeEnded() {
    clock.advance(Duration.ofMinutes(7));
    assertThat(row.age(clock)).isEqualTo(Duration.ofMinutes(7));
  }

  @Test
  void aWallClockSetForwardMakesNothingOlder() {
    clock.advance(Duration.ofMinutes(7));
    clock.step(Duration.ofDays(365));
    assertThat(row.age(clock)).isEqualTo(Duration.ofMinutes(7));
  }

  @Test
  void aWallClockSetBackMakesItYoungerThanNothing() {
    clock.advance(Duration.ofMinutes(7));
    clock.step(Duration.ofDays(-1));
    assertThat(row.age(clock)).isNegative();
  }

  @Test
  void afterARestartOnlyTheTimeSinceThenCountsHoweverLongTheHostWasDown() {
    clock.reboot(Duration.ofDays(30));
    assertThat(row.age(clock)).isZero();
    clock.advance(Duration.ofMinutes(3));
    assertThat(row.age(clock)).isEqualTo(Duration.ofMinutes(3));
  }

  @Test
  void afterARestartWithTheClockSetBackTheWallClockCounts() {
    clock.reboot(Duration.ofDays(-1));
    clock.advance(Duration.ofHours(1));
    assertThat(row.age(clock)).isNegative();
  }

  @Test
  void anExchangeWithoutARecordedEndHasNoAge() {
    Row open = ended(null, null, null);
    clock.advance(Duration.ofDays(365));
    assertThat(open.age(clock)).isZero();
  }
}
