package org.relayledger.ledger;

import java.time.Duration;
import java.util.Locale;

/**
 * What {@code relay init} fixes for a ledger.
 *
 * @param id the ledger's random identity, also in its claims file
 * @param mode how claims are made
 * @param maxProcessing the account system's longest time from the last byte sent to booked
 * @param resendWindow how long after the first send a channel may still re-send
 * @param asksSince when the mode ask-first began the last time, or null if it never has
 */
public record Settings(
    String id, Mode mode, Duration maxProcessing, Duration resendWindow, Moment asksSince) {
  /** Those of a ledger to be. */
  public Settings(String id, Mode mode, Duration maxProcessing, Duration resendWindow) {
    this(id, mode, maxProcessing, resendWindow, null);
  }

  /** How long the kernel may still deliver what a dead sender had written, at the longest. */
  private static final Duration RETRANSMISSION = Duration.ofMinutes(2);

  /** How old an UNKNOWN row must be before "no record" is believed, unless told otherwise. */
  public Duration defaultMinAge() {
    return maxProcessing.plus(RETRANSMISSION);
  }

  /**
   * How long an exchange stays open whose channel waits for {@code timeout}: the account system may
   * need longer, and its late reply still settles the row.
   */
  public Duration openFor(Duration timeout) {
    return timeout.compareTo(maxProcessing) > 0 ? timeout : maxProcessing;
  }

  /** How claims are made. */
  public enum Mode {
    NORMAL,
    HOLD,
    ASK_FIRST;

    /** As options and the ledger spell it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The mode that {@code word} spells.
     *
     * @throws IllegalArgumentException if no mode is spelled so
     */
    public static Mode of(String word) {
      for (Mode mode : values()) {
        if (mode.word().equals(word)) {
          return mode;
        }
      }
      throw new IllegalArgumentException("no mode '" + word + "'");
    }
  }
}
