package org.relayledger.cli;

import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Durations as options spell them: a whole number and one of the units {@code ms s m h d}, more
 * than zero and at most {@value #LONGEST_DAYS} days.
 */
public final class Durations implements ITypeConverter<Duration> {
  /** The longest duration, in days: a century, so that it fits in a long even as nanoseconds. */
  public static final long LONGEST_DAYS = 36_500;

  private enum Unit {
    D(86_400_000),
    H(3_600_000),
    M(60_000),
    S(1_000),
    MS(1);

    private final long millis;

    Unit(long millis) {
      this.millis = millis;
    }

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The duration that {@code text} spells.
   *
   * @throws TypeConversionException if it spells none; the message says why
   */
  @Override
  public Duration convert(String text) {
    int digits = 0;
    while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
      digits++;
    }
    if (digits == 0 && text.length() > 1 && text.charAt(0) == '-') {
      throw new TypeConversionException("'" + text + "' is negative");
    }
    if (digits > 0 && digits == text.length()) {
      throw new TypeConversionException(
          "'" + text + "' has no unit: write " + text + "s for seconds, or ms, m, h, d");
    }
    for (Unit unit : Unit.values()) {
      if (digits > 0 && text.substring(digits).equals(unit.word())) {
        return duration(text, text.substring(0, digits), unit);
      }
    }
    throw new TypeConversionException(
        "'"
            + text
            + "' is not a duration: write a whole number and a unit, as 500ms, 30s, 15m, 7d");
  }

  private static Duration duration(String text, String number, Unit unit) {
    long millis;
    try {
      millis = Math.multiplyExact(Long.parseLong(number), unit.millis);
    } catch (NumberFormatException | ArithmeticException e) {
      millis = Long.MAX_VALUE;
    }
    if (millis == 0) {
      throw new TypeConversionException("'" + text + "' is zero");
    }
    if (millis > LONGEST_DAYS * Unit.D.millis) {
      throw new TypeConversionException("'" + text + "' is longer than " + LONGEST_DAYS + "d");
    }
    return Duration.ofMillis(millis);
  }

  /** As options spell it, in the largest unit that divides it; fractions of 1 ms are dropped. */
  public static String text(Duration duration) {
    long millis = duration.toMillis();
    for (Unit unit : Unit.values()) {
      if (millis >= unit.millis && millis % unit.millis == 0) {
        return millis / unit.millis + unit.word();
      }
    }
    return millis + "ms";
  }
}
