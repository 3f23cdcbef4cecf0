package org.relayledger.purgecli;

/** The purge tool. */
public final class PurgeMain {
  private PurgeMain() {}

  /** Starts the tool. */
  public static void main(String[] args) {}
}
