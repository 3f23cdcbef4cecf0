package org.relayledger.cli;

import java.time.Duration;
import java.util.function.Consumer;
import org.relayledger.ledger.Settings;
import picocli.CommandLine.Option;

/** For commands that ask the account system: from when on "no record" is believed. */
public final class MinAgeOption {
  @Option(
      names = "--min-age",
      paramLabel = "D",
      description =
          "How long what was sent may be on its way: only then 'no record' is believed. Never less"
              + " than the ledger's max-processing (default: max-processing and 2m).")
  private Duration minAge;

  /**
   * The age for a ledger with {@code settings}.
   *
   * @param warn hears of an age that is less than the default
   * @throws Failure if it is less than max-processing (exit 2)
   */
  public Duration of(Settings settings, Consumer<String> warn) {
    if (minAge == null) {
      return settings.defaultMinAge();
    }
    if (minAge.compareTo(settings.maxProcessing()) < 0) {
      throw new Failure(
          Exit.USAGE,
          "--min-age "
              + Durations.text(minAge)
              + " is less than the ledger's max-processing "
              + Durations.text(settings.maxProcessing())
              + ": 'no record' might only mean 'not yet'; nothing was asked");
    }
    if (minAge.compareTo(settings.defaultMinAge()) < 0) {
      warn.accept(
          "warning: --min-age "
              + Durations.text(minAge)
              + " is less than "
              + Durations.text(settings.defaultMinAge())
              + ": the kernel may still deliver what a dead sender had written");
    }
    return minAge;
  }
}
