package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.Output;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.OutputOptions.Format;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Tombstone;
import org.relayledger.report.Advice;
import org.relayledger.report.Body;
import org.relayledger.report.JsonLines;
import org.relayledger.report.Mask;
import org.relayledger.report.Plain;
import org.relayledger.report.Table;
import org.relayledger.report.Times;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description = {
      "Shows one row, its journal, what is certain about it and the next safe command; only reads."
    })
final class ShowCommand implements Action {
  @SuppressWarnings("UnusedVariable") // accepts the options that all commands have
  @Mixin
  private CommonOptions common;

  @Mixin private LedgerOptions ledger;
  @Mixin private OutputOptions output;
  @Mixin private MaskOption mask;

  @Parameters(paramLabel = "GUID", description = "Which row.")
  private String guid;

  @Option(names = "--bodies", description = "Show the request and the reply too.")
  private boolean bodies;

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    if (output.format() == Format.CSV) {
      throw new Failure(Exit.USAGE, "csv is for lists; use --format text or json");
    }
    return output.writeReport(
        streams,
        out -> {
          Guid asked =
              Guid.parse(guid)
                  .orElseThrow(() -> new Failure(Exit.BAD_REQUEST, "'" + guid + "' is no GUID"));
          try (LedgerView view = LedgerView.open(ledger.location())) {
            show(view, asked, out);
            return Exit.OK;
          }
        });
  }

  private void show(LedgerView view, Guid asked, Output out) {
    Mask hidden = mask.mask();
    Optional<Row> found = view.find(asked, bodies || !hidden.isNone());
    if (found.isEmpty()) {
      throw new Failure(Exit.NO_SUCH_GUID, absent(asked, view.tombstone(asked)));
    }
    Mask.Masked masked = hidden.mask(found.get(), bodies);
    List<Entry> journal = view.journal(found.get()).stream().map(masked::entry).toList();
    boolean suspect = view.doubleSuspect(asked).isPresent();
    Advice advice = Advice.on(found.get(), view.settings(), suspect).in(view.backupOf());
    if (output.format() == Format.JSON) {
      json(masked.row(), journal, advice, new JsonLines(out));
    } else {
      text(masked.row(), journal, advice, new PrintStream(out, false, UTF_8));
    }
  }

  private static String absent(Guid guid, Optional<Tombstone> tombstone) {
    return tombstone
        .map(
            stone ->
                guid
                    + " finished with code "
                    + stone.code()
                    + " at "
                    + Times.format(stone.finishedAt())
                    + " and was purged; it is never sent again")
        .orElse(guid + " is not in this ledger; nothing is known of it");
  }

  private void json(Row row, List<Entry> journal, Advice advice, JsonLines json) {
    json.record(Table.ROWS, listed(row, journal));
    if (bodies) {
      json.line(
          "bodies",
          line -> {
            Body.write("request", row.request(), line);
            Body.write("reply", row.reply(), line);
          });
    }
    journal.forEach(entry -> json.record(Table.JOURNAL, entry));
    json.line(
        "advice",
        line -> {
          line.writeStringProperty("certain", advice.certain());
          line.writeStringProperty("next", advice.next());
          line.writeStringProperty(
              "not_before", advice.notBefore() == null ? null : Times.format(advice.notBefore()));
          line.writeStringProperty("remark", advice.remark());
        });
    json.summary(Map.of("rows", 1L), Exit.OK.code());
  }

  private static Table.Listed listed(Row row, List<Entry> journal) {
    Entry last = null;
    for (Entry entry : journal) {
      if (entry.isMove()) {
        last = entry;
      }
    }
    return new Table.Listed(row, last);
  }

  private void text(Row row, List<Entry> journal, Advice advice, PrintStream out) {
    for (Table.Column<Table.Listed> column : Table.ROWS.columns()) {
      String cell = column.text(listed(row, journal));
      if (!cell.isEmpty()) {
        out.printf("%-16s%s%n", column.name(), Plain.text(cell));
      }
    }
    if (bodies) {
      out.printf("%-16s%s%n", "request", Plain.text(Body.of(row.request()).text()));
      if (row.reply() != null) {
        out.printf("%-16s%s%n", "reply", Plain.text(Body.of(row.reply()).text()));
      }
    }
    out.println("journal");
    long before = row.receivedAt();
    for (Entry entry : journal) {
      out.printf(
          "  %s  %s  attempt %d  %s%s  %s by %s%s%s%n",
          Times.format(entry.at()),
          (entry.at() < before ? "" : "+") + Times.span(entry.at() - before),
          entry.attempt(),
          !entry.isMove()
              ? entry.event()
              : (entry.from() == null ? "new" : entry.from()) + " -> " + entry.to(),
          entry.code() == null ? "" : " " + entry.code(),
          entry.actor(),
          Plain.text(entry.by()),
          entry.ticket() == null ? "" : ", ticket " + Plain.text(entry.ticket()),
          entry.note() == null ? "" : ": " + Plain.text(entry.note()));
      before = entry.at();
    }
    out.printf("%-16s%s%n%-16s%s%n", "certain", advice.certain(), "next", advice.text());
    if (advice.remark() != null) {
      out.printf("%-16s%s%n", "remark", advice.remark());
    }
    out.flush();
  }
}
