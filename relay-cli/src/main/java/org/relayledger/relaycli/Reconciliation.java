package org.relayledger.relaycli;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Comparison;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Tombstone;
import org.relayledger.report.Times;

/**
 * What the ledger lets the account system have executed: the one place that says which books
 * disagree.
 *
 * @param since what was executed from then on must be in the statement, epoch milliseconds, or null
 * @param until what was executed before must be in it, or null
 * @param skew how far the clocks of the account system and of this host may be apart
 * @param success which codes mean that a transfer was executed
 */
record Reconciliation(Long since, Long until, Duration skew, Predicate<String> success)
    implements Comparison.Rule {
  /**
   * What was found about one GUID.
   *
   * @param disagrees whether the books disagree; else it is worth a look
   * @param detail what it means, and what to do next
   */
  record Finding(String word, boolean disagrees, String detail) {}

  /** By itself a row does not tell how it came to be DONE: then it is looked at again. */
  @Override
  public boolean isRight(long executions, Row row, Tombstone tombstone) {
    return judge(executions, null, row, tombstone, List.of()).isEmpty();
  }

  @Override
  public long earliest(Row row) {
    return begin(row) - skew.toMillis();
  }

  @Override
  public long latest(Row row) {
    return row.doneAt() == null ? Long.MAX_VALUE : row.doneAt() + skew.toMillis();
  }

  private static long begin(Row row) {
    return row.sentAt() == null ? row.receivedAt() : row.sentAt();
  }

  /**
   * What is wrong with so many executions of a GUID, if anything is.
   *
   * @param at when it was executed, if that was once and is known; else null
   * @param row its row, or null
   * @param tombstone what purge left of it, or null
   * @param journal of the row
   */
  Optional<Finding> judge(
      long executions, Long at, Row row, Tombstone tombstone, List<Entry> journal) {
    if (executions > 1) {
      return found("duplicate", "executed " + executions + " times; have all but one reversed");
    }
    if (row != null) {
      return executions == 1 ? executed(at, row, journal) : notExecuted(row, journal);
    }
    if (tombstone == null) {
      return found(
          "not_in_ledger",
          "executed, and unknown here: it did not come through this ledger, or the ledger has"
              + " forgotten it; ask the account system who sent it");
    }
    // A tombstone does not say when it was sent, so it may be in a statement or not.
    return executions == 1 && !success.test(tombstone.code())
        ? found("unexpected", "executed, but it finished here with " + tombstone.code())
        : Optional.empty();
  }

  private Optional<Finding> executed(Long at, Row row, List<Entry> journal) {
    return switch (row.state()) {
      case DONE ->
          success.test(row.code())
              ? executedInTime(at, row, journal)
              : found(
                  "unexpected",
                  "executed, but refused here with " + row.code() + ": its channel believes that");
      case UNKNOWN -> found("unresolved", "executed: resolve " + row.guid());
      case SENT ->
          found(
              "unresolved",
              "executed; its sender still waits for the reply, or is gone: resolve " + row.guid());
      case FAILED ->
          found(
              "unexpected",
              "executed, but FAILED here, so it may be sent again: stop reprocess, then: resolve"
                  + " --settle done "
                  + row.guid()
                  + " --reply FILE --reason REASON");
      case RECEIVED ->
          found(
              "unexpected",
              "executed, but never sent from here: somebody else has sent it; before its batch goes"
                  + " on: resolve --settle done "
                  + row.guid()
                  + " --reply FILE --reason REASON");
    };
  }

  /** What was executed at another time is not what was sent: the other one is in another list. */
  private Optional<Finding> executedInTime(Long at, Row row, List<Entry> journal) {
    boolean tooEarly = at != null && at < earliest(row) && !isFoundBooked(journal);
    boolean tooLate = at != null && at > latest(row);
    return tooEarly || tooLate
        ? found(
            "mistimed",
            "executed at "
                + Times.format(at)
                + ", but sent here at "
                + Times.format(begin(row))
                + " and DONE at "
                + Times.format(row.doneAt())
                + ": it may have been executed twice; look for it in the statements before and after"
                + " this one")
        : Optional.empty();
  }

  /**
   * Whether the account system had the transfer before it was sent from here: asked first, it said
   * so; or a person did.
   */
  private static boolean isFoundBooked(List<Entry> journal) {
    boolean askedFirst =
        journal.stream()
            .anyMatch(
                entry ->
                    !entry.isMove()
                        && entry.to() == State.DONE
                        && !entry.actor().equals(Actor.Role.RESOLVE.word()));
    return askedFirst
        || journal.stream()
            .anyMatch(
                entry ->
                    entry.isMove(State.DONE) && entry.actor().equals(Actor.Role.OPERATOR.word()));
  }

  private Optional<Finding> notExecuted(Row row, List<Entry> journal) {
    if (row.state() != State.DONE || !success.test(row.code())) {
      return Optional.empty();
    }
    // It was executed some time between these two.
    long earliest = isFoundBooked(journal) ? Long.MIN_VALUE : begin(row);
    long latest = row.doneAt();
    boolean within = (since == null || earliest >= since) && (until == null || latest < until);
    if (within) {
      return found(
          "missing",
          "DONE with "
              + row.code()
              + " here, but the statement does not have it; ask the account system");
    }
    boolean outside = (since != null && latest < since) || (until != null && earliest >= until);
    return outside
        ? Optional.empty()
        : Optional.of(
            new Finding(
                "edge",
                false,
                "executed on one of the two sides of --since or --until: it may be in the statement"
                    + " before or after this one"));
  }

  private static Optional<Finding> found(String word, String detail) {
    return Optional.of(new Finding(word, true, detail));
  }
}
