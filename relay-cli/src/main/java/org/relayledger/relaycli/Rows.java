package org.relayledger.relaycli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Output;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.report.Mask;
import org.relayledger.report.Report;
import org.relayledger.report.Table;

/**
 * Writes the rows that match, in the order in which they came in, a page at a time.
 *
 * @param most how many rows at most
 * @param bodies whether with their bodies
 * @param rows whether the rows themselves are written
 * @param journal whether their journal entries are; without a filter also those that have no row
 * @param mask what is hidden
 */
record Rows(Filter filter, long most, boolean bodies, boolean rows, boolean journal, Mask mask) {
  /** How many were written. */
  record Written(long rows, long entries) {}

  /** Writes until all is written or nobody reads any more. */
  Written write(LedgerView view, Report report, Output out) {
    Table<Table.Listed> table = bodies ? Table.ARCHIVE : Table.ROWS;
    if (rows) {
      report.begin(table);
    } else {
      report.begin(Table.JOURNAL);
    }
    // What is hidden in a row's notes is known from its bodies.
    Filter read = filter.withBodies(bodies || !mask.isNone());
    long count = 0;
    long entries = 0;
    long after = 0;
    while (count < most && !out.lost()) {
      int size = (int) Math.min(LedgerView.MAX_PAGE, most - count);
      List<Row> page = view.page(read, after, size);
      if (page.isEmpty()) {
        break;
      }
      Map<Long, Entry> lastMoves = rows ? view.lastMoves(page) : Map.of();
      for (Row row : page) {
        Mask.Masked masked = mask.mask(row, bodies);
        if (rows) {
          report.add(table, new Table.Listed(masked.row(), masked.entry(lastMoves.get(row.seq()))));
        }
        if (journal) {
          for (Entry entry : view.journal(row)) {
            report.add(Table.JOURNAL, masked.entry(entry));
            entries++;
          }
        }
      }
      count += page.size();
      after = page.get(page.size() - 1).seq();
    }
    if (journal && filter.isAll() && count < most) {
      entries += withoutRow(view, report, out);
    }
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("rows", count);
    if (journal) {
      counts.put("entries", entries);
    }
    report.end(counts, Exit.OK.code());
    return new Written(count, entries);
  }

  private static long withoutRow(LedgerView view, Report report, Output out) {
    long count = 0;
    long after = 0;
    for (List<Entry> page = view.entriesWithoutRow(after);
        !page.isEmpty() && !out.lost();
        page = view.entriesWithoutRow(after)) {
      page.forEach(entry -> report.add(Table.JOURNAL, entry));
      count += page.size();
      after = page.get(page.size() - 1).id();
    }
    return count;
  }
}
