package org.relayledger.reprocesscli;

import org.relayledger.cli.Main;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Steps;
import picocli.CommandLine;

/** Sends FAILED rows again. */
public final class ReprocessMain {
  private ReprocessMain() {}

  /** Starts the tool. */
  public static void main(String[] arguments) {
    CommandLine tool = commandLine(HostClock.system(), Steps.NONE);
    System.exit(Main.run(tool, arguments, Streams.ofProcess()));
  }

  /** The tool, which writes times by {@code clock} and is heard by {@code steps}. */
  public static CommandLine commandLine(HostClock clock, Steps steps) {
    return new CommandLine(new ReprocessCommand(clock, steps));
  }
}
