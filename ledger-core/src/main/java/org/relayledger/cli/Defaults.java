package org.relayledger.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * What options are worth that are not on the command line: the environment, then the config file,
 * then (null here) the default built in. In both, what is set for one tool comes first.
 */
final class Defaults implements IDefaultValueProvider {
  /** The largest config file, in bytes; a larger one is some other file. */
  static final int LARGEST_FILE = 1 << 20;

  /** A value, and where the operator can find it. */
  record Setting(String value, String origin) {}

  private final String tool;
  private final Map<String, String> environment;
  private Path path;
  private Map<String, String> file = Map.of();

  private Defaults(String tool, Map<String, String> environment) {
    this.tool = tool;
    this.environment = environment;
  }

  /**
   * Reads the config file, if there is one.
   *
   * @param config the path given on the command line, or null
   * @throws Failure if the file cannot be read or sets what cannot be set
   */
  static Defaults of(String tool, Path config, Map<String, String> environment) {
    Defaults defaults = new Defaults(tool, environment);
    Setting variable = defaults.variable("config");
    if (config != null) {
      defaults.read(config, config.toString());
    } else if (variable != null) {
      String where = variable.value + " (from " + variable.origin + ")";
      try {
        defaults.read(Path.of(variable.value), where);
      } catch (InvalidPathException e) {
        throw unusable(where, "this cannot be a path in this locale: set LC_ALL=C.UTF-8");
      }
    }
    return defaults;
  }

  @Override
  public String defaultValue(ArgSpec argument) {
    Setting setting = setting(argument);
    // Picocli would put variables in: a dollar stands for itself only if doubled.
    return setting == null ? null : setting.value.replace("$", "$$");
  }

  /** What the environment or the file says, or null if neither does. */
  Setting setting(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option)) {
      return null;
    }
    String name = name(option);
    if (Known.FLAG_ONLY.contains(name)) {
      return null;
    }
    return named(name).orElse(null);
  }

  /** What the environment or the file says of the option of that name. */
  Optional<Setting> named(String name) {
    return Optional.ofNullable(variable(name)).or(() -> Optional.ofNullable(key(name)));
  }

  static String name(OptionSpec option) {
    String name = option.longestName();
    return name.substring(name.startsWith("--") ? 2 : 1);
  }

  private Setting variable(String name) {
    for (String scoped : List.of(tool + "_" + name, name)) {
      String variable = "RELAY_" + scoped.toUpperCase(Locale.ROOT).replace('-', '_');
      String value = environment.getOrDefault(variable, "");
      if (!value.isEmpty()) {
        return new Setting(value, variable);
      }
    }
    return null;
  }

  private Setting key(String name) {
    for (String key : List.of(tool + "." + name, name)) {
      String value = file.getOrDefault(key, "");
      if (!value.isEmpty()) {
        return new Setting(value, key + " in " + path);
      }
    }
    return null;
  }

  private void read(Path path, String where) {
    String text;
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(LARGEST_FILE + 1);
      if (bytes.length > LARGEST_FILE) {
        throw unusable(where, "it is larger than " + LARGEST_FILE + " bytes");
      }
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw unusable(where, "it is not UTF-8");
    } catch (IOException e) {
      throw unusable(where, Failure.reason(e));
    }
    Keys keys = new Keys();
    try {
      keys.load(new StringReader(text));
    } catch (IOException | IllegalArgumentException e) {
      throw unusable(where, "it has a malformed \\u escape");
    }
    if (keys.twice != null) {
      throw unusable(where, "the key '" + keys.twice + "' is there twice");
    }
    keys.inOrder.keySet().forEach(key -> check(key, where));
    this.path = path;
    this.file = keys.inOrder;
  }

  private static void check(String key, String where) {
    int dot = key.indexOf('.');
    String name = key.substring(dot + 1);
    Set<String> known = dot < 0 ? null : Known.BY_TOOL.get(key.substring(0, dot));
    if (Known.FLAG_ONLY.contains(name) || name.equals("config")) {
      throw unusable(where, "'" + key + "' is never set by a file");
    }
    if (dot >= 0 && known == null) {
      throw unusable(where, "unknown key '" + key + "': no tool '" + key.substring(0, dot) + "'");
    }
    if (dot >= 0 && !known.contains(name)) {
      throw unusable(
          where, "unknown key '" + key + "': " + key.substring(0, dot) + " has no such option");
    }
    if (dot < 0 && Known.BY_TOOL.values().stream().noneMatch(names -> names.contains(name))) {
      throw unusable(where, "unknown key '" + key + "': no tool has such an option");
    }
  }

  private static Failure unusable(String where, String why) {
    return new Failure(Exit.USAGE, "config file " + where + ": " + why);
  }

  /** Properties that keep the file's order and notice a key that is there twice. */
  private static final class Keys extends Properties {
    private static final long serialVersionUID = 1L;

    private final transient Map<String, String> inOrder = new LinkedHashMap<>();
    private transient String twice;

    // A value ends at its last visible character: nobody means the blanks that an editor left.
    @Override
    public synchronized Object put(Object key, Object value) {
      if (inOrder.put((String) key, ((String) value).stripTrailing()) != null && twice == null) {
        twice = (String) key;
      }
      return null;
    }
  }
}
