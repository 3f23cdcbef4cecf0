package org.relayledger.account;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;

/**
 * Hands out the body of one request, at most once, and knows for certain whether it did.
 *
 * <p>While it was never opened not one byte of the body can have left, and after {@link #abort}
 * none ever will. Once it was opened anything may have happened to the bytes.
 */
final class Gate {
  private enum State {
    NEW,
    SENT,
    ABORTED
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
  private final Guid guid;
  private final byte[] body;
  private final BooleanSupplier stillMine;
  private final Steps steps;

  /**
   * @param stillMine whether the row is still this attempt's, read again right before the body goes
   *     out; not to be true counts as no, for good, and so does an exception
   */
  Gate(Guid guid, byte[] body, BooleanSupplier stillMine, Steps steps) {
    this.guid = guid;
    this.body = body;
    this.stillMine = stillMine;
    this.steps = steps;
  }

  /** The body, if this is the first time, nobody aborted, and the row is still ours. */
  Optional<byte[]> open() {
    if (state.get() != State.NEW) {
      return Optional.empty();
    }
    if (!isMine()) {
      state.compareAndSet(State.NEW, State.ABORTED);
      return Optional.empty();
    }
    steps.reached(Step.GATE_CHECKED, guid);
    // A pause here is harmless: the claim byte is still held, so that the row cannot have changed
    // hands, and whoever gave up meanwhile has aborted.
    if (!state.compareAndSet(State.NEW, State.SENT)) {
      return Optional.empty();
    }
    steps.reached(Step.GATE_OPENED, guid);
    return Optional.of(body);
  }

  private boolean isMine() {
    try {
      return stillMine.getAsBoolean();
    } catch (RuntimeException e) {
      return false;
    }
  }

  /**
   * Keeps it shut for good, unless it was opened before.
   *
   * @return whether it was never opened and never will be
   */
  boolean abort() {
    return state.compareAndSet(State.NEW, State.ABORTED) || state.get() == State.ABORTED;
  }
}
