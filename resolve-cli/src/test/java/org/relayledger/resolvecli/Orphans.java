package org.relayledger.resolvecli;

import java.io.IOException;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Steps;
import org.relayledger.testing.Child;
import org.relayledger.testing.Scene;
import org.relayledger.testing.SteppedClock;

/** A sender that dies between claim and send. */
final class Orphans {
  private Orphans() {}

  /** Leaves {@code guid} SENT by a process that is killed. */
  static Ran leave(Scene scene, String guid) {
    try (Child child = Child.java(Orphans.class, scene.path().toString(), guid, scene.url())) {
      child.await("claimed");
      child.kill();
      return new Ran(child.exit(), new byte[0], child.seen());
    }
  }

  public static void main(String[] arguments) throws IOException {
    Ledger ledger = Ledger.open(arguments[0], new SteppedClock(), Steps.NONE);
    var unused =
        ledger.claim(
            Scene.request(arguments[1]), arguments[2], new Actor(Actor.Role.RELAY, "test", null));
    System.out.println("claimed");
    int held = System.in.read();
    throw new IllegalStateException("not killed: " + held);
  }
}
