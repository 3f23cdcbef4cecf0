package org.relayledger.relaycli;

import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.LimitOption;
import org.relayledger.cli.Output;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.OutputOptions.Format;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.report.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "export",
    description = {
      "Writes rows, or their journal, for other programs and for reviews, as CSV unless --format says"
          + " otherwise; tells how many and the SHA-256 of what was written; only reads."
    })
final class ExportCommand implements Action {
  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;
  @Mixin private OutputOptions output;
  @Mixin private LimitOption limit;
  @Mixin private FilterOptions filters;
  @Mixin private MaskOption mask;

  @Option(names = "--bodies", description = "The requests and the replies too.")
  private boolean bodies;

  @Option(
      names = "--journal",
      description =
          "The journal of the rows: in CSV instead of them, else behind each of them. Without a"
              + " filter also what is kept of purged rows, and the changes of the mode.")
  private boolean journal;

  @Option(
      names = "--excel",
      description =
          "CSV for a spreadsheet that opens it by itself: it begins with a byte order mark, and long"
              + " digits stay text.")
  private boolean excel;

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    output.unlessGiven(Format.CSV);
    boolean csv = output.format() == Format.CSV;
    if (excel && !csv) {
      throw new Failure(Exit.USAGE, "--excel is for --format csv");
    }
    if (journal && bodies && csv) {
      throw new Failure(
          Exit.USAGE, "a CSV file has one table: --journal or --bodies, not both; json has room");
    }
    boolean rows = output.format() == Format.JSON || !journal;
    Rows wanted =
        new Rows(
            filters.filter(HostClock.system()), limit.most(), bodies, rows, journal, mask.mask());
    return output.writeReport(
        streams,
        out -> {
          try (LedgerView view = LedgerView.open(ledger.location())) {
            out.digest();
            Rows.Written written = wanted.write(view, report(out), out);
            if (!common.quiet() && !out.lost()) {
              streams.say(
                  "relay export: "
                      + (rows ? count(written.rows(), "row", "rows") : "")
                      + (rows && journal ? ", " : "")
                      + (journal ? count(written.entries(), "entry", "entries") : "")
                      + ", SHA-256 "
                      + out.sha256());
            }
            return Exit.OK;
          }
        });
  }

  private static String count(long count, String one, String many) {
    return count + " " + (count == 1 ? one : many);
  }

  private Report report(Output out) {
    return excel ? Report.excel(out) : output.report(out);
  }
}
