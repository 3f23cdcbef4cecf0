package org.relayledger.relaycli;

import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import org.relayledger.account.AccountSystem;
import org.relayledger.cli.Action;
import org.relayledger.cli.EarlyStop;
import org.relayledger.cli.Exit;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.Rate;
import org.relayledger.cli.Results;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.AskFirst;
import org.relayledger.relay.Inquirer;
import org.relayledger.relay.Relay;
import org.relayledger.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "batch",
    description = {
      "Takes in a request a line (NDJSON), then sends them, and writes one line of JSON for each, in"
          + " the same order, whatever --format says. The same file again finishes what is left and"
          + " sends nothing twice."
    })
final class BatchCommand implements Action {
  /** How many exchanges may be open at once, those that wait for a late reply included. */
  private static final int MAX_IN_FLIGHT = 512;

  private final Steps steps;

  @Mixin private RelayOptions options;
  @Mixin private OutputOptions output;

  @Parameters(paramLabel = "FILE", description = "The requests; - is stdin.")
  private Path file;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many to send at once (default: ${DEFAULT-VALUE}).")
  private int concurrency;

  @Option(
      names = "--rate",
      paramLabel = "N/UNIT",
      converter = Rate.class,
      description = "At most so many a second, minute or hour: 5/s, 100/m, 30/h (default: no end).")
  private Duration gap;

  @Option(
      names = "--stop-after",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "Stop after so many rows in a row for which no connection could be opened (default:"
              + " ${DEFAULT-VALUE}).")
  private int stopAfter;

  BatchCommand(Steps steps) {
    this.steps = steps;
  }

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    output.always(OutputOptions.Format.JSON);
    return Results.of(
        streams,
        "relay batch",
        options.common,
        output,
        Table.LINES,
        BatchRun.COUNTED,
        results -> {
          try (Ledger ledger = Ledger.open(options.ledger.location(), HostClock.system(), steps)) {
            InputStream in = options.ledger.input(file, streams);
            ledger.runLock(Actor.Role.BATCH);
            send(ledger, in, streams, results);
          }
        });
  }

  private void send(Ledger ledger, InputStream in, Streams streams, Results results)
      throws InterruptedException {
    Duration timeout = options.account.timeout();
    Duration openFor = ledger.view().settings().openFor(timeout);
    AccountSystem account = options.account.accountSystem(openFor, steps);
    Actor actor = options.common.actor(Actor.Role.BATCH, streams.environment());
    Inquirer inquirer = options.inquirer(ledger.view(), account, null);
    AskFirst askFirst = options.askFirst(ledger.view(), inquirer, streams, steps);
    Relay relay =
        new Relay(
            ledger,
            account,
            askFirst,
            new Relay.Limits(timeout, openFor, MAX_IN_FLIGHT),
            actor,
            steps);
    BatchRun run =
        new BatchRun(
            ledger,
            relay,
            actor,
            new EarlyStop(account, inquirer, stopAfter),
            new BatchRun.Limits(concurrency, gap == null ? Duration.ZERO : gap),
            options.account.successCodes()::matches,
            results);
    BatchIntake intake = new BatchIntake(in, options.intake(), options.channel().orElse(null));
    streams
        .signals()
        .onFirst(
            () -> {
              intake.stop();
              run.stop(timeout);
            });
    try {
      run.all(intake);
      if (inquirer.isUnproved()) {
        results.note(Inquirer.UNPROVED);
      }
    } finally {
      // A late reply settles its row: it is waited for, as the hub does.
      relay.windUp(ledger.halted().isEmpty() ? openFor : Duration.ZERO);
      if (relay.lateReplies() > 0) {
        results.note(
            relay.lateReplies()
                + " replies came too late for their lines: their rows are DONE now; the same batch"
                + " again tells them");
      }
    }
  }
}
