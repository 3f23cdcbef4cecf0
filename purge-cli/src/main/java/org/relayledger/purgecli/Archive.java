package org.relayledger.purgecli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.report.Report;
import org.relayledger.report.Table;

/**
 * The file that purged rows are kept in, bodies included: CSV, or NDJSON with the journal of each
 * row behind it. Never one that is there already.
 */
final class Archive implements AutoCloseable {
  private static final String CSV = ".csv";
  private static final List<String> ENDINGS = List.of(CSV, ".ndjson", ".jsonl");

  private final Path path;
  private final FileChannel file;
  private final Report report;
  private final boolean withJournal;

  private Archive(Path path, FileChannel file, Report report, boolean withJournal) {
    this.path = path;
    this.file = file;
    this.report = report;
    this.withJournal = withJournal;
  }

  /**
   * Refuses what {@link #create} would refuse; creates nothing.
   *
   * @throws Failure if the file is there already, or its name ends in none of .csv, .ndjson and
   *     .jsonl (exit 2)
   */
  static void check(Path path) {
    String name = path.toString().toLowerCase(Locale.ROOT);
    if (ENDINGS.stream().noneMatch(name::endsWith)) {
      throw new Failure(Exit.USAGE, "--archive " + path + ": the name must end in .csv or .ndjson");
    }
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new Failure(
          Exit.USAGE, "the archive " + path + " is there already; nothing was deleted");
    }
  }

  /**
   * Creates the file, 0600, and makes its name durable.
   *
   * @throws Failure if that is refused or fails (exit 2)
   */
  static Archive create(Path path) {
    check(path);
    boolean csv = path.toString().toLowerCase(Locale.ROOT).endsWith(CSV);
    try {
      FileChannel file =
          FileChannel.open(
              path,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      try (FileChannel folder =
          FileChannel.open(path.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
        folder.force(true);
      }
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(file));
      Archive archive = new Archive(path, file, csv ? Report.csv(out) : Report.json(out), !csv);
      archive.report.begin(Table.ARCHIVE);
      return archive;
    } catch (IOException e) {
      throw new Failure(
          Exit.USAGE,
          "cannot create the archive " + path + ": " + Failure.reason(e) + "; nothing was deleted",
          e);
    }
  }

  /** Adds {@code rows}, on the disk when this returns. */
  void add(List<Row> rows, LedgerView view) {
    try {
      Map<Long, Entry> lastMoves = view.lastMoves(rows);
      for (Row row : rows) {
        report.add(Table.ARCHIVE, new Table.Listed(row, lastMoves.get(row.seq())));
        if (withJournal) {
          for (Entry entry : view.journal(row)) {
            report.add(Table.JOURNAL, entry);
          }
        }
      }
      report.flush();
      file.force(true);
    } catch (UncheckedIOException e) {
      throw failed(e.getCause());
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private Failure failed(IOException e) {
    return new Failure(
        Exit.INTERNAL,
        "cannot write the archive "
            + path
            + ": "
            + Failure.reason(e)
            + "; what is not in it was not deleted; keep it, and name another file next time",
        e);
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
