package org.relayledger.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.relayledger.cli.Defaults.Setting;
import org.relayledger.ledger.LedgerException;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Runs one tool: reads the command line, the environment and the config file, calls the command's
 * {@link Action}, and turns whatever comes of it into at most one line on stderr and an exit code.
 */
public final class Main {
  static final String CONFIG = "--config";
  static final String QUIET = "--quiet";
  static final String VERBOSE = "--verbose";

  private final CommandLine tool;
  private final Streams streams;
  private CommandLine command;
  private Defaults defaults;

  private Main(CommandLine tool, Streams streams) {
    this.tool = tool;
    this.streams = streams;
    this.command = tool;
  }

  /**
   * Runs the tool once; never throws.
   *
   * @param tool the tool's command, whose name is the tool's, with its subcommands
   * @return the exit code
   */
  public static int run(CommandLine tool, String[] arguments, Streams streams) {
    Main main = new Main(tool, streams);
    Exit exit = main.run(arguments);
    streams.out().flush();
    IOException failure = streams.out().failure();
    if (failure != null && !streams.readerGone()) {
      main.say("cannot write to stdout: " + Failure.reason(failure), failure);
      exit = Exit.INTERNAL;
    }
    streams.err().flush();
    return exit.code();
  }

  private Exit run(String[] arguments) {
    try {
      configure(tool);
      ParseResult parsed = parse(arguments);
      if (parsed != null) {
        answer(parsed);
        return Exit.OK;
      }
      if (!(command.getCommand() instanceof Action action)) {
        throw new Failure(Exit.USAGE, "a command is missing");
      }
      if (streams.real()) {
        tuneLog(action);
      }
      return Objects.requireNonNull(action.run(streams));
    } catch (Failure e) {
      if (e.exit() == Exit.USAGE) {
        sayUsage(e.getMessage());
      } else {
        say(e.getMessage(), e.getCause());
      }
      return e.exit();
    } catch (ParameterException e) {
      if (e.getArgSpec() == null && e.getCause() != null) {
        return internal(e);
      }
      sayUsage(plain(e));
      return Exit.USAGE;
    } catch (LedgerException e) {
      say(e.getMessage(), e);
      return Exit.of(e);
    } catch (Throwable e) {
      return internal(e);
    }
  }

  private Exit internal(Throwable e) {
    say(
        "internal failure, a bug of this tool; only what the ledger says is certain: look there"
            + " before going on (-v shows where it happened)",
        e);
    return Exit.INTERNAL;
  }

  /** Says one line, and under -v what is behind it. */
  private void say(String line, Throwable cause) {
    streams.say(command.getCommandSpec().qualifiedName() + ": " + line);
    if (cause != null && isSet(VERBOSE)) {
      cause.printStackTrace(streams.err());
    }
  }

  private void sayUsage(String what) {
    String name = command.getCommandSpec().qualifiedName();
    streams.say(name + ": " + what + "; see '" + name + " --help'");
  }

  private boolean isSet(String flag) {
    OptionSpec option = command.getCommandSpec().findOption(flag);
    return option != null && Boolean.TRUE.equals(option.getValue());
  }

  private static void configure(CommandLine tool) {
    // An @file would be a second, unseen command line.
    tool.setExpandAtFiles(false);
    tool.setCaseInsensitiveEnumValuesAllowed(true);
    // Without it, a flag would turn off what the environment or the file has turned on.
    tool.setToggleBooleanFlags(true);
    Values.register(tool);
    addFlags(tool);
  }

  private static void addFlags(CommandLine command) {
    OptionSpec.Builder help = flag("-h", "--help", "Show this help and exit.");
    command.getCommandSpec().addOption(help.usageHelp(true).build());
    OptionSpec.Builder version = flag("-V", "--version", "Show the version and exit.");
    command.getCommandSpec().addOption(version.versionHelp(true).build());
    command.getSubcommands().values().forEach(Main::addFlags);
  }

  private static OptionSpec.Builder flag(String name, String longName, String description) {
    return OptionSpec.builder(name, longName)
        .type(boolean.class)
        .initialValue(false)
        .description(description);
  }

  /**
   * Parses twice: which config file there is, is known only when the whole line is read, but
   * picocli asks for defaults while it reads.
   *
   * @return where help or the version was asked for, or null if the command is to run
   */
  private ParseResult parse(String[] arguments) {
    try {
      for (ParseResult at = tool.parseArgs(arguments); at != null; at = at.subcommand()) {
        command = at.commandSpec().commandLine();
        if (at.isUsageHelpRequested() || at.isVersionHelpRequested()) {
          return at;
        }
      }
    } catch (MissingParameterException e) {
      command = e.getCommandLine();
      List<String> unmatched = command.getUnmatchedArguments();
      if (!unmatched.isEmpty() && !command.isUnmatchedArgumentsAllowed()) {
        throw new UnmatchedArgumentException(command, unmatched);
      }
      // The environment or the file may have what is missing.
    } catch (ParameterException e) {
      command = e.getCommandLine();
      throw e;
    }
    OptionSpec config = command.getCommandSpec().findOption(CONFIG);
    if (config != null) {
      defaults = Defaults.of(tool.getCommandName(), config.getValue(), streams.environment());
      tool.setDefaultValueProvider(defaults);
    }
    tool.parseArgs(arguments);
    return null;
  }

  private void answer(ParseResult asked) {
    String text = asked.isUsageHelpRequested() ? help() : "relay-ledger " + version() + "\n";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    streams.out().write(bytes, 0, bytes.length);
  }

  private String help() {
    CommandSpec spec = command.getCommandSpec();
    Map<String, String> exits = new LinkedHashMap<>();
    Arrays.stream(Exit.values())
        .sorted(Comparator.comparingInt(Exit::code))
        .forEach(exit -> exits.put(" " + exit.code(), exit.meaning()));
    spec.usageMessage().exitCodeListHeading("%nExit codes, the same in all four tools:%n");
    spec.usageMessage().exitCodeList(exits);
    if (spec.findOption(CONFIG) != null) {
      spec.usageMessage()
          .footer(
              "",
              "Options not given here come from the environment (RELAY_LEDGER for --ledger),",
              "then from the config file (ledger=PATH). RELAY_PURGE_LEDGER and",
              "purge.ledger=PATH are for purge alone and come first.");
    }
    return command.getUsageMessage(Ansi.OFF);
  }

  private static String version() {
    String version = Main.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }

  /** Takes effect because the first logger is made later. */
  private void tuneLog(Action action) {
    String level = isSet(VERBOSE) ? "debug" : !action.logs() ? "off" : isSet(QUIET) ? "error" : "";
    if (!level.isEmpty()) {
      System.setProperty("org.slf4j.simpleLogger.log.org.relayledger", level);
    }
  }

  /** What picocli complains of, without its names of classes, fields and positions. */
  private String plain(ParameterException e) {
    ArgSpec argument = e.getArgSpec();
    if (argument != null && e.getCause() != null) {
      Setting setting = defaults == null ? null : defaults.setting(argument);
      String origin = setting == null ? "" : " (from " + setting.origin() + ")";
      return "invalid value for " + label(argument) + origin + ": " + reason(e);
    }
    if (e instanceof UnmatchedArgumentException u && !u.getUnmatched().isEmpty()) {
      String first = u.getUnmatched().get(0);
      if (u.isUnknownOption()) {
        // What follows the name may be a secret.
        return "unknown option '" + first.split("=", 2)[0] + "'";
      }
      boolean named = e.getCommandLine().getSubcommands().isEmpty();
      return (named ? "unexpected argument '" : "unknown command '") + first + "'";
    }
    String message = e.getMessage().replaceFirst(" \\(<[^>]*>\\)", "");
    return message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
  }

  private static String label(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? "option '" + option.longestName() + "'"
        : argument.paramLabel();
  }

  private static String reason(ParameterException e) {
    Object[] words = e.getArgSpec().auxiliaryTypes()[0].getEnumConstants();
    if (words != null) {
      return "'" + e.getValue() + "' is none of " + Arrays.toString(words);
    }
    return e.getCause() instanceof TypeConversionException
        ? e.getCause().getMessage()
        : "'" + e.getValue() + "' cannot be used";
  }
}
