package org.relayledger.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** A tool as it ran in this JVM: what it wrote and its exit code. */
public record Ran(int exit, byte[] stdout, String err) {
  /** Runs {@code tool} with an empty environment and an empty stdin. */
  public static Ran of(Object tool, String... arguments) {
    return of(tool, Map.of(), arguments);
  }

  /** Runs {@code tool} with that environment and an empty stdin. */
  public static Ran of(Object tool, Map<String, String> environment, String... arguments) {
    return of(tool, environment, new byte[0], arguments);
  }

  /** Runs {@code tool}, a command object or a {@link CommandLine}. */
  public static Ran of(
      Object tool, Map<String, String> environment, byte[] stdin, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Streams streams = new Streams(new ByteArrayInputStream(stdin), out, err, environment);
    CommandLine line = tool instanceof CommandLine given ? given : new CommandLine(tool);
    int exit = Main.run(line, arguments, streams);
    return new Ran(exit, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
  }

  /** Stdout as text. */
  public String out() {
    return new String(stdout, StandardCharsets.UTF_8);
  }

  /** Stdout with its columns two blanks apart, however wide they are. */
  public String columns() {
    return out().replaceAll(" {2,}", "  ");
  }

  /** The options of {@code tool}, and of its subcommands, that a config file could not set. */
  public static List<String> unlistedOptions(CommandLine tool) {
    List<String> unlisted = new ArrayList<>();
    unlistedOptions(tool.getCommandName(), tool, unlisted);
    return unlisted;
  }

  private static void unlistedOptions(String tool, CommandLine command, List<String> unlisted) {
    command.getCommandSpec().options().stream()
        .map(Defaults::name)
        .filter(name -> !Known.BY_TOOL.get(tool).contains(name))
        .forEach(unlisted::add);
    command.getSubcommands().values().forEach(sub -> unlistedOptions(tool, sub, unlisted));
  }
}
