package org.relayledger.relaycli;

/** The relay tool. */
public final class RelayMain {
  private RelayMain() {}

  /** Starts the tool. */
  public static void main(String[] args) {}
}
