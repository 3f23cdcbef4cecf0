package org.relayledger.ledger;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether a ledger instance may go on. Once the disk below or a COMMIT has failed, nothing that
 * this process believes about the ledger is certain: it stops for good.
 */
final class Health {
  private final AtomicReference<LedgerException> failure = new AtomicReference<>();

  /** Throws if the instance has halted. */
  void check() {
    LedgerException why = failure.get();
    if (why != null) {
      throw new LedgerException(LedgerException.Kind.HALTED, why.getMessage(), why);
    }
  }

  /** Halts; the first reason is kept. */
  LedgerException halt(String what, Throwable cause) {
    failure.compareAndSet(
        null,
        new LedgerException(
            LedgerException.Kind.HALTED,
            what + "; check the disk, then start again: an unfinished move is settled from there",
            cause));
    return failure.get();
  }

  Optional<String> halted() {
    return Optional.ofNullable(failure.get()).map(Throwable::getMessage);
  }
}
