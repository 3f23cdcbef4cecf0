package org.relayledger.relaycli;

import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Durations;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Restored;
import org.relayledger.ledger.Steps;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "restore",
    description = {
      "Puts a backup in the place of the ledger, which nobody may have open; what is replaced is"
          + " kept beside it. It has forgotten what was sent since: from then on the ledger is in"
          + " mode ask-first."
    })
final class RestoreCommand implements Action {
  private final Steps steps;

  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "The backup.")
  private String file;

  @Option(
      names = "--in-place",
      description =
          "No backup: the ledger is there, but its claims file is lost, or it has forgotten what was"
              + " committed.")
  private boolean inPlace;

  RestoreCommand(Steps steps) {
    this.steps = steps;
  }

  @Override
  public Exit run(Streams streams) {
    if (inPlace == (file != null)) {
      throw new Failure(Exit.USAGE, "name either a backup or --in-place");
    }
    Actor operator = common.actor(Actor.Role.OPERATOR, streams.environment());
    Restored restored =
        inPlace
            ? Ledger.renew(ledger.location(), operator, HostClock.system(), steps)
            : Ledger.restore(file, ledger.location(), operator, HostClock.system(), steps);
    if (!common.quiet()) {
      streams.say(
          "relay restore: "
              + ledger.location()
              + " is restored and asks first; 'no record' counts in "
              + Durations.text(restored.settings().defaultMinAge())
              + "; when all is settled: relay mode normal --reason ..."
              + (restored.kept() == null ? "" : "; what it replaced is " + restored.kept()));
    }
    return Exit.OK;
  }
}
