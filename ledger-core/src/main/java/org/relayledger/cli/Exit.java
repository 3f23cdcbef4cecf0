package org.relayledger.cli;

import org.relayledger.ledger.LedgerException;
import org.relayledger.relay.Problem;

/** The exit codes, which mean the same in all four tools. */
public enum Exit {
  // Worst first, as worst() needs them; from USAGE on those that are never one of several.
  INTERNAL(1, "internal failure, or the output could not be written"),
  LEDGER(10, "ledger missing, foreign, newer, damaged, unwritable or a backup (E908)"),
  DISAGREEMENT(13, "duplicate execution found, or the books disagree"),
  UNTRUSTED(14, "the inquiry cannot be trusted"),
  UNAVAILABLE(12, "account system unavailable; relay busy or on hold (E907)"),
  CONFLICT(7, "GUID conflict (E904), or the GUID is not in a state for this"),
  NO_SUCH_GUID(8, "no such GUID, or forgotten (E906)"),
  UNKNOWN(5, "outcome unknown (E901)"),
  NOT_SENT(4, "not sent (E902), or FAILED rows left that need a person"),
  BAD_REQUEST(9, "bad request (E905)"),
  IN_PROGRESS(6, "in progress (E903), or a live owner holds the row"),
  REFUSED(3, "definite refusal (B2xx, E500)"),
  OK(0, "good, nothing to do included"),
  USAGE(2, "usage or configuration"),
  ALREADY_RUNNING(11, "another run of the same tool holds the run lock"),
  INTERRUPTED(130, "interrupted (SIGINT), after settling what was in flight"),
  TERMINATED(143, "interrupted (SIGTERM), after settling what was in flight");

  private final int code;
  private final String meaning;

  Exit(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  /** What a tool exits with because of {@code trouble}. */
  public static Exit of(LedgerException trouble) {
    return switch (trouble.kind()) {
      case UNAVAILABLE, HALTED, DAMAGED -> LEDGER;
      case BUSY -> UNAVAILABLE;
      case RUNNING -> ALREADY_RUNNING;
    };
  }

  /** What a call that was answered with {@code problem} exits with. */
  public static Exit of(Problem problem) {
    return switch (problem) {
      case E901 -> UNKNOWN;
      case E902 -> NOT_SENT;
      case E903 -> IN_PROGRESS;
      case E904 -> CONFLICT;
      case E905 -> BAD_REQUEST;
      case E906 -> NO_SUCH_GUID;
      case E907 -> UNAVAILABLE;
      case E908 -> LEDGER;
    };
  }

  /** The number that the shell sees. */
  public int code() {
    return code;
  }

  /** What it means, in a few words. */
  public String meaning() {
    return meaning;
  }

  /**
   * The one that a run ends with in which both came up.
   *
   * @throws IllegalArgumentException for those that end a run before any work or after all of it
   */
  public static Exit worst(Exit one, Exit other) {
    if (one.compareTo(OK) > 0 || other.compareTo(OK) > 0) {
      throw new IllegalArgumentException(one + " and " + other + " are never one of several");
    }
    return one.compareTo(other) < 0 ? one : other;
  }
}
