package org.relayledger.cli;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What is written, and where to. */
public final class OutputOptions {
  /** The forms of output. */
  public enum Format {
    TEXT,
    JSON,
    CSV;

    /** As options spell it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}); json is JSON Lines.")
  private Format format;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      defaultValue = "-",
      description = "Where to write; - is stdout (default: ${DEFAULT-VALUE}).")
  private Path output;

  /** In which form. */
  public Format format() {
    return format;
  }

  /** The file to write to, or empty for stdout. */
  public Optional<Path> file() {
    return output.toString().equals("-") ? Optional.empty() : Optional.of(output);
  }
}
