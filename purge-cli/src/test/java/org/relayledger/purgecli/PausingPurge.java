package org.relayledger.purgecli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.relayledger.cli.Main;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.testing.SteppedClock;

/** A purge in a JVM of its own, which pauses at a step until it is killed. */
final class PausingPurge {
  private PausingPurge() {}

  public static void main(String[] arguments) {
    Step pause = Step.valueOf(arguments[0]);
    SteppedClock clock = new SteppedClock();
    clock.step(java.time.Duration.ofMillis(Long.parseLong(arguments[1]) - clock.millis()));
    Steps steps =
        (step, guid) -> {
          if (step == pause) {
            System.out.println("paused");
            try {
              int unused = System.in.read();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        };
    String[] rest = Arrays.copyOfRange(arguments, 2, arguments.length);
    System.exit(Main.run(PurgeMain.commandLine(clock, steps), rest, Streams.ofProcess()));
  }
}
