package org.relayledger.relaycli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.OutputOptions.Format;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.ModeChange;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.Steps;
import org.relayledger.report.Times;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "mode",
    description = {
      "Changes how claims are made, in all processes and before the next of them; without a mode"
          + " says what it is. normal: claimed and sent. hold: nothing is claimed (E907); stored"
          + " replies are replayed. ask-first: the account system is asked before anything is sent."
    })
final class ModeCommand implements Action {
  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;
  @Mixin private OutputOptions output;

  @Parameters(
      arity = "0..1",
      paramLabel = "MODE",
      description = "normal, hold or ask-first (default: say what it is).")
  private String word;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the journal; required.")
  private String reason;

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    if (output.format() == Format.CSV) {
      throw new Failure(Exit.USAGE, "csv is for rows; use --format text or json");
    }
    if (word == null) {
      if (reason != null) {
        throw new Failure(Exit.USAGE, "--reason is for a change: name the mode");
      }
      return tell(streams);
    }
    Settings.Mode mode = parse(word);
    if (reason == null || reason.isBlank()) {
      throw new Failure(Exit.USAGE, "a change of the mode needs a --reason, for the journal");
    }
    try (Ledger opened = Ledger.open(ledger.location(), HostClock.system(), Steps.NONE)) {
      opened.changeMode(mode, common.actor(Actor.Role.OPERATOR, streams.environment()), reason);
    }
    return common.quiet() ? Exit.OK : tell(streams);
  }

  private static Settings.Mode parse(String word) {
    try {
      return Settings.Mode.of(word);
    } catch (IllegalArgumentException e) {
      throw new Failure(
          Exit.USAGE, "'" + word + "' is no mode: write normal, hold or ask-first", e);
    }
  }

  private Exit tell(Streams streams) throws InterruptedException {
    Map<String, String> facts = new LinkedHashMap<>();
    try (LedgerView view = LedgerView.open(ledger.location())) {
      Settings settings = view.settings();
      facts.put("mode", settings.mode().word());
      Optional<ModeChange> change = view.lastModeChange();
      facts.put("since", change.map(c -> Times.format(c.at())).orElse("init"));
      change.ifPresent(
          c -> {
            facts.put("by", c.by());
            if (c.ticket() != null) {
              facts.put("ticket", c.ticket());
            }
            facts.put("reason", c.reason());
          });
    }
    return output.write(
        streams,
        out -> {
          Facts.print(facts, "mode", output.format(), out);
          return Exit.OK;
        });
  }
}
