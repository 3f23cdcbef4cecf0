package org.relayledger.ledger;

import java.time.Duration;

/** How old a row is: how long ago the exchange of its last attempt ended. */
public final class Age {
  private Age() {}

  /**
   * The age of {@code row}, to the millisecond: the smallest of what the wall clock, this boot's
   * uptime and, after a restart, nothing but the time since it say. Zero while its exchange has no
   * recorded end; negative if the wall clock was set back behind it.
   */
  public static Duration of(Row row, HostClock clock) {
    if (row.endedAt() == null) {
      return Duration.ZERO;
    }
    long wall = clock.millis() - row.endedAt();
    boolean sameBoot = clock.boot().equals(row.endedBoot());
    long uptime = clock.uptimeMillis() - (sameBoot ? row.endedUptime() : 0);
    return Duration.ofMillis(Math.min(wall, uptime));
  }
}
