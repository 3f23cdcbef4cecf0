package org.relayledger.cli;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A rate as options spell it, {@code 5/s}, {@code 100/m} or {@code 30/h}: the gap that it leaves.
 */
public final class Rate implements ITypeConverter<Duration> {
  private static final Pattern RATE = Pattern.compile("([1-9][0-9]{0,5})/([smh])");
  private static final Map<String, Duration> UNITS =
      Map.of("s", Duration.ofSeconds(1), "m", Duration.ofMinutes(1), "h", Duration.ofHours(1));

  /**
   * The time between two beginnings at the rate that {@code text} spells.
   *
   * @throws TypeConversionException if it spells none; the message says why
   */
  @Override
  public Duration convert(String text) {
    Matcher rate = RATE.matcher(text);
    if (!rate.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a rate: write a whole number and a unit, as 5/s, 100/m, 30/h");
    }
    return UNITS.get(rate.group(2)).dividedBy(Long.parseLong(rate.group(1)));
  }
}
