package org.relayledger.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.relayledger.account.AccountOptions;
import org.relayledger.account.AccountSystem;
import org.relayledger.account.Exchange;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Claim;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.ledger.Taken;
import org.relayledger.relay.Answer;
import org.relayledger.sandbox.Sandbox;
import org.relayledger.testing.Journals;
import org.relayledger.testing.Scene;
import org.relayledger.testing.SteppedClock;

/**
 * Runs programs at one ledger in an order that a {@link Choice} makes, step by step, with a virtual
 * clock, and looks whether any harm was done: the real code, a real file, real sockets.
 */
final class Schedules implements AutoCloseable {
  /** How long a row is DONE before it may be purged. */
  static final Duration RETENTION = Duration.ofMinutes(2);

  /** What a failure says if it is the worst of all. */
  static final String TWICE = "executed twice";

  /** Enough for everything: for min-age, and for the retention. */
  private static final Duration LONG = Duration.ofMinutes(4);

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MOST_PROGRAMS = 3;
  private static final int MOST_LEAPS = 2;
  private static final int MOST_TIDYINGS = 1;
  private static final int MOST_ROUNDS = 6;

  /**
   * What is to be run.
   *
   * @param aged whether much time goes by before the programs begin
   * @param asksFirst whether the ledger is in that mode
   * @param deeds what each program does, three at most
   */
  record Plan(Beginning beginning, boolean aged, boolean asksFirst, List<Deed> deeds) {
    Plan {
      // Only a ledger in that mode may stand in front of channels that have sent directly.
      asksFirst |= beginning == Beginning.SENT_BEFORE;
    }
  }

  /** Who goes next. */
  interface Choice {
    /** One of {@code possible}, or empty to let all run to their end, one after the other. */
    Optional<Move> next(List<Move> possible);
  }

  /** What can happen next. */
  sealed interface Move permits Go, GiveUp, Answered, Leap, Tidy {}

  /** A thread of {@code program} goes on to its next stop. */
  record Go(Program program, Program.Stop stop) implements Move {}

  /** The caller of {@code program} waits no longer for the account system. */
  record GiveUp(Program program) implements Move {}

  /** The account system executes what it has held, and answers whoever still listens. */
  record Answered() implements Move {}

  /** Much time goes by; what the account system has held is executed before. */
  record Leap() implements Move {}

  /** Another process does all that the tools can do about it now. */
  record Tidy() implements Move {}

  private final SteppedClock clock = new SteppedClock();
  private final Path path;
  private final Sandbox sandbox;
  private final Object monitor = new Object();
  private final List<Program> programs = new ArrayList<>();
  private final Program tidier;
  private final Map<String, Orphans> orphans;

  private final Set<Step> stoodAt = EnumSet.noneOf(Step.class);
  private final List<String> story = new ArrayList<>();
  private Guid guid;
  private List<Program> running = List.of();
  private boolean held;
  private int leaps;
  private int tidyings;

  /** Begins a ledger in {@code folder}. */
  Schedules(Path folder) throws IOException {
    path = folder.resolve("ledger.db");
    // The window is short, so that what a schedule purges is not remembered for its resends alone.
    Settings settings =
        new Settings(
            "schedules", Settings.Mode.NORMAL, Scene.MAX_PROCESSING, Duration.ofMinutes(1));
    var unused = Ledger.init(path.toString(), settings, clock);
    sandbox =
        Sandbox.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Sandbox.BALANCE);
    for (int i = 0; i < MOST_PROGRAMS; i++) {
      programs.add(
          new Program(String.valueOf((char) ('A' + i)), monitor, path.toString(), url(), clock));
    }
    tidier = new Program("tidier", null, path.toString(), url(), clock);
    orphans =
        Map.of("ok", new Orphans(path, url(), "ok"), "held", new Orphans(path, url(), "held"));
    // Something that inquiries can be tried on.
    assertThat(tidier.impatient().relay(Scene.request("ok-canary")))
        .isInstanceOf(Answer.Definite.class);
  }

  private String url() {
    return sandbox.transfers().toString();
  }

  /**
   * Runs {@code plan}, then lets the tools tidy up.
   *
   * @param name what tells it from others, and finds it again
   * @throws AssertionError with the whole story, if anything was executed twice, lost or told wrong
   */
  void run(String name, Plan plan, Choice choice) {
    story.clear();
    try {
      begin(name, plan);
      drive(choice);
      drive(new ToTheEnd());
      check(plan);
    } catch (Exception | AssertionError e) {
      throw new AssertionError(
          name + ": " + plan + "\n  " + String.join("\n  ", story) + "\n  " + e.getMessage(), e);
    }
  }

  private void begin(String name, Plan plan) throws Exception {
    Beginning beginning = plan.beginning();
    leaps = 0;
    tidyings = 0;
    held = beginning.fault.equals("held");
    guid =
        beginning.state == State.SENT
            ? orphans.get(beginning.fault).next()
            : new Guid(beginning.fault + "-" + name);
    bring(beginning);
    if (plan.asksFirst()) {
      tidier.ledger().changeMode(Settings.Mode.ASK_FIRST, operator(), "schedule");
    }
    if (plan.aged()) {
      leap();
    }
    if (beginning.state == State.SENT && beginning.sent) {
      // Its sender was killed now, having stood still since its claim.
      sendAndForget();
    }
    running = programs.subList(0, plan.deeds().size());
    for (int i = 0; i < running.size(); i++) {
      running.get(i).prepare(plan.deeds().get(i), guid);
    }
  }

  private static Actor operator() {
    return new Actor(Actor.Role.OPERATOR, "test", null);
  }

  /** Brings the row to where it is to begin. */
  private void bring(Beginning beginning) throws Exception {
    if (beginning.state == State.RECEIVED) {
      var unused = tidier.ledger().receive(List.of(Scene.request(guid.value())), operator());
    } else if (beginning.state == State.FAILED) {
      Taken taken = tidier.ledger().claim(Scene.request(guid.value()), url(), operator());
      try (Claim claim = ((Taken.Won) taken).claim()) {
        claim.settle(new Outcome.NotSent("refused"), "E902", "refused");
      }
    } else if ((beginning.state == State.UNKNOWN && !held) || beginning.state == State.DONE) {
      var unused = tidier.impatient().relay(Scene.request(guid.value()));
    } else if (beginning.state == State.UNKNOWN) {
      Taken taken = tidier.ledger().claim(Scene.request(guid.value()), url(), operator());
      try (Claim claim = ((Taken.Won) taken).claim()) {
        sendAndForget();
        claim.settle(new Outcome.InDoubt("given up", false), "E901", "given up");
      }
    } else if (beginning == Beginning.SENT_BEFORE) {
      sendAndForget();
    }
    State state = tidier.ledger().view().find(guid, false).map(Row::state).orElse(null);
    assertThat(state).isEqualTo(beginning.state);
  }

  /** The request of a sender who has gone by the time it is executed. */
  private void sendAndForget() throws InterruptedException {
    AccountSystem account = new AccountSystem(AccountOptions.at(url()), PATIENCE, Steps.NONE);
    Exchange exchange =
        account.send(guid, 1, "application/json", Scene.body(guid.value()), () -> true);
    sandbox.awaitReceived(guid.value(), 1, PATIENCE);
    if (!held) {
      sandbox.awaitExecuted(guid.value(), 1, PATIENCE);
    }
    var unused = exchange.end("gone");
  }

  private void drive(Choice choice) throws InterruptedException {
    while (true) {
      synchronized (monitor) {
        awaitQuiet();
        if (running.stream().allMatch(Program::hasEnded)) {
          return;
        }
        Optional<Move> next = choice.next(possible());
        if (next.isEmpty()) {
          return;
        }
        make(next.get());
      }
    }
  }

  private void awaitQuiet() throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!running.stream().allMatch(this::isQuiet)) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("somebody goes on and never stops");
      }
      // Who waits for a lock does not notify; everybody else does.
      monitor.wait(running.stream().anyMatch(Program::writes) ? 1 : PATIENCE.toMillis());
    }
  }

  private boolean isQuiet(Program program) {
    return program.isQuiet(running.stream().anyMatch(other -> other != program && other.writes()));
  }

  private List<Move> possible() {
    List<Move> all = new ArrayList<>();
    for (Program program : running) {
      program.stops().forEach(stop -> all.add(new Go(program, stop)));
      if (program.canGiveUp()) {
        all.add(new GiveUp(program));
      }
    }
    if (held && sandbox.received().containsKey(guid.value())) {
      all.add(new Answered());
    }
    if (leaps < MOST_LEAPS) {
      all.add(new Leap());
    }
    if (tidyings < MOST_TIDYINGS && running.stream().noneMatch(Program::writes)) {
      all.add(new Tidy());
    }
    return all;
  }

  private void make(Move move) throws InterruptedException {
    story.add(move.toString());
    if (move instanceof Go go) {
      go.stop().step().ifPresent(stoodAt::add);
      int received = sandbox.received().getOrDefault(guid.value(), 0);
      if (go.program().go(go.stop(), held)) {
        sandbox.awaitReceived(guid.value(), received + 1, PATIENCE);
      }
    } else if (move instanceof GiveUp giveUp) {
      giveUp.program().giveUp();
    } else if (move instanceof Answered) {
      answer();
    } else if (move instanceof Leap) {
      leaps++;
      leap();
    } else {
      tidyings++;
      answer();
      awaitQuiet();
      tidy();
    }
  }

  private void tidy() throws InterruptedException {
    story.add("  resolve " + Deed.RESOLVE.of(tidier, guid));
    story.add("  reprocess " + Deed.REPROCESS.of(tidier, guid));
    story.add("  send " + Deed.SEND.of(tidier, guid));
  }

  private void answer() throws InterruptedException {
    if (!held) {
      return;
    }
    held = false;
    sandbox.release(guid.value());
    Integer received = sandbox.received().get(guid.value());
    if (received != null) {
      sandbox.awaitExecuted(guid.value(), received, PATIENCE);
    }
    running.forEach(Program::isAnswered);
  }

  private void leap() throws InterruptedException {
    if (held && sandbox.received().containsKey(guid.value())) {
      answer();
      awaitQuiet();
    }
    clock.advance(LONG);
  }

  /** Lets the first who can go, go, and the account system answer when nobody else can. */
  private static final class ToTheEnd implements Choice {
    @Override
    public Optional<Move> next(List<Move> possible) {
      return possible.stream()
          .filter(move -> move instanceof Go || move instanceof Answered)
          .findFirst();
    }
  }

  /** Lets everybody tidy up, then looks what has become of it all. */
  private void check(Plan plan) throws Exception {
    synchronized (monitor) {
      answer();
    }
    running.forEach(program -> story.add(program + " " + program.result()));
    LedgerView view = tidier.ledger().view();
    for (int round = 0; round < MOST_ROUNDS && !isOver(view); round++) {
      clock.advance(LONG);
      tidy();
    }
    if (plan.asksFirst()) {
      tidier.ledger().changeMode(Settings.Mode.NORMAL, operator(), "schedule");
    }
    assertExecutedOnce();
    assertThat(isOver(view)).as("comes to an end").isTrue();
    List<Answer.Definite> replies = new ArrayList<>();
    for (Program program : running) {
      assertThat(program.result()).isNotInstanceOf(Throwable.class);
      if (program.result() instanceof Answer.Definite definite) {
        replies.add(definite);
      }
    }
    Optional<Row> row = view.find(guid, true);
    if (row.isPresent()) {
      Journals.assertLegal(row.get(), view.journal(row.get()));
      replies.forEach(reply -> assertThat(reply.reply().body()).isEqualTo(row.get().reply()));
    }
    Answer again = tidier.impatient().relay(Scene.request(guid.value()));
    story.add("again " + again);
    assertThat(again instanceof Answer.Definite).isEqualTo(row.isPresent());
    assertExecutedOnce();
  }

  private void assertExecutedOnce() {
    int executed = sandbox.executed().getOrDefault(guid.value(), 0);
    assertThat(executed).as(executed > 1 ? TWICE : "executions").isEqualTo(1);
  }

  /** The steps at which somebody has stood still so far. */
  Set<Step> stoodAt() {
    return stoodAt;
  }

  private boolean isOver(LedgerView view) {
    return view.find(guid, false)
        .map(row -> row.state() == State.DONE)
        .orElseGet(() -> view.tombstone(guid).isPresent());
  }

  @Override
  public void close() {
    programs.forEach(Program::close);
    tidier.close();
    sandbox.close();
  }
}
