package org.relayledger.relaycli;

import java.time.InstantSource;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.Pointers;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.State;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;
import tools.jackson.core.JsonPointer;

/** Which rows; all options given must hold. */
final class FilterOptions {
  @Option(
      names = "--state",
      paramLabel = "STATE",
      split = ",",
      description = "Any of these states: received, sent, done, unknown, failed.")
  private List<State> states;

  @Option(names = "--code", paramLabel = "CODE", split = ",", description = "Any of these codes.")
  private List<String> codes;

  @Option(names = "--channel", paramLabel = "NAME", description = "From this channel.")
  private String channel;

  @Option(
      names = "--since",
      paramLabel = "WHEN",
      description =
          "Received at or after: 2h (ago), 2026-01-31 (UTC), or 2026-01-31T03:00:00+01:00.")
  private String since;

  @Option(names = "--until", paramLabel = "WHEN", description = "Received before.")
  private String until;

  @Option(
      names = "--older-than",
      paramLabel = "WHEN",
      description = "Received before; with --until, before both.")
  private String olderThan;

  @Option(
      names = "--untold",
      description = "DONE, while the channel last heard E901, E902 or E903.")
  private boolean untold;

  @Option(
      names = "--where",
      paramLabel = "POINTER=VALUE",
      converter = Where.class,
      description =
          "The request is JSON and has this value there, as /amount=12.50; a number as it was"
              + " written. Repeatable: all must hold.")
  private List<Map.Entry<JsonPointer, String>> wheres = List.of();

  /** Reads {@code /amount=12.50}; the value may be a secret, so it is never repeated. */
  static final class Where implements ITypeConverter<Map.Entry<JsonPointer, String>> {
    @Override
    public Map.Entry<JsonPointer, String> convert(String text) {
      int equals = text.indexOf('=');
      if (equals < 2 || text.charAt(0) != '/') {
        throw new TypeConversionException("write a JSON pointer and a value, as /amount=12.50");
      }
      return Map.entry(Pointers.parse(text.substring(0, equals)), text.substring(equals + 1));
    }
  }

  private Map<JsonPointer, String> where() {
    Map<JsonPointer, String> where = new LinkedHashMap<>();
    for (Map.Entry<JsonPointer, String> each : wheres) {
      if (where.put(each.getKey(), each.getValue()) != null) {
        throw new Failure(
            Exit.USAGE, "--where has " + each.getKey() + " twice: no request has two values there");
      }
    }
    return where;
  }

  Filter filter(InstantSource clock) {
    // Of an unset variable in a script: it would look like "there is none".
    if ((channel != null && channel.isBlank())
        || (codes != null && codes.stream().anyMatch(String::isBlank))) {
      throw new Failure(Exit.USAGE, "--channel or --code is empty");
    }
    Long before =
        Stream.of(
                Moments.option("--until", until, clock),
                Moments.option("--older-than", olderThan, clock))
            .filter(moment -> moment != null)
            .min(Long::compare)
            .orElse(null);
    Moments.Span span = new Moments.Span(Moments.option("--since", since, clock), before);
    return new Filter(
        states == null ? Set.of() : EnumSet.copyOf(states),
        codes == null ? Set.of() : new TreeSet<>(codes),
        channel,
        span.since(),
        span.until(),
        untold,
        where(),
        false);
  }
}
