package org.relayledger.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Steps;
import org.relayledger.report.Table;
import picocli.CommandLine.Mixin;

/** What resolve, reprocess and purge have in common. */
public final class RunOptions {
  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;
  @Mixin private OutputOptions output;
  @Mixin private LimitOption limit;
  @Mixin private DryRunOption dryRun;

  /** What a run does with the ledger. */
  public interface Work {
    /**
     * Does it.
     *
     * @param ledger the ledger to change, or empty in a dry run
     */
    void on(LedgerView view, Optional<Ledger> ledger) throws InterruptedException;
  }

  /** Lets {@code run} work and tells what came of it; see {@link Results#of}. */
  public Exit run(Streams streams, Actor.Role role, List<String> counted, Results.Run run)
      throws InterruptedException {
    return Results.of(streams, role.word(), common, output, Table.RESULTS, counted, run);
  }

  /**
   * Opens the ledger for {@code work}: to read only if this is a dry run, else as the only run of
   * {@code role} if {@code alone}.
   */
  public void open(Actor.Role role, boolean alone, HostClock clock, Steps steps, Work work)
      throws InterruptedException {
    if (dryRun.dryRun()) {
      try (LedgerView view = LedgerView.open(ledger.location())) {
        work.on(view, Optional.empty());
      }
      return;
    }
    try (Ledger opened = Ledger.open(ledger.location(), clock, steps)) {
      if (alone) {
        opened.runLock(role);
      }
      work.on(opened.view(), Optional.of(opened));
    }
  }

  /** Who acts, for the journal. */
  public Actor actor(Actor.Role role, Map<String, String> environment) {
    return common.actor(role, environment);
  }

  /** The most rows, {@link Integer#MAX_VALUE} for all. */
  public int most() {
    return (int) Math.min(Integer.MAX_VALUE, limit.most());
  }
}
