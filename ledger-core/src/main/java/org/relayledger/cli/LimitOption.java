package org.relayledger.cli;

import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** For commands that go through many rows. */
public final class LimitOption {
  @Option(names = "--limit", paramLabel = "N", description = "At most N rows (default: all).")
  private Integer limit;

  /** The most rows, at least 1, or empty for all. */
  public OptionalInt limit() {
    return limit == null ? OptionalInt.empty() : OptionalInt.of(limit);
  }
}
