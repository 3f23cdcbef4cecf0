package org.relayledger.purgecli;

import org.relayledger.cli.Main;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Steps;
import picocli.CommandLine;

/** Deletes DONE rows that nobody asks for any more. */
public final class PurgeMain {
  private PurgeMain() {}

  /** Starts the tool. */
  public static void main(String[] arguments) {
    CommandLine tool = commandLine(HostClock.system(), Steps.NONE);
    System.exit(Main.run(tool, arguments, Streams.ofProcess()));
  }

  /** The tool, which tells what is old by {@code clock} and is heard by {@code steps}. */
  public static CommandLine commandLine(HostClock clock, Steps steps) {
    return new CommandLine(new PurgeCommand(clock, steps));
  }
}
