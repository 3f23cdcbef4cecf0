package org.relayledger.ledger;

import java.time.InstantSource;

/** The three clocks by which a row ages: the wall, this boot's uptime, and which boot this is. */
public interface HostClock extends InstantSource {
  /** The identity of this boot; a new one after every restart of the host. */
  String boot();

  /** Milliseconds since this boot, time suspended included; never set by anybody. */
  long uptimeMillis();

  /** The clocks of this host. */
  static HostClock system() {
    return new SystemClock();
  }
}
