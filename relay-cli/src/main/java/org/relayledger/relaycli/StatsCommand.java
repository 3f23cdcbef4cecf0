package org.relayledger.relaycli;

import java.util.List;
import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.MetricsFileOption;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.Results;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "stats",
    description = {
      "Counts rows by state, with the age of the oldest, and what needs a person; only reads. Exit 13"
          + " as long as something may have been executed twice and nobody has seen to it."
    })
final class StatsCommand implements Action {
  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;
  @Mixin private OutputOptions output;
  @Mixin private FilterOptions filters;
  @Mixin private MetricsFileOption metricsFile;

  @Option(
      names = "--max-attempts",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "FAILED rows with so many attempts count as used up (default: ${DEFAULT-VALUE}).")
  private int maxAttempts;

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    HostClock clock = HostClock.system();
    Filter filter = filters.filter(clock);
    return Results.of(
        streams,
        "relay stats",
        common,
        output,
        Table.STATS,
        List.of("rows"),
        results -> metricsFile.write(() -> look(filter, clock, results)));
  }

  private String look(Filter filter, HostClock clock, Results results) {
    try (LedgerView view = LedgerView.open(ledger.location())) {
      Stats stats = Stats.of(view, filter, maxAttempts);
      List<Table.Stat> all = stats.all(clock.millis());
      all.forEach(stat -> results.row(Table.STATS, stat));
      results.count("rows", stats.rows());
      for (Entry suspect : view.doubleSuspects()) {
        results.trouble(
            Exit.DISAGREEMENT,
            suspect.guid()
                + " may have been executed twice; compare it with the account system's statement,"
                + " then: relay ack "
                + suspect.guid()
                + " --reason REASON");
      }
      results.nothing(filter.isAll() ? "the ledger is empty" : "no row matches");
      return Stats.metrics(all);
    }
  }
}
