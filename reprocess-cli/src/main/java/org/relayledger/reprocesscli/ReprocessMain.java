package org.relayledger.reprocesscli;

/** The reprocess tool. */
public final class ReprocessMain {
  private ReprocessMain() {}

  /** Starts the tool. */
  public static void main(String[] args) {}
}
