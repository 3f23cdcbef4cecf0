package org.relayledger.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the formats do to cells that others have written. */
class ReportTest {
  /** Two columns of text, so that each value stands first and last, and one of numbers. */
  private static final Table<String> CELLS =
      new Table<>(
          "cell",
          List.of(
              new Table.Column<>("one", Table.Kind.TEXT, text -> text),
              new Table.Column<>("length", Table.Kind.NUMBER, text -> -text.length()),
              new Table.Column<>("two", Table.Kind.TEXT, text -> text)));

  private static final List<String> NASTY =
      List.of(
          "",
          " ",
          "plain",
          "a,b;c",
          "\"quoted\"",
          "\"",
          "line\nbreak",
          "line\r\nbreak\r",
          "=1+1",
          "-5",
          "+49",
          "@SUM(A1)",
          "\ttab",
          "\rcr",
          "'quoted",
          "=HYPERLINK(\"http://evil\",\"x\")",
          "12345678901234567890",
          "0000",
          "1E5",
          "\ud83d\ude00 \u00e9 \u202e",
          "nul\0nul",
          "\ufeffmark",
          " lead and trail ",
          "#comment",
          "\\backslash\\n");

  private static byte[] written(
      Function<ByteArrayOutputStream, Report> format, List<String> cells) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Report report = format.apply(out);
    report.begin(CELLS);
    cells.forEach(cell -> report.add(CELLS, cell));
    report.end(Map.of(), 0);
    return out.toByteArray();
  }

  private static String unescaped(String cell) {
    return cell.startsWith("'") && cell.length() > 1 && "=+-@\t\r".indexOf(cell.charAt(1)) >= 0
        ? cell.substring(1)
        : cell;
  }

  private static List<List<String>> read(byte[] csv) throws IOException {
    try (CSVParser parser = CSVParser.parse(new String(csv, UTF_8), CSVFormat.RFC4180)) {
      return parser.getRecords().stream().map(CSVRecord::toList).toList();
    }
  }

  private static List<List<String>> expected(List<String> cells) {
    List<List<String>> all = new ArrayList<>();
    all.add(List.of("one", "length", "two"));
    cells.forEach(cell -> all.add(List.of(cell, Integer.toString(-cell.length()), cell)));
    return all;
  }

  private static List<List<String>> unescaped(List<List<String>> rows) {
    return rows.stream().map(row -> row.stream().map(ReportTest::unescaped).toList()).toList();
  }

  @Test
  void csvIsReadBackAsItWasOnceTheApostropheIsRemoved() throws Exception {
    List<List<String>> rows = read(written(Report::csv, NASTY));
    assertThat(unescaped(rows)).isEqualTo(expected(NASTY));
    assertThat(rows).allSatisfy(row -> assertThat(row.get(0)).doesNotMatch("(?s)[-=+@\t\r].*"));
    assertThat(rows.get(3).get(1)).as("a number never gets one").isEqualTo("-5");
  }

  @Test
  void csvOfRandomTextIsReadBackAsItWas() throws Exception {
    Random random = new Random(20261201);
    String alphabet = "ab,;\"'\r\n\t =+-@\0\u00e9\ud83d\ude00";
    for (int round = 0; round < 200; round++) {
      List<String> cells =
          IntStream.range(0, 20)
              .mapToObj(i -> random(random, alphabet))
              .filter(cell -> !cell.startsWith("'"))
              .toList();
      assertThat(unescaped(read(written(Report::csv, cells)))).isEqualTo(expected(cells));
    }
  }

  private static String random(Random random, String alphabet) {
    int[] points = alphabet.codePoints().toArray();
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(12); length > 0; length--) {
      text.appendCodePoint(points[random.nextInt(points.length)]);
    }
    return text.toString();
  }

  @Test
  void pythonReadsTheSame(@TempDir Path folder) throws Exception {
    Path csv = Files.write(folder.resolve("cells.csv"), written(Report::csv, NASTY));
    String script =
        """
        import csv, sys
        if sys.version_info < (3, 11): sys.exit(77)
        for row in csv.reader(open(sys.argv[1], encoding='utf-8', newline='')):
          print(' '.join(c.encode().hex() or '-' for c in row))
        """;
    Process python;
    try {
      python = new ProcessBuilder("python3", "-c", script, csv.toString()).start();
    } catch (IOException e) {
      abort("no python3 here");
      return;
    }
    String out = new String(python.getInputStream().readAllBytes(), UTF_8);
    assertThat(python.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assumeTrue(python.exitValue() != 77, "a python that knows no NUL in CSV");
    List<List<String>> rows = new ArrayList<>();
    for (String line : out.lines().toList()) {
      rows.add(
          List.of(line.split(" ")).stream()
              .map(c -> c.equals("-") ? "" : new String(HexFormat.of().parseHex(c), UTF_8))
              .toList());
    }
    assertThat(unescaped(rows)).isEqualTo(expected(NASTY));
  }

  @Test
  void aSpreadsheetGetsAMarkAndLongDigitsAsText() throws Exception {
    String csv = new String(written(Report::excel, NASTY), UTF_8);
    assertThat(csv).startsWith("\ufeffone,length,two\r\n");
    assertThat(csv)
        .contains("\r\n\"=\"\"12345678901234567890\"\"\",-20,")
        .contains("\r\n\"=\"\"0000\"\"\",-4,")
        .contains("\r\n\"=\"\"1E5\"\"\",-3,")
        .contains("\r\n'=1+1,-4,", "\r\n'-5,-2,");
  }

  @Test
  void emptyIsStillAHeaderAndEndsWithCrLf() {
    assertThat(new String(written(Report::csv, List.of()), UTF_8)).isEqualTo("one,length,two\r\n");
    assertThat(new String(written(Report::json, List.of()), UTF_8))
        .isEqualTo("{\"v\":1,\"type\":\"summary\",\"exit\":0}\n");
  }

  @Test
  void textStandsInColumnsAndStaysOnItsLine() {
    String text = new String(written(Report::text, List.of("a", "longer", "b\nc")), UTF_8);
    assertThat(text)
        .isEqualTo(
            """
            one     length  two
            a       -1      a
            longer  -6      longer
            b\\nc    -3      b\\nc
            """);
  }
}
