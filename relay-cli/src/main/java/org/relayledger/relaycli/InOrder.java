package org.relayledger.relaycli;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Hands on what becomes ready in any order in the order of its places, and keeps little of it. Safe
 * for many threads.
 */
final class InOrder<T> {
  /** The most places that are taken and not handed on. */
  static final int MAX_WAITING = 1_024;

  /** The size of what is ready and waits for others, beyond which no more places are given. */
  static final long MAX_SIZE = 16 << 20;

  /** A place in the order. */
  static final class Place<T> {
    private T item;
    private long size;
  }

  private final Consumer<T> next;
  private final Runnable idle;
  private final ArrayDeque<Place<T>> places = new ArrayDeque<>();
  private long size;

  /**
   * @param next gets each item
   * @param idle runs whenever there is nothing to wait for
   */
  InOrder(Consumer<T> next, Runnable idle) {
    this.next = next;
    this.idle = idle;
  }

  /** Takes the next place; waits while too much waits already. */
  synchronized Place<T> place() throws InterruptedException {
    while (places.size() >= MAX_WAITING || size > MAX_SIZE) {
      wait();
    }
    Place<T> place = new Place<>();
    places.add(place);
    return place;
  }

  /** Fills {@code place}, once; {@code size} is about that of {@code item} in memory. */
  synchronized void fill(Place<T> place, T item, long size) {
    place.item = item;
    place.size = size;
    this.size += size;
    while (!places.isEmpty() && places.peek().item != null) {
      Place<T> first = places.poll();
      this.size -= first.size;
      next.accept(first.item);
    }
    if (places.isEmpty()) {
      idle.run();
    }
    notifyAll();
  }
}
