package org.relayledger.relaycli;

import org.relayledger.cli.Main;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Steps;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The relay: between channels and an account system that books whatever it receives. */
@Command(
    name = "relay",
    description = {
      "Sends each request to the account system at most once, whatever happens, and replays its"
          + " reply to all who send it again."
    })
public final class RelayMain {
  private RelayMain() {}

  /** Starts the tool. */
  public static void main(String[] args) {
    System.exit(run(args, Streams.ofProcess(), Steps.NONE));
  }

  /** Runs the tool once, heard by {@code steps}, and returns its exit code. */
  static int run(String[] args, Streams streams, Steps steps) {
    return Main.run(commandLine(steps), args, streams);
  }

  static CommandLine commandLine(Steps steps) {
    return new CommandLine(new RelayMain())
        .addSubcommand(new InitCommand())
        .addSubcommand(new SendCommand(steps))
        .addSubcommand(new BatchCommand(steps))
        .addSubcommand(new ServeCommand(steps))
        .addSubcommand(new PreflightCommand())
        .addSubcommand(new ModeCommand())
        .addSubcommand(new BackupCommand(steps))
        .addSubcommand(new RestoreCommand(steps))
        .addSubcommand(new StatsCommand())
        .addSubcommand(new ReconcileCommand())
        .addSubcommand(new TwinsCommand())
        .addSubcommand(new AckCommand())
        .addSubcommand(new ShowCommand())
        .addSubcommand(new ListCommand())
        .addSubcommand(new ExportCommand())
        .addSubcommand(new SandboxCommand());
  }
}
