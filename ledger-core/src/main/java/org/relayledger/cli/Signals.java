package org.relayledger.cli;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;

/**
 * SIGTERM and SIGINT. Until a command asks for them they end the tool at once, as ever. From then
 * on the first one only tells the command to stop, and the second halts the JVM.
 */
public final class Signals {
  private static final int SIGINT = 2;
  private static final int SIGTERM = 15;

  private final boolean real;
  private final AtomicReference<Runnable> stop = new AtomicReference<>();
  private final AtomicReference<Exit> first = new AtomicReference<>();

  Signals(boolean real) {
    this.real = real;
  }

  /**
   * From now on the first signal runs {@code stop}, once, in a thread of its own. A second one,
   * while the work winds up, halts the JVM with 130 or 143.
   *
   * @throws IllegalStateException if a callback is there already
   */
  public void onFirst(Runnable stop) {
    if (!this.stop.compareAndSet(null, stop)) {
      throw new IllegalStateException("one callback only");
    }
    if (real) {
      listen("TERM", SIGTERM);
      listen("INT", SIGINT);
    }
  }

  /**
   * What a run that would exit with {@code result} exits with: 130 or 143 if a signal cut it short;
   * but a failure of the tool or its ledger says more. A command whose normal end is a signal does
   * not ask.
   */
  public Exit exit(Exit result) {
    Exit signal = first.get();
    return signal == null || result == Exit.INTERNAL || result == Exit.LEDGER ? result : signal;
  }

  /** Does what the signal of that number does; for tests, whose streams hear no real ones. */
  public void raise(int number) {
    Exit exit = number == SIGINT ? Exit.INTERRUPTED : Exit.TERMINATED;
    if (!first.compareAndSet(null, exit)) {
      Runtime.getRuntime().halt(exit.code());
    }
    stop.get().run();
  }

  // The compiler warns of every mention of sun.misc.Signal, and there is no other way to a signal.
  private void listen(String name, int number) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> listener = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              listener.getClassLoader(),
              new Class<?>[] {listener},
              (self, method, arguments) -> {
                raise(number);
                return null;
              });
      signal
          .getMethod("handle", signal, listener)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this JVM gives no signals", e);
    }
  }
}
