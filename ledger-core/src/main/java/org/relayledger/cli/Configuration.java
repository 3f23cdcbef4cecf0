package org.relayledger.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What the options of a command are worth, and where the operator can change that. */
public final class Configuration {
  /**
   * The value of one option.
   *
   * @param option its name without dashes
   * @param origin the command line, a variable, a key in a file, or the default
   */
  public record Value(String option, String value, String origin) {}

  private Configuration() {}

  /** All options of the command of {@code spec} that have a value. */
  public static List<Value> of(CommandSpec spec) {
    return spec.options().stream()
        .filter(option -> !Known.FLAG_ONLY.contains(Defaults.name(option)))
        .filter(option -> option.getValue() != null)
        .map(option -> value(spec, option))
        .toList();
  }

  private static Value value(CommandSpec spec, OptionSpec option) {
    String origin = "default";
    if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
      origin = "command line";
    } else if (spec.defaultValueProvider() instanceof Defaults defaults
        && defaults.setting(option) != null) {
      origin = defaults.setting(option).origin();
    }
    Object value = option.getValue();
    String text = value instanceof java.time.Duration time ? Durations.text(time) : "" + value;
    return new Value(Defaults.name(option), text, origin);
  }

  /** What the environment or the config file sets for an option of another tool. */
  public static Optional<Value> of(
      String tool, String option, Optional<Path> config, Map<String, String> environment) {
    return Defaults.of(tool, config.orElse(null), environment)
        .named(option)
        .map(setting -> new Value(option, setting.value(), setting.origin()));
  }
}
