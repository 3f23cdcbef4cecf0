package org.relayledger.relay;

import java.time.Duration;
import java.util.Optional;
import org.relayledger.account.Inquiry;
import org.relayledger.account.Verdict;
import org.relayledger.ledger.Claim;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The question before a send, while the ledger is in the mode ask-first: it may not know all that
 * was sent to the account system.
 */
public final class AskFirst {
  private static final Logger LOG = LoggerFactory.getLogger(AskFirst.class);

  private final Inquirer inquirer;
  private final Duration minAge;
  private final HostClock clock;
  private final Steps steps;

  /**
   * @param minAge how long ago the mode must have begun before "no record" is believed: what was
   *     sent right before may still be on its way
   */
  public AskFirst(Inquirer inquirer, Duration minAge, HostClock clock, Steps steps) {
    this.inquirer = inquirer;
    this.minAge = minAge;
    this.clock = clock;
    this.steps = steps;
  }

  /**
   * What {@code claim} comes to without being sent: DONE if the account system has processed it
   * already, in doubt if it does not say so clearly. Empty if it may be sent.
   */
  Optional<Outcome> outcome(Claim claim) {
    if (claim.asksSince().isEmpty()) {
      return Optional.empty();
    }
    Inquiry inquiry = inquirer.ask(claim.row().guid());
    steps.reached(Step.INQUIRY_READ, claim.row().guid());
    Verdict verdict = inquiry.verdict();
    if (verdict instanceof Verdict.Processed processed) {
      claim.asked(State.DONE, inquiry.text());
      return Optional.of(new Outcome.Done(processed.reply(), processed.code()));
    }
    boolean absent = verdict instanceof Verdict.NoRecord;
    boolean elsewhere = absent && inquirer.isElsewhere();
    if (absent && !elsewhere && claim.asksSince().get().age(clock).compareTo(minAge) >= 0) {
      claim.asked(State.SENT, inquiry.text());
      return Optional.empty();
    }
    claim.asked(null, inquiry.text());
    String why =
        elsewhere
            ? "asked first: no record, but no transfer sent to this URL is DONE, others are"
            : absent
                ? "asked first: no record, but what was sent before the mode began may still arrive"
                : "asked first: " + ((Verdict.Inconclusive) verdict).why();
    LOG.warn("{} is not sent: {}", claim.row().guid(), why);
    return Optional.of(new Outcome.InDoubt(why, false));
  }
}
