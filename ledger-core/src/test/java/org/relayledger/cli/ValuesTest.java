package org.relayledger.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonPointer;

class ValuesTest {
  @Command(name = "relay")
  static final class AllTypes implements Action {
    @Option(names = "--timeout")
    Duration duration;

    @Option(names = "--limit")
    Integer count;

    @Option(names = "--max-reply", converter = Values.Size.class)
    Integer size;

    @Option(names = "--ledger")
    Path path;

    @Option(names = "--code-pointer")
    JsonPointer pointer;

    @Option(names = "--format")
    OutputOptions.Format format;

    @Override
    public Exit run(Streams streams) {
      return Exit.OK;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "500ms, 500",
    "1ms, 1",
    "30s, 30000",
    "007s, 7000",
    "15m, 900000",
    "2h, 7200000",
    "7d, 604800000",
    "36500d, 3153600000000",
    "3153600000000ms, 3153600000000"
  })
  void aDurationIsAWholeNumberAndAUnit(String text, long millis) {
    AllTypes read = new AllTypes();
    assertThat(Ran.of(read, "--timeout", text)).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(read.duration).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "30       | has no unit: write 30s for seconds, or ms, m, h, d",
        "0        | has no unit",
        "0s       | is zero",
        "000ms    | is zero",
        "-5s      | is negative",
        "-0s      | is negative",
        "36501d   | is longer than 36500d",
        "3153600000001ms | is longer than 36500d",
        "106751991168d   | is longer than 36500d",
        "9223372036854775807d  | is longer than 36500d",
        "99999999999999999999s | is longer than 36500d",
        "''       | is not a duration",
        "s        | is not a duration",
        "-        | is not a duration",
        "+5s      | is not a duration",
        "1.5h     | is not a duration",
        "1,5h     | is not a duration",
        "1h30m    | is not a duration",
        "' 5s'    | is not a duration",
        "'5s '    | is not a duration",
        "5 s      | is not a duration",
        "5S       | is not a duration",
        "5D       | is not a duration",
        "5min     | is not a duration",
        "5w       | is not a duration",
        "5us      | is not a duration",
        "0x10s    | is not a duration",
        "1e3s     | is not a duration",
        "٣s       | is not a duration",
        "PT5S     | is not a duration",
        "forever  | is not a duration",
      })
  void everyOtherDurationIsAUsageErrorThatSaysWhy(String text, String why) {
    assertThat(Ran.of(new AllTypes(), "--timeout=" + text))
        .returns(2, Ran::exit)
        .returns("", Ran::out)
        .extracting(Ran::err)
        .asString()
        .startsWith("relay: invalid value for option '--timeout': '" + text + "' " + why)
        .endsWith("; see 'relay --help'\n")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1ms", "999ms", "1s", "90s", "15m", "25h", "7d", "36500d", "1001ms"})
  void aDurationIsWrittenAsItIsRead(String text) {
    Durations durations = new Durations();
    assertThat(durations.convert(Durations.text(durations.convert(text))))
        .isEqualTo(durations.convert(text));
    assertThat(Durations.text(durations.convert(text))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"1000ms, 1s", "60s, 1m", "3600s, 1h", "48h, 2d"})
  void aDurationIsWrittenInItsLargestUnit(String text, String written) {
    assertThat(Durations.text(new Durations().convert(text))).isEqualTo(written);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2147483647, 2147483647", "010, 10"})
  void aCountIsAPositiveWholeNumber(String text, int count) {
    AllTypes read = new AllTypes();
    assertThat(Ran.of(read, "--limit", text)).returns(0, Ran::exit);
    assertThat(read.count).isEqualTo(count);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "-1", "+1", "1.0", "", " 1", "2147483648", "99999999999999999999", "x", "٣"})
  void everyOtherCountIsAUsageErrorThatSaysWhy(String text) {
    assertRefused("--limit", text, "is not a whole number from 1 to 2147483647");
  }

  @ParameterizedTest
  @CsvSource({"1B, 1", "64KiB, 65536", "1MiB, 1048576", "1024MiB, 1073741824"})
  void aSizeIsAWholeNumberAndAUnit(String text, int bytes) {
    AllTypes read = new AllTypes();
    assertThat(Ran.of(read, "--max-reply", text)).returns(0, Ran::exit);
    assertThat(read.size).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({
    "1024, is not a size",
    "B, is not a size",
    "MiB, is not a size",
    "-1B, is not a size",
    "1.5MiB, is not a size",
    "1MB, is not a size",
    "1mib, is not a size",
    "0KiB, is zero",
    "1025MiB, is more than 1024MiB",
    "9999999999MiB, is more than 1024MiB",
    "99999999999999999999B, is more than 1024MiB"
  })
  void everyOtherSizeIsAUsageErrorThatSaysWhy(String text, String why) {
    assertRefused("--max-reply", text, why);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/code", "/a/b", "/0", "/a~0b~1c", "/", "/ä"})
  void aPointerIsAJsonPointer(String text) {
    AllTypes read = new AllTypes();
    assertThat(Ran.of(read, "--code-pointer", text)).returns(0, Ran::exit);
    assertThat(read.pointer).isEqualTo(JsonPointer.compile(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "code", "$.code", "/a~", "/a~2", "/a\tb", "/a\nX-Forged: 1", "/a\0"})
  void everyOtherPointerIsAUsageErrorOnOneLine(String text) {
    assertThat(Ran.of(new AllTypes(), "--code-pointer=" + text))
        .returns(2, Ran::exit)
        .extracting(Ran::err)
        .asString()
        .contains("is not a JSON pointer: write it as /code or /reply/code")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({"text, TEXT", "JSON, JSON", "Csv, CSV"})
  void wordsAreReadInAnyCase(String text, OutputOptions.Format format) {
    AllTypes read = new AllTypes();
    assertThat(Ran.of(read, "--format", text)).returns(0, Ran::exit);
    assertThat(read.format).isEqualTo(format);
  }

  @ParameterizedTest
  @ValueSource(strings = {"xml", "", "text,json"})
  void everyOtherWordIsAUsageErrorThatNamesTheWords(String text) {
    assertRefused("--format", text, "is none of [text, json, csv]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--ledger="})
  void anEmptyPathIsAUsageErrorAndNotTheWorkingDirectory(String argument) {
    assertThat(Ran.of(new AllTypes(), argument))
        .returns(2, Ran::exit)
        .extracting(Ran::err)
        .isEqualTo(
            "relay: invalid value for option '--ledger': the path is empty; see 'relay --help'\n");
  }

  private static void assertRefused(String option, String text, String why) {
    assertThat(Ran.of(new AllTypes(), option + "=" + text))
        .returns(2, Ran::exit)
        .returns("", Ran::out)
        .extracting(Ran::err)
        .asString()
        .startsWith("relay: invalid value for option '" + option + "': '" + text + "' " + why)
        .hasLineCount(1);
  }
}
