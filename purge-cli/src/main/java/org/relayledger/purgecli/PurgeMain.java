package org.relayledger.purgecli;

import org.relayledger.cli.Action;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.Main;
import org.relayledger.cli.Streams;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The purge tool, which for now only says that it is not there yet. */
@Command(
    name = "purge",
    description = "Deletes DONE rows older than the retention; not in this version yet.")
public final class PurgeMain implements Action {
  /** Starts the tool. */
  public static void main(String[] arguments) {
    System.exit(Main.run(commandLine(), arguments, Streams.ofProcess()));
  }

  /** Takes the options and GUIDs that it will have, so that all of them get the same answer. */
  static CommandLine commandLine() {
    return new CommandLine(new PurgeMain()).setUnmatchedArgumentsAllowed(true);
  }

  @Override
  public Exit run(Streams streams) {
    throw new Failure(
        Exit.USAGE,
        "not in this version yet: nothing was deleted, and every row stays in the ledger, DONE ones"
            + " included");
  }
}
