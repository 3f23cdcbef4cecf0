package org.relayledger.cli;

import picocli.CommandLine.Option;

/** Which ledger. */
public final class LedgerOptions {
  @Option(
      names = "--ledger",
      paramLabel = "PATH",
      defaultValue = "relay-ledger.db",
      description = "The ledger (default: ${DEFAULT-VALUE}).")
  private String ledger;

  /**
   * Where it is, as given.
   *
   * @throws Failure if it is empty, which only comes of a shell variable that is not set
   */
  public String location() {
    if (ledger.isEmpty()) {
      throw new Failure(Exit.USAGE, "--ledger is empty");
    }
    return ledger;
  }
}
