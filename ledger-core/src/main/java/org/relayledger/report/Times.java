package org.relayledger.report;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.stream.IntStream;

/** How times are written everywhere: UTC with milliseconds. */
public final class Times {
  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final String[] MILLIS =
      IntStream.range(0, 1000)
          .mapToObj(millis -> String.format(Locale.ROOT, ".%03dZ", millis))
          .toArray(String[]::new);

  /** The second written last: one time follows the other in what is listed. */
  private static volatile Second last;

  private record Second(long epoch, String text) {}

  private Times() {}

  /** How long {@code millis} are, to two units: {@code 0.382s}, {@code 3m 2s}, {@code 2d 5h}. */
  public static String span(long millis) {
    if (millis < 0) {
      return "-" + span(-millis);
    }
    Duration time = Duration.ofMillis(millis);
    if (time.toMinutes() == 0) {
      return String.format(Locale.ROOT, "%d.%03ds", time.toSecondsPart(), time.toMillisPart());
    }
    return time.toHours() == 0
        ? time.toMinutesPart() + "m " + time.toSecondsPart() + "s"
        : time.toDays() == 0
            ? time.toHoursPart() + "h " + time.toMinutesPart() + "m"
            : time.toDays() + "d " + time.toHoursPart() + "h";
  }

  /** {@code epochMillis} as {@code 2026-01-31T03:00:00.123Z}. */
  public static String format(long epochMillis) {
    long second = Math.floorDiv(epochMillis, 1000L);
    Second known = last;
    if (known == null || known.epoch != second) {
      known = new Second(second, SECOND.format(Instant.ofEpochSecond(second)));
      last = known;
    }
    int millis = (int) Math.floorMod(epochMillis, 1000L);
    return known.text + MILLIS[millis];
  }
}
