package org.relayledger.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import picocli.CommandLine.TypeConversionException;

/** Durations and rates, as text and as values. */
final class ValuesPropertyTest {
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
  private static final BigInteger LONGEST =
      BigInteger.valueOf(Durations.LONGEST_DAYS).multiply(BigInteger.valueOf(86_400_000));

  private final Durations durations = new Durations();

  @Provide
  Arbitrary<String> units() {
    return Arbitraries.of(MILLIS.keySet().stream().sorted().toList());
  }

  @Provide
  Arbitrary<BigInteger> numbers() {
    return Arbitraries.oneOf(
        Arbitraries.bigIntegers().between(BigInteger.ZERO, BigInteger.valueOf(100_000)),
        Arbitraries.bigIntegers().between(BigInteger.ZERO, LONGEST.add(BigInteger.TEN)),
        Arbitraries.bigIntegers().between(BigInteger.ZERO, BigInteger.ONE.shiftLeft(200)));
  }

  @Property(seed = "31")
  void aWholeNumberAndAUnitAreThatTimeIfItIsMoreThanZeroAndNotTooLong(
      @ForAll("numbers") BigInteger number,
      @ForAll("units") String unit,
      @ForAll @IntRange(max = 3) int zeros) {
    BigInteger millis = number.multiply(BigInteger.valueOf(MILLIS.get(unit)));
    String text = "0".repeat(zeros) + number + unit;
    if (number.signum() == 0) {
      refused(text, "is zero");
    } else if (millis.compareTo(LONGEST) > 0) {
      refused(text, "is longer than");
    } else {
      assertThat(durations.convert(text)).isEqualTo(Duration.ofMillis(millis.longValueExact()));
    }
  }

  @Property(seed = "32")
  void withoutAUnitOrBelowZeroOrWithAnythingAroundItItIsRefused(
      @ForAll("numbers") BigInteger number, @ForAll("units") String unit) {
    refused(number.toString(), "has no unit");
    refused("-" + number + unit, "is negative");
    for (String around : new String[] {" ", "+", ".", ",", "\n", "P"}) {
      refused(around + number + unit, "is not a duration");
      refused(number + around + unit, "is not a duration");
      refused(number + unit + around, "is not a duration");
    }
  }

  @Property(seed = "33")
  void everyTimeIsReadAsItWasWrittenInTheLargestUnitThatDividesIt(
      @ForAll @LongRange(min = 1, max = Durations.LONGEST_DAYS * 86_400_000) long millis,
      @ForAll("units") String unit) {
    long whole = Math.max(1, millis / MILLIS.get(unit)) * MILLIS.get(unit);
    for (long each : new long[] {millis, whole}) {
      String text = Durations.text(Duration.ofMillis(each));
      assertThat(durations.convert(text)).isEqualTo(Duration.ofMillis(each));
      long size = MILLIS.get(text.replaceAll("[0-9]", ""));
      assertThat(MILLIS.values()).noneMatch(other -> other > size && each % other == 0);
    }
  }

  private void refused(String text, String why) {
    assertThatThrownBy(() -> durations.convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'" + text + "' " + why);
  }

  @Property(seed = "34")
  void aRateIsTheGapThatLeavesRoomForSoManyInItsUnit(
      @ForAll @IntRange(min = 1, max = 999_999) int count, @ForAll("rateUnits") String unit) {
    Duration whole = Duration.ofMillis(MILLIS.get(unit));
    Duration gap = new Rate().convert(count + "/" + unit);
    assertThat(gap.multipliedBy(count)).isLessThanOrEqualTo(whole);
    assertThat(gap.plusNanos(1).multipliedBy(count)).isGreaterThan(whole);
  }

  @Property(seed = "35")
  void whatIsNoCountAndUnitIsNoRate(
      @ForAll("numbers") BigInteger number, @ForAll("units") String unit) {
    boolean counted = number.signum() > 0 && number.toString().length() <= 6;
    String text = number + "/" + unit;
    if (counted && unit.matches("[smh]")) {
      assertThat(new Rate().convert(text)).isPositive();
    } else {
      noRate(text);
    }
    for (String other :
        new String[] {"0" + text, "-" + text, " " + text, text + "s", number + unit}) {
      noRate(other);
    }
  }

  private static void noRate(String text) {
    assertThatThrownBy(() -> new Rate().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("is not a rate");
  }

  @Provide
  Arbitrary<String> rateUnits() {
    return Arbitraries.of("s", "m", "h");
  }
}
