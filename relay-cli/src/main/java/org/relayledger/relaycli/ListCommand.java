package org.relayledger.relaycli;

import java.util.List;
import java.util.Map;
import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.LimitOption;
import org.relayledger.cli.Output;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.report.Report;
import org.relayledger.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "Lists rows in the order in which they came in; only reads.")
final class ListCommand implements Action {
  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;
  @Mixin private OutputOptions output;
  @Mixin private LimitOption limit;
  @Mixin private FilterOptions filters;

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    Filter filter = filters.filter(HostClock.system(), false);
    try (LedgerView view = LedgerView.open(ledger.location())) {
      long count = output.write(streams, out -> list(view, filter, out));
      if (!common.quiet()) {
        streams.say("relay list: " + count + (count == 1 ? " row" : " rows"));
      }
    }
    return Exit.OK;
  }

  private long list(LedgerView view, Filter filter, Output out) {
    long most = limit.limit().isPresent() ? limit.limit().getAsInt() : Long.MAX_VALUE;
    long count = 0;
    Report report = output.report(out);
    report.begin(Table.ROWS);
    long after = 0;
    while (count < most && !out.lost()) {
      int size = (int) Math.min(LedgerView.MAX_PAGE, most - count);
      List<Row> page = view.page(filter, after, size);
      if (page.isEmpty()) {
        break;
      }
      for (Row row : page) {
        report.add(Table.ROWS, new Table.Listed(row, view.lastMove(row).orElse(null)));
      }
      count += page.size();
      after = page.get(page.size() - 1).seq();
    }
    report.end(Map.of("rows", count), Exit.OK.code());
    return count;
  }
}
