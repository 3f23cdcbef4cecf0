package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Map;
import org.relayledger.cli.Exit;
import org.relayledger.cli.OutputOptions.Format;
import org.relayledger.report.JsonLines;

/** A few named facts, as text or as JSON Lines. */
final class Facts {
  private Facts() {}

  static void print(Map<String, String> facts, String type, Format format, OutputStream out) {
    if (format == Format.JSON) {
      JsonLines json = new JsonLines(out);
      json.line(type, line -> facts.forEach(line::writeStringProperty));
      json.summary(Map.of(), Exit.OK.code());
    } else {
      PrintStream text = new PrintStream(out, false, UTF_8);
      facts.forEach((name, value) -> text.printf("%-16s%s%n", name, value));
      text.flush();
    }
  }
}
