package org.relayledger.cli;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.relayledger.ledger.LedgerException;
import org.relayledger.report.JsonLines;
import org.relayledger.report.Report;
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
      description =
          "${COMPLETION-CANDIDATES} (default: text, csv for exports); json is JSON Lines.")
  private Format format;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      defaultValue = "-",
      description =
          "Where to write; the file appears when it is whole; - is stdout (default:"
              + " ${DEFAULT-VALUE}).")
  private Path output;

  @Option(names = "--force", description = "Replace the output file if it is there.")
  private boolean force;

  /** From now on the form is {@code only}, whatever was asked for. */
  public void always(Format only) {
    format = only;
  }

  /** From now on the form is {@code otherwise} if none was asked for. */
  public void unlessGiven(Format otherwise) {
    if (format == null) {
      format = otherwise;
    }
  }

  /** In which form. */
  public Format format() {
    return format == null ? Format.TEXT : format;
  }

  /** The file to write to, or empty for stdout. */
  public Optional<Path> file() {
    return output.toString().equals("-") ? Optional.empty() : Optional.of(output);
  }

  /** A report in this format. */
  public Report report(Output out) {
    return switch (format()) {
      case TEXT -> Report.text(out);
      case JSON -> Report.json(out);
      case CSV -> Report.csv(out);
    };
  }

  /** What writes, and tells what it wrote. */
  public interface Writer<T> {
    /** Writes to {@code out}, which nobody else uses. */
    T write(Output out) throws InterruptedException;
  }

  /**
   * The same as {@link #write} for a report: on stdout a summary ends it in every format that has
   * one, also if {@code writer} throws.
   */
  public Exit writeReport(Streams streams, Writer<Exit> writer) throws InterruptedException {
    return write(
        streams,
        out -> {
          try {
            return writer.write(out);
          } catch (LedgerException e) {
            summary(out, Exit.of(e));
            throw e;
          } catch (Failure e) {
            summary(out, e.exit());
            throw e;
          }
        });
  }

  private void summary(Output out, Exit exit) {
    if (format() == Format.JSON) {
      new JsonLines(out).summary(Map.of("rows", 0L), exit.code());
    }
  }

  /**
   * Lets {@code writer} write to stdout or to the file. That is 0600 and appears under its name
   * once it is whole and on the disk; what is there already is replaced with {@code --force} only,
   * and a ledger never. Nothing of it is left if {@code writer} throws.
   *
   * <p>No ledger may be open in this process before {@code writer} opens it: what is to be replaced
   * is looked into.
   *
   * @return what {@code writer} returned
   * @throws Failure if the file is there already or cannot be created (exit 2), or cannot be
   *     written (exit 1)
   */
  public <T> T write(Streams streams, Writer<T> writer) throws InterruptedException {
    if (file().isEmpty()) {
      return writer.write(streams.out());
    }
    WholeFile.Existing existing = force ? WholeFile.Existing.REPLACE : WholeFile.Existing.REFUSE;
    try (WholeFile whole = new WholeFile(output, existing)) {
      T result = writer.write(whole.out());
      whole.publish();
      return result;
    }
  }
}
