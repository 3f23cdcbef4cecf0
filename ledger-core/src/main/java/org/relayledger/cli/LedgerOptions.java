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

  /** Where it is, as given. */
  public String location() {
    return ledger;
  }
}
