package org.relayledger.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;

final class GateTest {
  private static final Guid GUID = new Guid("T-1");
  private static final byte[] BODY = {1, 2, 3};

  @Test
  void theBodyIsHandedOutOnceAfterTheCheck() {
    List<Object> order = new ArrayList<>();
    Gate gate = new Gate(GUID, BODY, () -> order.add("mine?"), (step, guid) -> order.add(step));

    assertThat(gate.open()).containsSame(BODY);
    assertThat(order).containsExactly("mine?", Step.GATE_CHECKED, Step.GATE_OPENED);
    assertThat(gate.open()).isEmpty();
    assertThat(gate.abort()).isFalse();
    assertThat(order).hasSize(3);
  }

  @Test
  void anAbortedGateStaysShut() {
    Gate gate = new Gate(GUID, BODY, () -> true, Steps.NONE);

    assertThat(gate.abort()).isTrue();
    assertThat(gate.open()).isEmpty();
    assertThat(gate.abort()).isTrue();
  }

  @Test
  void aRowThatIsNoLongerOursShutsItForGood() {
    AtomicInteger asked = new AtomicInteger();
    Gate gate = new Gate(GUID, BODY, () -> asked.incrementAndGet() > 1, Steps.NONE);

    assertThat(gate.open()).isEmpty();
    assertThat(gate.open()).isEmpty();
    assertThat(gate.abort()).isTrue();
    assertThat(asked).hasValue(1);
  }

  @Test
  void aCheckThatFailsShutsItForGood() {
    Gate gate =
        new Gate(
            GUID,
            BODY,
            () -> {
              throw new IllegalStateException("unreadable");
            },
            Steps.NONE);

    assertThat(gate.open()).isEmpty();
    assertThat(gate.abort()).isTrue();
  }

  @Test
  void whoGivesUpBetweenCheckAndOpeningKeepsItShut() {
    Gate[] gate = new Gate[1];
    gate[0] =
        new Gate(
            GUID,
            BODY,
            () -> true,
            (step, guid) -> {
              if (step == Step.GATE_CHECKED) {
                assertThat(gate[0].abort()).isTrue();
              }
            });

    assertThat(gate[0].open()).isEmpty();
    assertThat(gate[0].abort()).isTrue();
  }

  @Test
  void ofManyAtOnceOneGetsTheBody() throws Exception {
    int threads = 8;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      CountDownLatch checked = new CountDownLatch(threads);
      AtomicInteger got = new AtomicInteger();
      // All have passed the check before the first may open.
      Gate gate =
          new Gate(
              GUID,
              BODY,
              () -> true,
              (step, guid) -> {
                if (step == Step.GATE_CHECKED) {
                  checked.countDown();
                  awaitQuietly(checked);
                }
              });
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        all.add(pool.submit(() -> gate.open().ifPresent(body -> got.incrementAndGet())));
      }
      for (Future<?> one : all) {
        one.get();
      }
      assertThat(got).hasValue(1);
    } finally {
      pool.shutdownNow();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
