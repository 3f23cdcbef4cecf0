package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.relayledger.ledger.Samples.ACCOUNT;
import static org.relayledger.ledger.Samples.RELAY;
import static org.relayledger.ledger.Samples.RESOLVE;
import static org.relayledger.ledger.Samples.done;
import static org.relayledger.ledger.Samples.inDoubt;
import static org.relayledger.ledger.Samples.notSent;
import static org.relayledger.ledger.Samples.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.relayledger.testing.Child;
import org.relayledger.testing.SteppedClock;

/** What resolve, reprocess and purge need of every ledger; one thin subclass a database. */
abstract class RecoveryContract {
  private static final Actor REPROCESS = new Actor(Actor.Role.REPROCESS, "cron", null);
  private static final Actor OPERATOR = new Actor(Actor.Role.OPERATOR, "ann", "T-1");

  private final SteppedClock clock = new SteppedClock();
  private Ledger ledger;
  private ByHand hand;

  /** Where a new, empty ledger is. */
  abstract String location();

  /** An SQL prompt on that ledger. */
  abstract ByHand byHand();

  @BeforeEach
  void open() {
    Ledger.init(location(), Samples.SETTINGS, clock);
    hand = byHand();
    ledger = openAnother();
  }

  @AfterEach
  void close() {
    hand.close();
    ledger.close();
  }

  private Ledger openAnother() {
    return Ledger.open(location(), clock, Steps.NONE);
  }

  private Claim won(Taken taken) {
    assertThat(taken).isInstanceOf(Taken.Won.class);
    return ((Taken.Won) taken).claim();
  }

  private void settled(String guid, Outcome outcome) {
    settled(guid, outcome, RELAY);
  }

  private void settled(String guid, Outcome outcome, Actor actor) {
    try (Claim claim = won(ledger.claim(request(guid), ACCOUNT, actor))) {
      assertThat(claim.settle(outcome, null, null)).isTrue();
    }
  }

  private Row row(String guid) {
    return ledger.view().find(new Guid(guid), true).orElseThrow();
  }

  private static List<String> guids(List<Row> rows) {
    return rows.stream().map(row -> row.guid().value()).toList();
  }

  private List<String> events(String guid) {
    return ledger.view().journal(row(guid)).stream()
        .map(e -> e.event() + " " + e.from() + ">" + e.to() + " " + e.actor())
        .toList();
  }

  // What is asked about a row.

  @Test
  void ofInquiriesWithoutConclusionTheNewestIsKeptAndTheRowTellsWhen() {
    settled("u", inDoubt(false));
    try (Claim claim = ledger.adopt(row("u"), RESOLVE).orElseThrow()) {
      claim.asked(null, "first");
      clock.advance(Duration.ofSeconds(5));
      claim.asked(null, "second");
      assertThat(row("u").askedAt()).isEqualTo(clock.millis());
      claim.asked(State.DONE, "third");
      assertThat(claim.settle(done("u"), null, "found")).isTrue();
    }
    assertThat(events("u"))
        .containsExactly(
            "move null>SENT relay",
            "move SENT>UNKNOWN relay",
            "inquiry null>DONE resolve",
            "move UNKNOWN>DONE resolve");
    assertThat(ledger.view().journal(row("u")).get(2).note()).isEqualTo("third");
  }

  @Test
  void theNewestInquiryWithoutConclusionStaysUntilThereIsAnother() {
    settled("u", inDoubt(false));
    settled("v", inDoubt(false));
    for (String guid : List.of("u", "v", "u")) {
      try (Claim claim = ledger.adopt(row(guid), RESOLVE).orElseThrow()) {
        claim.asked(null, "about " + guid);
      }
    }
    for (String guid : List.of("u", "v")) {
      assertThat(events(guid)).hasSize(3).last().isEqualTo("inquiry null>null resolve");
    }
  }

  @Test
  void unknownRowsComeByWhenTheyWereLastAskedAboutPageByPage() {
    for (String guid : List.of("a", "b", "c", "d", "e")) {
      settled(guid, inDoubt(false));
    }
    settled("done", done("done"));
    settled("failed", notSent());
    for (String guid : List.of("d", "b")) {
      clock.advance(Duration.ofSeconds(1));
      try (Claim claim = ledger.adopt(row(guid), RESOLVE).orElseThrow()) {
        claim.asked(null, "?");
      }
    }
    clock.advance(Duration.ofSeconds(1));
    List<String> met = new ArrayList<>();
    Row last = null;
    long start = clock.millis();
    while (true) {
      clock.advance(Duration.ofSeconds(1));
      List<Row> page = ledger.view().unknown(last, start, clock.millis(), 2);
      if (page.isEmpty()) {
        break;
      }
      for (Row row : page) {
        met.add(row.guid().value());
        // Asked in this run, it moves to the end and is not met again.
        try (Claim claim = ledger.adopt(row, RESOLVE).orElseThrow()) {
          claim.asked(null, "?");
        }
      }
      last = page.get(page.size() - 1);
    }
    assertThat(met).containsExactly("a", "c", "e", "d", "b");
  }

  @Test
  void aRowThatASlippedClockAskedInTheFutureIsStillAskedAbout() {
    settled("u", inDoubt(false));
    clock.step(Duration.ofDays(365));
    try (Claim claim = ledger.adopt(row("u"), RESOLVE).orElseThrow()) {
      claim.asked(null, "?");
    }
    clock.step(Duration.ofDays(-365));
    long now = clock.millis();
    assertThat(guids(ledger.view().unknown(null, now, now, 10))).containsExactly("u");
  }

  @Test
  void unknownAndFinishedRowsAreFoundByAnIndex() {
    String plan =
        hand.rows(
                "EXPLAIN QUERY PLAN SELECT * FROM ledger l WHERE l.state = 'UNKNOWN'"
                    + " AND (COALESCE(l.asked_at, 0), l.seq) > (0, 0)"
                    + " ORDER BY COALESCE(l.asked_at, 0), l.seq LIMIT 10")
            .toString();
    assertThat(plan).contains("ledger_unknown").doesNotContain("TEMP B-TREE");
    plan =
        hand.rows(
                "EXPLAIN QUERY PLAN SELECT * FROM ledger l WHERE l.state = 'DONE'"
                    + " AND (l.done_at, l.seq) > (0, 0) AND l.done_at < 9"
                    + " ORDER BY l.done_at, l.seq LIMIT 10")
            .toString();
    assertThat(plan).contains("ledger_done").doesNotContain("TEMP B-TREE");
  }

  // The canary.

  @Test
  void theNewestReplyIsOneThatCameByItselfFromTheAccountSystemAskedWithSuccess() {
    Set<String> accounts = Set.of(ACCOUNT);
    assertThat(ledger.view().newestReply(accounts::contains, code -> true)).isEmpty();
    settled("sent", done("sent"));
    clock.advance(Duration.ofSeconds(1));
    settled("again", done("again"), REPROCESS);
    clock.advance(Duration.ofSeconds(1));
    settled("found", inDoubt(false));
    try (Claim claim = ledger.adopt(row("found"), RESOLVE).orElseThrow()) {
      assertThat(claim.settle(done("found"), null, null)).isTrue();
    }
    settled("told", notSent());
    try (Claim claim = ledger.hold(row("told"), OPERATOR).orElseThrow()) {
      assertThat(claim.settle(done("told"), null, null)).isTrue();
    }
    assertThat(ledger.view().newestReply(accounts::contains, code -> true))
        .hasValueSatisfying(row -> assertThat(row.guid().value()).isEqualTo("again"));
    assertThat(ledger.view().newestReply(accounts::contains, code -> false)).isEmpty();
    assertThat(ledger.view().newestReply("http://other.invalid"::equals, code -> true)).isEmpty();
  }

  @Test
  void theNewestReplyIsFoundBeyondThePagesOfOthers() {
    settled("sent", done("sent"));
    clock.advance(Duration.ofSeconds(1));
    for (int i = 0; i < LedgerView.MAX_PAGE + 1; i++) {
      settled("r" + i, new Outcome.Done(Samples.reply("r" + i), "B201"));
    }
    assertThat(ledger.view().newestReply(ACCOUNT::equals, "0000"::equals))
        .hasValueSatisfying(row -> assertThat(row.guid().value()).isEqualTo("sent"));
  }

  // Claims of known rows, and operators.

  @Test
  void aFailedRowThatWasClaimedSinceItWasReadIsNotClaimedAgainForTheStaleReading() {
    settled("f", notSent());
    Row stale = row("f");
    try (Claim claim = won(ledger.claim(stale, State.FAILED, ACCOUNT, REPROCESS))) {
      assertThat(claim.attempt()).isEqualTo(2);
      claim.settle(notSent(), null, null);
    }
    assertThat(ledger.claim(stale, State.FAILED, ACCOUNT, REPROCESS))
        .isInstanceOfSatisfying(
            Taken.Standing.class, standing -> assertThat(standing.row().attempt()).isEqualTo(2));
    assertThat(row("f").attempt()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void anOperatorHoldsWhateverIsNotFinishedAndCanOnlyMakeItDoneOrFailIt(State state) {
    switch (state) {
      case RECEIVED -> hand.receive(request("x"), clock.millis());
      case SENT -> {
        try (Child child = Child.java(LedgerChild.class, location())) {
          child.await("ready");
          assertThat(child.ask("open")).isEqualTo("ok");
          assertThat(child.ask("claim x")).isEqualTo("Won");
          assertThat(ledger.hold(row("x"), OPERATOR)).isEmpty();
          child.kill();
        }
      }
      case UNKNOWN -> settled("x", inDoubt(false));
      case FAILED -> settled("x", notSent());
      case DONE -> settled("x", done("x"));
    }
    Optional<Claim> held = ledger.hold(row("x"), OPERATOR);
    assertThat(held.isPresent()).isEqualTo(state != State.DONE);
    if (held.isEmpty()) {
      return;
    }
    try (Claim claim = held.get()) {
      State now = state == State.SENT ? State.UNKNOWN : state;
      assertThat(claim.row().state()).isEqualTo(now);
      if (!now.canBecome(State.FAILED)) {
        assertThatThrownBy(() -> claim.settle(notSent(), null, null))
            .isInstanceOf(IllegalStateException.class);
      }
      assertThat(claim.settle(done("x"), null, "by phone")).isTrue();
    }
    assertThat(row("x").state()).isEqualTo(State.DONE);
    assertThat(events("x")).last().asString().endsWith(">DONE operator");
  }

  @Test
  void anOperatorWhoGivesUpLeavesTheRowAsItWas() {
    settled("f", notSent());
    hand.receive(request("r"), clock.millis());
    List<List<String>> before = hand.everything();
    for (String guid : List.of("f", "r")) {
      ledger.hold(row(guid), OPERATOR).orElseThrow().close();
    }
    assertThat(hand.everything()).isEqualTo(before);
  }

  // Run locks.

  @Test
  void oneRunOfAToolAtATimeWhichIsNamedAndFreeWhenItIsClosedOrKilled() {
    ledger.runLock(Actor.Role.RESOLVE);
    ledger.runLock(Actor.Role.PURGE);
    try (Ledger second = openAnother();
        Child child = Child.java(LedgerChild.class, location())) {
      assertThatThrownBy(() -> second.runLock(Actor.Role.RESOLVE))
          .isInstanceOfSatisfying(
              LedgerException.class,
              e -> assertThat(e.kind()).isEqualTo(LedgerException.Kind.RUNNING));
      child.await("ready");
      child.ask("open");
      assertThat(child.ask("run-lock RESOLVE"))
          .contains("RUNNING", "pid " + ProcessHandle.current().pid() + ", started 20");
      ledger.close();
      assertThat(child.ask("run-lock RESOLVE")).isEqualTo("ok");
      assertThat(child.ask("run-lock REPROCESS")).isEqualTo("ok");
      assertThatThrownBy(() -> second.runLock(Actor.Role.REPROCESS))
          .hasMessageContaining("another reprocess run is at work, pid ");
      child.kill();
      second.runLock(Actor.Role.RESOLVE);
      second.runLock(Actor.Role.REPROCESS);
      second.runLock(Actor.Role.PURGE);
    }
    ledger = openAnother();
  }

  // Purge.

  @Test
  void onlyDoneRowsFromBeforeGoAndTheDeleteItselfSaysSo() {
    hand.receive(request("received"), clock.millis());
    settled("unknown", inDoubt(false));
    settled("failed", notSent());
    settled("old", done("old"));
    clock.advance(Duration.ofDays(1));
    long cutoff = clock.millis();
    settled("new", done("new"));
    Claim sent = won(ledger.claim(request("sent"), ACCOUNT, RELAY));
    // Whatever rows it is given, it deletes what is to go and nothing else.
    List<Row> all = ledger.view().page(Filter.ALL, 0, 100);
    assertThat(all).hasSize(6);
    assertThat(ledger.purge(all, cutoff)).isEqualTo(1);
    assertThat(guids(ledger.view().page(Filter.ALL, 0, 100)))
        .containsExactly("received", "unknown", "failed", "new", "sent");
    assertThat(ledger.purge(all, cutoff)).isZero();
    assertThat(ledger.view().tombstone(new Guid("OLD")))
        .contains(new Tombstone(new Guid("old"), "0000", cutoff - 86_400_000));
    assertThat(ledger.claim(request("old"), ACCOUNT, RELAY)).isInstanceOf(Taken.Forgotten.class);
    sent.close();
  }

  @Test
  void theJournalOfAPurgedRowGoesButForADoubleSuspect() {
    settled("p", done("p"));
    settled("q", done("q"));
    hand.exec(
        "INSERT INTO journal (seq, guid, attempt, event, actor, \"by\", at) SELECT seq, guid, 1,"
            + " 'double_suspect', 'relay', 'hub', 5 FROM ledger WHERE guid = 'p'");
    clock.advance(Duration.ofDays(1));
    assertThat(ledger.purge(List.of(row("p")), clock.millis())).isEqualTo(1);
    assertThat(hand.rows("SELECT guid, event FROM journal ORDER BY id"))
        .containsExactly(
            List.of("'q'", "'move'"), List.of("'q'", "'move'"), List.of("'p'", "'double_suspect'"));
  }

  @Test
  void finishedRowsComeOldestFirstPageByPage() {
    for (int i = 0; i < 5; i++) {
      settled("g" + i, done("g" + i));
      if (i % 2 == 1) {
        clock.advance(Duration.ofSeconds(1));
      }
    }
    List<String> met = new ArrayList<>();
    Row last = null;
    while (true) {
      List<Row> page = ledger.view().finished(last, clock.millis(), 3, true);
      if (page.isEmpty()) {
        break;
      }
      assertThat(page).allSatisfy(row -> assertThat(row.reply()).isNotNull());
      met.addAll(guids(page));
      last = page.get(page.size() - 1);
    }
    // The last became DONE at the very time that is asked for: it is not from before.
    assertThat(met).containsExactly("g0", "g1", "g2", "g3");
  }

  @Test
  void tombstonesFromBeforeAreForgottenSoManyAtATime() {
    for (String guid : List.of("a", "b", "c", "d")) {
      settled(guid, done(guid));
      clock.advance(Duration.ofDays(1));
    }
    List<Row> all = ledger.view().page(Filter.ALL, 0, 100);
    assertThat(ledger.purge(all, clock.millis())).isEqualTo(4);
    long cutoff = row0(all).doneAt() + Duration.ofDays(3).toMillis();
    assertThat(ledger.view().tombstonesBefore(cutoff)).isEqualTo(3);
    assertThat(ledger.forget(cutoff, 2)).isEqualTo(2);
    assertThat(ledger.forget(cutoff, 2)).isEqualTo(1);
    assertThat(ledger.view().tombstone(new Guid("d"))).isPresent();
    assertThat(ledger.claim(request("a"), ACCOUNT, RELAY)).isInstanceOf(Taken.Won.class);
  }

  private static Row row0(List<Row> rows) {
    return rows.get(0);
  }

  @Test
  void checkpointAndVacuumChangeNothingThatIsTold() {
    settled("p", done("p"));
    settled("u", inDoubt(false));
    List<List<String>> before = hand.everything();
    ledger.checkpoint();
    ledger.vacuum();
    assertThat(hand.everything()).isEqualTo(before);
    assertThat(ledger.halted()).isEmpty();
  }

  @Test
  void theNewestEntryTellsWhenTheLedgerWasLastUsed() {
    assertThat(ledger.view().newestEntryAt()).isEmpty();
    settled("p", done("p"));
    clock.advance(Duration.ofSeconds(3));
    settled("q", done("q"));
    assertThat(ledger.view().newestEntryAt()).hasValue(clock.millis());
  }
}
