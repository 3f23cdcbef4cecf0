package org.relayledger.relaycli;

import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.LimitOption;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "Lists rows in the order in which they came in; only reads.")
final class ListCommand implements Action {
  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;
  @Mixin private OutputOptions output;
  @Mixin private LimitOption limit;
  @Mixin private FilterOptions filters;
  @Mixin private MaskOption mask;

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    Filter filter = filters.filter(HostClock.system());
    Rows rows = new Rows(filter, limit.most(), false, true, false, mask.mask());
    return output.writeReport(
        streams,
        out -> {
          try (LedgerView view = LedgerView.open(ledger.location())) {
            long count = rows.write(view, output.report(out), out).rows();
            if (!common.quiet() && !out.lost()) {
              streams.say("relay list: " + count + (count == 1 ? " row" : " rows"));
            }
            return Exit.OK;
          }
        });
  }
}
