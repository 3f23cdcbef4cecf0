package org.relayledger.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Which ledger. */
public final class LedgerOptions {
  @Option(
      names = "--ledger",
      paramLabel = "PATH",
      defaultValue = "relay-ledger.db",
      description = "The ledger (default: ${DEFAULT-VALUE}).")
  private Path ledger;

  /** The path as given. */
  public Path path() {
    return ledger;
  }
}
