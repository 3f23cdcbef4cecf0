package org.relayledger.cli;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.relayledger.account.AccountSystem;
import org.relayledger.ledger.Settings;
import org.relayledger.relay.Answer;
import org.relayledger.relay.Inquirer;
import org.relayledger.relay.Problem;

/**
 * When a run that sends rows ends before its time: nobody answers, nobody may be believed, or
 * nothing may be claimed. Safe for many threads.
 */
public final class EarlyStop {
  /**
   * Why.
   *
   * @param line what happened and what is certain
   */
  public record Reason(Exit exit, String line) {}

  private final AccountSystem system;
  private final Inquirer inquirer;
  private final int stopAfter;
  private final AtomicInteger unreachable = new AtomicInteger();

  /**
   * @param inquirer what is asked before a send, where the ledger wants that
   * @param stopAfter how many connect failures, or unanswered inquiries, in a row end the run
   */
  public EarlyStop(AccountSystem system, Inquirer inquirer, int stopAfter) {
    this.system = system;
    this.inquirer = inquirer;
    this.stopAfter = stopAfter;
  }

  /** Before anything: whether a ledger with {@code settings} lets anything be claimed. */
  public static Optional<Reason> before(Settings settings) {
    Settings.Mode mode = settings.mode();
    return mode == Settings.Mode.HOLD
        ? Optional.of(
            new Reason(
                Exit.UNAVAILABLE,
                "the ledger is in mode "
                    + mode.word()
                    + "; no row was claimed and nothing was sent"))
        : Optional.empty();
  }

  /** Before the first claim: whether a connection can be opened. */
  public Optional<Reason> beforeFirst() {
    return system
        .probe()
        .map(
            why ->
                new Reason(
                    Exit.UNAVAILABLE,
                    "the account system cannot be reached: " + why + "; no row was claimed"));
  }

  /** Whether {@code answer}, what became of one row, is the last straw. */
  public Optional<Reason> after(Answer answer) {
    if (!(answer instanceof Answer.Refused refused)) {
      unreachable.set(0);
      return Optional.empty();
    }
    return switch (refused.problem()) {
      case E901 -> {
        unreachable.set(0);
        yield nobodyAnswers();
      }
      case E902 -> cannotConnect();
      case E907 ->
          refused.retry() == Problem.Retry.NEVER
              ? Optional.empty() // this row has to be asked about elsewhere, and no other
              : Optional.of(new Reason(Exit.UNAVAILABLE, refused.detail()));
      case E908 ->
          refused.retry() == Problem.Retry.NEVER
              ? Optional.empty() // this row is damaged, and no other
              : Optional.of(new Reason(Exit.LEDGER, refused.detail()));
      case E903, E904, E905, E906 -> Optional.empty();
    };
  }

  /** Where the ledger asks first, each row would only lose an attempt. */
  private Optional<Reason> nobodyAnswers() {
    if (inquirer.isUntrusted()) {
      return Optional.of(new Reason(Exit.UNTRUSTED, Inquirer.UNTRUSTED));
    }
    return inquirer.outagesInARow() < stopAfter
        ? Optional.empty()
        : Optional.of(
            new Reason(
                Exit.UNAVAILABLE,
                "the account system did not answer "
                    + stopAfter
                    + " inquiries in a row; the run stopped; run it again when it is back"));
  }

  /** A row is not sent for other reasons, too: only a connection that fails now counts. */
  private Optional<Reason> cannotConnect() {
    if (system.probe().isEmpty()) {
      unreachable.set(0);
      return Optional.empty();
    }
    return unreachable.incrementAndGet() < stopAfter
        ? Optional.empty()
        : Optional.of(
            new Reason(
                Exit.UNAVAILABLE,
                "no connection to the account system could be opened for "
                    + stopAfter
                    + " rows in a row; the run stopped; run it again when it is back"));
  }
}
