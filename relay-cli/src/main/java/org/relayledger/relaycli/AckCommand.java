package org.relayledger.relaycli;

import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Steps;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "ack",
    description = {
      "Notes in the journal that somebody has seen to a DOUBLE_SUSPECT: a transfer that may have been"
          + " executed twice. Changes nothing else."
    })
final class AckCommand implements Action {
  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;

  @Parameters(paramLabel = "GUID", description = "Which row.")
  private String text;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      required = true,
      description = "What was found and done, for the journal; required.")
  private String reason;

  @Override
  public Exit run(Streams streams) {
    Guid guid = Guid.parse(text).orElseThrow(() -> new Failure(Exit.BAD_REQUEST, refusal()));
    if (reason.isBlank()) {
      throw new Failure(Exit.USAGE, "the --reason is empty");
    }
    try (Ledger opened = Ledger.open(ledger.location(), HostClock.system(), Steps.NONE)) {
      Actor operator = common.actor(Actor.Role.OPERATOR, streams.environment());
      if (!opened.ack(guid, operator, reason)) {
        throw nothing(guid, opened.view());
      }
    }
    if (!common.quiet()) {
      streams.say("relay ack: " + guid + " is seen to");
    }
    return Exit.OK;
  }

  private String refusal() {
    return "'" + text + "' is no GUID; nothing was written";
  }

  private static Failure nothing(Guid guid, LedgerView view) {
    boolean known = view.find(guid, false).isPresent() || view.tombstone(guid).isPresent();
    return known
        ? new Failure(
            Exit.CONFLICT,
            guid + " has no DOUBLE_SUSPECT that nobody has seen to; nothing was written")
        : new Failure(Exit.NO_SUCH_GUID, guid + " is not in this ledger; nothing was written");
  }
}
