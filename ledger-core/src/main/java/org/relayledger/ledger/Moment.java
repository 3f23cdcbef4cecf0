package org.relayledger.ledger;

import java.time.Duration;

/**
 * A point in time, as the clocks of a host showed it.
 *
 * @param at the wall clock, in epoch milliseconds
 * @param boot which boot of the host it was
 * @param uptime how long that boot had lasted, in milliseconds
 */
public record Moment(long at, String boot, long uptime) {
  /** Now. */
  public static Moment now(HostClock clock) {
    return new Moment(clock.millis(), clock.boot(), clock.uptimeMillis());
  }

  /**
   * How long ago it was, to the millisecond: the smallest of what the wall clock, this boot's
   * uptime and, after a restart, nothing but the time since it say. A clock set forward makes
   * nothing older; negative if it was set back behind this moment.
   */
  public Duration age(HostClock clock) {
    long up = clock.uptimeMillis() - (clock.boot().equals(boot) ? uptime : 0);
    return Duration.ofMillis(Math.min(clock.millis() - at, up));
  }
}
