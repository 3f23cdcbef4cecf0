package org.relayledger.relaycli;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.relayledger.cli.Durations;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import picocli.CommandLine.TypeConversionException;

/** Points in time as options spell them; the same in every time zone. */
final class Moments {
  /** A half-open span of time in epoch milliseconds; null has no bound. */
  record Span(Long since, Long until) {
    /**
     * @throws Failure if nothing lies between them (exit 2)
     */
    Span {
      if (since != null && until != null && until <= since) {
        throw new Failure(Exit.USAGE, "no time is both before its end and at or after --since");
      }
    }
  }

  private Moments() {}

  /**
   * What the option of that name spells, in epoch milliseconds; null if it is not given.
   *
   * @throws Failure if it is no time (exit 2)
   */
  static Long option(String option, String text, InstantSource clock) {
    try {
      return text == null ? null : parse(text, clock.instant()).toEpochMilli();
    } catch (IllegalArgumentException e) {
      throw new Failure(
          Exit.USAGE,
          "'"
              + text
              + "' is no time for "
              + option
              + ": write 2h, 2026-01-31, or 2026-01-31T03:00:00+01:00");
    }
  }

  /**
   * {@code 2h} before {@code now}, the start of a date in UTC, or a time with its offset.
   *
   * @throws IllegalArgumentException if it is none of them
   */
  static Instant parse(String text, Instant now) {
    try {
      if (text.matches("[0-9]+[a-z]+")) {
        return now.minus(new Durations().convert(text));
      }
      return text.contains("T")
          ? OffsetDateTime.parse(text).toInstant()
          : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
    } catch (DateTimeException | TypeConversionException | ArithmeticException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
