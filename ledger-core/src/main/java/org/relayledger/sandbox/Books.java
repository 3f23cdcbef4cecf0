package org.relayledger.sandbox;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** The balance, what was received and executed, and everybody who waits for a change of that. */
final class Books {
  /** The most transfers that are taken, so that memory ends before the heap does. */
  static final int MAX_TRANSFERS = 1_000_000;

  private static final DateTimeFormatter AT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private static final class Count {
    private int received;
    private int executed;
    private String refusal;
  }

  private record Execution(String guid, Instant at) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Map<String, Count> counts = new LinkedHashMap<>();
  private final List<Execution> executions = new ArrayList<>();
  private final Set<String> released = new HashSet<>();
  private int transfers;
  private BigDecimal balance;

  Books(long balance) {
    this.balance = BigDecimal.valueOf(balance);
  }

  /** Counts a request; how often its GUID was received by now. */
  int receive(String guid) throws Wire.Refused {
    lock.lock();
    try {
      if (transfers == MAX_TRANSFERS) {
        throw new Wire.Refused(507, "the books are full: start the sandbox anew");
      }
      transfers++;
      changed.signalAll();
      return ++counts.computeIfAbsent(guid, g -> new Count()).received;
    } finally {
      lock.unlock();
    }
  }

  /** Books a request that was received, however often it was before; the balance after it. */
  BigDecimal execute(String guid, BigDecimal amount) {
    lock.lock();
    try {
      counts.get(guid).executed++;
      executions.add(new Execution(guid, Instant.now()));
      balance = balance.subtract(amount);
      changed.signalAll();
      return balance;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Refuses a request that was received. Only a B2 code goes into the books; what failed with any
   * other is as if it had never come.
   */
  void refuse(String guid, String code) {
    lock.lock();
    try {
      if (code.startsWith("B2")) {
        counts.get(guid).refusal = code;
      }
    } finally {
      lock.unlock();
    }
  }

  /** What came of {@code guid}: success if it was ever executed, a refusal, or null. */
  String code(String guid) {
    lock.lock();
    try {
      Count count = counts.get(guid);
      if (count == null) {
        return null;
      }
      return count.executed > 0 ? Answer.SUCCESS : count.refusal;
    } finally {
      lock.unlock();
    }
  }

  BigDecimal balance() {
    lock.lock();
    try {
      return balance;
    } finally {
      lock.unlock();
    }
  }

  Map<String, Integer> received() {
    return counted(count -> count.received);
  }

  Map<String, Integer> executed() {
    return counted(count -> count.executed);
  }

  private Map<String, Integer> counted(ToIntFunction<Count> number) {
    lock.lock();
    try {
      Map<String, Integer> out = new LinkedHashMap<>();
      counts.forEach(
          (guid, count) -> {
            if (number.applyAsInt(count) > 0) {
              out.put(guid, number.applyAsInt(count));
            }
          });
      return Collections.unmodifiableMap(out);
    } finally {
      lock.unlock();
    }
  }

  /** All of it at one moment, as JSON. */
  String stats() {
    lock.lock();
    try {
      return "{\"received\":%s,\"executed\":%s,\"balance\":%s}"
          .formatted(json(received()), json(executed()), balance.toPlainString());
    } finally {
      lock.unlock();
    }
  }

  private static String json(Map<String, Integer> counts) {
    return counts.entrySet().stream()
        .map(count -> "\"" + count.getKey() + "\":" + count.getValue())
        .collect(Collectors.joining(",", "{", "}"));
  }

  /** One line an execution, in the order they were booked, as CSV. */
  String statement() {
    lock.lock();
    try {
      StringBuilder out = new StringBuilder("guid,at\r\n");
      for (Execution execution : executions) {
        out.append(execution.guid).append(',').append(AT.format(execution.at)).append("\r\n");
      }
      return out.toString();
    } finally {
      lock.unlock();
    }
  }

  void release(String guid) {
    lock.lock();
    try {
      released.add(guid);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until {@code guid} is released; false if that did not happen. */
  boolean awaitReleased(String guid) throws InterruptedException {
    return await(() -> released.contains(guid), Wire.MAX_STALL);
  }

  /** Waits until {@code guid} was received so often; false if that did not happen. */
  boolean awaitReceived(String guid, int times, Duration limit) throws InterruptedException {
    return await(() -> counts.containsKey(guid) && counts.get(guid).received >= times, limit);
  }

  /** Waits until so many GUIDs were received; false if that did not happen. */
  boolean awaitReceived(int guids, Duration limit) throws InterruptedException {
    return await(() -> counts.size() >= guids, limit);
  }

  /** Waits until {@code guid} was executed so often; false if that did not happen. */
  boolean awaitExecuted(String guid, int times, Duration limit) throws InterruptedException {
    return await(() -> counts.containsKey(guid) && counts.get(guid).executed >= times, limit);
  }

  private boolean await(BooleanSupplier reached, Duration limit) throws InterruptedException {
    lock.lock();
    try {
      long left = limit.toNanos();
      while (!reached.getAsBoolean()) {
        if (left <= 0 || closed.getCount() == 0) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Lets {@code time} go by; false, and at once, if the books are closed. */
  boolean pause(Duration time) throws InterruptedException {
    return !closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Ends all waiting. */
  void close() {
    lock.lock();
    try {
      closed.countDown();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
