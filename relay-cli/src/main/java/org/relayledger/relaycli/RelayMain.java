package org.relayledger.relaycli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
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
    Map<String, Supplier<Object>> commands = commands(steps);
    // Of the others only their names would be of use, and to read all their options takes longer
    // than many a command.
    if (args.length > 0 && commands.containsKey(args[0])) {
      commands.keySet().retainAll(Set.of(args[0]));
    }
    return Main.run(commandLine(commands), args, streams);
  }

  static CommandLine commandLine(Steps steps) {
    return commandLine(commands(steps));
  }

  private static CommandLine commandLine(Map<String, Supplier<Object>> commands) {
    CommandLine relay = new CommandLine(new RelayMain());
    commands.forEach((name, command) -> relay.addSubcommand(name, command.get()));
    return relay;
  }

  private static Map<String, Supplier<Object>> commands(Steps steps) {
    Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    commands.put("init", InitCommand::new);
    commands.put("send", () -> new SendCommand(steps));
    commands.put("batch", () -> new BatchCommand(steps));
    commands.put("serve", () -> new ServeCommand(steps));
    commands.put("preflight", PreflightCommand::new);
    commands.put("mode", ModeCommand::new);
    commands.put("backup", () -> new BackupCommand(steps));
    commands.put("restore", () -> new RestoreCommand(steps));
    commands.put("stats", StatsCommand::new);
    commands.put("reconcile", ReconcileCommand::new);
    commands.put("twins", TwinsCommand::new);
    commands.put("ack", AckCommand::new);
    commands.put("show", ShowCommand::new);
    commands.put("list", ListCommand::new);
    commands.put("export", ExportCommand::new);
    commands.put("sandbox", SandboxCommand::new);
    return commands;
  }
}
