package org.relayledger.schedule;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Steps;
import org.relayledger.ledger.Taken;
import org.relayledger.testing.Child;
import org.relayledger.testing.Scene;
import org.relayledger.testing.SteppedClock;

/** Claims whose sender was killed: as many as are wanted, by one sender for many of them. */
final class Orphans {
  private static final int AT_ONCE = 500;

  private final Path ledger;
  private final String url;
  private final String fault;
  private final Deque<Guid> left = new ArrayDeque<>();
  private int made;

  /**
   * @param fault what their GUIDs begin with
   */
  Orphans(Path ledger, String url, String fault) {
    this.ledger = ledger;
    this.url = url;
    this.fault = fault;
  }

  Guid next() throws Exception {
    if (left.isEmpty()) {
      try (Child sender =
          Child.java(Orphans.class, ledger.toString(), url, fault, Integer.toString(made))) {
        var unused = sender.await("claimed");
      }
      for (int i = 0; i < AT_ONCE; i++) {
        left.add(guid(fault, made++));
      }
    }
    return left.remove();
  }

  private static Guid guid(String fault, int i) {
    return new Guid(fault + "-orphan-" + i);
  }

  /** The sender: claims, says so, and waits to be killed. */
  public static void main(String[] arguments) throws Exception {
    Ledger ledger = Ledger.open(arguments[0], new SteppedClock(), Steps.NONE);
    int from = Integer.parseInt(arguments[3]);
    for (int i = from; i < from + AT_ONCE; i++) {
      Actor actor = new Actor(Actor.Role.RELAY, "killed", null);
      Taken taken = ledger.claim(Scene.request(guid(arguments[2], i).value()), arguments[1], actor);
      if (!(taken instanceof Taken.Won)) {
        throw new IllegalStateException("not claimed: " + taken);
      }
    }
    System.out.println("claimed");
    int unused = System.in.read();
  }
}
