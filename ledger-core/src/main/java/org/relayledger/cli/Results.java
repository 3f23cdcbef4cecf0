package org.relayledger.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.relayledger.ledger.LedgerException;
import org.relayledger.report.Report;
import org.relayledger.report.Table;

/**
 * What a bulk run says: a record a row on stdout, counts and problems on stderr, and the exit code
 * that follows from the worst of them. Safe for many threads.
 */
public final class Results {
  /** How many problems are told one by one; all of them are counted. */
  static final int MAX_TOLD = 20;

  /** The run that fills the results. */
  public interface Run {
    /** Works until all is done or it is stopped. */
    void into(Results results) throws InterruptedException;
  }

  private record Trouble(Exit exit, String line) {}

  private final Streams streams;
  private final String tool;
  private final boolean quiet;
  private final Table<?> table;
  private final Report report;
  private final Progress progress;
  private final Map<String, Long> counts = new LinkedHashMap<>();
  private final List<Trouble> told = new ArrayList<>();
  private Trouble worst = new Trouble(Exit.OK, "");
  private long troubles;
  private boolean begun;
  private String nothing = "nothing to do";

  private Results(
      Streams streams,
      String tool,
      boolean quiet,
      Table<?> table,
      Report report,
      List<String> counted) {
    this.streams = streams;
    this.tool = tool;
    this.quiet = quiet;
    this.table = table;
    this.report = report;
    this.progress = quiet ? Progress.NONE : Progress.on(streams, tool);
    counted.forEach(what -> counts.put(what, 0L));
  }

  /**
   * Lets {@code run} work and tells what came of it, whatever that is: a summary ends the output in
   * every format that has one.
   *
   * @param table what its rows are
   * @param counted what the summary counts, in this order
   */
  public static Exit of(
      Streams streams,
      String tool,
      CommonOptions common,
      OutputOptions output,
      Table<?> table,
      List<String> counted,
      Run run)
      throws InterruptedException {
    return output.write(
        streams,
        out -> {
          // Text on stdout is for people, who have asked for quiet; the rest was asked for by name.
          boolean silent =
              common.quiet()
                  && output.format() == OutputOptions.Format.TEXT
                  && output.file().isEmpty();
          Report report = silent ? null : output.report(out);
          Results results = new Results(streams, tool, common.quiet(), table, report, counted);
          if (output.format() != OutputOptions.Format.TEXT) {
            results.begin();
          }
          return results.fill(run);
        });
  }

  private Exit fill(Run run) throws InterruptedException {
    try {
      run.into(this);
    } catch (LedgerException e) {
      return failed(Exit.of(e), e);
    } catch (Failure e) {
      return failed(e.exit(), e);
    } catch (RuntimeException | Error e) {
      refused(Exit.INTERNAL);
      throw e;
    } finally {
      progress.close();
    }
    return end();
  }

  /** Those two come before any work: there is nothing to tell but why. */
  private Exit failed(Exit exit, RuntimeException e) {
    if (exit == Exit.USAGE || exit == Exit.ALREADY_RUNNING) {
      refused(exit);
      throw e;
    }
    trouble(exit, e.getMessage());
    return end();
  }

  /** The run has refused to work, or broken; whoever called tells why. */
  private synchronized void refused(Exit exit) {
    if (report != null) {
      report.end(counts, exit.code());
    }
  }

  private synchronized void begin() {
    if (!begun) {
      report.begin(table);
      begun = true;
    }
  }

  /** One row of the output, of the table that the run has. */
  public synchronized <T> void row(Table<T> of, T row) {
    if (report == null) {
      return;
    }
    begin();
    report.add(of, row);
  }

  /** Hands the rows so far to whoever reads them. */
  public synchronized void flush() {
    if (report != null) {
      report.flush();
    }
  }

  /** Counts one more of {@code what}. */
  public synchronized void count(String what) {
    count(what, 1);
  }

  /** Counts {@code more} of {@code what}. */
  public synchronized void count(String what, long more) {
    counts.merge(what, more, Long::sum);
  }

  /** From here on {@code rows} rows are to be seen to, which says how long it will take. */
  public void expect(long rows) {
    progress.begin(rows);
  }

  /** So many rows more are seen to, which who looks on at a terminal may like to know. */
  public void advance(long rows) {
    progress.step(rows);
  }

  /** What to say if nothing at all was counted. */
  public synchronized void nothing(String line) {
    nothing = line;
  }

  /** A problem that makes the run end with {@code exit} or worse, in one line. */
  public synchronized void trouble(Exit exit, String line) {
    Trouble trouble = new Trouble(exit, line);
    troubles++;
    if (told.size() < MAX_TOLD) {
      told.add(trouble);
    }
    if (worst.exit == Exit.OK || Exit.worst(worst.exit, exit) != worst.exit) {
      worst = trouble;
    }
  }

  /** What the operator should know that is no problem. */
  public void note(String line) {
    if (!quiet) {
      streams.say(tool + ": " + line);
    }
  }

  private synchronized Exit end() {
    Exit exit = streams.signals().exit(worst.exit);
    if (report != null) {
      report.end(counts, exit.code());
    }
    if (!quiet) {
      told.forEach(trouble -> streams.say(tool + ": " + trouble.line));
      if (troubles > told.size()) {
        streams.say(tool + ": and " + (troubles - told.size()) + " problems more like these");
      }
      streams.say(tool + ": " + summary(exit) + ending(exit));
    } else if (exit != Exit.OK) {
      String line = troubles == 0 ? summary(exit) : worst.line + more();
      streams.say(tool + ": " + line + ending(exit));
    }
    return exit;
  }

  private String summary(Exit exit) {
    String text =
        counts.entrySet().stream()
            .filter(entry -> entry.getValue() > 0)
            .map(entry -> entry.getValue() + " " + entry.getKey().replace('_', ' '))
            .collect(Collectors.joining(", "));
    // That there was nothing to do is known only if nothing got in the way of looking.
    return !text.isEmpty() ? text : exit == Exit.OK ? nothing : "nothing was done";
  }

  private String more() {
    return troubles > 1 ? "; " + (troubles - 1) + " more problems" : "";
  }

  private static String ending(Exit exit) {
    return exit == Exit.OK ? "" : " (exit " + exit.code() + ": " + exit.meaning() + ")";
  }
}
