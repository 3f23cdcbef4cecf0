package org.relayledger.report;

import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON Lines: one object a line, each with {@code "v":1} and {@code "type"}, the last of them the
 * summary. What cannot be written throws {@link UncheckedIOException}.
 */
public final class JsonLines {
  private static final int VERSION = 1;
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .rootValueSeparator("")
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .build();

  private final JsonGenerator json;

  /** Writes to {@code out}, which stays open. */
  public JsonLines(OutputStream out) {
    this.json = FACTORY.createGenerator(ObjectWriteContext.empty(), out);
  }

  /** One line of {@code type} with the members that {@code members} writes. */
  public void line(String type, Consumer<JsonGenerator> members) {
    write(
        () -> {
          json.writeStartObject();
          json.writeNumberProperty("v", VERSION);
          json.writeStringProperty("type", type);
          members.accept(json);
          json.writeEndObject();
          json.writeRaw('\n');
        });
  }

  /** Hands all that was written so far to the stream. */
  public void flush() {
    write(json::flush);
  }

  private static void write(Runnable writing) {
    try {
      writing.run();
    } catch (JacksonIOException e) {
      throw new UncheckedIOException(e.getCause());
    }
  }

  /** One record, every column of its table a member. */
  public <T> void record(Table<T> table, T item) {
    line(
        table.type(),
        line -> {
          for (Table.Column<T> column : table.columns()) {
            line.writeName(column.name());
            String text = column.text(item);
            if (text.isEmpty()) {
              line.writeNull();
            } else if (column.kind() == Table.Kind.NUMBER) {
              line.writeNumber(text);
            } else {
              line.writeString(text);
            }
          }
        });
  }

  /** The last line: what was done, in counts, and the exit code. */
  public void summary(Map<String, Long> counts, int exit) {
    line(
        "summary",
        line -> {
          counts.forEach(line::writeNumberProperty);
          line.writeNumberProperty("exit", exit);
        });
    flush();
  }
}
