package org.relayledger.relaycli;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory the bodies of all requests together may take: many large ones at once must not
 * take it from everybody. May be used from any thread.
 */
final class HubRoom {
  private final AtomicLong left;

  /** Begins with {@code bytes}, all of them free. */
  HubRoom(long bytes) {
    left = new AtomicLong(bytes);
  }

  /** Takes {@code bytes}, if there are as many. */
  boolean take(long bytes) {
    long rest = left.get();
    while (rest >= bytes) {
      if (left.compareAndSet(rest, rest - bytes)) {
        return true;
      }
      rest = left.get();
    }
    return false;
  }

  /** Gives back what was taken. */
  void free(long bytes) {
    left.addAndGet(bytes);
  }
}
