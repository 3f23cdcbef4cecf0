package org.relayledger.resolvecli;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.relayledger.account.AccountSystem;
import org.relayledger.cli.AccountOptionsMixin;
import org.relayledger.cli.Action;
import org.relayledger.cli.Exit;
import org.relayledger.cli.GuidArguments;
import org.relayledger.cli.MinAgeOption;
import org.relayledger.cli.Results;
import org.relayledger.cli.RunOptions;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.Inquirer;
import org.relayledger.relay.Resolution;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "resolve",
    description = {
      "Settles UNKNOWN rows by asking the account system about them, once they are older than"
          + " --min-age: DONE with its answer, or FAILED if it has no record. Nothing is ever"
          + " sent. A row whose sender has died becomes UNKNOWN first, and ages from then."
    })
final class ResolveCommand implements Action {
  private final HostClock clock;
  private final Steps steps;

  @Mixin private RunOptions runs;
  @Mixin private AccountOptionsMixin account;
  @Mixin private GuidArguments guids;
  @Mixin private SettleOptions settle;
  @Mixin private MinAgeOption minAge;

  @Option(
      names = "--also-account",
      paramLabel = "URL",
      description =
          "An old URL of the same account system; rows sent there are asked about here (default:"
              + " only rows sent to --account-url).")
  private List<String> alsoAccounts = List.of();

  @Option(
      names = "--stop-after",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "Stop after so many inquiries in a row without an answer or with HTTP 5xx (default:"
              + " ${DEFAULT-VALUE}).")
  private int stopAfter;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "4",
      description = "How many rows to ask about at once (default: ${DEFAULT-VALUE}).")
  private int concurrency;

  ResolveCommand(HostClock clock, Steps steps) {
    this.clock = clock;
    this.steps = steps;
  }

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    return runs.run(
        streams,
        Actor.Role.RESOLVE,
        ResolveRun.COUNTED,
        results -> {
          Set<Guid> named = guids.all();
          AccountSystem system = account.accountSystem(account.timeout(), steps);
          settle.check(named, account);
          runs.open(
              Actor.Role.RESOLVE,
              named.isEmpty(),
              clock,
              steps,
              (view, opened) -> run(streams, results, system, named, view, opened));
        });
  }

  /**
   * @param opened the ledger to settle in, or empty for a dry run
   */
  private void run(
      Streams streams,
      Results results,
      AccountSystem system,
      Set<Guid> named,
      LedgerView view,
      Optional<Ledger> opened)
      throws InterruptedException {
    Duration least = minAge.of(view.settings(), results::note);
    Set<String> accounts = new HashSet<>(alsoAccounts);
    accounts.add(system.url());
    Inquirer inquirer =
        new Inquirer(view, system, accounts, code -> account.successCodes().matches(code), null);
    Resolution resolution = new Resolution(inquirer, view.settings(), least, clock, steps);
    Actor actor =
        runs.actor(
            settle.wanted() ? Actor.Role.OPERATOR : Actor.Role.RESOLVE, streams.environment());
    ResolveRun.Limits limits = new ResolveRun.Limits(concurrency, stopAfter, runs.most());
    ResolveRun run =
        new ResolveRun(view, opened, actor, inquirer, resolution, limits, clock, results);
    streams.signals().onFirst(run::stop);
    if (settle.wanted()) {
      run.each(named, settle.by(actor, resolution));
    } else if (named.isEmpty()) {
      results.nothing("nothing to do: no row is UNKNOWN or SENT");
      run.all();
    } else {
      run.each(named);
    }
  }
}
