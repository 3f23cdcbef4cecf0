package org.relayledger.report;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** How times are written everywhere: UTC with milliseconds. */
public final class Times {
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private Times() {}

  /** {@code epochMillis} as {@code 2026-01-31T03:00:00.123Z}. */
  public static String format(long epochMillis) {
    return FORMAT.format(Instant.ofEpochMilli(epochMillis));
  }
}
