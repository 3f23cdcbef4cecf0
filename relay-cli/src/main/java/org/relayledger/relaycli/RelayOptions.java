package org.relayledger.relaycli;

import java.util.List;
import java.util.Optional;
import org.relayledger.cli.AccountOptionsMixin;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.relay.Intake;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonPointer;

/** What every command that sends has in common. */
final class RelayOptions {
  @Mixin CommonOptions common;
  @Mixin LedgerOptions ledger;
  @Mixin AccountOptionsMixin account;

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

  Intake intake() {
    return new Intake(account.guidPointer(), ignored == null ? List.of() : ignored);
  }
}
