package org.relayledger.testing;

import java.time.Duration;
import java.time.Instant;
import org.relayledger.ledger.HostClock;

/** The clocks of a host that stand still until a test moves them. */
public final class SteppedClock implements HostClock {
  private long wall = Instant.parse("2026-01-31T03:00:00.123Z").toEpochMilli();
  private long uptime = Duration.ofDays(3).toMillis();
  private int boots = 1;

  @Override
  public synchronized Instant instant() {
    return Instant.ofEpochMilli(wall);
  }

  @Override
  public synchronized long millis() {
    return wall;
  }

  @Override
  public synchronized String boot() {
    return "boot-" + boots;
  }

  @Override
  public synchronized long uptimeMillis() {
    return uptime;
  }

  /** Lets {@code time} pass on all clocks. */
  public synchronized void advance(Duration time) {
    wall += time.toMillis();
    uptime += time.toMillis();
  }

  /** Sets the wall clock forward, or back if {@code by} is negative; no time passes. */
  public synchronized void step(Duration by) {
    wall += by.toMillis();
  }

  /** Restarts the host, which is down for {@code down}. */
  public synchronized void reboot(Duration down) {
    wall += down.toMillis();
    uptime = 0;
    boots++;
  }
}
