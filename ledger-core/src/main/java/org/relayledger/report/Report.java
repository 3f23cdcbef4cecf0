package org.relayledger.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
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
    return new Csv(out, false);
  }

  /**
   * The same for a spreadsheet that opens it by itself: it begins with a byte order mark, and text
   * that looks like a number is kept as text.
   */
  static Report excel(OutputStream out) {
    return new Csv(out, true);
  }

  /**
   * One line a record with what fits on it, in columns; an empty cell is a dash. A column is as
   * wide as its widest cell so far, the last one as wide as it likes.
   */
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

    /** The widest that a column gets: what is longer shifts its own line only. */
    private static final int WIDEST = 40;

    /** How many lines are looked at before the first is written, to know how wide columns are. */
    private static final int LOOKED_AT = 100;

    private final Writer out;
    private final List<List<String>> waiting = new ArrayList<>();
    private int[] widths = new int[0];

    private Text(OutputStream out) {
      this.out = new BufferedWriter(new OutputStreamWriter(out, UTF_8));
    }

    @Override
    public <T> void begin(Table<T> table) {
      widths = new int[(int) shown(table).count()];
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
      List<String> line = cells.map(cell -> cell.isEmpty() ? "-" : Plain.text(cell)).toList();
      waiting.add(line);
      for (int i = 0; i < line.size() - 1; i++) {
        widths[i] = Math.min(WIDEST, Math.max(widths[i], width(line.get(i))));
      }
      if (waiting.size() >= LOOKED_AT) {
        writeWaiting();
      }
    }

    private static int width(String cell) {
      return cell.codePointCount(0, cell.length());
    }

    private void writeWaiting() {
      try {
        for (List<String> line : waiting) {
          for (int i = 0; i < line.size() - 1; i++) {
            String cell = line.get(i);
            out.write(cell);
            out.write(" ".repeat(Math.max(0, widths[i] - width(cell)) + 2));
          }
          out.write(line.get(line.size() - 1) + "\n");
        }
        waiting.clear();
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
      writeWaiting();
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

    /** Text that a spreadsheet would take for a number or a date, and show as another. */
    private static final Pattern NUMBER_LIKE = Pattern.compile("[0-9][-+0-9.,:/eE]*");

    private final Writer writer;
    private final CSVPrinter out;
    private final boolean excel;

    private Csv(OutputStream out, boolean excel) {
      this.excel = excel;
      this.writer = new BufferedWriter(new OutputStreamWriter(out, UTF_8));
      try {
        if (excel) {
          writer.write('\ufeff');
        }
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

    private <T> String cell(Table.Column<T> column, T item) {
      String text = column.text(item);
      if (column.kind() != Table.Kind.TEXT || text.isEmpty()) {
        return text;
      }
      if (excel && NUMBER_LIKE.matcher(text).matches()) {
        return "=\"" + text + "\"";
      }
      return FORMULA_STARTS.indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
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
