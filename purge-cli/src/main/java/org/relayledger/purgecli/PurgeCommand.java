package org.relayledger.purgecli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.relayledger.cli.Action;
import org.relayledger.cli.Durations;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.Results;
import org.relayledger.cli.RunOptions;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Steps;
import org.relayledger.report.Times;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "purge",
    description = {
      "Deletes rows that are DONE for longer than --retention, and nothing else, ever. A tombstone"
          + " stays: such a GUID is answered E906 and never sent."
    })
final class PurgeCommand implements Action {
  /** How long a ledger may have been quiet before its clock is doubted. */
  private static final Duration LONGEST_QUIET = Duration.ofDays(7);

  /** How far the clock may be behind the journal, which others write while it is read. */
  private static final Duration CLOCK_SLACK = Duration.ofSeconds(1);

  /** The remembering of tombstones without end. */
  private static final String FOREVER = "forever";

  private final HostClock clock;
  private final Steps steps;

  @Mixin private RunOptions runs;

  @Option(
      names = "--retention",
      paramLabel = "D",
      required = true,
      description =
          "How long a row is kept after it became DONE; longer than the ledger's resend-window, in"
              + " which a channel may still ask for the reply.")
  private Duration retention;

  @Option(
      names = "--archive",
      paramLabel = "FILE",
      description =
          "Write the rows with their bodies to a new file first, as its name ends: .csv for"
              + " spreadsheets, .ndjson byte for byte and with the journal. It is on the disk before"
              + " anything is deleted.")
  private Path archive;

  @Option(
      names = "--remember",
      paramLabel = "D|forever",
      defaultValue = FOREVER,
      converter = Remembrance.Spelled.class,
      description =
          "How long tombstones stay; a GUID without one is new again, and would be sent (default:"
              + " ${DEFAULT-VALUE}).")
  private Remembrance remember;

  @Option(
      names = "--clock-ok",
      description = "Believe the clock although the journal speaks against it.")
  private boolean clockOk;

  @Option(
      names = "--vacuum",
      description = "Rewrite the ledger without its free pages in the end; all claims wait for it.")
  private boolean vacuum;

  PurgeCommand(HostClock clock, Steps steps) {
    this.clock = clock;
    this.steps = steps;
  }

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    return runs.run(
        streams,
        Actor.Role.PURGE,
        List.of("purged", "archived", "would_be_purged", "forgotten", "would_be_forgotten"),
        results -> {
          results.nothing(
              "nothing to do: no row is DONE for longer than " + Durations.text(retention));
          runs.open(
              Actor.Role.PURGE,
              true,
              clock,
              steps,
              (view, opened) -> {
                check(view);
                if (opened.isPresent()) {
                  purge(opened.get(), streams, results);
                  return;
                }
                if (archive != null) {
                  Archive.check(archive);
                }
                run(view, results).count(remember.limit().map(this::before));
              });
        });
  }

  private PurgeRun run(LedgerView view, Results results) {
    return new PurgeRun(view, before(retention), runs.most(), results);
  }

  /** The time {@code age} ago, in epoch milliseconds. */
  private long before(Duration age) {
    return clock.millis() - age.toMillis();
  }

  private void purge(Ledger opened, Streams streams, Results results) throws InterruptedException {
    PurgeRun run = run(opened.view(), results);
    streams.signals().onFirst(run::stop);
    if (archive == null) {
      run.purge(opened, Optional.empty(), steps);
    } else {
      try (Archive rows = Archive.create(archive)) {
        run.purge(opened, Optional.of(rows), steps);
      }
    }
    remember.limit().ifPresent(age -> run.forget(opened, before(age)));
    opened.checkpoint();
    if (vacuum && !run.isStopped()) {
      opened.vacuum();
    }
  }

  private void check(LedgerView view) {
    Duration window = view.settings().resendWindow();
    checkLonger("--retention", retention, window);
    remember.limit().ifPresent(kept -> checkLonger("--remember", kept, window));
    OptionalLong newest = view.newestEntryAt();
    if (clockOk || newest.isEmpty()) {
      return;
    }
    long now = clock.millis();
    long quiet = now - newest.getAsLong();
    if (quiet < -CLOCK_SLACK.toMillis() || quiet > LONGEST_QUIET.toMillis()) {
      throw new Failure(
          Exit.USAGE,
          "the clock says "
              + Times.format(now)
              + ", but the journal's newest entry is of "
              + Times.format(newest.getAsLong())
              + ": what is old cannot be told; nothing was deleted; check the clock, then add"
              + " --clock-ok");
    }
  }

  private static void checkLonger(String option, Duration kept, Duration window) {
    if (kept.compareTo(window) <= 0) {
      throw new Failure(
          Exit.USAGE,
          option
              + " "
              + Durations.text(kept)
              + " is not longer than the ledger's resend-window "
              + Durations.text(window)
              + ", in which a channel may still send again; nothing was deleted");
    }
  }

  /**
   * How long tombstones stay.
   *
   * @param limit empty for ever
   */
  record Remembrance(Optional<Duration> limit) {
    /** As the option spells it. */
    static final class Spelled implements ITypeConverter<Remembrance> {
      @Override
      public Remembrance convert(String text) {
        return new Remembrance(
            text.equals(FOREVER) ? Optional.empty() : Optional.of(new Durations().convert(text)));
      }
    }
  }
}
