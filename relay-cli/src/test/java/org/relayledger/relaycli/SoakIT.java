package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.relayledger.cli.Durations;
import org.relayledger.cli.Exit;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.LedgerView;
import org.relayledger.relay.Problem;
import org.relayledger.testing.Threads;

/**
 * All of the suite at once, for as long as {@code -Dsoak} says: two hubs on one ledger, channels
 * that send and send again, every tool, and faults, kills, pauses and terminations among them, as
 * {@code -Dseed} has it. Then all settles, and nothing may be doubled, lost or untrue.
 */
@Tag("soak")
final class SoakIT extends BuiltSuite {
  private static final Duration TIME = new Durations().convert(System.getProperty("soak", "60m"));
  private static final long SEED = Long.getLong("seed", 1);

  /**
   * New GUIDs a second, from the channels; with it goes how often tools are run and hubs are
   * treated badly. The default takes less than half a core.
   */
  private static final int RATE = Integer.getInteger("rate", 20);

  private static final Duration MIN_AGE = Duration.ofSeconds(3);
  private static final Duration RETENTION = Duration.ofSeconds(20);
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int HUBS = 2;

  /** How many requests of the channels may be open at once. */
  private static final int OPEN = 128;

  /** How many re-sends may be planned at once. */
  private static final int PLANNED = 20_000;

  private static final int TOOLS_AT_ONCE = 2;
  private static final int MOST_VIOLATIONS = 50;
  private static final int LAST_REPLAYS = 20_000;
  private static final int ROUNDS = 40;
  private static final Set<String> LOCKED = Set.of("resolve", "reprocess", "purge", "batch");
  private static final String[] SMALL = {
    "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"
  };
  private static final String[] BOOKKEEPER = {"-Xmx1g", "-XX:-UsePerfData"};

  /** A re-send to come. */
  private record Due(int index, long nanos) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(nanos, ((Due) other).nanos);
    }
  }

  /** What is done to a tool while it runs. */
  private enum Fate {
    NONE,
    STOPPED,
    TERMINATED,
    KILLED
  }

  /**
   * What a tool left.
   *
   * @param disturbed whether anything was stopped, or claims on hold, meanwhile
   */
  private record Came(int exit, String out, String err, Fate fate, boolean disturbed) {}

  /**
   * A line of a batch.
   *
   * @param index -1 for one that is no request
   */
  private record Line(int index, boolean conflicting) {}

  private record Batch(Path file, List<Line> lines) {}

  private final Path folder = Path.of("target", "soak").toAbsolutePath();
  private final Path ledger = folder.resolve("ledger.db");
  private final CountDownLatch ending = new CountDownLatch(1);
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final Set<Integer> suspects = ConcurrentHashMap.newKeySet();
  private final List<Audit.Held> holds = new CopyOnWriteArrayList<>();
  private final Witness witness = new Witness(SEED, RETENTION, this::violated);
  private final Audit audit = new Audit(witness, MIN_AGE, holds, this::violated);
  private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();
  private final Map<String, AtomicInteger> lockRuns = new ConcurrentHashMap<>();
  private final AtomicInteger lockStarts = new AtomicInteger();
  private final AtomicInteger disturbing = new AtomicInteger();
  private final AtomicInteger disturbances = new AtomicInteger();
  private final AtomicLong rooms = new AtomicLong();
  private final AtomicReferenceArray<URI> urls = new AtomicReferenceArray<>(HUBS);
  private final AtomicInteger terminating = new AtomicInteger();
  private final AtomicInteger terminated = new AtomicInteger();
  private final Semaphore open = new Semaphore(OPEN);
  private final DelayQueue<Due> planned = new DelayQueue<>();
  private final Random channels = new Random(SEED);
  private final Deque<Batch> unfinished = new ArrayDeque<>();
  private final ReentrantLock moding = new ReentrantLock();
  private final Set<Launched> running = ConcurrentHashMap.newKeySet();
  private Map<String, String> environment;
  private URI account;

  private void count(String what, long more) {
    counts.computeIfAbsent(what, w -> new LongAdder()).add(more);
  }

  private void violated(String what, int index) {
    if (violations.size() < MOST_VIOLATIONS) {
      violations.add(what + (index < 0 ? "" : ": " + witness.story(index)));
      if (index >= 0) {
        suspects.add(index);
      }
    }
    ending.countDown();
  }

  private Launched launch(String[] java, String in, Object... command) throws IOException {
    Path room = folder.resolve("rooms").resolve(Long.toString(rooms.incrementAndGet()));
    Launched launched =
        Launched.start(room, program(environment, command), in.getBytes(UTF_8), java);
    running.add(launched);
    return launched;
  }

  private void end(Launched launched) throws IOException {
    running.remove(launched);
    launched.close();
  }

  private String listening(Launched launched) throws Exception {
    Pattern pattern = Pattern.compile("listening on ([^\\s,]+)");
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < deadline) {
      Matcher matcher = pattern.matcher(launched.err());
      if (matcher.find()) {
        return matcher.group(1);
      }
      if (launched.endsWithin(Duration.ofMillis(50))) {
        return null;
      }
    }
    throw new IllegalStateException("does not listen: " + launched.err());
  }

  @Test
  void whateverIsDoneToItForAnHourNothingIsDoubledNothingIsLostAndNothingUntrueIsSaid()
      throws Exception {
    Launched.remove(folder);
    Files.createDirectories(folder);
    environment = Map.of();
    assertThat(
            run(
                    bin.resolve("relay"),
                    "init",
                    "--ledger",
                    ledger,
                    "--max-processing=2s",
                    "--resend-window=5s")
                .exit())
        .isZero();
    Launched sandbox =
        launch(BOOKKEEPER, "", bin.resolve("relay"), "sandbox", "--listen=127.0.0.1:0");
    try {
      account = URI.create(listening(sandbox));
      environment = new HashMap<>();
      environment.put("RELAY_LEDGER", ledger.toString());
      environment.put("RELAY_ACCOUNT_URL", account.toString());
      environment.put("RELAY_TIMEOUT", "1s");
      environment.put("RELAY_CONNECT_TIMEOUT", "1s");
      soak();
      settle();
      judge();
    } finally {
      for (Launched left : Set.copyOf(running)) {
        end(left);
      }
    }
    print();
    assertThat(violations).as("seed %d, kept in %s, %s", SEED, folder, stories()).isEmpty();
    Launched.remove(folder);
  }

  private void soak() throws Exception {
    Random random = new Random(SEED);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int slot = 0; slot < HUBS; slot++) {
      int hub = slot;
      Random own = new Random(random.nextLong());
      all.add(Threads.run(() -> guarded(() -> keepHub(hub, own))));
    }
    for (int i = 0; i < TOOLS_AT_ONCE; i++) {
      Random own = new Random(random.nextLong());
      all.add(Threads.run(() -> guarded(() -> useTools(own))));
    }
    all.add(Threads.run(() -> guarded(this::keepSending)));
    long begin = System.nanoTime();
    for (long left = TIME.toMillis();
        left > 0 && !ending.await(Math.min(left, 60_000), MILLISECONDS);
        left = TIME.minusNanos(System.nanoTime() - begin).toMillis()) {
      System.out.println(
          Instant.now() + " soak: " + witness.count() + " GUIDs, answers " + witness.answers());
    }
    ending.countDown();
    all.forEach(CompletableFuture::join);
    assertThat(open.tryAcquire(OPEN, PATIENCE.toMillis(), MILLISECONDS)).isTrue();
    open.release(OPEN);
  }

  /** Something to do that may fail in any way. */
  private interface Deed {
    void go() throws Exception;
  }

  private void guarded(Deed deed) {
    try {
      deed.go();
    } catch (Exception | Error e) {
      violated("the soak itself failed: " + e, -1);
      throw new IllegalStateException(e);
    }
  }

  /** Some time between the two, which are for the default rate. */
  private static long gap(Random random, int leastMillis, int mostMillis) {
    return 20L * (leastMillis + random.nextInt(mostMillis - leastMillis)) / RATE;
  }

  // The hubs

  private Launched hub() throws IOException {
    return launch(SMALL, "", bin.resolve("relay"), "serve", "--listen=127.0.0.1:0");
  }

  private void keepHub(int slot, Random random) throws Exception {
    while (ending.getCount() > 0) {
      int stops = disturbances.get();
      boolean disturbed = disturbing.get() > 0;
      Launched hub = hub();
      String url = listening(hub);
      if (url == null) {
        count("exit serve " + hub.exit(), 1);
        if (hub.exit() != Exit.UNAVAILABLE.code() || !(disturbed || stops != disturbances.get())) {
          violated("a hub did not start: exit " + hub.exit() + " " + hub.err(), -1);
        }
        end(hub);
        continue;
      }
      urls.set(slot, URI.create(url));
      while (hub.isAlive()) {
        if (ending.await(gap(random, 8_000, 80_000), MILLISECONDS)) {
          terminate(hub);
        } else if (!hub.isAlive()) {
          violated("a hub ended by itself: exit " + hub.exit() + " " + hub.err(), -1);
        } else {
          int fate = random.nextInt(100);
          if (fate < 35) {
            kill(hub);
          } else if (fate < 55) {
            terminate(hub);
          } else if (pause(hub, 200 + random.nextInt(7_000), random.nextInt(4) == 0)) {
            assertThat(hub.endsWithin(PATIENCE)).isTrue();
          }
        }
      }
      count("exit serve " + hub.exit(), 1);
      hub.err().lines().filter(line -> line.contains(" ERROR ")).forEach(this::suspicious);
      end(hub);
    }
  }

  private void suspicious(String line) {
    count("errors logged by hubs", 1);
    System.out.println("soak: a hub says: " + line);
  }

  private void kill(Launched hub) throws InterruptedException {
    count("kills of hubs", 1);
    hub.kill();
    assertThat(hub.endsWithin(PATIENCE)).isTrue();
  }

  private void terminate(Launched hub) throws Exception {
    count("terminations of hubs", 1);
    terminating.incrementAndGet();
    hub.terminate();
    if (!hub.endsWithin(PATIENCE)) {
      violated("a hub does not end after SIGTERM", -1);
    } else if (hub.exit() != 0) {
      violated("a hub ended with exit " + hub.exit() + " after SIGTERM: " + hub.err(), -1);
    }
    terminated.incrementAndGet();
  }

  /** Stops what runs for a while; whether it was killed then. */
  private boolean pause(Launched launched, int millis, boolean kill) throws Exception {
    count("stops", 1);
    disturbances.incrementAndGet();
    disturbing.incrementAndGet();
    launched.signal("STOP");
    var unused = ending.await(millis, MILLISECONDS);
    if (kill) {
      count("kills while stopped", 1);
      launched.kill();
    } else {
      launched.signal("CONT");
    }
    disturbing.decrementAndGet();
    return kill;
  }

  // The channels

  private void keepSending() throws Exception {
    while (!ending.await(1_000 / RATE, MILLISECONDS)) {
      int index = witness.next();
      int slot = channels.nextInt(HUBS);
      begin(() -> transfer(index, slot, false));
      if (channels.nextInt(5) == 0) {
        begin(() -> transfer(index, 1 - slot, false));
      }
      Due due = planned.poll();
      for (int i = 0; due != null && i < 4; i++) {
        int again = due.index;
        int to = channels.nextInt(HUBS);
        begin(() -> transfer(again, to, false));
        due = planned.poll();
      }
      int rare = channels.nextInt(100);
      int known = channels.nextInt(witness.count());
      if (rare < 2 && witness.knows(known, Witness.ROW)) {
        begin(() -> transfer(known, slot, true));
      } else if (rare == 3) {
        begin(() -> malformed(slot));
      } else if (rare == 4) {
        begin(() -> hangUp(index, 1 - slot));
      }
    }
  }

  private void begin(Deed deed) throws InterruptedException {
    open.acquire();
    var unused =
        Threads.run(
            () -> {
              try {
                guarded(deed);
              } finally {
                open.release();
              }
            });
  }

  private void plan(int index, int leastMillis, int mostMillis) {
    if (planned.size() < PLANNED) {
      long millis = (long) leastMillis + channels.nextInt(mostMillis - leastMillis);
      planned.add(new Due(index, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis)));
    } else {
      count("re-sends not planned", 1);
    }
  }

  private void transfer(int index, int slot, boolean conflicting) {
    URI url = urls.get(slot);
    if (url == null) {
      return;
    }
    boolean shouted = channels.nextInt(50) == 0;
    int stopped = terminated.get();
    String body = witness.body(index, shouted, conflicting);
    Witness.Asked asked = witness.ask(index, conflicting);
    count("requests", 1);
    Channel.Heard heard;
    try {
      heard = Channel.post(url, body, "Content-Type: application/json");
    } catch (IOException | RuntimeException e) {
      heard = null;
    }
    boolean whole =
        heard != null
            && heard.header("content-length") != null
            && Integer.parseInt(heard.header("content-length")) == heard.body().length;
    if (!whole) {
      witness.heardNothing(asked);
      plan(index, 500, 8_000);
      return;
    }
    boolean problem = "application/problem+json".equals(heard.header("content-type"));
    witness.heard(asked, heard.code(), problem ? null : heard.body(), terminating.get() > stopped);
    int luck = channels.nextInt(100);
    if (!problem) {
      if (luck < 15) {
        plan(index, 500, 10_000);
      } else if (luck < 19) {
        plan(index, 20_000, 900_000);
      }
    } else if (luck < (heard.code().equals("E906") ? 10 : 75)) {
      plan(index, 500, 8_000);
    }
  }

  private void malformed(int slot) {
    URI url = urls.get(slot);
    if (url == null) {
      return;
    }
    String guid = "bad-" + channels.nextInt(1_000_000);
    String[] json = {"Content-Type: application/json"};
    String[] other = {"Content-Type: application/json", "Idempotency-Key: another"};
    count("malformed requests", 1);
    try {
      Channel.Heard heard =
          switch (channels.nextInt(6)) {
            case 0 -> Channel.post(url, "{\"amount\":1}", json);
            case 1 -> Channel.post(url, "{\"guid\":\"" + guid + "\",\"amount\":", json);
            case 2 -> Channel.post(url, "{\"guid\":\"" + guid + "\"}", other);
            case 3 -> Channel.post(url, "", "Idempotency-Key: " + guid);
            case 4 -> Channel.post(url, "{\"guid\":\"" + guid + "?\"}", json);
            default ->
                Channel.post(
                    url, "{\"guid\":\"" + guid + "\",\"a\":\"" + "x".repeat(1 << 20) + "\"}", json);
          };
      if (!heard.code().matches("E905|E907")) {
        violated("a malformed request was answered " + heard.text(), -1);
      }
    } catch (IOException | RuntimeException e) {
      count("malformed requests without an answer", 1);
    }
  }

  /** A channel that goes before it is answered. */
  private void hangUp(int index, int slot) {
    URI url = urls.get(slot);
    if (url == null) {
      return;
    }
    byte[] body = witness.body(index, false, false).getBytes(UTF_8);
    Witness.Asked asked = witness.ask(index, false);
    count("requests", 1);
    try (Socket socket = Channel.connect(url)) {
      String head = Channel.post(url.getRawPath(), body.length, "Content-Type: application/json");
      socket.getOutputStream().write(head.getBytes(UTF_8));
      socket.getOutputStream().write(body);
    } catch (IOException e) {
      // The hub has gone first.
    }
    witness.heardNothing(asked);
    plan(index, 500, 8_000);
  }

  // The tools

  private Came tool(Random random, Set<Integer> allowed, String in, Object... command)
      throws Exception {
    Path program = (Path) command[0];
    boolean relay = program.endsWith("relay");
    String name = relay ? (String) command[1] : program.getFileName().toString();
    List<Object> locks = new ArrayList<>(LOCKED.contains(name) ? List.of(name) : List.of());
    boolean mayMeet = !locks.isEmpty() && lockRuns(name) > 0;
    if (List.of(command).contains("--received")) {
      locks.add("batch");
      mayMeet |= lockRuns("batch") > 0;
    }
    locks.forEach(
        lock ->
            lockRuns.computeIfAbsent((String) lock, l -> new AtomicInteger()).incrementAndGet());
    int starts = locks.isEmpty() ? 0 : lockStarts.incrementAndGet();
    int stops = disturbances.get();
    boolean disturbed = disturbing.get() > 0;
    Launched tool = launch(SMALL, in, command);
    try {
      Fate fate = random == null ? Fate.NONE : befall(tool, random);
      if (!tool.endsWithin(PATIENCE)) {
        violated(name + " does not end: " + tool.err(), -1);
        tool.kill();
        assertThat(tool.endsWithin(PATIENCE)).isTrue();
      }
      locks.forEach(lock -> lockRuns.get((String) lock).decrementAndGet());
      mayMeet |= !locks.isEmpty() && lockStarts.get() != starts;
      disturbed |= stops != disturbances.get();
      int exit = tool.exit();
      count("exit " + name + " " + exit, 1);
      boolean legal =
          allowed.contains(exit)
              || (fate == Fate.KILLED && exit == Launched.KILLED)
              || (fate == Fate.TERMINATED && exit == Exit.TERMINATED.code())
              || (mayMeet && exit == Exit.ALREADY_RUNNING.code())
              || (disturbed && exit == Exit.UNAVAILABLE.code());
      if (!legal) {
        violated(
            List.of(command) + " " + fate + " ended with exit " + exit + ": " + tool.err(), -1);
      }
      return new Came(exit, tool.out(), tool.err(), fate, disturbed);
    } finally {
      end(tool);
    }
  }

  private int lockRuns(String name) {
    AtomicInteger runs = lockRuns.get(name);
    return runs == null ? 0 : runs.get();
  }

  /** Lets something happen to a tool, or nothing. */
  private Fate befall(Launched tool, Random random) throws Exception {
    int fate = random.nextInt(100);
    if (fate >= 45 || tool.endsWithin(Duration.ofMillis(100 + random.nextInt(2_000)))) {
      return Fate.NONE;
    }
    if (fate < 20) {
      count("kills of tools", 1);
      tool.kill();
      return Fate.KILLED;
    }
    if (fate < 28) {
      count("terminations of tools", 1);
      tool.terminate();
      return Fate.TERMINATED;
    }
    return pause(tool, 200 + random.nextInt(4_000), random.nextInt(4) == 0)
        ? Fate.KILLED
        : Fate.STOPPED;
  }

  private void useTools(Random random) throws Exception {
    while (!ending.await(gap(random, 8_000, 32_000), MILLISECONDS)) {
      int which = random.nextInt(100);
      if (which < 24) {
        resolve(random);
      } else if (which < 38) {
        reprocess(random);
      } else if (which < 54) {
        batch(random);
      } else if (which < 68) {
        send(random);
      } else if (which < 80) {
        purge(random);
      } else if (which < 83) {
        backup(random);
      } else if (which < 86) {
        tool(random, Set.of(0), "", bin.resolve("relay"), "list", "--limit=50");
      } else if (which < 89) {
        var unused =
            tool(
                random,
                Set.of(0),
                "",
                bin.resolve("relay"),
                "export",
                "--older-than=10s",
                "--limit=500",
                "--bodies",
                "--format=json");
      } else if (which < 92) {
        tool(random, Set.of(0), "", bin.resolve("relay"), "stats");
      } else if (which < 94) {
        reconcile(random);
      } else if (which < 98) {
        hold(random);
      } else {
        misuse();
      }
    }
  }

  private Came resolve(Random random) throws Exception {
    return tool(
        random,
        Set.of(0, Exit.UNKNOWN.code()),
        "",
        bin.resolve("resolve"),
        "--min-age=3s",
        "--also-account=" + NOTHING);
  }

  private void reprocess(Random random) throws Exception {
    var unused =
        tool(
            random,
            Set.of(0, Exit.REFUSED.code(), Exit.NOT_SENT.code(), Exit.UNKNOWN.code()),
            "",
            bin.resolve("reprocess"),
            "--rate=20/s",
            "--concurrency=4",
            "--limit=60",
            random.nextInt(4) == 0 ? "--received" : "-q");
  }

  private void misuse() throws Exception {
    Set<Integer> usage = Set.of(Exit.USAGE.code());
    tool(null, usage, "", bin.resolve("resolve"), "--min-age=1s");
    tool(null, usage, "", bin.resolve("purge"), "--retention=5s");
  }

  private void send(Random random) throws Exception {
    boolean known = random.nextInt(3) == 0;
    int index = known ? random.nextInt(witness.count()) : witness.next();
    boolean conflicting = random.nextInt(10) == 0 && witness.knows(index, Witness.ROW);
    boolean refused = random.nextInt(3) == 0;
    if (refused) {
      count("faults refused", 1);
    }
    String body = witness.body(index, random.nextInt(20) == 0, conflicting);
    Witness.Asked asked = witness.ask(index, conflicting);
    count("requests", 1);
    Set<Integer> any = Set.of(0, 3, 4, 5, 6, 7, 8, 12);
    Came came =
        refused
            ? tool(random, any, body, bin.resolve("relay"), "send", "--account-url=" + NOTHING)
            : tool(random, any, body, bin.resolve("relay"), "send");
    if (came.exit == Launched.KILLED || came.out.isEmpty()) {
      witness.heardNothing(asked);
    } else {
      Map<String, String> answer = Audit.members(came.out);
      String code = answer.get("code");
      boolean problem = answer.containsKey("retry");
      witness.heard(asked, code, problem ? null : came.out.getBytes(UTF_8), false);
      int exit =
          problem
              ? Exit.of(Problem.valueOf(code)).code()
              : (code.equals("0000") ? Exit.OK : Exit.REFUSED).code();
      boolean terminated = came.fate == Fate.TERMINATED && came.exit == Exit.TERMINATED.code();
      if (came.exit != exit && !terminated) {
        violated("relay send said " + code + " and ended with exit " + came.exit, index);
      }
    }
    plan(index, 500, 20_000);
  }

  private Batch batchOf(Random random) throws IOException {
    List<Line> lines = new ArrayList<>();
    int size = random.nextInt(6) == 0 ? 1_000 + random.nextInt(2_000) : 20 + random.nextInt(130);
    int odd = random.nextInt(10);
    for (int i = 0; i < size; i++) {
      int luck = random.nextInt(100);
      int known = random.nextInt(witness.count());
      if (i == 7 && odd == 0) {
        lines.add(new Line(-1, false));
      } else if (i == 9 && odd < 3 && witness.knows(known, Witness.ROW)) {
        lines.add(new Line(known, true));
      } else if (luck < 4) {
        lines.add(new Line(known, false));
      } else if (luck < 8 && i > 10) {
        lines.add(new Line(Math.max(0, lines.get(i - 1 - random.nextInt(10)).index), false));
      } else {
        lines.add(new Line(witness.next(), false));
      }
    }
    StringBuilder text = new StringBuilder();
    for (Line line : lines) {
      text.append(
              line.index < 0 ? "{\"amount\":1}" : witness.body(line.index, false, line.conflicting))
          .append('\n');
    }
    Path file = folder.resolve("batch-" + rooms.incrementAndGet());
    return new Batch(Files.writeString(file, text), lines);
  }

  private void batch(Random random) throws Exception {
    Batch batch;
    synchronized (unfinished) {
      batch = !unfinished.isEmpty() && random.nextInt(3) > 0 ? unfinished.poll() : null;
    }
    if (batch == null) {
      batch = batchOf(random);
    }
    boolean refused = random.nextInt(12) == 0;
    List<Witness.Asked> asked = new ArrayList<>();
    for (Line line : batch.lines) {
      asked.add(line.index < 0 ? null : witness.ask(line.index, line.conflicting));
    }
    Set<Integer> any = Set.of(0, 3, 4, 5, 6, 7, 8, 9);
    Set<Integer> anyOrNobody = new HashSet<>(any);
    anyOrNobody.add(Exit.UNAVAILABLE.code());
    Came came =
        refused
            ? tool(
                random,
                anyOrNobody,
                "",
                bin.resolve("relay"),
                "batch",
                batch.file,
                "--account-url=" + NOTHING)
            : tool(random, any, "", bin.resolve("relay"), "batch", batch.file);
    boolean killed = came.exit == Launched.KILLED;
    boolean finished = hear(batch, asked, came, killed);
    synchronized (unfinished) {
      if (!finished && unfinished.size() < 8) {
        unfinished.add(batch);
        return;
      }
    }
    Files.delete(batch.file);
  }

  /** Judges what a batch has answered; whether every line has got a definite answer. */
  private boolean hear(Batch batch, List<Witness.Asked> asked, Came came, boolean killed) {
    String whole = killed ? came.out.substring(0, came.out.lastIndexOf('\n') + 1) : came.out;
    int next = 0;
    boolean finished = true;
    Exit worst = Exit.OK;
    for (String text : whole.lines().toList()) {
      Map<String, String> line = Audit.members(text);
      if (!line.get("type").equals("line")) {
        continue;
      }
      if (Integer.parseInt(line.get("line")) != ++next) {
        violated("a batch has answered out of order: " + text, -1);
        return true;
      }
      Witness.Asked question = asked.get(next - 1);
      String code = line.get("code");
      String reply = line.get("reply");
      count("requests", 1);
      if (question == null) {
        if (!code.equals("E905")) {
          violated("a bad line was answered " + text, -1);
        }
      } else {
        witness.heard(question, code, reply == null ? null : reply.getBytes(UTF_8), false);
        finished &= reply != null || code.matches("E904|E906");
      }
      Exit exit =
          reply == null
              ? Exit.of(Problem.valueOf(code))
              : code.equals("0000") ? Exit.OK : Exit.REFUSED;
      worst = Exit.worst(worst, exit);
    }
    boolean ended = came.fate == Fate.NONE && came.exit != Exit.ALREADY_RUNNING.code();
    if (ended && next != batch.lines.size() && !came.disturbed) {
      violated("a batch has answered " + next + " of " + batch.lines.size() + " lines", -1);
    }
    if (ended && came.exit != worst.code() && came.exit != Exit.UNAVAILABLE.code()) {
      violated("a batch ended with " + came.exit + " and not " + worst.code() + came.err, -1);
    }
    return finished && next == batch.lines.size();
  }

  private void purge(Random random) throws Exception {
    Path archive = folder.resolve("archive-" + rooms.incrementAndGet() + ".ndjson");
    Came came =
        tool(
            random,
            Set.of(0),
            "",
            bin.resolve("purge"),
            "--retention=" + RETENTION.toSeconds() + "s",
            "--limit=" + (100 + random.nextInt(1_900)),
            "--archive",
            archive);
    if (Files.exists(archive)) {
      boolean cut = came.exit == Launched.KILLED;
      count("rows archived", audit.archive(Files.readString(archive), cut));
      Files.delete(archive);
    }
  }

  private void backup(Random random) throws Exception {
    List<Integer> done = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      int index = random.nextInt(witness.count());
      if (witness.knows(index, Witness.DONE)) {
        done.add(index);
      }
    }
    Path file = folder.resolve("backup-" + rooms.incrementAndGet() + ".db");
    Came came = tool(random, Set.of(0), "", bin.resolve("relay"), "backup", file);
    if (Files.exists(file)) {
      count("backups checked", 1);
      assertIntact(file);
      try (LedgerView view = LedgerView.open(file.toString())) {
        audit.backup(view, done);
      }
    } else if (came.exit == 0) {
      violated("relay backup ended with exit 0 and made no file", -1);
    }
    List<Path> left;
    try (var files = Files.list(folder)) {
      left =
          files
              .filter(path -> path.getFileName().toString().contains(file.getFileName().toString()))
              .toList();
    }
    for (Path path : left) {
      Files.delete(path);
    }
  }

  private void assertIntact(Path file) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        ResultSet said = connection.createStatement().executeQuery("PRAGMA integrity_check")) {
      if (!said.next() || !said.getString(1).equals("ok")) {
        violated("integrity_check of " + file + " says " + said.getString(1), -1);
      }
    }
  }

  private void reconcile(Random random) throws Exception {
    Instant until = Instant.now();
    Path statement = folder.resolve("statement-" + rooms.incrementAndGet() + ".csv");
    Files.write(statement, Channel.get(account, "/statement").body());
    Came came =
        tool(
            random,
            Set.of(0, Exit.DISAGREEMENT.code()),
            "",
            bin.resolve("relay"),
            "reconcile",
            statement,
            "--until=" + until,
            "--format=json");
    if (came.exit == 0 || came.exit == Exit.DISAGREEMENT.code()) {
      for (String line : came.out.lines().toList()) {
        String finding = Audit.members(line).getOrDefault("finding", "unresolved");
        if (!finding.matches("unresolved|edge")) {
          violated("relay reconcile found " + line, -1);
        }
      }
    }
    Files.delete(statement);
  }

  /** Nothing may be claimed from when the hold has returned until it is lifted. */
  private void hold(Random random) throws Exception {
    if (!moding.tryLock()) {
      return;
    }
    disturbances.incrementAndGet();
    disturbing.incrementAndGet();
    try {
      Path relay = bin.resolve("relay");
      Came came = tool(random, Set.of(0), "", relay, "mode", "hold", "--reason=soak");
      long from = System.currentTimeMillis();
      var unused = ending.await(500 + random.nextInt(2_500), MILLISECONDS);
      long to = System.currentTimeMillis();
      if (came.exit == 0) {
        count("holds", 1);
        holds.add(new Audit.Held(from, to));
      }
      goOn();
    } finally {
      disturbing.decrementAndGet();
      moding.unlock();
    }
  }

  private void goOn() throws Exception {
    Came came;
    do {
      came = tool(null, Set.of(0), "", bin.resolve("relay"), "mode", "normal", "--reason=soak");
    } while (came.exit == Exit.UNAVAILABLE.code());
  }

  // The end

  private void settle() throws Exception {
    if (!violations.isEmpty()) {
      var unused =
          tool(null, Set.of(0), "", bin.resolve("relay"), "backup", folder.resolve("evidence.db"));
    }
    goOn();
    Set<Integer> ends = Set.of(0, 3, 4, 5);
    int open = 1;
    for (int round = 0; open > 0 && round < ROUNDS; round++) {
      resolve(null);

      tool(
          null,
          ends,
          "",
          bin.resolve("reprocess"),
          "--received",
          "--rate=500/s",
          "--concurrency=16");
      open = open();
      count("rounds to settle", 1);
    }
    replayAll();
  }

  /** How many rows can still move by themselves. */
  private int open() throws Exception {
    Came came =
        tool(
            null,
            Set.of(0),
            "",
            bin.resolve("relay"),
            "list",
            "--state=RECEIVED,SENT,UNKNOWN,FAILED",
            "--format=json");
    int open = 0;
    for (String line : came.out.lines().toList()) {
      Map<String, String> row = Audit.members(line);
      if ("row".equals(row.get("type"))) {
        boolean usedUp =
            row.get("state").equals("FAILED") && Integer.parseInt(row.get("attempt")) >= 5;
        open += usedUp ? 0 : 1;
      }
    }
    return open;
  }

  private void replayAll() throws Exception {
    Launched hub = hub();
    URI url = URI.create(listening(hub));
    int step = Math.max(1, witness.count() / LAST_REPLAYS);
    for (int index = 0; index < witness.count(); index += step) {
      if (witness.knows(index, Witness.DONE)) {
        Witness.Asked asked = witness.ask(index, false);
        Channel.Heard heard =
            Channel.post(url, witness.body(index, false, false), "Content-Type: application/json");
        boolean problem = "application/problem+json".equals(heard.header("content-type"));
        if (!problem && !"true".equals(heard.header("idempotent-replayed"))) {
          violated("a reply that was heard before is not replayed", index);
        } else if (problem && !heard.code().equals("E906")) {
          violated(heard.code() + " in the end, after a definite reply", index);
        }
        witness.heard(asked, heard.code(), problem ? null : heard.body(), false);
        count("replayed in the end", 1);
      }
    }
    terminate(hub);
    end(hub);
  }

  private void judge() throws Exception {
    String stats = Channel.get(account, "/stats").text();
    Path statement = folder.resolve("statement.csv");
    Files.write(statement, Channel.get(account, "/statement").body());
    Map<String, Long> at = new HashMap<>();
    for (String line : Files.readAllLines(statement)) {
      if (!line.startsWith("guid,")) {
        String[] cells = line.split(",", 2);
        at.putIfAbsent(cells[0].toLowerCase(Locale.ROOT), Instant.parse(cells[1]).toEpochMilli());
      }
    }
    Audit.Books books =
        new Audit.Books(Audit.numbers(stats, "received"), Audit.numbers(stats, "executed"), at);
    Path relay = bin.resolve("relay");
    tool(null, Set.of(0), "", relay, "reconcile", statement, "--time-column=at");
    tool(null, Set.of(0), "", relay, "stats");
    tool(null, Set.of(0), "", relay, "preflight");
    assertIntact(ledger);
    try (LedgerView view = LedgerView.open(ledger.toString())) {
      audit.all(view, books).forEach(this::count);
    }
    long sum = 0;
    for (Map.Entry<String, Integer> executed : books.executed().entrySet()) {
      int index = witness.index(executed.getKey());
      sum += index < 0 ? 0 : (long) witness.amount(index) * executed.getValue();
    }
    if (!stats.contains("\"balance\":" + (1_000_000 - sum) + "}")) {
      violated("the balance is not what the executions make of it", -1);
    }
    count("received by the account system", total(books.received()));
    count("executed", total(books.executed()));
    books.received().forEach((guid, times) -> faulted(guid, times));
    count("distinct GUIDs", witness.count());
    count("replies that were heard before", witness.replays());
    witness.answers().forEach((code, times) -> count("heard " + code, times.sum()));
    count("violations", violations.size());
  }

  private void faulted(String guid, int times) {
    int index = witness.index(guid);
    if (index >= 0 && !witness.fault(index).equals("ok")) {
      count("faults " + witness.fault(index), times);
    }
  }

  private static long total(Map<String, Integer> numbers) {
    return numbers.values().stream().mapToLong(Integer::longValue).sum();
  }

  /** On stdout, and beside the folder, which goes when all is well. */
  private void print() throws IOException {
    StringBuilder table = new StringBuilder("soak of " + TIME + ", seed " + SEED + "\n");
    counts.forEach((what, number) -> table.append("%-40s %10d%n".formatted(what, number.sum())));
    System.out.println(table);
    Files.writeString(folder.resolveSibling("soak.txt"), table);
  }

  /** What the ledger has to tell of what went wrong. */
  private String stories() {
    StringBuilder stories = new StringBuilder();
    try (LedgerView view = LedgerView.open(ledger.toString())) {
      for (int index : suspects) {
        stories.append('\n').append(witness.story(index));
        view.find(new Guid(witness.guid(index)), false)
            .ifPresent(
                row -> {
                  stories.append(' ').append(row.state()).append('/').append(row.attempt());
                  for (Entry entry : view.journal(row)) {
                    stories.append("\n  ").append(entry);
                  }
                });
      }
    }
    return stories.toString();
  }
}
