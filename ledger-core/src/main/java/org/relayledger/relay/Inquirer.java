package org.relayledger.relay;

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
 * <p>One of it serves one run, any number of threads. The canaries are asked when the first verdict
 * is to be believed.
 */
public final class Inquirer {
  private static final String UNASKED = "the account system did not answer when it was tried";

  /** What a canary has shown. */
  private enum Canary {
    NOT_ASKED,
    SINGS,
    SILENT
  }

  private final LedgerView view;
  private final AccountSystem account;
  private final Set<String> accounts;
  private final Predicate<String> success;
  private final AtomicInteger outages = new AtomicInteger();
  private Canary known = Canary.NOT_ASKED;
  private Canary stranger = Canary.NOT_ASKED;
  private volatile boolean unproved;

  /**
   * @param accounts the URLs that transfers of this account system were sent to
   * @param success the codes of transfers that were executed, so that an inquiry must find them
   */
  public Inquirer(
      LedgerView view, AccountSystem account, Set<String> accounts, Predicate<String> success) {
    this.view = view;
    this.account = account;
    this.accounts = Set.copyOf(accounts);
    this.success = success;
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
    if (verdict instanceof Verdict.Inconclusive) {
      return Optional.empty();
    }
    if (verdict instanceof Verdict.Processed) {
      askStranger();
    } else {
      askKnown();
    }
    if (stranger == Canary.SILENT) {
      return Optional.of("not believed: the inquiry knows a GUID that never existed");
    }
    if (verdict instanceof Verdict.Processed) {
      return stranger == Canary.SINGS ? Optional.empty() : Optional.of("not believed: " + UNASKED);
    }
    if (known == Canary.SILENT) {
      return Optional.of("not believed: the inquiry does not know a transfer that is DONE");
    }
    return known == Canary.SINGS || unproved
        ? Optional.empty()
        : Optional.of("not believed: " + UNASKED);
  }

  private void askStranger() {
    if (stranger != Canary.NOT_ASKED) {
      return;
    }
    Inquiry inquiry = account.ask(new Guid("canary-" + UUID.randomUUID()));
    stranger = canary(inquiry, inquiry.verdict() instanceof Verdict.NoRecord);
  }

  private void askKnown() {
    if (known != Canary.NOT_ASKED || unproved) {
      return;
    }
    Optional<Row> done = view.newestReply(accounts, success);
    if (done.isEmpty()) {
      unproved = true;
      return;
    }
    Inquiry inquiry = account.ask(done.get().guid());
    known = canary(inquiry, inquiry.verdict() instanceof Verdict.Processed);
  }

  /** An outage shows nothing: it is tried again when the next verdict is to be believed. */
  private static Canary canary(Inquiry inquiry, boolean asExpected) {
    return asExpected ? Canary.SINGS : inquiry.outage() ? Canary.NOT_ASKED : Canary.SILENT;
  }
}
