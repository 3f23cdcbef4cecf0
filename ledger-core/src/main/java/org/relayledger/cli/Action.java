package org.relayledger.cli;

/** What a command does once its options are parsed; the command classes implement it. */
public interface Action {
  /**
   * Does the work.
   *
   * @return what the tool exits with, unless stdout turns out to be unwritable
   * @throws Failure if it cannot go on for a reason that the operator can understand
   * @throws Exception for everything else; it ends as an internal failure
   */
  Exit run(Streams streams) throws Exception;

  /**
   * Whether it works for long and logs what it does. A one-shot says all there is to say in its
   * output and its one line.
   */
  default boolean logs() {
    return false;
  }
}
