package org.relayledger.relaycli;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.relayledger.cli.Durations;
import picocli.CommandLine.TypeConversionException;

/** Points in time as options spell them; the same in every time zone. */
final class Moments {
  private Moments() {}

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
