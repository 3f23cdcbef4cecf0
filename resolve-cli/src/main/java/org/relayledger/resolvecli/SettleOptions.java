package org.relayledger.resolvecli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import org.relayledger.account.AccountOptions;
import org.relayledger.account.AccountSystem;
import org.relayledger.cli.AccountOptionsMixin;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.relay.Resolution;
import org.relayledger.relay.Resolution.Resolved;
import picocli.CommandLine.Option;

/** Settling rows by hand, on an operator's word; none of it comes from environment or file. */
final class SettleOptions {
  /** What a row may be settled to. */
  enum To {
    DONE,
    FAILED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Option(
      names = "--settle",
      paramLabel = "done|failed",
      description =
          "Settle the named rows by hand: done, with --reply; or failed, after --min-age and an"
              + " inquiry that does not say 'processed'. Needs --reason.")
  private To to;

  @Option(
      names = "--reply",
      paramLabel = "FILE",
      description = "The account system's reply for --settle done, with a final code and the GUID.")
  private Path reply;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Why a row is settled by hand, for the journal.")
  private String reason;

  @Option(
      names = "--override",
      description = "Settle as failed whatever its age, and without asking.")
  private boolean override;

  boolean wanted() {
    return to != null;
  }

  private Outcome.Done done;

  /** Refuses what does not go together, before anything is opened. */
  void check(Set<Guid> named, AccountOptionsMixin account) {
    if (!wanted()) {
      if (reply != null || reason != null || override) {
        throw new Failure(Exit.USAGE, "--reply, --reason and --override are for --settle only");
      }
      return;
    }
    if (named.isEmpty()) {
      throw new Failure(Exit.USAGE, "--settle needs the GUIDs of the rows to settle");
    }
    if (reason == null || reason.isBlank()) {
      throw new Failure(Exit.USAGE, "--settle needs a --reason, for the journal");
    }
    if (to == To.FAILED) {
      if (reply != null) {
        throw new Failure(Exit.USAGE, "--reply is for --settle done only");
      }
      return;
    }
    if (override) {
      throw new Failure(Exit.USAGE, "--override is for --settle failed only");
    }
    if (reply == null || named.size() != 1) {
      throw new Failure(Exit.USAGE, "--settle done needs one GUID and its --reply FILE");
    }
    done = read(named.iterator().next(), account.options());
  }

  private Outcome.Done read(Guid guid, AccountOptions account) {
    byte[] body;
    try (InputStream in = Files.newInputStream(reply)) {
      body = in.readNBytes(account.maxReply() + 1);
    } catch (IOException e) {
      throw new Failure(Exit.USAGE, "cannot read " + reply + ": " + Failure.reason(e), e);
    }
    try {
      return AccountSystem.definite(guid, body, account);
    } catch (IllegalArgumentException e) {
      throw new Failure(
          Exit.BAD_REQUEST,
          reply + " is no reply to " + guid + ": " + e.getMessage() + "; nothing was settled",
          e);
    }
  }

  /** Settles one row as the options say, as {@code operator}. */
  ResolveRun.ByHand by(Actor operator, Resolution resolution) {
    return (ledger, row) ->
        ledger
            .map(opened -> settle(opened, operator, row, resolution))
            .orElseGet(() -> foresee(row, resolution));
  }

  private Resolved settle(Ledger ledger, Actor operator, Row row, Resolution resolution) {
    if (to == To.DONE) {
      return resolution.settleDone(ledger, operator, row, done, reason);
    }
    return override
        ? resolution.overrideFailed(ledger, operator, row, reason)
        : resolution.settleFailed(ledger, operator, row, reason);
  }

  private Resolved foresee(Row row, Resolution resolution) {
    if (to == To.DONE) {
      return row.state() == State.DONE
          ? new Resolved(Resolution.Result.SETTLED, false, "it is DONE")
          : new Resolved(Resolution.Result.DONE, false, reason);
    }
    return override && (row.state() == State.SENT || row.state() == State.UNKNOWN)
        ? new Resolved(Resolution.Result.FAILED, false, reason)
        : resolution.foreseeFailed(row, reason);
  }
}
