package org.relayledger.relaycli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.Output;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Twins;
import org.relayledger.report.Report;
import org.relayledger.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "twins",
    description = {
      "Lists rows that are the same but for their GUID: a channel that gives a new one when it sends"
          + " again is not protected by any ledger. Two payments that really are alike are listed"
          + " too; only reads."
    })
final class TwinsCommand implements Action {
  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;
  @Mixin private OutputOptions output;
  @Mixin private FilterOptions filters;

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    Filter filter = filters.filter(HostClock.system());
    return output.writeReport(
        streams,
        out -> {
          try (LedgerView view = LedgerView.open(ledger.location());
              Twins twins = view.twins(filter)) {
            Map<String, Long> counts = write(twins, out);
            if (!common.quiet() && !out.lost()) {
              streams.say(
                  "relay twins: "
                      + counts.get("rows")
                      + " rows in "
                      + counts.get("groups")
                      + " groups");
            }
            return Exit.OK;
          }
        });
  }

  private Map<String, Long> write(Twins twins, Output out) {
    Report report = output.report(out);
    report.begin(Table.TWINS);
    long rows = 0;
    long groups = 0;
    long group = 0;
    long after = 0;
    for (List<Twins.Twin> page = twins.page(after);
        !page.isEmpty() && !out.lost();
        page = twins.page(after)) {
      for (Twins.Twin twin : page) {
        report.add(Table.TWINS, twin);
        rows++;
        groups += twin.group() == group ? 0 : 1;
        group = twin.group();
        after = twin.id();
      }
    }
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("rows", rows);
    counts.put("groups", groups);
    report.end(counts, Exit.OK.code());
    return counts;
  }
}
