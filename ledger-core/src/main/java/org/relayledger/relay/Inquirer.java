package org.relayledger.relay;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.relayledger.account.AccountSystem;
import org.relayledger.account.Inquiry;
import org.relayledger.account.Verdict;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;

/**
 * Asks the account system about transfers, and believes it only as far as its canaries do: an
 * inquiry that knows nobody would make every row FAILED, one that knows everybody every row DONE.
 *
 * <p>Any number of threads may use it. The canaries are asked when the first verdict is to be
 * believed.
 */
public final class Inquirer {
  /** What is to be told of an inquiry that {@link #isUntrusted}. */
  public static final String UNTRUSTED =
      "the inquiry cannot be trusted: it has not found a transfer that is DONE, or found one that"
          + " never was; what it says of others is not believed, and they stay UNKNOWN; check"
          + " --inquiry-url";

  /** What is to be told of one that {@link #isUnproved}. */
  public static final String UNPROVED =
      "this ledger has no transfer that is DONE with a success code by a reply of this account"
          + " system: 'no record' was believed without having tried the inquiry on one";

  /** What a canary has shown; one that is not answered shows nothing, and so does not sing. */
  private enum Canary {
    NOT_ASKED,
    SINGS,
    SILENT
  }

  private final LedgerView view;
  private final AccountSystem account;
  private final Set<String> accounts;
  private final Predicate<String> success;
  private final Duration believedFor;
  private final AtomicInteger outages = new AtomicInteger();
  private Canary known = Canary.NOT_ASKED;
  private Canary stranger = Canary.NOT_ASKED;
  private volatile boolean unproved;
  private long asked = System.nanoTime();

  /**
   * @param believedFor how long a canary is believed before it is asked again; null for a run, in
   *     which each is asked once
   * @param accounts the URLs that transfers of this account system were sent to
   * @param success the codes of transfers that were executed, so that an inquiry must find them
   */
  public Inquirer(
      LedgerView view,
      AccountSystem account,
      Set<String> accounts,
      Predicate<String> success,
      Duration believedFor) {
    this.view = view;
    this.account = account;
    this.accounts = Set.copyOf(accounts);
    this.success = success;
    this.believedFor = believedFor;
  }

  /** Whether transfers sent to {@code url} can be asked about here. */
  public boolean knows(String url) {
    return accounts.contains(url);
  }

  /** How many inquiries in a row had no answer, or HTTP 5xx. */
  public int outagesInARow() {
    return outages.get();
  }

  /** Whether a canary has shown that the inquiry cannot be trusted. */
  public synchronized boolean isUntrusted() {
    return known == Canary.SILENT || stranger == Canary.SILENT;
  }

  /** Whether "no record" was believed with no finished transfer to try the inquiry on. */
  public boolean isUnproved() {
    return unproved;
  }

  /**
   * Asks about {@code guid}; a verdict that cannot be trusted comes back as inconclusive. May wait
   * for a few inquiries, each at most the account system's time-out.
   */
  public Inquiry ask(Guid guid) {
    Inquiry inquiry = askPlainly(guid);
    if (inquiry.verdict() instanceof Verdict.Inconclusive) {
      return inquiry;
    }
    return doubt(inquiry.verdict())
        .map(why -> inquiry.with(new Verdict.Inconclusive(why)))
        .orElse(inquiry);
  }

  /** Asks about {@code guid} for a person, who is told what the account system says. */
  public Inquiry askPlainly(Guid guid) {
    Inquiry inquiry = account.ask(guid);
    outages.updateAndGet(before -> inquiry.outage() ? before + 1 : 0);
    return inquiry;
  }

  /** Why {@code verdict} is not believed. */
  private synchronized Optional<String> doubt(Verdict verdict) {
    if (believedFor != null && System.nanoTime() - asked > believedFor.toNanos()) {
      known = Canary.NOT_ASKED;
      stranger = Canary.NOT_ASKED;
      unproved = false;
      asked = System.nanoTime();
    }
    if (verdict instanceof Verdict.Processed) {
      askStranger();
    } else if (verdict instanceof Verdict.NoRecord) {
      askKnown();
    }
    if (stranger == Canary.SILENT) {
      return Optional.of("not believed: asked about a GUID that never existed, it has not said so");
    }
    return verdict instanceof Verdict.NoRecord && known == Canary.SILENT
        ? Optional.of("not believed: asked about a transfer that is DONE, it has not found it")
        : Optional.empty();
  }

  private void askStranger() {
    if (stranger == Canary.NOT_ASKED) {
      stranger =
          aboutStranger().verdict() instanceof Verdict.NoRecord ? Canary.SINGS : Canary.SILENT;
    }
  }

  /** Asks about a GUID that never existed: anything but "no record" is a lie. */
  public Inquiry aboutStranger() {
    return account.ask(new Guid("canary-" + UUID.randomUUID()));
  }

  /**
   * Whether there are transfers that are DONE, but all of them elsewhere: then it is this URL that
   * nothing vouches for.
   */
  boolean isElsewhere() {
    return unproved && view.newestReply(url -> true, success).isPresent();
  }

  /** Asks about a transfer that is DONE: anything but "processed" is a lie. Empty if none is. */
  public Optional<Inquiry> aboutKnown() {
    return view.newestReply(accounts::contains, success).map(Row::guid).map(account::ask);
  }

  private void askKnown() {
    if (known != Canary.NOT_ASKED || unproved) {
      return;
    }
    Optional<Inquiry> inquiry = aboutKnown();
    unproved = inquiry.isEmpty();
    inquiry.ifPresent(
        answer ->
            known = answer.verdict() instanceof Verdict.Processed ? Canary.SINGS : Canary.SILENT);
  }
}
