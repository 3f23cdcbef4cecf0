package org.relayledger.relaycli;

import java.io.OutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Durations;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.OutputOptions.Format;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "init",
    description = "Creates a ledger and its claims file. Nothing else ever creates one.")
final class InitCommand implements Action {
  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;
  @Mixin private OutputOptions output;

  @Option(
      names = "--max-processing",
      paramLabel = "D",
      required = true,
      description = {
        "The account system's longest time from the last byte sent to booked, queues and proxies"
            + " included. Ask its owner: too short a time can double a transfer."
      })
  private Duration maxProcessing;

  @Option(
      names = "--resend-window",
      paramLabel = "D",
      required = true,
      description = "How long after its first send a channel may still send a request again.")
  private Duration resendWindow;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "normal",
      description = "normal or ask-first (default: ${DEFAULT-VALUE}).")
  private InitialMode mode;

  /** The modes in which a ledger may begin. */
  enum InitialMode {
    NORMAL(Settings.Mode.NORMAL),
    ASK_FIRST(Settings.Mode.ASK_FIRST);

    private final Settings.Mode mode;

    InitialMode(Settings.Mode mode) {
      this.mode = mode;
    }

    @Override
    public String toString() {
      return mode.word();
    }
  }

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    if (output.format() == Format.CSV) {
      throw new Failure(Exit.USAGE, "csv is for rows; use --format text or json");
    }
    return output.write(streams, this::init);
  }

  private Exit init(OutputStream out) {
    Settings settings =
        Ledger.init(
            ledger.location(),
            new Settings(UUID.randomUUID().toString(), mode.mode, maxProcessing, resendWindow),
            HostClock.system());
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("ledger", ledger.location());
    facts.put("ledger_id", settings.id());
    facts.put("mode", settings.mode().word());
    facts.put("max_processing", Durations.text(settings.maxProcessing()));
    facts.put("resend_window", Durations.text(settings.resendWindow()));
    facts.put("min_age", Durations.text(settings.defaultMinAge()));
    if (!common.quiet()) {
      Facts.print(facts, "init", output.format(), out);
    }
    return Exit.OK;
  }
}
