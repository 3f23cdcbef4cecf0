package org.relayledger.reprocesscli;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.relayledger.cli.EarlyStop;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Results;
import org.relayledger.cli.Workers;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.relay.Answer;
import org.relayledger.relay.Problem;
import org.relayledger.report.Table;

/** One run of reprocess: which rows, how many at once, and what their answers mean. */
final class ReprocessRun {
  /** What the summary counts. */
  static final List<String> COUNTED =
      List.of(
          "done",
          "refused",
          "unknown",
          "not_sent",
          "would_be_sent",
          "used_up",
          "too_old",
          "held",
          "wrong_state",
          "no_such_guid",
          "left");

  /**
   * What bounds a run.
   *
   * @param gap the least time between two sends
   * @param most how many rows are sent
   */
  record Limits(
      int maxAttempts,
      Duration maxAge,
      boolean received,
      Duration gap,
      int concurrency,
      int most) {}

  private final LedgerView view;
  private final ReprocessCommand.Sending sending;
  private final Limits limits;
  private final HostClock clock;
  private final Predicate<String> success;
  private final Results results;
  private final Workers workers;
  private final AtomicBoolean stopped = new AtomicBoolean();
  private boolean probed;
  private int begun;

  ReprocessRun(
      LedgerView view,
      ReprocessCommand.Sending sending,
      Limits limits,
      HostClock clock,
      Predicate<String> success,
      Results results) {
    this.view = view;
    this.sending = sending;
    this.limits = limits;
    this.clock = clock;
    this.success = success;
    this.results = results;
    this.workers = new Workers(limits.concurrency, limits.gap);
  }

  /** Sends nothing new and ends what is open after {@code patience}; from any thread. */
  void stop(Duration patience) {
    workers.stop();
    sending
        .relay()
        .ifPresent(
            relay -> {
              try {
                relay.windUp(patience);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  /** Every row that is FAILED, in the order in which they came in. */
  void all() throws InterruptedException {
    Set<State> states =
        limits.received ? EnumSet.of(State.FAILED, State.RECEIVED) : EnumSet.of(State.FAILED);
    long usedUp = 0;
    long tooOld = 0;
    try (workers) {
      if (mayClaim()) {
        for (State state : states) {
          Filter filter = Filter.in(state);
          long after = 0;
          while (!workers.isStopped()) {
            List<Row> page = view.page(filter, after, LedgerView.MAX_PAGE);
            if (page.isEmpty()) {
              break;
            }
            for (Row row : page) {
              if (isUsedUp(row)) {
                usedUp++;
                left(row, "used_up");
              } else if (isTooOld(row)) {
                tooOld++;
                left(row, "too_old");
              } else if (begun < limits.most) {
                begin(row, false);
              }
            }
            after = page.get(page.size() - 1).seq();
          }
        }
      }
      workers.finish();
    }
    if (usedUp > 0) {
      results.trouble(
          Exit.NOT_SENT,
          "rows that have used up their attempts (--max-attempts "
              + limits.maxAttempts
              + ") and were not sent again: "
              + usedUp
              + "; find out why, then name them with a higher --max-attempts, or settle them by"
              + " hand");
    }
    if (tooOld > 0) {
      results.trouble(
          Exit.NOT_SENT,
          "rows that came in longer ago than --max-age and were not sent again: "
              + tooOld
              + "; a person must decide: name them to send them");
    }
  }

  /** The named rows, each on its own. */
  void each(Set<Guid> named) throws InterruptedException {
    try (workers) {
      if (mayClaim()) {
        for (Guid guid : named) {
          Optional<Row> row = view.find(guid, false);
          if (row.isEmpty()) {
            absent(guid);
          } else if (mayBeSent(row.get())) {
            if (begun < limits.most) {
              begin(row.get(), true);
            } else {
              results.count("left");
              results.trouble(Exit.NOT_SENT, guid + " was not sent: --limit was reached before");
            }
          }
        }
      }
      workers.finish();
    }
  }

  private void absent(Guid guid) {
    String detail =
        view.tombstone(guid).isPresent()
            ? "finished earlier and was purged; it is never sent again"
            : "is not in this ledger; nothing was sent";
    results.count("no_such_guid");
    results.row(Table.RESULTS, new Table.Result(guid, "no_such_guid", null, null, null, detail));
    results.trouble(Exit.NO_SUCH_GUID, guid + " " + detail);
  }

  private boolean mayBeSent(Row row) {
    Guid guid = row.guid();
    boolean sendable =
        row.state() == State.FAILED || (row.state() == State.RECEIVED && limits.received);
    if (!sendable) {
      boolean inProgress = row.state() == State.SENT;
      String detail =
          "is "
              + row.state()
              + " and was not sent: "
              + switch (row.state()) {
                case SENT -> "somebody sends it now; if its sender has died, resolve finds out";
                case UNKNOWN -> "only FAILED rows are; resolve asks about it";
                case RECEIVED -> "only FAILED rows are, without --received";
                case FAILED, DONE -> "only FAILED rows are";
              };
      results.count(inProgress ? "held" : "wrong_state");
      tell(
          row, inProgress ? "held" : "wrong_state", row.state(), row.code(), row.attempt(), detail);
      results.trouble(inProgress ? Exit.IN_PROGRESS : Exit.CONFLICT, guid + " " + detail);
      return false;
    }
    if (isUsedUp(row)) {
      left(row, "used_up");
      results.trouble(
          Exit.NOT_SENT,
          guid
              + " was not sent again: it has had "
              + row.attempt()
              + " attempts, and --max-attempts is "
              + limits.maxAttempts);
      return false;
    }
    return true;
  }

  private boolean isUsedUp(Row row) {
    return row.attempt() >= limits.maxAttempts;
  }

  private boolean isTooOld(Row row) {
    return clock.millis() - row.receivedAt() > limits.maxAge.toMillis();
  }

  private void left(Row row, String why) {
    results.count(why);
    tell(row, why, row.state(), row.code(), row.attempt(), "left alone; it needs a person");
  }

  private boolean mayClaim() {
    Optional<EarlyStop.Reason> onHold = EarlyStop.before(view.settings());
    onHold.ifPresent(this::end);
    return onHold.isEmpty();
  }

  private void begin(Row row, boolean named) throws InterruptedException {
    if (sending.relay().isEmpty()) {
      begun++;
      results.count("would_be_sent");
      tell(row, "would_be_sent", row.state(), row.code(), row.attempt(), "not sent: a dry run");
      return;
    }
    if (!probed) {
      probed = true;
      sending.early().beforeFirst().ifPresent(this::end);
    }
    if (workers.begin(() -> send(row, named))) {
      begun++;
    }
  }

  /** Stops the run, and says why the first time. */
  private void end(EarlyStop.Reason why) {
    workers.stop();
    if (stopped.compareAndSet(false, true)) {
      results.trouble(why.exit(), why.line());
    }
  }

  private void send(Row row, boolean named) throws InterruptedException {
    Optional<CompletionStage<Answer>> sent = sending.relay().orElseThrow().again(row);
    if (sent.isEmpty()) {
      String detail = "was not sent: somebody else has it, or has moved it";
      results.count("held");
      if (named) {
        tell(row, "held", row.state(), row.code(), row.attempt(), detail);
        results.trouble(Exit.IN_PROGRESS, row.guid() + " " + detail);
      }
      return;
    }
    CompletionStage<Void> unused = sent.get().thenAccept(answer -> told(row, answer, named));
  }

  private void told(Row row, Answer answer, boolean named) {
    Guid guid = row.guid();
    int attempt = row.attempt() + 1;
    if (answer instanceof Answer.Definite definite) {
      boolean good = success.test(definite.code());
      results.count(good ? "done" : "refused");
      if (!good) {
        results.trouble(
            Exit.REFUSED, guid + " is DONE, refused by the account system: " + definite.code());
      }
      tell(
          row,
          good ? "done" : "refused",
          State.DONE,
          definite.code(),
          attempt,
          "attempt " + attempt + " was answered");
    } else {
      told(row, (Answer.Refused) answer, attempt, named);
    }
    boolean stopping = workers.isStopped() && isBusy(answer);
    if (!stopping) {
      sending.early().after(answer).ifPresent(this::end);
    }
  }

  private static boolean isBusy(Answer answer) {
    return answer instanceof Answer.Refused refused && refused.problem() == Problem.E907;
  }

  private void told(Row row, Answer.Refused refused, int attempt, boolean named) {
    String code = refused.problem().name();
    switch (refused.problem()) {
      case E901 -> {
        results.count("unknown");
        results.trouble(Exit.UNKNOWN, refused.detail());
        tell(row, "unknown", State.UNKNOWN, code, attempt, refused.detail());
      }
      case E902 -> {
        results.count("not_sent");
        tell(row, "not_sent", State.FAILED, code, attempt, refused.detail());
        if (named) {
          results.trouble(Exit.NOT_SENT, refused.detail());
        } else if (attempt >= limits.maxAttempts) {
          results.trouble(
              Exit.NOT_SENT,
              row.guid()
                  + " has had its last attempt, number "
                  + attempt
                  + ": "
                  + refused.detail());
        }
      }
      case E908 -> {
        if (refused.retry() == Problem.Retry.NEVER) {
          results.trouble(Exit.LEDGER, refused.detail());
        }
      }
      case E907 -> {
        if (refused.retry() == Problem.Retry.NEVER) {
          results.count("held");
          results.trouble(Exit.UNAVAILABLE, refused.detail());
          tell(row, "held", row.state(), row.code(), row.attempt(), refused.detail());
        }
      }
      case E903, E904, E905, E906 -> {
        // Nothing was claimed, so there is nothing to tell of the row.
      }
    }
  }

  private void tell(Row row, String result, State state, String code, int attempt, String detail) {
    results.advance(1);
    results.row(Table.RESULTS, new Table.Result(row.guid(), result, state, code, attempt, detail));
  }
}
