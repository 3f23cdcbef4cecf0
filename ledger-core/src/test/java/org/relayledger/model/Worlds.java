package org.relayledger.model;

import java.util.Arrays;

/** Many worlds, each once, in the order in which they were added, and from which one. */
final class Worlds {
  private long[] first = new long[1 << 16];
  private long[] second = new long[1 << 16];
  private int[] before = new int[1 << 16];
  private int[] table = new int[1 << 18];
  private int count;

  int count() {
    return count;
  }

  long first(int index) {
    return first[index];
  }

  long second(int index) {
    return second[index];
  }

  /** From which world that one was reached, or -1. */
  int before(int index) {
    return before[index];
  }

  /** Adds a world that was reached from the one at {@code from}; false if it is there already. */
  boolean add(long one, long two, int from) {
    int slot = slot(one, two);
    if (table[slot] != 0) {
      return false;
    }
    if (count == first.length) {
      first = Arrays.copyOf(first, count * 2);
      second = Arrays.copyOf(second, count * 2);
      before = Arrays.copyOf(before, count * 2);
    }
    first[count] = one;
    second[count] = two;
    before[count] = from;
    table[slot] = ++count;
    if (count > table.length / 2) {
      table = new int[table.length * 2];
      for (int i = 0; i < count; i++) {
        table[slot(first[i], second[i])] = i + 1;
      }
    }
    return true;
  }

  private int slot(long one, long two) {
    long hash = (one ^ Long.rotateLeft(two, 29)) * 0x9E3779B97F4A7C15L;
    hash ^= hash >>> 32;
    int slot = (int) hash & (table.length - 1);
    while (table[slot] != 0 && !(first[table[slot] - 1] == one && second[table[slot] - 1] == two)) {
      slot = (slot + 1) & (table.length - 1);
    }
    return slot;
  }
}
