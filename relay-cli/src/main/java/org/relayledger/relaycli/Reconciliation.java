package org.relayledger.relaycli;

import java.util.Optional;
import java.util.function.Predicate;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Tombstone;

/**
 * What the ledger lets the account system have executed: the one place that says which books
 * disagree.
 *
 * @param since what was executed from then on must be in the statement, epoch milliseconds, or null
 * @param until what was executed before must be in it, or null
 * @param success which codes mean that a transfer was executed
 */
record Reconciliation(Long since, Long until, Predicate<String> success) {
  /**
   * What was found about one GUID.
   *
   * @param disagrees whether the books disagree; else it is worth a look
   * @param detail what it means, and what to do next
   */
  record Finding(String word, boolean disagrees, String detail) {}

  /**
   * What is wrong with so many executions of a GUID, if anything is.
   *
   * @param row its row, or null
   * @param tombstone what purge left of it, or null
   */
  Optional<Finding> judge(long executions, Row row, Tombstone tombstone) {
    if (executions > 1) {
      return found("duplicate", "executed " + executions + " times; have all but one reversed");
    }
    if (row != null) {
      return executions == 1 ? executed(row) : notExecuted(row);
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

  private Optional<Finding> executed(Row row) {
    return switch (row.state()) {
      case DONE ->
          success.test(row.code())
              ? Optional.empty()
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

  private Optional<Finding> notExecuted(Row row) {
    if (row.state() != State.DONE || !success.test(row.code())) {
      return Optional.empty();
    }
    // It was executed some time between these two.
    long earliest = row.sentAt() == null ? row.receivedAt() : row.sentAt();
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
                "sent and answered on two sides of --since or --until: it may be in the statement"
                    + " before or after this one"));
  }

  private static Optional<Finding> found(String word, String detail) {
    return Optional.of(new Finding(word, true, detail));
  }
}
