package org.relayledger.cli;

import picocli.CommandLine.Option;

/** For commands that can tell what they would do; only ever given on the command line. */
public final class DryRunOption {
  @Option(
      names = {"-n", "--dry-run"},
      description = "Say what would be done, and do nothing.")
  private boolean dryRun;

  /** Whether to do nothing. */
  public boolean dryRun() {
    return dryRun;
  }
}
