package org.relayledger.schedule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.relayledger.account.AccountOptions;
import org.relayledger.account.AccountSystem;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.Inquirer;
import org.relayledger.relay.Relay;
import org.relayledger.relay.Resolution;
import org.relayledger.testing.Scene;

/**
 * One program at the ledger: an instance of its own, whose threads stand still at every step that
 * its GUID reaches until they are let go on.
 */
final class Program implements Steps, AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(100);

  /** The steps within a transaction: who stands there keeps all others from writing. */
  private static final Set<Step> WRITING =
      EnumSet.of(Step.CLAIM_WRITTEN, Step.OUTCOME_WRITTEN, Step.INTAKE_WRITTEN, Step.PURGE_WRITTEN);

  /** Where one of its threads stands. */
  static final class Stop {
    private final Step step;
    private final boolean late;
    private final CountDownLatch goOn = new CountDownLatch(1);

    /**
     * @param step null before the first
     */
    private Stop(Step step) {
      this.step = step;
      this.late = Thread.currentThread().getName().equals("late-settler");
    }

    Optional<Step> step() {
      return Optional.ofNullable(step);
    }

    private void await() {
      boolean interrupted = false;
      while (true) {
        try {
          goOn.await();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public String toString() {
      return step == null ? "BEGIN" : step.name();
    }
  }

  private final String name;
  private final Object monitor;
  private final ThreadGroup threads;
  private final HostClock clock;
  private final Ledger ledger;
  private final AccountSystem account;
  private final Relay patient;
  private final Relay impatient;

  // All of these are guarded by the monitor.
  private final List<Stop> stops = new ArrayList<>();
  private Guid guid;
  private Deed deed;
  private Thread caller;
  private int moving;
  private boolean gaveUp;
  private boolean waitsForAccount;

  /** Whether its late settler has an answer, and waits for the caller to end. */
  private boolean answered;

  private boolean ended;
  private Object result;

  /**
   * @param monitor guards all programs that stop and go together, and is notified when one stops;
   *     null for one that never stops
   */
  Program(String name, Object monitor, String ledger, String account, HostClock clock) {
    this.name = name;
    this.monitor = monitor;
    this.clock = clock;
    this.threads = new ThreadGroup(name);
    Steps steps = monitor == null ? Steps.NONE : this;
    this.ledger = inGroup(() -> Ledger.open(ledger, clock, steps));
    this.account = new AccountSystem(AccountOptions.at(account), PATIENCE.multipliedBy(2), steps);
    this.patient = relay(PATIENCE.multipliedBy(2), steps);
    this.impatient = relay(PATIENCE, steps);
  }

  private Relay relay(Duration openFor, Steps steps) {
    return new Relay(
        ledger,
        account,
        Scene.askFirst(ledger, account, clock),
        new Relay.Limits(PATIENCE, openFor, 1),
        new Actor(Actor.Role.RELAY, name, null),
        steps);
  }

  private interface Opening {
    Ledger open();
  }

  /** Opens a ledger whose threads can be told from those of other programs. */
  private Ledger inGroup(Opening opening) {
    Ledger[] opened = new Ledger[1];
    Thread thread = new Thread(threads, () -> opened[0] = opening.open(), name + "-opener");
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return opened[0];
  }

  Ledger ledger() {
    return ledger;
  }

  HostClock clock() {
    return clock;
  }

  String url() {
    return account.url();
  }

  /** A relay that waits for late replies, as the hub does. */
  Relay patient() {
    return patient;
  }

  /** A relay whose exchange ends with its time-out, as that of {@code relay send} does. */
  Relay impatient() {
    return impatient;
  }

  Resolution resolution() {
    Inquirer inquirer =
        new Inquirer(ledger.view(), account, Set.of(account.url()), "0000"::equals, null);
    return new Resolution(
        inquirer, ledger.view().settings(), Scene.MIN_AGE, clock, monitor == null ? NONE : this);
  }

  /** Gets ready to do {@code what}, and stands still before it. */
  void prepare(Deed what, Guid about) {
    synchronized (monitor) {
      deed = what;
      guid = about;
      gaveUp = false;
      waitsForAccount = false;
      ended = false;
      result = null;
      moving = 1;
      caller = new Thread(threads, this::act, name);
      caller.setDaemon(true);
      caller.start();
    }
  }

  private void act() {
    Object outcome = null;
    try {
      stand(null);
      outcome = deed.of(this, guid);
    } catch (RuntimeException | InterruptedException | Error e) {
      outcome = e;
    } finally {
      synchronized (monitor) {
        result = outcome;
        ended = true;
        moving--;
        if (answered) {
          answered = false;
          moving++;
        }
        monitor.notifyAll();
      }
    }
  }

  @Override
  public void reached(Step step, Guid about) {
    synchronized (monitor) {
      if (!about.equals(guid)) {
        return;
      }
    }
    stand(step);
  }

  /** Between reading a row and taking it, where no step is. */
  void standBeforeTaking() {
    stand(null);
  }

  private void stand(Step step) {
    if (monitor == null) {
      return;
    }
    Stop stop = new Stop(step);
    synchronized (monitor) {
      stops.add(stop);
      moving--;
      monitor.notifyAll();
    }
    stop.await();
  }

  /** Where its threads stand, the first that came there first. */
  List<Stop> stops() {
    return List.copyOf(stops);
  }

  /** Whether one of its threads stands in a transaction. */
  boolean writes() {
    return stops.stream().anyMatch(stop -> stop.step != null && WRITING.contains(stop.step));
  }

  /** Whether it does nothing until somebody lets it. */
  boolean isQuiet(boolean othersWrite) {
    return moving == 0 || (othersWrite && waitsForTheLock());
  }

  private boolean waitsForTheLock() {
    Thread[] all = new Thread[threads.activeCount() + 10];
    int count = threads.enumerate(all);
    for (int i = 0; i < count; i++) {
      if (all[i].getName().equals("ledger-writer")) {
        for (StackTraceElement frame : all[i].getStackTrace()) {
          if (frame.getMethodName().equals("begin")) {
            return true;
          }
        }
      }
    }
    return false;
  }

  boolean hasEnded() {
    return ended && stops.isEmpty() && !waitsForAccount && moving == 0;
  }

  /** What its deed came to: an answer, a result, or what was thrown. */
  Object result() {
    return result;
  }

  /**
   * Lets the thread at {@code stop} go on.
   *
   * @return whether its transfer then waits at the account system, which holds it
   */
  boolean go(Stop stop, boolean accountHolds) {
    stops.remove(stop);
    boolean opens = stop.step == Step.GATE_OPENED;
    // The exchange has ended without this thread: nothing comes of it any more.
    boolean idle = gaveUp && (stop.step == Step.GATE_CHECKED || (opens && !deed.isPatient()));
    boolean last = stop.late && stop.step == Step.BYTE_FREED;
    boolean waits = opens && accountHolds && !idle;
    if (waits) {
      waitsForAccount = true;
    } else if (opens && !idle) {
      answer();
    } else if (!idle && !last) {
      moving++;
    }
    stop.goOn.countDown();
    if (last) {
      awaitIdle();
    }
    return waits;
  }

  /** What a late settler does after its last step is over in no time. */
  private void awaitIdle() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (patient.inFlight() > 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(name + " has freed its byte and not its place");
      }
      Thread.onSpinWait();
    }
  }

  /** Whether its caller waits for an exchange. */
  boolean canGiveUp() {
    boolean atTheGate =
        stops.stream()
            .anyMatch(stop -> stop.step == Step.GATE_CHECKED || stop.step == Step.GATE_OPENED);
    return !gaveUp && (atTheGate || waitsForAccount);
  }

  /** Its caller waits no longer, as at a time-out. */
  void giveUp() {
    gaveUp = true;
    moving++;
    if (!deed.isPatient()) {
      waitsForAccount = false;
    }
    caller.interrupt();
  }

  /** The account system answers what it has held. */
  void isAnswered() {
    if (waitsForAccount) {
      waitsForAccount = false;
      answer();
    }
  }

  /** Its answer is on the way: to the caller, or if that has given up, to the late settler. */
  private void answer() {
    if (gaveUp && !ended) {
      answered = true;
    } else {
      moving++;
    }
  }

  @Override
  public void close() {
    ledger.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
