package org.relayledger.relaycli;

import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.State;
import picocli.CommandLine.Option;

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

  Filter filter(InstantSource clock, boolean bodies) {
    Instant now = clock.instant();
    Long before =
        Stream.of(moment("--until", until, now), moment("--older-than", olderThan, now))
            .filter(moment -> moment != null)
            .min(Long::compare)
            .orElse(null);
    Long from = moment("--since", since, now);
    if (from != null && before != null && before <= from) {
      throw new Failure(Exit.USAGE, "no time is both before its end and at or after --since");
    }
    return new Filter(
        states == null ? Set.of() : EnumSet.copyOf(states),
        codes == null ? Set.of() : new TreeSet<>(codes),
        channel,
        from,
        before,
        untold,
        bodies);
  }

  private static Long moment(String option, String text, Instant now) {
    try {
      return text == null ? null : Moments.parse(text, now).toEpochMilli();
    } catch (IllegalArgumentException e) {
      throw new Failure(
          Exit.USAGE,
          "'"
              + text
              + "' is no time for "
              + option
              + ": write 2h, 2026-01-31, or 2026-01-31T03:00:00+01:00");
    }
  }
}
