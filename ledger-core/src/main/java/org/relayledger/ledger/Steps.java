package org.relayledger.ledger;

/**
 * Hears of every {@link Step} that a GUID reaches, on the thread that reaches it, which goes on
 * when the call returns. Tests stop the world here; the tools pass {@link #NONE}.
 */
@FunctionalInterface
public interface Steps {
  /** Nobody listens. */
  Steps NONE = (step, guid) -> {};

  /** {@code guid} has reached {@code step}. */
  void reached(Step step, Guid guid);
}
