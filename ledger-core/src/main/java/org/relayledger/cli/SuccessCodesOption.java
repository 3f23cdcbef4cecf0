package org.relayledger.cli;

import java.util.List;
import org.relayledger.account.Codes;
import picocli.CommandLine.Option;

/** Which final codes mean that a transfer was executed. */
public final class SuccessCodesOption {
  @Option(
      names = "--success-codes",
      paramLabel = "CODE",
      split = ",",
      defaultValue = "0000",
      description = "Final codes that mean success (default: ${DEFAULT-VALUE}).")
  private List<String> codes;

  /**
   * The codes that mean success.
   *
   * @throws Failure if the list cannot be used
   */
  public Codes codes() {
    return AccountOptionsMixin.codes("--success-codes", codes);
  }
}
