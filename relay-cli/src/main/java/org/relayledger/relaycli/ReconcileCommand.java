package org.relayledger.relaycli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.Results;
import org.relayledger.cli.Streams;
import org.relayledger.cli.SuccessCodesOption;
import org.relayledger.ledger.Comparison;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Tombstone;
import org.relayledger.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "reconcile",
    description = {
      "Compares the ledger with the account system's own list of executions, and names each GUID on"
          + " which they disagree; only reads."
    })
final class ReconcileCommand implements Action {
  private static final List<String> COUNTED =
      List.of(
          "executions",
          "rows",
          "duplicate",
          "missing",
          "mistimed",
          "unexpected",
          "unresolved",
          "not_in_ledger",
          "unreadable",
          "edge");

  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;
  @Mixin private OutputOptions output;
  @Mixin private SuccessCodesOption success;

  @Parameters(
      paramLabel = "STATEMENT",
      description = "CSV with a header, a record for each execution; - is stdin.")
  private Path statement;

  @Option(
      names = "--guid-column",
      paramLabel = "NAME",
      defaultValue = "guid",
      description = "The column that has the GUID (default: ${DEFAULT-VALUE}).")
  private String guidColumn;

  @Option(
      names = "--time-column",
      paramLabel = "NAME",
      description =
          "The column that has the time of execution, with its offset (default: none is read). Then"
              + " an execution at another time than the row's is found, too: one of two that are in"
              + " two statements.")
  private String timeColumn;

  @Option(
      names = "--skew",
      paramLabel = "D",
      defaultValue = "1s",
      description =
          "How far the account system's clock may be from this host's, for --time-column (default:"
              + " ${DEFAULT-VALUE}).")
  private Duration skew;

  @Option(
      names = "--since",
      paramLabel = "WHEN",
      description =
          "The statement begins then: 2h (ago), 2026-01-31 (UTC), or 2026-01-31T03:00:00+01:00. What"
              + " finished before need not be in it.")
  private String since;

  @Option(
      names = "--until",
      paramLabel = "WHEN",
      description = "The statement ends before. What was sent since need not be in it.")
  private String until;

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    HostClock clock = HostClock.system();
    Moments.Span span =
        new Moments.Span(
            Moments.option("--since", since, clock), Moments.option("--until", until, clock));
    Reconciliation rule =
        new Reconciliation(span.since(), span.until(), skew, success.codes()::matches);
    return Results.of(
        streams,
        "relay reconcile",
        common,
        output,
        Table.FINDINGS,
        COUNTED,
        results -> {
          try (LedgerView view = LedgerView.open(ledger.location());
              Statement executions =
                  new Statement(ledger.input(statement, streams), guidColumn, timeColumn);
              Comparison comparison = view.compare()) {
            Map<String, Long> disagreements = new LinkedHashMap<>();
            read(executions, comparison, results, disagreements);
            comparison.match(
                rule,
                rows -> {
                  results.count("rows", rows);
                  results.advance(rows);
                });
            tell(comparison, view, rule, results, disagreements);
            conclude(disagreements, results);
          }
        });
  }

  private static void read(
      Statement executions,
      Comparison comparison,
      Results results,
      Map<String, Long> disagreements) {
    for (Optional<Statement.Execution> next = executions.next();
        next.isPresent();
        next = executions.next()) {
      Statement.Execution execution = next.get();
      results.count("executions");
      results.advance(1);
      if (execution.guid().isPresent()) {
        comparison.executed(execution.guid().get(), execution.at());
      } else {
        results.count("unreadable");
        disagreements.merge("unreadable", 1L, Long::sum);
        String detail =
            "line "
                + execution.line()
                + " of the statement: executed, but its GUID is none, or its time cannot be read";
        results.row(Table.FINDINGS, new Table.Finding("unreadable", null, 1L, null, null, detail));
      }
    }
  }

  /** Judges again by the row as it is now: it may have been settled since it was matched. */
  private static void tell(
      Comparison comparison,
      LedgerView view,
      Reconciliation rule,
      Results results,
      Map<String, Long> disagreements) {
    long after = 0;
    for (List<Comparison.Difference> page = comparison.differences(after);
        !page.isEmpty();
        page = comparison.differences(after)) {
      for (Comparison.Difference difference : page) {
        Guid guid = difference.guid();
        Row row = view.find(guid, false).orElse(null);
        Tombstone tombstone = row == null ? view.tombstone(guid).orElse(null) : null;
        List<Entry> journal = row == null ? List.of() : view.journal(row);
        Optional<Reconciliation.Finding> judged =
            rule.judge(difference.executions(), difference.at(), row, tombstone, journal);
        if (judged.isPresent()) {
          Reconciliation.Finding finding = judged.get();
          results.count(finding.word());
          if (finding.disagrees()) {
            disagreements.merge(finding.word(), 1L, Long::sum);
          }
          results.row(
              Table.FINDINGS,
              new Table.Finding(
                  finding.word(),
                  guid,
                  difference.executions(),
                  row == null ? null : row.state(),
                  row != null ? row.code() : tombstone == null ? null : tombstone.code(),
                  finding.detail()));
        }
        after = difference.id();
      }
    }
  }

  private static void conclude(Map<String, Long> disagreements, Results results) {
    if (disagreements.isEmpty()) {
      results.note("the books agree");
      return;
    }
    disagreements.forEach(
        (word, count) ->
            results.trouble(
                Exit.DISAGREEMENT, "the books disagree: " + count + " " + word.replace('_', ' ')));
  }
}
