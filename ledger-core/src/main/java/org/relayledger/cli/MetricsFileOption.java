package org.relayledger.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** Where a run leaves figures for node_exporter's textfile collector. */
public final class MetricsFileOption {
  @Option(
      names = "--metrics-file",
      paramLabel = "FILE",
      description =
          "Write the figures for node_exporter's textfile collector, too; replaced in one step, with"
              + " the rights of the file before it.")
  private Path path;

  /**
   * Writes what {@code text} gives, if a file is wanted; no ledger may be open in this process when
   * this is called.
   *
   * @param text works, and gives Prometheus's text format
   * @throws Failure if the file cannot be replaced (exit 2) or written (exit 1)
   */
  public void write(Supplier<String> text) {
    if (path == null) {
      String unused = text.get();
      return;
    }
    try (WholeFile whole = new WholeFile(path, WholeFile.Existing.REPLACE_AND_KEEP_RIGHTS)) {
      byte[] bytes = text.get().getBytes(UTF_8);
      whole.out().write(bytes, 0, bytes.length);
      whole.publish();
    }
  }
}
