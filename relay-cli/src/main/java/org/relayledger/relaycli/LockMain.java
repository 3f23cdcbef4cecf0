package org.relayledger.relaycli;

import org.relayledger.cli.Exit;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerException;
import org.relayledger.ledger.Steps;

/** The other process that preflight needs to see that a lock holds. */
final class LockMain {
  private LockMain() {}

  /** Tries to take the operator's run lock of the ledger that the only argument names. */
  public static void main(String[] arguments) {
    Exit exit = Exit.OK;
    try (Ledger ledger = Ledger.open(arguments[0], HostClock.system(), Steps.NONE)) {
      ledger.runLock(Actor.Role.OPERATOR);
    } catch (LedgerException e) {
      exit = Exit.of(e);
    }
    System.exit(exit.code());
  }
}
