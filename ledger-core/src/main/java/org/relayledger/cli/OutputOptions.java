package org.relayledger.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
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

  private static final Set<OpenOption> NEW =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

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

  /** From now on the form is {@code only}, whatever was asked for. */
  public void always(Format only) {
    format = only;
  }

  /** In which form. */
  public Format format() {
    return format;
  }

  /** The file to write to, or empty for stdout. */
  public Optional<Path> file() {
    return output.toString().equals("-") ? Optional.empty() : Optional.of(output);
  }

  /** A report in this format. */
  public Report report(Output out) {
    return switch (format) {
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
   * Lets {@code writer} write to stdout or to the file. That is created 0600 and never overwritten:
   * it might be a ledger. None is left if {@code writer} throws.
   *
   * @return what {@code writer} returned
   * @throws Failure if the file is there already (exit 2) or cannot be written (exit 1)
   */
  public <T> T write(Streams streams, Writer<T> writer) throws InterruptedException {
    if (file().isEmpty()) {
      return writer.write(streams.out());
    }
    boolean created = false;
    boolean written = false;
    try (OutputStream file = Channels.newOutputStream(FileChannel.open(output, NEW, OWNER_ONLY))) {
      created = true;
      Output out = new Output(file);
      T result = writer.write(out);
      out.flush();
      if (out.lost()) {
        throw out.failure();
      }
      written = true;
      return result;
    } catch (IOException e) {
      throw new Failure(
          created ? Exit.INTERNAL : Exit.USAGE,
          "cannot write to " + output + ": " + Failure.reason(e),
          e);
    } finally {
      if (created && !written) {
        delete();
      }
    }
  }

  private void delete() {
    try {
      Files.deleteIfExists(output);
    } catch (IOException e) {
      // The failure that is told says that it is not whole.
    }
  }
}
