package org.relayledger.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/**
 * Writes the records of one table in one format; they are not kept. What cannot be written throws
 * {@link UncheckedIOException}.
 */
public sealed interface Report {
  /** Begins; a header is written even if no record follows. */
  <T> void begin(Table<T> table);

  /** Writes one record. */
  <T> void add(Table<T> table, T item);

  /** Hands all that was written so far to the stream. */
  void flush();

  /** Ends; {@code counts} and {@code exit} are written where the format has a summary. */
  void end(Map<String, Long> counts, int exit);

  /** Columns of text, for people. */
  static Report text(OutputStream out) {
    return new Text(out);
  }

  /** JSON Lines. */
  static Report json(OutputStream out) {
    return new Json(out);
  }

  /** CSV by RFC 4180, in which no cell of text is taken for a formula. */
  static Report csv(OutputStream out) {
    return new Csv(out);
  }

  /** One line a record with what fits on it, parted by two blanks; an empty cell is a dash. */
  final class Text implements Report {
    private static final Set<String> LEFT_OUT =
        Set.of(
            "channel",
            "http_status",
            "sent_at",
            "ended_at",
            "told_at",
            "account",
            "settled_by",
            "request_sha256",
            "reply_sha256",
            "by",
            "ticket");

    private final Writer out;

    private Text(OutputStream out) {
      this.out = new BufferedWriter(new OutputStreamWriter(out, UTF_8));
    }

    @Override
    public <T> void begin(Table<T> table) {
      line(shown(table).map(Table.Column::name));
    }

    @Override
    public <T> void add(Table<T> table, T item) {
      line(shown(table).map(column -> column.text(item)));
    }

    private static <T> Stream<Table.Column<T>> shown(Table<T> table) {
      return table.columns().stream().filter(column -> !LEFT_OUT.contains(column.name()));
    }

    private void line(Stream<String> cells) {
      try {
        out.write(
            cells
                .map(cell -> cell.isEmpty() ? "-" : Plain.text(cell))
                .collect(Collectors.joining("  ", "", "\n")));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void end(Map<String, Long> counts, int exit) {
      flush();
    }

    @Override
    public void flush() {
      Report.flush(out);
    }
  }

  /** See {@link JsonLines}. */
  final class Json implements Report {
    private final JsonLines lines;

    private Json(OutputStream out) {
      this.lines = new JsonLines(out);
    }

    @Override
    public <T> void begin(Table<T> table) {
      // Every line names its own members.
    }

    @Override
    public <T> void add(Table<T> table, T item) {
      lines.record(table, item);
    }

    @Override
    public void end(Map<String, Long> counts, int exit) {
      lines.summary(counts, exit);
    }

    @Override
    public void flush() {
      lines.flush();
    }
  }

  /** UTF-8, CRLF; an apostrophe before what a spreadsheet would run. */
  final class Csv implements Report {
    private static final String FORMULA_STARTS = "=+-@\t\r";

    private final Writer writer;
    private final CSVPrinter out;

    private Csv(OutputStream out) {
      this.writer = new BufferedWriter(new OutputStreamWriter(out, UTF_8));
      try {
        this.out = new CSVPrinter(writer, CSVFormat.RFC4180);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public <T> void begin(Table<T> table) {
      print(table.columns().stream().map(Table.Column::name).toList());
    }

    @Override
    public <T> void add(Table<T> table, T item) {
      print(table.columns().stream().map(column -> cell(column, item)).toList());
    }

    private static <T> String cell(Table.Column<T> column, T item) {
      String text = column.text(item);
      return column.kind() == Table.Kind.TEXT
              && !text.isEmpty()
              && FORMULA_STARTS.indexOf(text.charAt(0)) >= 0
          ? "'" + text
          : text;
    }

    private void print(List<String> cells) {
      try {
        out.printRecord(cells);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void end(Map<String, Long> counts, int exit) {
      flush();
    }

    @Override
    public void flush() {
      Report.flush(writer);
    }
  }

  private static void flush(Writer out) {
    try {
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
