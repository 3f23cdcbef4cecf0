package org.relayledger.purgecli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Claim;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Reply;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.Steps;
import org.relayledger.ledger.Taken;
import org.relayledger.testing.Child;
import org.relayledger.testing.Scene;

/**
 * How long claims wait for a purge beside them. Not in the default run: {@code mvn -pl purge-cli
 * -am test -DexcludedGroups= -Dgroups=bench}.
 */
@Tag("bench")
class PurgeBenchmarkTest {
  private static final int ROWS = 100_000;
  private static final int CALLERS = 64;
  private static final int MOST_CLAIMS = 200_000;
  private static final Actor CHANNEL = new Actor(Actor.Role.RELAY, "bench", null);
  private static final String ACCOUNT = "http://127.0.0.1:1/transfers";
  private static final Outcome DONE =
      new Outcome.Done(
          new Reply(
              200, "application/json", "{\"code\":\"0000\"}".getBytes(StandardCharsets.UTF_8)),
          "0000");

  @TempDir Path folder;

  private static long relay(Ledger ledger, String guid) {
    long start = System.nanoTime();
    Taken taken = ledger.claim(Scene.request(guid), ACCOUNT, CHANNEL);
    long claimed = System.nanoTime() - start;
    try (Claim claim = ((Taken.Won) taken).claim()) {
      claim.settle(DONE, "0000", null);
    }
    return claimed / 1_000;
  }

  @Test
  void aPurgeOfAHundredThousandRowsHoldsNoClaimLongerThan50Milliseconds() throws Exception {
    String location = folder.resolve("ledger.db").toString();
    Settings settings =
        new Settings("bench", Settings.Mode.NORMAL, Duration.ofMinutes(1), Duration.ofMillis(1));
    var unused = Ledger.init(location, settings, HostClock.system());
    try (Ledger ledger = Ledger.open(location, HostClock.system(), Steps.NONE)) {
      ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
      for (int i = 0; i < ROWS; i++) {
        String guid = "old-" + i;
        callers.execute(() -> relay(ledger, guid));
      }
      callers.shutdown();
      assertThat(callers.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
      long[] alone = claims(ledger, "alone-", null);
      long start = System.nanoTime();
      try (Child purge = Child.java(PurgeMain.class, "--ledger", location, "--retention", "5s")) {
        long[] beside = claims(ledger, "beside-", purge);
        double seconds = (System.nanoTime() - start) / 1e9;
        print("alone", alone);
        print("beside a purge", beside);
        System.out.printf("purge of %d rows: %.1f s, start-up included%n", ROWS, seconds);
        System.out.println(purge.seen());
        assertThat(beside[beside.length - 1]).isLessThan(50_000);
      }
    }
  }

  /** Microseconds of claims, one a millisecond at most, until {@code purge} has ended; in order. */
  private static long[] claims(Ledger ledger, String prefix, Child purge) {
    long[] micros = new long[MOST_CLAIMS];
    int count = 0;
    while (count < MOST_CLAIMS && (purge == null ? count < 2_000 : purge.isAlive())) {
      micros[count] = relay(ledger, prefix + count);
      count++;
      LockSupport.parkNanos(1_000_000);
    }
    long[] all = Arrays.copyOf(micros, count);
    Arrays.sort(all);
    return all;
  }

  private static void print(String what, long[] micros) {
    int n = micros.length;
    System.out.printf(
        "claims %s: %d, p50 %d us, p99 %d us, p99.9 %d us, max %d us%n",
        what, n, micros[n / 2], micros[n * 99 / 100], micros[n * 999 / 1000], micros[n - 1]);
  }
}
