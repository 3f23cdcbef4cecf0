package org.relayledger.relay;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.relayledger.account.Inquiry;
import org.relayledger.account.Verdict;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Claim;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Moment;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;

/**
 * The one place where UNKNOWN may become FAILED: the owner is gone, its exchange ended at least
 * min-age ago, and a trusted inquiry says "no record"; or an operator says so. Safe for many
 * threads.
 */
public final class Resolution {
  /** What became of one row. */
  public enum Result {
    /** The account system has processed it; its answer is the stored reply. */
    DONE,
    /** The account system has no record of it and will have none. */
    FAILED,
    /** It was asked about, and nothing follows from the answer. */
    INCONCLUSIVE,
    /** It is UNKNOWN and younger than min-age; nobody was asked. */
    TOO_YOUNG,
    /** It was sent to an account URL that is not asked here. */
    ELSEWHERE,
    /** A live owner holds it. */
    HELD,
    /** An operator says FAILED, and the inquiry that it was processed: it stays UNKNOWN. */
    CONTRADICTED,
    /** It is neither SENT nor UNKNOWN any more. */
    SETTLED
  }

  /**
   * What became of one row, and why.
   *
   * @param orphan whether its owner was found gone and it became UNKNOWN just now
   * @param why evidence for people, in a few words
   */
  public record Resolved(Result result, boolean orphan, String why) {}

  private static final Set<State> ASKABLE = EnumSet.of(State.SENT, State.UNKNOWN);

  private final Inquirer inquirer;
  private final Moment asksSince;
  private final Duration minAge;
  private final HostClock clock;
  private final Steps steps;

  /**
   * @param minAge not less than the account system's longest processing time: earlier, "no record"
   *     may only mean "not yet"
   */
  public Resolution(
      Inquirer inquirer, Settings settings, Duration minAge, HostClock clock, Steps steps) {
    this.inquirer = inquirer;
    this.asksSince = settings.asksSince();
    this.minAge = minAge;
    this.clock = clock;
    this.steps = steps;
  }

  /** Why {@code row} is not to be asked about now; empty if it is. Touches nothing. */
  public Optional<Resolved> notNow(Row row) {
    if (!ASKABLE.contains(row.state())) {
      return Optional.of(new Resolved(Result.SETTLED, false, "it is " + row.state()));
    }
    Duration age = row.age(clock);
    if (age.compareTo(minAge) < 0) {
      String why =
          row.endedAt() == null
              ? "its exchange has no recorded end yet"
              : "its exchange ended " + words(age) + " ago, less than " + words(minAge);
      return Optional.of(new Resolved(Result.TOO_YOUNG, false, why));
    }
    if (asksSince != null && asksSince.age(clock).compareTo(minAge) < 0) {
      // However old the row is: a ledger that was replaced may have sent it right before.
      String why =
          "the ledger asks first since "
              + words(asksSince.age(clock))
              + ", less than "
              + words(minAge);
      return Optional.of(new Resolved(Result.TOO_YOUNG, false, why));
    }
    return inquirer.knows(row.account())
        ? Optional.empty()
        : Optional.of(
            new Resolved(
                Result.ELSEWHERE, false, "it was sent to " + row.account() + ", not asked here"));
  }

  private static String words(Duration time) {
    return Math.max(0, time.toSeconds()) + "s";
  }

  /** What {@link #resolve} would make of {@code row}; asks about it and changes nothing. */
  public Resolved foresee(Row row) {
    return notNow(row).orElseGet(() -> read(inquirer.ask(row.guid())));
  }

  private static Resolved read(Inquiry inquiry) {
    Verdict verdict = inquiry.verdict();
    if (verdict instanceof Verdict.Inconclusive inconclusive) {
      return new Resolved(Result.INCONCLUSIVE, false, inconclusive.why());
    }
    return verdict instanceof Verdict.Processed
        ? new Resolved(Result.DONE, false, "the inquiry found it")
        : new Resolved(Result.FAILED, false, "the account system has no record of it");
  }

  /**
   * Settles {@code row} by asking, as {@code actor}, if it is SENT or UNKNOWN and all that this
   * needs is there. A SENT row whose owner is gone becomes UNKNOWN, and ages from now.
   */
  public Resolved resolve(Ledger ledger, Actor actor, Row row) {
    Optional<Resolved> notNow = notNow(row);
    if (notNow.isPresent() && (row.endedAt() != null || notNow.get().result() == Result.SETTLED)) {
      return notNow.get();
    }
    return adopted(ledger, actor, row, claim -> settle(claim, ask(claim)));
  }

  private Inquiry ask(Claim claim) {
    Inquiry inquiry = inquirer.ask(claim.row().guid());
    steps.reached(Step.INQUIRY_READ, claim.row().guid());
    return inquiry;
  }

  /** Takes over {@code row} and lets {@code settling} settle it, if it is old enough. */
  private Resolved adopted(
      Ledger ledger, Actor actor, Row row, Function<Claim, Resolved> settling) {
    Optional<Claim> adopted = ledger.adopt(row, actor);
    if (adopted.isEmpty()) {
      return notTaken(ledger, row, ASKABLE);
    }
    try (Claim claim = adopted.get()) {
      Resolved resolved = notNow(claim.row()).orElseGet(() -> settling.apply(claim));
      return new Resolved(resolved.result(), row.state() == State.SENT, resolved.why());
    }
  }

  /** Why {@code row} could not be taken over, which rows in {@code states} can be. */
  private static Resolved notTaken(Ledger ledger, Row row, Set<State> states) {
    Optional<State> now = ledger.view().find(row.guid(), false).map(Row::state);
    return now.filter(states::contains).isPresent()
        ? new Resolved(Result.HELD, false, "a live owner holds it")
        : new Resolved(
            Result.SETTLED, false, now.map(state -> "it is " + state).orElse("it was purged"));
  }

  private static Resolved settle(Claim claim, Inquiry inquiry) {
    Resolved read = read(inquiry);
    if (inquiry.verdict() instanceof Verdict.Processed processed) {
      claim.asked(State.DONE, inquiry.text());
      return moved(claim, new Outcome.Done(processed.reply(), processed.code()), read);
    }
    if (inquiry.verdict() instanceof Verdict.NoRecord) {
      claim.asked(State.FAILED, inquiry.text());
      return moved(claim, new Outcome.NotSent(read.why), read);
    }
    claim.asked(null, inquiry.text());
    return read;
  }

  private static Resolved moved(Claim claim, Outcome outcome, Resolved then) {
    // While its byte is held only somebody at an SQL prompt can have moved it.
    return claim.settle(outcome, null, then.why)
        ? then
        : new Resolved(Result.SETTLED, false, "it was moved by somebody without its claim byte");
  }

  /**
   * Makes a row that is not DONE yet DONE with {@code reply}, on an operator's word.
   *
   * @param reason why, for the journal
   */
  public Resolved settleDone(
      Ledger ledger, Actor operator, Row row, Outcome.Done reply, String reason) {
    Optional<Claim> held = ledger.hold(row, operator);
    if (held.isEmpty()) {
      return notTaken(ledger, row, EnumSet.complementOf(EnumSet.of(State.DONE)));
    }
    try (Claim claim = held.get()) {
      return moved(claim, reply, new Resolved(Result.DONE, false, reason));
    }
  }

  /**
   * Makes an UNKNOWN row FAILED on an operator's word, if it is older than min-age and the account
   * system answers an inquiry with anything but "processed".
   *
   * @param reason why, for the journal
   */
  public Resolved settleFailed(Ledger ledger, Actor operator, Row row, String reason) {
    return adopted(
        ledger,
        operator,
        row,
        claim -> {
          Inquiry inquiry = inquirer.askPlainly(claim.row().guid());
          steps.reached(Step.INQUIRY_READ, claim.row().guid());
          Optional<Resolved> objection = objection(inquiry);
          claim.asked(objection.isEmpty() ? State.FAILED : null, inquiry.text());
          return objection.orElseGet(
              () ->
                  moved(
                      claim,
                      new Outcome.NotSent(reason),
                      new Resolved(Result.FAILED, false, reason)));
        });
  }

  /** What {@link #settleFailed} would make of {@code row}; asks about it and changes nothing. */
  public Resolved foreseeFailed(Row row, String reason) {
    return notNow(row)
        .or(() -> objection(inquirer.askPlainly(row.guid())))
        .orElse(new Resolved(Result.FAILED, false, reason));
  }

  /** What the account system has to say against an operator who says FAILED. */
  private static Optional<Resolved> objection(Inquiry inquiry) {
    if (inquiry.verdict() instanceof Verdict.Processed) {
      return Optional.of(
          new Resolved(Result.CONTRADICTED, false, "the inquiry says that it was processed"));
    }
    return inquiry.outage()
        ? Optional.of(new Resolved(Result.INCONCLUSIVE, false, "the account system did not answer"))
        : Optional.empty();
  }

  /** Makes an UNKNOWN row FAILED on an operator's word alone, whatever its age; nobody is asked. */
  public Resolved overrideFailed(Ledger ledger, Actor operator, Row row, String reason) {
    Optional<Claim> adopted = ledger.adopt(row, operator);
    if (adopted.isEmpty()) {
      return notTaken(ledger, row, ASKABLE);
    }
    try (Claim claim = adopted.get()) {
      return moved(
          claim,
          new Outcome.NotSent(reason),
          new Resolved(Result.FAILED, row.state() == State.SENT, "override: " + reason));
    }
  }
}
