package org.relayledger.relaycli;

import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
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
        bodies);
  }
}
