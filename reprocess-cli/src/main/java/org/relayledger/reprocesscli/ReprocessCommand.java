package org.relayledger.reprocesscli;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.relayledger.account.AccountSystem;
import org.relayledger.cli.AccountOptionsMixin;
import org.relayledger.cli.Action;
import org.relayledger.cli.EarlyStop;
import org.relayledger.cli.Exit;
import org.relayledger.cli.GuidArguments;
import org.relayledger.cli.MinAgeOption;
import org.relayledger.cli.Rate;
import org.relayledger.cli.Results;
import org.relayledger.cli.RunOptions;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.AskFirst;
import org.relayledger.relay.Inquirer;
import org.relayledger.relay.Relay;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "reprocess",
    description = {
      "Sends FAILED rows again, which were certainly not processed: the stored request, the same"
          + " GUID. An UNKNOWN row is never sent, whatever is asked: see resolve."
    })
final class ReprocessCommand implements Action {
  /** How many exchanges may be open at once, those that wait for a late reply included. */
  private static final int MAX_IN_FLIGHT = 256;

  private final HostClock clock;
  private final Steps steps;

  @Mixin private RunOptions runs;
  @Mixin private AccountOptionsMixin account;
  @Mixin private GuidArguments guids;
  @Mixin private MinAgeOption minAge;

  @Option(
      names = "--max-attempts",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "Leave rows alone that were claimed so often in all their life; they need a person"
              + " (default: ${DEFAULT-VALUE}).")
  private int maxAttempts;

  @Option(
      names = "--max-age",
      paramLabel = "D",
      defaultValue = "24h",
      description =
          "Leave rows alone that came in longer ago, unless they are named; they need a person"
              + " (default: ${DEFAULT-VALUE}).")
  private Duration maxAge;

  @Option(
      names = "--received",
      description = "Send RECEIVED rows too, which an abandoned batch has left.")
  private boolean received;

  @Option(
      names = "--rate",
      paramLabel = "N/UNIT",
      defaultValue = "5/s",
      converter = Rate.class,
      description =
          "At most so many a second, minute or hour: 5/s, 100/m, 30/h (default: ${DEFAULT-VALUE}).")
  private Duration gap;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many to send at once (default: ${DEFAULT-VALUE}).")
  private int concurrency;

  @Option(
      names = "--stop-after",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "Stop after so many rows in a row for which no connection could be opened (default:"
              + " ${DEFAULT-VALUE}).")
  private int stopAfter;

  ReprocessCommand(HostClock clock, Steps steps) {
    this.clock = clock;
    this.steps = steps;
  }

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    return runs.run(
        streams,
        Actor.Role.REPROCESS,
        ReprocessRun.COUNTED,
        results -> {
          Set<Guid> named = guids.all();
          runs.open(
              Actor.Role.REPROCESS,
              named.isEmpty(),
              clock,
              steps,
              (view, opened) -> {
                if (opened.isPresent()) {
                  if (received && named.isEmpty()) {
                    // A batch that is at work goes on with them itself.
                    opened.get().runLock(Actor.Role.BATCH);
                  }
                  send(opened.get(), named, streams, results);
                } else {
                  // Built all the same: what it refuses, a dry run refuses too.
                  AccountSystem system = system(view.settings());
                  EarlyStop early = new EarlyStop(system, inquirer(view, system), stopAfter);
                  go(run(view, new Sending(Optional.empty(), early), results), named, results);
                }
              });
        });
  }

  /**
   * By what to send, and until when.
   *
   * @param relay empty for a dry run
   */
  record Sending(Optional<Relay> relay, EarlyStop early) {}

  private void send(Ledger opened, Set<Guid> named, Streams streams, Results results)
      throws InterruptedException {
    Settings settings = opened.view().settings();
    Duration openFor = settings.openFor(account.timeout());
    AccountSystem system = system(settings);
    Inquirer inquirer = inquirer(opened.view(), system);
    Relay relay =
        new Relay(
            opened,
            system,
            new AskFirst(inquirer, minAge.of(settings, results::note), clock, steps),
            new Relay.Limits(account.timeout(), openFor, MAX_IN_FLIGHT),
            runs.actor(Actor.Role.REPROCESS, streams.environment()),
            steps);
    EarlyStop early = new EarlyStop(system, inquirer, stopAfter);
    ReprocessRun run = run(opened.view(), new Sending(Optional.of(relay), early), results);
    streams.signals().onFirst(() -> run.stop(account.timeout()));
    try {
      go(run, named, results);
      if (inquirer.isUnproved()) {
        results.note(Inquirer.UNPROVED);
      }
    } finally {
      // A late reply settles its row: it is waited for, as the hub does.
      relay.windUp(opened.halted().isEmpty() ? openFor : Duration.ZERO);
    }
  }

  private static void go(ReprocessRun run, Set<Guid> named, Results results)
      throws InterruptedException {
    if (named.isEmpty()) {
      results.nothing("nothing to do: no row is FAILED");
      run.all();
    } else {
      run.each(named);
    }
  }

  /** Who asks, where the ledger wants that before a send. */
  private Inquirer inquirer(LedgerView view, AccountSystem system) {
    return new Inquirer(view, system, Set.of(system.url()), this::isSuccess, null);
  }

  private boolean isSuccess(String code) {
    return account.successCodes().matches(code);
  }

  private AccountSystem system(Settings settings) {
    return account.accountSystem(settings.openFor(account.timeout()), steps);
  }

  private ReprocessRun run(LedgerView view, Sending sending, Results results) {
    ReprocessRun.Limits limits =
        new ReprocessRun.Limits(maxAttempts, maxAge, received, gap, concurrency, runs.most());
    return new ReprocessRun(view, sending, limits, clock, this::isSuccess, results);
  }
}
