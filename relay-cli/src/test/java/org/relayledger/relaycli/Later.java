package org.relayledger.relaycli;

import java.time.Duration;
import java.time.Instant;
import org.relayledger.ledger.HostClock;

/** This host's clocks, as they will be after {@code time} has gone by. */
record Later(Duration time) implements HostClock {
  private static final HostClock NOW = HostClock.system();

  @Override
  public Instant instant() {
    return NOW.instant().plus(time);
  }

  @Override
  public String boot() {
    return NOW.boot();
  }

  @Override
  public long uptimeMillis() {
    return NOW.uptimeMillis() + time.toMillis();
  }
}
