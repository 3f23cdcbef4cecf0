package org.relayledger.cli;

import picocli.CommandLine.Option;

/** For commands that go through many rows. */
public final class LimitOption {
  @Option(names = "--limit", paramLabel = "N", description = "At most N rows (default: all).")
  private Integer limit;

  /** The most rows, {@link Long#MAX_VALUE} for all. */
  public long most() {
    return limit == null ? Long.MAX_VALUE : limit;
  }
}
