package org.relayledger.relaycli;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.relayledger.account.AccountSystem;
import org.relayledger.cli.AccountOptionsMixin;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.MinAgeOption;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.AskFirst;
import org.relayledger.relay.Inquirer;
import org.relayledger.relay.Intake;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonPointer;

/** What every command that sends has in common. */
final class RelayOptions {
  @Mixin CommonOptions common;
  @Mixin LedgerOptions ledger;
  @Mixin AccountOptionsMixin account;
  @Mixin MinAgeOption minAge;

  @Option(
      names = "--channel",
      paramLabel = "NAME",
      description =
          "The channel that the requests come from (default: channels are not told apart).")
  private String channel;

  @Option(
      names = "--fingerprint-ignore",
      paramLabel = "POINTER",
      split = ",",
      description =
          "Members that a channel changes when it sends again, as /sentAt; they do not count when"
              + " requests are compared.")
  private List<JsonPointer> ignored;

  Optional<String> channel() {
    return Optional.ofNullable(channel);
  }

  /** What stands before a send in the mode ask-first, and asks by {@code inquirer}. */
  AskFirst askFirst(LedgerView view, Inquirer inquirer, Streams streams, Steps steps) {
    Duration least =
        minAge.of(
            view.settings(),
            warning -> {
              if (!common.quiet()) {
                streams.say("relay: " + warning);
              }
            });
    return new AskFirst(inquirer, least, HostClock.system(), steps);
  }

  /**
   * What asks the account system.
   *
   * @param believedFor how long its canaries are believed, or null for one run
   */
  Inquirer inquirer(LedgerView view, AccountSystem system, Duration believedFor) {
    return new Inquirer(
        view,
        system,
        Set.of(system.url()),
        code -> account.successCodes().matches(code),
        believedFor);
  }

  Intake intake() {
    return new Intake(account.guidPointer(), ignored == null ? List.of() : ignored);
  }
}
