package org.relayledger.resolvecli;

/** The resolve tool. */
public final class ResolveMain {
  private ResolveMain() {}

  /** Starts the tool. */
  public static void main(String[] args) {}
}
