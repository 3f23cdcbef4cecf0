package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.ledger.Guid;

/** The account system's own list of what it has executed: CSV with a header, one record each. */
final class Statement implements AutoCloseable {
  /** The longest record, in characters: a quote that nobody closes would swallow the whole file. */
  static final int MAX_RECORD = 1 << 20;

  /**
   * One execution.
   *
   * @param line where its record ends in the file
   * @param guid empty if the record has none that could be one
   * @param at when, in epoch milliseconds; null if no such column is read
   */
  record Execution(long line, Optional<Guid> guid, Long at) {}

  private final Bounded in;
  private final CSVParser parser;
  private final Iterator<CSVRecord> records;
  private final int guidColumn;
  private final int timeColumn;

  /**
   * Reads the header.
   *
   * @param guidColumn the name of the column with the GUID
   * @param timeColumn that of the column with the time, or null
   * @throws Failure if there is none, or it has not one column of such a name (exit 2)
   */
  Statement(InputStream stream, String guidColumn, String timeColumn) {
    in = new Bounded(new BufferedReader(new InputStreamReader(stream, UTF_8)));
    try {
      CSVFormat format = CSVFormat.RFC4180.builder().setIgnoreEmptyLines(true).get();
      parser = CSVParser.parse(in, format);
      records = parser.iterator();
      List<String> header = records.hasNext() ? records.next().toList() : List.of();
      List<String> names = header.stream().map(name -> name.replace("\ufeff", "")).toList();
      this.guidColumn = column(names, "--guid-column", guidColumn);
      this.timeColumn = timeColumn == null ? -1 : column(names, "--time-column", timeColumn);
    } catch (IOException e) {
      throw unreadable(e);
    } catch (UncheckedIOException e) {
      throw unreadable(e.getCause());
    }
  }

  private static int column(List<String> names, String option, String wanted) {
    int column = names.indexOf(wanted);
    if (column < 0 || column != names.lastIndexOf(wanted)) {
      throw new Failure(
          Exit.USAGE,
          "the statement must have one column named '"
              + wanted
              + "' ("
              + option
              + "); its first line has: "
              + String.join(", ", names)
              + "; nothing was compared");
    }
    return column;
  }

  /**
   * The next execution, or empty after the last.
   *
   * @throws Failure if the rest is no CSV (exit 2)
   */
  Optional<Execution> next() {
    in.count = 0;
    try {
      while (records.hasNext()) {
        CSVRecord cells = records.next();
        if (cells.size() > 1 || !cells.get(0).isBlank()) {
          return Optional.of(execution(cells));
        }
      }
      return Optional.empty();
    } catch (UncheckedIOException e) {
      throw unreadable(e.getCause());
    }
  }

  private Execution execution(CSVRecord cells) {
    long line = parser.getCurrentLineNumber();
    Optional<Guid> guid = Guid.parse(cell(cells, guidColumn));
    if (timeColumn < 0) {
      return new Execution(line, guid, null);
    }
    try {
      long at = OffsetDateTime.parse(cell(cells, timeColumn)).toInstant().toEpochMilli();
      return new Execution(line, guid, at);
    } catch (DateTimeException | ArithmeticException e) {
      return new Execution(line, Optional.empty(), null);
    }
  }

  private static String cell(CSVRecord cells, int column) {
    return column < cells.size() ? cells.get(column).strip() : "";
  }

  private static Failure unreadable(IOException e) {
    return new Failure(
        Exit.USAGE,
        "the statement cannot be read as CSV: " + e.getMessage() + "; nothing was compared",
        e);
  }

  @Override
  public void close() {
    try {
      parser.close();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Gives up when one record is longer than {@value #MAX_RECORD} characters. */
  private static final class Bounded extends FilterReader {
    private long count;

    Bounded(Reader in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int c = in.read();
      counted(1);
      return c;
    }

    @Override
    public int read(char[] to, int from, int length) throws IOException {
      int read = in.read(to, from, length);
      counted(Math.max(0, read));
      return read;
    }

    private void counted(int more) throws IOException {
      count += more;
      if (count > MAX_RECORD) {
        throw new IOException(
            "a record is longer than " + MAX_RECORD + " characters; is a quote not closed?");
      }
    }
  }
}
