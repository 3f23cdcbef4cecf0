package org.relayledger.relaycli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.relayledger.cli.EarlyStop;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Results;
import org.relayledger.cli.Workers;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerException;
import org.relayledger.ledger.Request;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Taken;
import org.relayledger.ledger.Tombstone;
import org.relayledger.relay.Answer;
import org.relayledger.relay.Intake;
import org.relayledger.relay.Problem;
import org.relayledger.relay.Relay;
import org.relayledger.report.Table;

/**
 * One run of batch: takes in every line, durably, then sends those that are not finished, and
 * answers each line in the order of the lines.
 */
final class BatchRun {
  /** What the summary counts. */
  static final List<String> COUNTED =
      List.of(
          "lines",
          "taken_in",
          "done",
          "refused",
          "replayed",
          "unknown",
          "not_sent",
          "in_progress",
          "conflict",
          "forgotten",
          "bad",
          "not_claimed",
          "ledger_unavailable",
          "left");

  /**
   * What bounds a run.
   *
   * @param gap the least time between two sends
   */
  record Limits(int concurrency, Duration gap) {}

  /** About what a line takes in memory besides its reply. */
  private static final long LINE_SIZE = 500;

  private final Ledger ledger;
  private final Relay relay;
  private final Actor actor;
  private final EarlyStop early;
  private final Predicate<String> success;
  private final Results results;
  private final Workers workers;
  private final InOrder<Table.Line> lines;
  // By folded GUID; not more than there are workers.
  private final Map<String, CompletableFuture<Void>> sending = new ConcurrentHashMap<>();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final LongAdder answered = new LongAdder();
  private long read;
  private LedgerException failed;
  private boolean probed;
  private volatile boolean stopped;

  BatchRun(
      Ledger ledger,
      Relay relay,
      Actor actor,
      EarlyStop early,
      Limits limits,
      Predicate<String> success,
      Results results) {
    this.ledger = ledger;
    this.relay = relay;
    this.actor = actor;
    this.early = early;
    this.success = success;
    this.results = results;
    this.workers = new Workers(limits.concurrency, limits.gap);
    this.lines = new InOrder<>(line -> results.row(Table.LINES, line), results::flush);
  }

  /** Sends nothing new and ends what is open after {@code patience}; from any thread. */
  void stop(Duration patience) {
    stopped = true;
    workers.stop();
    try {
      relay.windUp(patience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Every line of {@code intake}. */
  void all(BatchIntake intake) throws InterruptedException {
    try (workers;
        Spool spool = new Spool()) {
      Optional<EarlyStop.Reason> onHold = EarlyStop.before(ledger.view().settings());
      if (onHold.isPresent()) {
        end(onHold.get());
        return;
      }
      results.nothing("nothing to do: the batch has no lines");
      try {
        takeIn(intake, spool);
        spool.rewind();
        results.expect(spool.size());
        for (Spool.Item item = spool.next(); item != null && !stopped; item = spool.next()) {
          answer(item);
        }
        workers.finish();
      } finally {
        results.count("left", read - answered.sum());
      }
      if (failed != null) {
        throw failed;
      }
      if (stopped && intake.mayHaveMore()) {
        results.note("the batch was not read to its end");
      }
    }
  }

  private void takeIn(BatchIntake intake, Spool spool) throws InterruptedException {
    for (List<BatchIntake.Arrived> chunk = intake.next();
        !chunk.isEmpty() && !stopped;
        chunk = intake.next()) {
      List<Request> requests = new ArrayList<>();
      for (BatchIntake.Arrived arrived : chunk) {
        if (arrived.arrival() instanceof Intake.Arrival.Accepted accepted) {
          requests.add(accepted.request());
        }
      }
      read += chunk.size();
      results.count("lines", chunk.size());
      Iterator<Taken> taken = ledger.receive(requests, actor).iterator();
      for (BatchIntake.Arrived arrived : chunk) {
        if (arrived.arrival() instanceof Intake.Arrival.Accepted accepted) {
          spool.add(item(arrived.line(), accepted.request().guid(), taken.next()));
        } else {
          Answer.Refused refused = ((Intake.Arrival.Rejected) arrived.arrival()).answer();
          spool.add(new Spool.Item(arrived.line(), refused.guid(), refused));
        }
      }
      results.advance(chunk.size());
    }
  }

  private Spool.Item item(long line, Guid guid, Taken taken) {
    if (taken instanceof Taken.Standing standing) {
      boolean fresh = standing.row().state() == State.RECEIVED && standing.row().request() == null;
      if (fresh) {
        results.count("taken_in");
      }
      return new Spool.Item(line, guid, null);
    }
    return new Spool.Item(line, guid, Relay.refusal(guid, taken));
  }

  private void answer(Spool.Item item) throws InterruptedException {
    InOrder.Place<Table.Line> place = lines.place();
    if (item.refused() != null) {
      fill(place, item, null, item.refused());
      return;
    }
    if (failed != null) {
      fill(place, item, null, Relay.refusal(item.guid(), failed));
      return;
    }
    CompletableFuture<Void> same = sending.get(item.guid().folded());
    if (same != null) {
      same.join(); // the same GUID on a line before: its answer is this one's, too
    }
    try {
      answer(item, place);
    } catch (LedgerException e) {
      // Every line has its answer, and most of them are still to come.
      failed = e;
      workers.stop();
      fill(place, item, null, Relay.refusal(item.guid(), e));
    }
  }

  private void answer(Spool.Item item, InOrder.Place<Table.Line> place)
      throws InterruptedException {
    Optional<Row> known = ledger.view().find(item.guid(), true);
    if (known.isEmpty()) {
      fill(place, item, null, purged(item.guid()));
      return;
    }
    Row row = known.get();
    if (row.state() != State.RECEIVED && row.state() != State.FAILED) {
      fill(place, item, row, relay.resume(row));
    } else if (!begin(item, row, place)) {
      fill(place, item, row, notClaimed(row));
    }
  }

  /** Begins to send {@code row}, unless the run has come to its end. */
  private boolean begin(Spool.Item item, Row row, InOrder.Place<Table.Line> place)
      throws InterruptedException {
    if (!probed) {
      probed = true;
      early.beforeFirst().ifPresent(this::end);
    }
    CompletableFuture<Void> sent = new CompletableFuture<>();
    sending.put(row.guid().folded(), sent);
    boolean begun =
        workers.begin(
            () -> {
              Answer answer = broken(row.guid());
              try {
                answer = relay.resume(row);
                early.after(answer).ifPresent(this::end);
              } finally {
                fill(place, item, row, answer);
                sending.remove(row.guid().folded());
                sent.complete(null);
              }
            });
    if (!begun) {
      sending.remove(row.guid().folded());
    }
    return begun;
  }

  /** Stops the run, and says why the first time. */
  private void end(EarlyStop.Reason why) {
    boolean bySignal = stopped;
    workers.stop();
    if (ended.compareAndSet(false, true) && !bySignal) {
      results.trouble(why.exit(), why.line());
    }
  }

  private Answer purged(Guid guid) {
    Tombstone tombstone = ledger.view().tombstone(guid).orElse(null);
    return Relay.refusal(guid, new Taken.Forgotten(tombstone));
  }

  private static Answer notClaimed(Row row) {
    return Answer.Refused.of(
        Problem.E907,
        row.guid(),
        row.guid()
            + " is "
            + row.state()
            + " and was not sent: the run had to stop before; run the same batch again");
  }

  private static Answer broken(Guid guid) {
    return Answer.Refused.of(
        Problem.E901,
        guid,
        "whether " + guid + " was sent is unknown: this tool failed; run resolve");
  }

  private void fill(InOrder.Place<Table.Line> place, Spool.Item item, Row row, Answer answer) {
    Table.Line line;
    if (answer instanceof Answer.Definite definite) {
      line =
          new Table.Line(
              item.line(), item.guid(), State.DONE, definite.code(), definite.reply().body(), null);
      count(definite);
    } else {
      Answer.Refused refused = (Answer.Refused) answer;
      line =
          new Table.Line(
              item.line(),
              item.guid(),
              state(refused.problem(), row),
              refused.problem().name(),
              null,
              refused.detail());
      results.count(counted(refused.problem()));
      results.trouble(Exit.of(refused.problem()), "line " + item.line() + ": " + refused.detail());
    }
    results.advance(1);
    answered.increment();
    lines.fill(place, line, LINE_SIZE + (line.reply() == null ? 0 : line.reply().length));
  }

  private void count(Answer.Definite definite) {
    boolean good = success.test(definite.code());
    results.count(good ? "done" : "refused");
    if (definite.replayed()) {
      results.count("replayed");
    }
    if (!good) {
      results.trouble(
          Exit.REFUSED,
          definite.guid() + " is DONE, refused by the account system: " + definite.code());
    }
  }

  private static State state(Problem problem, Row row) {
    return switch (problem) {
      case E901 -> State.UNKNOWN;
      case E902 -> State.FAILED;
      case E903 -> State.SENT;
      case E907, E908 -> row == null ? null : row.state();
      case E904, E905, E906 -> null; // the request of this line is in no row
    };
  }

  private static String counted(Problem problem) {
    return switch (problem) {
      case E901 -> "unknown";
      case E902 -> "not_sent";
      case E903 -> "in_progress";
      case E904 -> "conflict";
      case E905 -> "bad";
      case E906 -> "forgotten";
      case E907 -> "not_claimed";
      case E908 -> "ledger_unavailable";
    };
  }
}
