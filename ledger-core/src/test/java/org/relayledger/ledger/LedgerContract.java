package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.relayledger.ledger.Samples.ACCOUNT;
import static org.relayledger.ledger.Samples.RELAY;
import static org.relayledger.ledger.Samples.RESOLVE;
import static org.relayledger.ledger.Samples.SCHEME;
import static org.relayledger.ledger.Samples.done;
import static org.relayledger.ledger.Samples.fromChannel;
import static org.relayledger.ledger.Samples.inDoubt;
import static org.relayledger.ledger.Samples.notSent;
import static org.relayledger.ledger.Samples.other;
import static org.relayledger.ledger.Samples.reply;
import static org.relayledger.ledger.Samples.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.relayledger.testing.Child;
import org.relayledger.testing.SteppedClock;
import tools.jackson.core.JsonPointer;

/** What every ledger does, whatever database it is in; one thin subclass a database. */
abstract class LedgerContract {
  private static final long SECONDS = Child.DEADLINE_SECONDS;

  /** Somebody who hears of every step, before the step goes on. */
  private volatile Steps listener = Steps.NONE;

  private final SteppedClock clock = new SteppedClock();
  private final ExecutorService threads = Executors.newCachedThreadPool();
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
    threads.shutdownNow();
  }

  private Ledger openAnother() {
    return Ledger.open(location(), clock, (step, guid) -> listener.reached(step, guid));
  }

  private Child child() {
    Child child = Child.java(LedgerChild.class, location());
    child.await("ready");
    assertThat(child.ask("open")).isEqualTo("ok");
    return child;
  }

  private Taken claim(String guid) {
    return ledger.claim(request(guid), ACCOUNT, RELAY);
  }

  private Claim won(String guid) {
    return won(claim(guid));
  }

  private static Claim won(Taken taken) {
    assertThat(taken).isInstanceOf(Taken.Won.class);
    return ((Taken.Won) taken).claim();
  }

  private static Row standing(Taken taken) {
    assertThat(taken).isInstanceOf(Taken.Standing.class);
    return ((Taken.Standing) taken).row();
  }

  private Row row(String guid) {
    return ledger.view().find(new Guid(guid), true).orElseThrow();
  }

  private Entry lastMove(String guid) {
    Row row = row(guid);
    return ledger.view().lastMoves(List.of(row)).get(row.seq());
  }

  private List<String> moves(String guid) {
    return ledger.view().journal(row(guid)).stream()
        .map(e -> e.attempt() + " " + e.from() + ">" + e.to() + " " + e.code() + " " + e.actor())
        .toList();
  }

  private List<List<String>> allOf(String guid) {
    List<List<String>> all = new ArrayList<>();
    all.addAll(hand.rows("SELECT * FROM ledger WHERE lower(guid) = lower('" + guid + "')"));
    all.addAll(hand.rows("SELECT * FROM journal WHERE lower(guid) = lower('" + guid + "')"));
    return all;
  }

  private void settled(String guid, Outcome outcome) {
    try (Claim claim = won(guid)) {
      assertThat(claim.settle(outcome, null, null)).isTrue();
    }
  }

  /** A row in {@code state} that nobody holds, except that a SENT one is held by its claim. */
  private Optional<Claim> rowIn(State state, String guid) {
    switch (state) {
      case RECEIVED -> received(request(guid));
      case SENT -> {
        return Optional.of(won(guid));
      }
      case DONE -> settled(guid, done(guid));
      case UNKNOWN -> settled(guid, inDoubt(false));
      case FAILED -> settled(guid, notSent());
    }
    return Optional.empty();
  }

  private void received(Request request) {
    hand.receive(request, clock.millis());
  }

  private static <T> T get(Future<T> future) {
    try {
      return future.get(SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("never happened");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aClaimIsARowThatOthersSeeBeforeItIsWon() {
    Claim claim = won(fromChannel("atm", "Pay-1"));
    clock.advance(Duration.ofSeconds(1));

    Row row = row("Pay-1");
    assertThat(row.state()).isEqualTo(State.SENT);
    assertThat(row.guid().value()).isEqualTo("Pay-1");
    assertThat(row.attempt()).isEqualTo(1).isEqualTo(claim.attempt());
    assertThat(row.channel()).isEqualTo("atm");
    assertThat(row.account()).isEqualTo(ACCOUNT);
    assertThat(row.contentType()).isEqualTo("application/json");
    assertThat(row.request()).isEqualTo(request("Pay-1").body());
    assertThat(row.requestSha256()).isEqualTo(Fingerprint.sha256(row.request()));
    assertThat(row.fingerprint()).isEqualTo(request("Pay-1").fingerprint());
    assertThat(row.receivedAt())
        .isEqualTo(clock.millis() - 1000)
        .isEqualTo(row.sentAt())
        .isEqualTo(row.updatedAt());
    assertThat(row.code()).isNull();
    assertThat(row.endedAt()).isNull();
    assertThat(claim.request().body()).isEqualTo(row.request());
    assertThat(claim.stillMine()).isTrue();
    assertThat(hand.value("SELECT state FROM ledger")).isEqualTo("'SENT'");
    assertThat(moves("Pay-1")).containsExactly("1 null>SENT null relay");
    claim.close();
  }

  private Claim won(Request request) {
    return won(ledger.claim(request, ACCOUNT, RELAY));
  }

  @Test
  void aReplyIsStoredAndReplayedByteForByte() {
    Claim claim = won("p");
    clock.advance(Duration.ofMillis(250));
    assertThat(claim.settle(done("p"), null, "HTTP 201")).isTrue();
    clock.advance(Duration.ofMillis(1));
    claim.close();

    for (Taken taken : List.of(ledger.look(request("p")).orElseThrow(), claim("p"))) {
      Row row = standing(taken);
      assertThat(row.state()).isEqualTo(State.DONE);
      assertThat(row.code()).isEqualTo("0000");
      assertThat(row.storedReply().httpStatus()).isEqualTo(201);
      assertThat(row.storedReply().contentType()).isEqualTo(reply("p").contentType());
      assertThat(row.storedReply().body()).isEqualTo(reply("p").body());
      assertThat(row.replySha256()).isEqualTo(Fingerprint.sha256(reply("p").body()));
      assertThat(row.doneAt()).isEqualTo(clock.millis() - 1).isEqualTo(row.endedAt());
    }
    assertThat(moves("p")).containsExactly("1 null>SENT null relay", "1 SENT>DONE 0000 relay");
  }

  @Test
  void everyMoveSaysWhoAndWhyInTheJournal() {
    Actor actor = new Actor(Actor.Role.OPERATOR, "ann", "T-7");
    Claim claim = won(ledger.claim(request("p"), ACCOUNT, actor));
    clock.advance(Duration.ofMillis(250));
    claim.settle(notSent(), null, "connection refused");
    claim.close();

    Entry last = lastMove("p");
    assertThat(last)
        .isEqualTo(
            new Entry(
                last.id(),
                new Guid("p"),
                1,
                "move",
                State.SENT,
                State.FAILED,
                "E902",
                "operator",
                "ann",
                "T-7",
                clock.millis(),
                "connection refused"));
    assertThat(ledger.view().journal(row("p"))).hasSize(2).last().isEqualTo(last);
  }

  @Test
  void aMoveAndItsJournalEntryAreOneTransaction() {
    won("p").close();
    Claim q = won("q");
    hand.exec(
        "CREATE TRIGGER full BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'full'); END");
    List<List<String>> before = hand.everything();

    assertThatThrownBy(() -> claim("r"));
    assertThatThrownBy(() -> q.settle(done("q"), null, null));

    assertThat(hand.everything()).isEqualTo(before);
    hand.exec("DROP TRIGGER full");
    assertThat(q.settle(done("q"), null, null)).isTrue();
    q.close();
    won("r").close();
  }

  @Test
  void nothingIsAcknowledgedBeforeItIsCommitted() {
    Map<Step, List<List<String>>> seen = new HashMap<>();
    List<Step> order = new ArrayList<>();
    listener =
        (step, guid) -> {
          order.add(step);
          seen.put(
              step,
              hand.rows(
                  "SELECT l.state, (SELECT group_concat(to_state) FROM journal) FROM ledger l"));
        };
    Claim claim = won("p");
    claim.settle(done("p"), null, null);
    claim.close();

    assertThat(order)
        .containsExactly(
            Step.BYTE_TAKEN,
            Step.CLAIM_WRITTEN,
            Step.CLAIM_COMMITTED,
            Step.OUTCOME_WRITTEN,
            Step.OUTCOME_COMMITTED,
            Step.BYTE_FREED);
    assertThat(seen.get(Step.CLAIM_WRITTEN)).isEmpty();
    assertThat(seen.get(Step.CLAIM_COMMITTED)).containsExactly(List.of("'SENT'", "'SENT'"));
    assertThat(seen.get(Step.OUTCOME_WRITTEN)).containsExactly(List.of("'SENT'", "'SENT'"));
    assertThat(seen.get(Step.OUTCOME_COMMITTED)).containsExactly(List.of("'DONE'", "'SENT,DONE'"));
  }

  @Test
  void aClaimMakesOnlyLegalMovesAndNoneAfterItsEnd() {
    Claim claim = won("p");
    claim.settle(inDoubt(true), null, null);
    assertThatThrownBy(() -> claim.settle(inDoubt(false), null, null))
        .isInstanceOf(IllegalStateException.class);
    claim.settle(done("p"), null, null);
    assertThatThrownBy(() -> claim.settle(notSent(), null, null))
        .isInstanceOf(IllegalStateException.class);
    claim.close();
    claim.close();
    assertThatThrownBy(() -> claim.settle(done("p"), null, null))
        .isInstanceOf(IllegalStateException.class);
    assertThat(row("p").state()).isEqualTo(State.DONE);
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void theSameRequestAgainIsAnsweredAsItsStateSays(State state) {
    Optional<Claim> owner = rowIn(state, "p");
    List<List<String>> before = allOf("p");

    Optional<Taken> looked = ledger.look(request("P"));
    Taken taken = claim("P");

    switch (state) {
      case RECEIVED, DONE, UNKNOWN -> {
        assertThat(standing(looked.orElseThrow()).state()).isEqualTo(state);
        assertThat(standing(taken).state()).isEqualTo(state);
        assertThat(standing(taken).request()).isEqualTo(request("p").body());
        assertThat(allOf("p")).isEqualTo(before);
      }
      case SENT -> {
        assertThat(standing(looked.orElseThrow()).state()).isEqualTo(state);
        assertThat(taken).isInstanceOf(Taken.Held.class);
        assertThat(allOf("p")).isEqualTo(before);
      }
      case FAILED -> {
        assertThat(looked).isEmpty();
        Claim claim = won(taken);
        assertThat(claim.attempt()).isEqualTo(2);
        claim.close();
      }
    }
    owner.ifPresent(Claim::close);
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void anotherRequestUnderAKnownGuidIsAConflictAndLeavesTheRowUntouched(State state) {
    Optional<Claim> owner = rowIn(state, "p");
    List<List<String>> before = allOf("p");

    assertThat(ledger.look(other("P")).orElseThrow()).isInstanceOf(Taken.Conflict.class);
    if (state != State.SENT) {
      assertThat(ledger.claim(other("P"), ACCOUNT, RELAY)).isInstanceOf(Taken.Conflict.class);
    }
    assertThat(allOf("p")).isEqualTo(before);

    owner.ifPresent(Claim::close);
    List<List<String>> unheld = allOf("p");
    assertThat(ledger.claim(other("P"), ACCOUNT, RELAY)).isInstanceOf(Taken.Conflict.class);
    assertThat(allOf("p")).isEqualTo(unheld);
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void theSameRequestFromAnotherChannelIsAConflictAndLeavesTheRowUntouched(State state) {
    switch (state) {
      case RECEIVED -> received(fromChannel("atm", "p"));
      case SENT, DONE, UNKNOWN, FAILED -> {
        try (Claim claim = won(fromChannel("atm", "p"))) {
          if (state != State.SENT) {
            claim.settle(
                state == State.DONE
                    ? done("p")
                    : state == State.FAILED ? notSent() : inDoubt(false),
                null,
                null);
          } else {
            assertThat(ledger.look(fromChannel("web", "p")).orElseThrow())
                .isInstanceOf(Taken.Conflict.class);
          }
        }
      }
    }
    List<List<String>> before = allOf("p");

    assertThat(ledger.look(fromChannel("web", "p")).orElseThrow())
        .isInstanceOf(Taken.Conflict.class);
    assertThat(ledger.claim(fromChannel("web", "p"), ACCOUNT, RELAY))
        .isInstanceOf(Taken.Conflict.class);

    assertThat(allOf("p")).isEqualTo(before);
    assertThat(ledger.look(fromChannel("atm", "p")).filter(Taken.Conflict.class::isInstance))
        .isEmpty();
    assertThat(ledger.look(request("p")).filter(Taken.Conflict.class::isInstance)).isEmpty();
  }

  @Test
  void aRequestThatDiffersOnlyInWhatIsIgnoredNowOrWhenItCameIsNoConflict() {
    Fingerprint.Scheme stamped =
        Fingerprint.Scheme.without(List.of(Samples.GUID, JsonPointer.compile("/sentAt")));
    String first = "{\"guid\":\"p\",\"amount\":1.10,\"sentAt\":1}";
    String again = "{\"sentAt\":2, \"amount\":1.10, \"guid\":\"p\"}";
    String doubled = "{\"guid\":\"p\",\"amount\":2.20,\"sentAt\":2}";
    record Change(Fingerprint.Scheme before, Fingerprint.Scheme after) {}
    for (Change change : List.of(new Change(SCHEME, stamped), new Change(stamped, SCHEME))) {
      Request original = request("p", null, first, change.before);
      try (Claim claim = won(ledger.claim(original, ACCOUNT, RELAY))) {
        claim.settle(done("p"), null, null);
      }
      assertThat(standing(ledger.claim(request("p", null, again, change.after), ACCOUNT, RELAY)))
          .isNotNull();
      assertThat(ledger.claim(request("p", null, doubled, change.after), ACCOUNT, RELAY))
          .isInstanceOf(Taken.Conflict.class);
      hand.exec("DELETE FROM ledger", "DELETE FROM tombstones");
    }
  }

  @Test
  void aPurgedGuidIsForgottenAndNeverSentAgain() {
    rowIn(State.DONE, "Pay-1");
    Row row = row("Pay-1");
    hand.exec("DELETE FROM ledger");

    Tombstone tombstone = new Tombstone(new Guid("Pay-1"), "0000", row.doneAt());
    assertThat(ledger.look(request("pay-1"))).contains(new Taken.Forgotten(tombstone));
    assertThat(claim("pay-1")).isEqualTo(new Taken.Forgotten(tombstone));
    assertThat(ledger.claim(row, State.FAILED, ACCOUNT, RELAY))
        .isEqualTo(new Taken.Forgotten(tombstone));
    assertThat(ledger.adopt(row, RESOLVE)).isEmpty();
    assertThat(ledger.view().tombstone(new Guid("PAY-1"))).contains(tombstone);
    assertThat(hand.value("SELECT count(*) FROM ledger")).isEqualTo("0");
  }

  @Test
  void aRowAsItWasReadOnceIsForgottenWhenItsTombstoneIsGoneToo() {
    for (State from : List.of(State.RECEIVED, State.FAILED)) {
      String guid = "p-" + from;
      var unused = rowIn(from, guid);
      Row read = row(guid);
      try (Claim claim = won(ledger.claim(read, from, ACCOUNT, RELAY))) {
        claim.settle(done(guid), null, null);
      }
      ledger.purge(List.of(row(guid)), Long.MAX_VALUE);
      ledger.forget(Long.MAX_VALUE, 1);
      List<List<String>> before = hand.everything();

      assertThat(ledger.claim(read, from, ACCOUNT, RELAY)).isEqualTo(new Taken.Forgotten(null));
      assertThat(ledger.adopt(read, RESOLVE)).isEmpty();
      assertThat(ledger.hold(read, RESOLVE)).isEmpty();
      assertThat(ledger.purge(List.of(read), Long.MAX_VALUE)).isZero();
      assertThat(hand.everything()).isEqualTo(before);
      won(guid).close();
    }
  }

  @Test
  void aFailedRowIsClaimedAgainWithTheRequestThatIsStored() {
    rowIn(State.FAILED, "Pay-1");
    clock.advance(Duration.ofSeconds(5));
    Request again = request("pay-1", null, "{ \"amount\":\"1.10\", \"guid\":\"pay-1\" }", SCHEME);

    Claim claim = won(ledger.claim(again, "http://new.invalid/", RELAY));

    assertThat(claim.attempt()).isEqualTo(2);
    assertThat(claim.request().body()).isEqualTo(request("Pay-1").body());
    assertThat(claim.request().guid().value()).isEqualTo("Pay-1");
    Row row = row("pay-1");
    assertThat(row.state()).isEqualTo(State.SENT);
    assertThat(row.account()).isEqualTo("http://new.invalid/");
    assertThat(row.sentAt()).isEqualTo(clock.millis());
    assertThat(row.receivedAt()).isEqualTo(clock.millis() - 5000);
    assertThat(row.code()).isNull();
    assertThat(row.endedAt()).isNull();
    assertThat(row.endedBoot()).isNull();
    assertThat(row.endedUptime()).isNull();
    assertThat(moves("pay-1"))
        .containsExactly(
            "1 null>SENT null relay", "1 SENT>FAILED E902 relay", "2 FAILED>SENT null relay");
    claim.close();
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void aKnownRowIsClaimedOnlyInTheStateThatWasAskedFor(State state) {
    Optional<Claim> owner = rowIn(state, "p");
    owner.ifPresent(Claim::close); // SENT becomes UNKNOWN
    Row row = row("p");
    for (State from : List.of(State.RECEIVED, State.FAILED)) {
      List<List<String>> before = allOf("p");
      Taken taken = ledger.claim(row, from, ACCOUNT, RELAY);
      if (state == from) {
        Claim claim = won(taken);
        assertThat(claim.attempt()).isEqualTo(row.attempt() + 1);
        assertThat(claim.request().body()).isEqualTo(row.request());
        assertThat(row("p").state()).isEqualTo(State.SENT);
        assertThat(ledger.claim(row, from, ACCOUNT, RELAY)).isInstanceOf(Taken.Held.class);
        claim.close();
        assertThat(standing(ledger.claim(row, from, ACCOUNT, RELAY)).state())
            .isEqualTo(State.UNKNOWN);
      } else {
        assertThat(standing(taken).state()).isEqualTo(row("p").state());
        assertThat(allOf("p")).isEqualTo(before);
      }
    }
  }

  @Test
  void aHeldLedgerClaimsNothingAndStillReplays() {
    rowIn(State.DONE, "d");
    rowIn(State.FAILED, "f");
    Row failed = row("f");
    Settings.Mode mode = Settings.Mode.HOLD;
    ledger.changeMode(mode, RESOLVE, "incident");
    List<List<String>> before = hand.everything();
    assertThat(claim("new")).isEqualTo(new Taken.OnHold(mode));
    assertThat(claim("f")).isEqualTo(new Taken.OnHold(mode));
    assertThat(ledger.claim(failed, State.FAILED, ACCOUNT, RELAY))
        .isEqualTo(new Taken.OnHold(mode));
    assertThat(standing(ledger.look(request("d")).orElseThrow()).state()).isEqualTo(State.DONE);
    assertThat(hand.everything()).isEqualTo(before);
    assertThat(ledger.view().settings().mode()).isEqualTo(mode);
    ledger.changeMode(Settings.Mode.NORMAL, RESOLVE, "over");
    won("new").close();
    won("f").close();
  }

  @Test
  void whatHasToBeAskedAboutIsClaimedForNoOtherUrlThanItWasSentToLast() {
    rowIn(State.DONE, "d");
    rowIn(State.FAILED, "f");
    rowIn(State.RECEIVED, "r");
    Row failed = row("f");
    String elsewhere = ACCOUNT + "-elsewhere";
    ledger.changeMode(Settings.Mode.ASK_FIRST, RESOLVE, "restored");
    clock.advance(Duration.ofHours(1));
    for (Settings.Mode mode : List.of(Settings.Mode.ASK_FIRST, Settings.Mode.NORMAL)) {
      ledger.changeMode(mode, RESOLVE, "a test");
      List<List<String>> before = hand.everything();
      assertThat(ledger.claim(request("f"), elsewhere, RELAY))
          .isInstanceOfSatisfying(
              Taken.Elsewhere.class,
              taken -> assertThat(taken.row()).returns(ACCOUNT, Row::account));
      assertThat(ledger.claim(failed, State.FAILED, elsewhere, RELAY))
          .isInstanceOf(Taken.Elsewhere.class);
      assertThat(hand.everything()).isEqualTo(before);
    }
    // Never sent: nobody else can know of it.
    try (Claim claim = won(ledger.claim(row("r"), State.RECEIVED, elsewhere, RELAY))) {
      claim.settle(new Outcome.NotSent("a test"), null, null);
    }
    // Nobody has ever processed anything there.
    won(ledger.claim(row("r"), State.FAILED, ACCOUNT, RELAY)).close();
    won("f").close();
  }

  @Test
  void aLedgerThatAsksFirstSaysSoWithEachClaimAndSinceWhen() {
    rowIn(State.FAILED, "f");
    assertThat(won("before").asksSince()).isEmpty();
    ledger.changeMode(Settings.Mode.ASK_FIRST, RESOLVE, "restored");
    Moment began = Moment.now(clock);
    clock.advance(Duration.ofHours(1));
    // Once more changes nothing but the journal: it began when it began.
    ledger.changeMode(Settings.Mode.ASK_FIRST, RESOLVE, "to be sure");
    for (String guid : List.of("new", "f")) {
      assertThat(won(guid).asksSince()).contains(began);
    }
    assertThat(ledger.view().settings())
        .returns(Settings.Mode.ASK_FIRST, Settings::mode)
        .returns(began, Settings::asksSince);
    assertThat(ledger.view().lastModeChange())
        .contains(
            new ModeChange(Settings.Mode.ASK_FIRST, "ann", "T-1", clock.millis(), "to be sure"));
    ledger.changeMode(Settings.Mode.NORMAL, RESOLVE, "over");
    assertThat(won("after").asksSince()).isEmpty();
  }

  @Test
  void aRowInFlightIsHeldForEverybodyElse() {
    Claim claim = won("p");
    try (Ledger second = openAnother();
        Child child = child()) {
      assertThat(claim("P")).isInstanceOf(Taken.Held.class);
      assertThat(second.claim(request("p"), ACCOUNT, RELAY)).isInstanceOf(Taken.Held.class);
      assertThat(second.adopt(row("p"), RESOLVE)).isEmpty();
      assertThat(child.ask("claim p")).isEqualTo("Held");
      assertThat(child.ask("adopt p")).isEqualTo("none");
      assertThat(claim.stillMine()).isTrue();

      claim.settle(done("p"), null, null);
      claim.close();
      assertThat(child.ask("claim p")).isEqualTo("Standing DONE");
      assertThat(standing(second.claim(request("p"), ACCOUNT, RELAY)).state())
          .isEqualTo(State.DONE);
    }
  }

  @Test
  void aRowInDoubtIsHeldWhileItsExchangeIsOpen() {
    Claim claim = won("p");
    claim.settle(inDoubt(true), "E901", null);
    assertThat(standing(ledger.look(request("p")).orElseThrow()).state()).isEqualTo(State.UNKNOWN);
    assertThat(ledger.adopt(row("p"), RESOLVE)).isEmpty();
    claim.close();
    ledger.adopt(row("p"), RESOLVE).orElseThrow().close();
  }

  @Test
  void theRowOfAKilledSenderIsAnOrphanAndBecomesUnknownAtOnce() {
    try (Child child = child()) {
      for (String guid : List.of("claimed", "adopted", "other")) {
        assertThat(child.ask("claim " + guid)).isEqualTo("Won");
        assertThat(claim(guid)).isInstanceOf(Taken.Held.class);
        assertThat(ledger.adopt(row(guid), RESOLVE)).isEmpty();
      }
      assertThat(child.ask("claim late")).isEqualTo("Won");
      assertThat(child.ask("doubt late")).isEqualTo("true");
      assertThat(ledger.adopt(row("late"), RESOLVE)).isEmpty();
      child.kill();
    }

    List<List<String>> before = allOf("other");
    assertThat(ledger.claim(other("other"), ACCOUNT, RELAY)).isInstanceOf(Taken.Conflict.class);
    assertThat(allOf("other")).isEqualTo(before);

    Row row = standing(claim("claimed"));
    assertThat(row.state()).isEqualTo(State.UNKNOWN);
    assertThat(row.code()).isEqualTo("E901");
    assertThat(row.endedAt()).isEqualTo(clock.millis());
    assertThat(row.endedBoot()).isEqualTo(clock.boot());
    assertThat(row.endedUptime()).isEqualTo(clock.uptimeMillis());
    assertThat(moves("claimed"))
        .containsExactly("1 null>SENT null relay", "1 SENT>UNKNOWN E901 relay");
    assertThat(standing(claim("claimed")).endedAt()).isEqualTo(row.endedAt());

    try (Claim claim = ledger.adopt(row("adopted"), RESOLVE).orElseThrow()) {
      assertThat(claim.request()).isNull();
      assertThat(claim.row().state()).isEqualTo(State.UNKNOWN);
      assertThat(claim.stillMine()).isFalse();
      assertThat(row("adopted").endedAt()).isEqualTo(clock.millis());
      assertThat(moves("adopted"))
          .containsExactly("1 null>SENT null relay", "1 SENT>UNKNOWN E901 resolve");
      assertThat(ledger.adopt(row("adopted"), RESOLVE)).isEmpty();
    }

    assertThat(row("late").endedAt()).isNull();
    try (Claim claim = ledger.adopt(row("late"), RESOLVE).orElseThrow()) {
      assertThat(claim.row().endedAt()).isEqualTo(clock.millis());
      assertThat(row("late").endedAt()).isEqualTo(clock.millis());
    }
    assertThat(moves("late")).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {
        "BYTE_TAKEN",
        "CLAIM_WRITTEN",
        "CLAIM_COMMITTED",
        "OUTCOME_WRITTEN",
        "OUTCOME_COMMITTED",
        "BYTE_FREED"
      })
  void aKillAtAnyStepLeavesTheWholeMoveOrNone(Step step) {
    try (Child child = child()) {
      child.ask("stop-at " + step);
      child.say("claim p");
      if (step.compareTo(Step.OUTCOME_WRITTEN) >= 0) {
        child.await("Won");
        child.say("done p");
      }
      if (step == Step.BYTE_FREED) {
        child.await("true");
        child.say("close p");
      }
      child.await("at " + step);
      if (step != Step.BYTE_FREED) {
        assertThat(claim("p")).isInstanceOf(Taken.Held.class);
      }
      child.kill();
    }

    Taken taken = claim("p");
    switch (step) {
      case BYTE_TAKEN, CLAIM_WRITTEN -> {
        assertThat(moves("p")).containsExactly("1 null>SENT null relay");
        won(taken).close();
      }
      case CLAIM_COMMITTED, OUTCOME_WRITTEN -> {
        assertThat(standing(taken).state()).isEqualTo(State.UNKNOWN);
        assertThat(standing(taken).request()).isEqualTo(request("p").body());
      }
      default -> assertThat(standing(taken).storedReply().body()).isEqualTo(reply("p").body());
    }
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void onlySentAndUnknownRowsAreAdopted(State state) {
    Optional<Claim> owner = rowIn(state, "p");
    owner.ifPresent(Claim::close); // SENT becomes UNKNOWN
    List<List<String>> before = allOf("p");
    Optional<Claim> adopted = ledger.adopt(row("p"), RESOLVE);
    assertThat(adopted.isPresent()).isEqualTo(state == State.UNKNOWN || state == State.SENT);
    adopted.ifPresent(Claim::close);
    assertThat(allOf("p")).isEqualTo(before);
  }

  @Test
  void anAdoptedRowIsSettledByTheWordOfTheAccountSystemAndKeepsItsAge() {
    for (Outcome outcome : List.of(done("d"), notSent())) {
      String guid = outcome.state() == State.DONE ? "d" : "f";
      rowIn(State.UNKNOWN, guid);
      final long ended = clock.millis();
      clock.advance(Duration.ofHours(1));
      try (Claim claim = ledger.adopt(row(guid), RESOLVE).orElseThrow()) {
        assertThat(claim.settle(outcome, null, "inquiry")).isTrue();
      }
      assertThat(row(guid).state()).isEqualTo(outcome.state());
      assertThat(row(guid).endedAt()).isEqualTo(ended);
      assertThat(lastMove(guid).actor()).isEqualTo("resolve");
    }
    assertThat(row("d").doneAt()).isEqualTo(row("d").endedAt() + 3_600_000);
  }

  @Test
  void aStaleClaimSettlesNothing() {
    Claim stale = won("p");
    hand.exec(
        "UPDATE ledger SET state = 'FAILED', code = 'E902', ended_at = 1, ended_boot = 'b',"
            + " ended_uptime = 1",
        "UPDATE ledger SET state = 'SENT', code = NULL, attempt = 2, ended_at = NULL,"
            + " ended_boot = NULL, ended_uptime = NULL");
    List<List<String>> before = allOf("p");

    assertThat(stale.stillMine()).isFalse();
    assertThat(stale.settle(done("p"), "0000", null)).isFalse();
    assertThat(stale.settle(inDoubt(false), null, null)).isFalse();
    stale.close();

    assertThat(allOf("p")).isEqualTo(before);
  }

  @Test
  void aClaimThatIsClosedWithoutAnOutcomeIsInDoubtAndFreesItsByte() {
    won("p").close();
    assertThat(row("p").state()).isEqualTo(State.UNKNOWN);
    assertThat(row("p").endedAt()).isEqualTo(clock.millis());
    assertThat(standing(claim("p")).state()).isEqualTo(State.UNKNOWN);
    ledger.adopt(row("p"), RESOLVE).orElseThrow().close();
  }

  @Test
  void aLateReplyTurnsUnknownIntoDone() {
    Claim claim = won("p");
    clock.advance(Duration.ofSeconds(1));
    assertThat(claim.settle(inDoubt(true), "E901", "timed out")).isTrue();
    assertThat(row("p").endedAt()).isNull();
    assertThat(row("p").toldCode()).isEqualTo("E901");
    assertThat(row("p").toldAt()).isEqualTo(clock.millis());
    clock.advance(Duration.ofSeconds(2));
    assertThat(claim.settle(done("p"), null, "late")).isTrue();
    final long ended = clock.millis();
    clock.advance(Duration.ofSeconds(2));
    claim.close();

    Row row = standing(claim("p"));
    assertThat(row.state()).isEqualTo(State.DONE);
    assertThat(row.endedAt()).isEqualTo(ended).isEqualTo(row.doneAt());
    assertThat(row.toldCode()).isEqualTo("E901");
    assertThat(row.storedReply().body()).isEqualTo(reply("p").body());
    assertThat(moves("p"))
        .containsExactly(
            "1 null>SENT null relay", "1 SENT>UNKNOWN E901 relay", "1 UNKNOWN>DONE 0000 relay");
  }

  @Test
  void theEndOfAnOpenExchangeIsWrittenWhenItEndsAndNotBefore() {
    Claim claim = won("p");
    claim.settle(inDoubt(true), null, null);
    clock.advance(Duration.ofMinutes(10));
    assertThat(row("p").endedAt()).isNull();
    claim.close();
    assertThat(row("p").endedAt()).isEqualTo(clock.millis());
    assertThat(row("p").endedUptime()).isEqualTo(clock.uptimeMillis());
    assertThat(row("p").endedBoot()).isEqualTo(clock.boot());
  }

  @Test
  void theEndOfAnExchangeIsWrittenOnce() {
    for (Outcome outcome : List.of(inDoubt(false), notSent(), done("p"))) {
      String guid = outcome.state().name();
      Claim claim = won(guid);
      claim.settle(outcome, null, null);
      final long ended = clock.millis();
      clock.advance(Duration.ofMinutes(10));
      claim.close();
      ledger.adopt(row(guid), RESOLVE).ifPresent(Claim::close);
      assertThat(row(guid).endedAt()).isEqualTo(ended);
    }
  }

  @Test
  void whatTheChannelLastHeardIsNotedOnce() {
    rowIn(State.UNKNOWN, "p");
    ledger.told(new Guid("P"), "E901");
    barrier();
    final long first = clock.millis();
    assertThat(row("p").toldCode()).isEqualTo("E901");
    assertThat(row("p").toldAt()).isEqualTo(first);

    clock.advance(Duration.ofSeconds(1));
    ledger.told(new Guid("p"), "E901");
    barrier();
    assertThat(row("p").toldAt()).isEqualTo(first);

    ledger.told(new Guid("p"), "E903");
    ledger.told(new Guid("unheard-of"), "E903");
    barrier();
    assertThat(row("p").toldCode()).isEqualTo("E903");
    assertThat(row("p").toldAt()).isEqualTo(clock.millis());
  }

  /** Everything that was queued before this returns is written. */
  private void barrier() {
    won("barrier-" + clock.millis() + "-" + System.nanoTime()).close();
  }

  @Test
  void aPageYieldsTheRowsThatMatchInTheOrderInWhichTheyCame() {
    rowIn(State.DONE, "a");
    clock.advance(Duration.ofSeconds(1));
    rowIn(State.FAILED, "b");
    received(fromChannel("atm", "c"));
    clock.advance(Duration.ofSeconds(1));
    rowIn(State.UNKNOWN, "d");
    Optional<Claim> sent = rowIn(State.SENT, "e");
    long now = clock.millis();

    assertThat(page(Filter.ALL)).containsExactly("a", "b", "c", "d", "e");
    assertThat(page(filter(Set.of(State.DONE), Set.of(), null, null, null))).containsExactly("a");
    assertThat(page(filter(Set.of(State.UNKNOWN), Set.of(), null, null, null)))
        .containsExactly("d");
    assertThat(page(filter(Set.of(State.FAILED, State.SENT), Set.of(), null, null, null)))
        .containsExactly("b", "e");
    assertThat(page(filter(Set.of(), Set.of("E901", "0000"), null, null, null)))
        .containsExactly("a", "d");
    assertThat(page(filter(Set.of(), Set.of(), "atm", null, null))).containsExactly("c");
    assertThat(page(filter(Set.of(), Set.of(), null, now - 1000, now))).containsExactly("b", "c");
    assertThat(page(filter(Set.of(), Set.of(), null, now, null))).containsExactly("d", "e");
    assertThat(page(filter(Set.of(State.DONE), Set.of("E901"), null, null, null))).isEmpty();
    sent.orElseThrow().close();
  }

  private static Filter filter(
      Set<State> states, Set<String> codes, String channel, Long since, Long until) {
    return new Filter(states, codes, channel, since, until, false, Map.of(), false);
  }

  private List<String> page(Filter filter) {
    return ledger.view().page(filter, 0, 100).stream().map(row -> row.guid().value()).toList();
  }

  @Test
  void pagesAreBoundedAndFollowEachOther() {
    IntStream.range(0, LedgerView.MAX_PAGE + 7).forEach(i -> received(request("g-" + i)));
    LedgerView view = ledger.view();
    List<Row> first = view.page(Filter.ALL, 0, Integer.MAX_VALUE);
    assertThat(first).hasSize(LedgerView.MAX_PAGE);
    assertThat(first.get(0).request()).isNull();
    List<Row> second = view.page(Filter.ALL, first.get(first.size() - 1).seq(), 5);
    assertThat(second.stream().map(row -> row.guid().value()))
        .containsExactly("g-1000", "g-1001", "g-1002", "g-1003", "g-1004");
    List<Row> third = view.page(Filter.ALL, second.get(4).seq(), 5);
    assertThat(third).hasSize(2);
    assertThat(view.page(Filter.ALL, third.get(1).seq(), 5)).isEmpty();
  }

  @Test
  void aPageWithBodiesIsBoundedInBytesAndLosesNothing() {
    String filler = "x".repeat(1_000_000);
    IntStream.range(0, 20)
        .forEach(
            i -> received(request("g-" + i, null, "{\"guid\":\"g-" + i + filler + "\"}", SCHEME)));
    Filter bodies = Filter.ALL.withBodies(true);
    List<String> all = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    long after = 0;
    for (List<Row> page = ledger.view().page(bodies, after, 100);
        !page.isEmpty();
        page = ledger.view().page(bodies, after, 100)) {
      page.forEach(row -> all.add(new String(row.request(), UTF_8).substring(9, 13)));
      sizes.add(page.size());
      after = page.get(page.size() - 1).seq();
    }
    assertThat(all).hasSize(20).doesNotHaveDuplicates();
    assertThat(sizes).allMatch(size -> size < 20);
  }

  @Test
  void untoldRowsAreThoseDoneWhileTheChannelLastHeardOtherwise() {
    for (String told : List.of("E901", "E902", "E903", "E904", "0000")) {
      rowIn(State.UNKNOWN, "u-" + told);
      ledger.told(new Guid("u-" + told), told);
      rowIn(State.DONE, "d-" + told);
      ledger.told(new Guid("d-" + told), told);
    }
    rowIn(State.DONE, "d-never");
    barrier();
    assertThat(page(new Filter(Set.of(), Set.of(), null, null, null, true, Map.of(), false)))
        .containsExactly("d-E901", "d-E902", "d-E903");
  }

  @Test
  void aViewReadsWhatAnotherProcessWrites() {
    try (Child child = child();
        LedgerView view = LedgerView.open(location())) {
      assertThat(view.find(new Guid("p"), false)).isEmpty();
      child.ask("claim p");
      assertThat(view.find(new Guid("P"), false).orElseThrow().state()).isEqualTo(State.SENT);
      assertThat(view.find(new Guid("p"), false).orElseThrow().request()).isNull();
      assertThat(view.settings()).isEqualTo(Samples.SETTINGS);
    }
  }

  @Test
  void of100ThreadsAtOnceOnOneGuidOneWins() {
    try (Ledger second = openAnother()) {
      CountDownLatch go = new CountDownLatch(1);
      List<Future<Taken>> all =
          IntStream.range(0, 100)
              .mapToObj(
                  i ->
                      threads.submit(
                          () -> {
                            await(go);
                            return (i % 2 == 0 ? ledger : second)
                                .claim(request(i % 3 == 0 ? "P" : "p"), ACCOUNT, RELAY);
                          }))
              .toList();
      go.countDown();
      List<Taken> taken = all.stream().map(LedgerContract::get).toList();

      assertThat(taken).filteredOn(Taken.Won.class::isInstance).hasSize(1);
      assertThat(taken).filteredOn(Taken.Held.class::isInstance).hasSize(99);
      assertThat(hand.value("SELECT count(*) FROM ledger")).isEqualTo("1");
      assertThat(hand.value("SELECT count(*) FROM journal")).isEqualTo("1");
      taken.stream().filter(Taken.Won.class::isInstance).forEach(won -> won(won).close());
    }
  }

  @Test
  void ofEightProcessesAtOnceOnOneGuidOneWins() {
    List<Child> children = new ArrayList<>();
    try {
      IntStream.range(0, 8).forEach(i -> children.add(Child.java(LedgerChild.class, location())));
      children.forEach(child -> child.await("ready"));
      children.forEach(child -> child.say("open"));
      children.forEach(child -> assertThat(child.await("")).isEqualTo("ok"));
      for (int round = 0; round < 20; round++) {
        String guid = "p-" + round;
        children.forEach(child -> child.say("claim " + guid));
        List<String> answers = children.stream().map(child -> child.await("")).toList();
        assertThat(answers).filteredOn("Won"::equals).hasSize(1);
        assertThat(answers).filteredOn("Held"::equals).hasSize(7);
      }
    } finally {
      children.forEach(Child::close);
    }
    assertThat(hand.value("SELECT count(*) FROM ledger")).isEqualTo("20");
    assertThat(hand.value("SELECT max(attempt) FROM ledger")).isEqualTo("1");
  }

  @Test
  void aMoveThatFailsDoesNotFailItsNeighboursInTheGroup() {
    rowIn(State.FAILED, "damaged");
    damage("request", "damaged");
    List<List<String>> damaged = allOf("damaged");
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Map<Guid, Integer> written = new ConcurrentHashMap<>();
    Set<Guid> byteTaken = ConcurrentHashMap.newKeySet();
    listener =
        (step, guid) -> {
          if (step == Step.BYTE_TAKEN) {
            byteTaken.add(guid);
          } else if (step == Step.CLAIM_WRITTEN) {
            written.merge(guid, 1, Integer::sum);
            if (guid.value().equals("first")) {
              stopped.countDown();
              await(goOn);
            }
          }
        };
    CompletableFuture<Taken> first = CompletableFuture.supplyAsync(() -> claim("first"), threads);
    await(stopped); // the writer is in the middle of a transaction: what comes now is one group
    List<Thread> callers = new ArrayList<>();
    Map<String, Taken> taken = new ConcurrentHashMap<>();
    Map<String, Throwable> refused = new ConcurrentHashMap<>();
    for (String guid : List.of("a", "b", "damaged", "c", "d")) {
      Thread caller =
          new Thread(
              () -> {
                try {
                  taken.put(guid, claim(guid));
                } catch (LedgerException e) {
                  refused.put(guid, e);
                }
              });
      caller.start();
      callers.add(caller);
      while (!byteTaken.contains(new Guid(guid)) || caller.getState() != Thread.State.WAITING) {
        assertThat(caller.isAlive()).isTrue();
        Thread.onSpinWait(); // until all that it waits for is the writer
      }
    }
    goOn.countDown();
    for (Thread caller : callers) {
      get(CompletableFuture.runAsync(() -> join(caller), threads));
    }

    won(get(first)).close();
    assertThat(taken.keySet()).containsExactlyInAnyOrder("a", "b", "c", "d");
    taken.values().forEach(each -> won(each).close());
    assertThat(refused.keySet()).containsExactly("damaged");
    assertThat(((LedgerException) refused.get("damaged")).kind())
        .isEqualTo(LedgerException.Kind.DAMAGED);
    assertThat(allOf("damaged")).isEqualTo(damaged);
    assertThat(written.get(new Guid("a")))
        .as("how often it was written: with the group, then alone")
        .isEqualTo(2);
    for (String guid : List.of("first", "a", "b", "c", "d")) {
      assertThat(moves(guid)).as(guid).hasSize(2);
    }
    assertThat(ledger.halted()).isEmpty();
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aClaimFindsALockedLedgerBusyAndASettlementWaitsForIt() {
    Claim claim = won("p");
    hand.exec("BEGIN IMMEDIATE");
    Future<Boolean> settled = threads.submit(() -> claim.settle(done("p"), null, null));
    Future<Taken> other = threads.submit(() -> claim("q"));

    assertThatThrownBy(() -> other.get(SECONDS, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            LedgerException.class, e -> assertThat(e.kind()).isEqualTo(LedgerException.Kind.BUSY))
        .message()
        .contains("nothing was begun");
    assertThat(settled.isDone()).isFalse();
    assertThat(ledger.halted()).isEmpty();
    hand.exec("ROLLBACK");

    assertThat(get(settled)).isTrue();
    claim.close();
    assertThat(row("p").state()).isEqualTo(State.DONE);
    assertThat(ledger.view().find(new Guid("q"), false)).isEmpty();
    won("q").close(); // its byte was freed
  }

  @Test
  void aDamagedReplyIsNeverReplayedAndTheRowNeverSent() {
    rowIn(State.DONE, "p");
    damage("reply", "p");
    Row row = standing(claim("p"));
    assertThat(row.state()).isEqualTo(State.DONE);
    assertThatThrownBy(row::storedReply)
        .isInstanceOfSatisfying(
            LedgerException.class,
            e -> assertThat(e.kind()).isEqualTo(LedgerException.Kind.DAMAGED))
        .hasMessageContaining("p is DONE")
        .hasMessageContaining("it was sent and is never sent again");
  }

  @Test
  void aDamagedRequestIsNotClaimed() {
    rowIn(State.FAILED, "p");
    damage("request", "p");
    List<List<String>> before = allOf("p");
    Row row = row("p");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> claim("p"))
          .isInstanceOfSatisfying(
              LedgerException.class,
              e -> assertThat(e.kind()).isEqualTo(LedgerException.Kind.DAMAGED))
          .hasMessageContaining("p is FAILED");
      assertThatThrownBy(() -> ledger.claim(row, State.FAILED, ACCOUNT, RELAY))
          .isInstanceOf(LedgerException.class);
    }
    assertThat(allOf("p")).isEqualTo(before);
    assertThat(ledger.halted()).isEmpty();
    won("q").close();
  }

  /** Flips the first byte of a blob, past the guards. */
  private void damage(String column, String guid) {
    String trigger = "ledger_update_" + column;
    String text = hand.value("SELECT sql FROM sqlite_schema WHERE name = '" + trigger + "'");
    hand.exec("DROP TRIGGER " + trigger);
    hand.change(
        "UPDATE ledger SET "
            + column
            + " = CAST('[' || substr("
            + column
            + ", 2) AS BLOB)"
            + " WHERE guid = ?",
        guid);
    hand.exec(text.substring(1, text.length() - 1));
  }

  @Test
  void afterItsCloseALedgerRefusesEveryMove() {
    Claim claim = won("p");
    ledger.close();
    assertThatThrownBy(() -> claim("q")).isInstanceOf(LedgerException.class);
    assertThatThrownBy(() -> claim.settle(done("p"), null, null))
        .isInstanceOf(LedgerException.class);
    claim.close();
    assertThat(hand.value("SELECT state FROM ledger")).isEqualTo("'SENT'");
    ledger = openAnother();
  }

  @Test
  void nobodyIsLeftWaitingWhenALedgerCloses() {
    for (int round = 0; round < 20; round++) {
      Ledger closing = openAnother();
      String prefix = "r" + round + "-";
      CountDownLatch busy = new CountDownLatch(8);
      List<Future<Integer>> callers =
          IntStream.range(0, 8)
              .mapToObj(
                  i ->
                      threads.submit(
                          () -> {
                            int claims = 0;
                            try {
                              while (true) {
                                String guid = prefix + i + "-" + claims;
                                closing.claim(request(guid), ACCOUNT, RELAY);
                                claims++;
                                busy.countDown();
                              }
                            } catch (LedgerException e) {
                              return claims;
                            }
                          }))
              .toList();
      await(busy);
      closing.close();
      int claims = callers.stream().mapToInt(LedgerContract::get).sum();
      assertThat(hand.value("SELECT count(*) FROM ledger WHERE guid LIKE '" + prefix + "%'"))
          .isEqualTo("" + claims);
    }
  }

  @Test
  void aBatchIsTakenInAsReceivedAndWhatIsKnownStaysAsItIs() {
    settled("done", done("done"));
    settled("gone", done("gone"));
    ledger.purge(List.of(row("gone")), Long.MAX_VALUE);
    Claim sent = won("sent");
    Row before = row("done");

    List<Taken> taken =
        ledger.receive(
            List.of(
                request("new"),
                request("done"),
                other("sent"),
                request("gone"),
                request("NEW"),
                request("new")),
            RELAY);

    assertThat(taken.stream().map(each -> each.getClass().getSimpleName()))
        .containsExactly("Standing", "Standing", "Conflict", "Forgotten", "Standing", "Standing");
    assertThat(row("new"))
        .returns(State.RECEIVED, Row::state)
        .returns(0, Row::attempt)
        .returns(null, Row::sentAt)
        .returns(null, Row::account);
    assertThat(moves("new")).containsExactly("0 null>RECEIVED null relay");
    assertThat(row("done")).usingRecursiveComparison().isEqualTo(before);
    assertThat(sent.stillMine()).isTrue();
    sent.close();
  }

  @Test
  void oneTransactionTakesInAThousandAndNoMore() {
    List<Request> most =
        IntStream.range(0, Ledger.MAX_INTAKE).mapToObj(i -> request("g-" + i)).toList();
    assertThat(ledger.receive(most, RELAY)).hasSize(Ledger.MAX_INTAKE);
    assertThat(ledger.receive(List.of(), RELAY)).isEmpty();
    List<Request> more = new ArrayList<>(most);
    more.add(request("one-more"));
    assertThatThrownBy(() -> ledger.receive(more, RELAY))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(ledger.view().find(new Guid("one-more"), false)).isEmpty();
  }

  @Test
  void anIntakeThatFailsTakesInNothing() {
    listener =
        (step, guid) -> {
          if (step == Step.INTAKE_WRITTEN) {
            throw new IllegalStateException("a bug");
          }
        };
    assertThatThrownBy(() -> ledger.receive(List.of(request("a"), request("b")), RELAY))
        .hasMessageContaining("a bug");
    assertThat(hand.rows("SELECT * FROM ledger")).isEmpty();
    assertThat(hand.rows("SELECT * FROM journal")).isEmpty();
  }

  @Test
  void rowsAreFoundByWhatTheirRequestSays() {
    received(
        request("a", null, "{\"guid\":\"a\",\"to\":{\"iban\":\"X\"},\"amount\":1.10}", SCHEME));
    received(request("b", null, "{\"guid\":\"b\",\"to\":{\"iban\":\"X\"},\"amount\":1.1}", SCHEME));
    received(
        request("c", null, "{\"guid\":\"c\",\"to\":{\"iban\":\"Y\"},\"amount\":\"1.10\"}", SCHEME));
    received(request("d", null, "no json with X", SCHEME));

    assertThat(page(where("/to/iban", "X"))).containsExactly("a", "b");
    assertThat(page(where("/amount", "1.10"))).containsExactly("a", "c");
    assertThat(page(where("/amount", "1.10", "/to/iban", "Y"))).containsExactly("c");
    assertThat(page(where("/to", "X"))).isEmpty();
    List<Row> found = ledger.view().page(where("/to/iban", "Y"), 0, 10);
    assertThat(found).extracting(Row::request).containsOnlyNulls();
    List<Row> bodies = ledger.view().page(where("/to/iban", "Y").withBodies(true), 0, 10);
    assertThat(bodies).extracting(Row::request).doesNotContainNull();
  }

  private static Filter where(String... pointersAndValues) {
    Map<JsonPointer, String> where = new HashMap<>();
    for (int i = 0; i < pointersAndValues.length; i += 2) {
      where.put(JsonPointer.compile(pointersAndValues[i]), pointersAndValues[i + 1]);
    }
    return new Filter(Set.of(), Set.of(), null, null, null, false, where, false);
  }

  @Test
  void whatMatchesIsFoundHoweverFarApartItStands() {
    int rows = 45_000; // more than two spans of what one statement looks at
    hand.exec(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
            + rows
            + ") INSERT INTO ledger (seq, guid, channel, state, attempt, fingerprint, scheme,"
            + " request_sha256, received_at, updated_at, request) SELECT i * 3, 'g-' || i,"
            + " CASE WHEN i IN (1, 40000, 45000) THEN 'rare' END, 'RECEIVED', 0, zeroblob(32), '1',"
            + " zeroblob(32), i, i, x'7b7d' FROM n");

    Filter rare = new Filter(Set.of(), Set.of(), "rare", null, null, false, Map.of(), false);
    List<String> found = new ArrayList<>();
    long after = 0;
    for (List<Row> page = ledger.view().page(rare, after, 2);
        !page.isEmpty();
        page = ledger.view().page(rare, after, 2)) {
      page.forEach(row -> found.add(row.guid().value()));
      after = page.get(page.size() - 1).seq();
    }
    assertThat(found).containsExactly("g-1", "g-40000", "g-45000");
    assertThat(page(new Filter(Set.of(), Set.of(), null, 45_001L, null, false, Map.of(), false)))
        .isEmpty();
  }

  @Test
  void whatIsDoneIsCountedAndTheFirstOfItFound() {
    assertThat(ledger.view().finished()).isEqualTo(new LedgerView.Finished(0, null));
    settled("failed", notSent());
    clock.advance(Duration.ofSeconds(1));
    long first = clock.millis();
    settled("done", done("done"));
    clock.advance(Duration.ofSeconds(1));
    settled("later", done("later"));
    assertThat(ledger.view().finished()).isEqualTo(new LedgerView.Finished(2, first));
  }

  @Test
  void aDoubleSuspectStaysUntilAPersonHasSeenToItEvenWhenItsRowIsPurged() {
    settled("twice", done("twice"));
    settled("once", done("once"));
    assertThat(ledger.ack(new Guid("once"), RESOLVE, "nothing")).isFalse();
    hand.exec(
        "INSERT INTO journal (seq, guid, attempt, event, actor, \"by\", at) SELECT seq, guid, 1,"
            + " 'double_suspect', 'relay', 'hub', 5 FROM ledger WHERE guid = 'twice'");
    LedgerView view = ledger.view();
    assertThat(view.doubleSuspects()).extracting(Entry::guid).containsExactly(new Guid("twice"));
    assertThat(view.entriesWithoutRow(0)).isEmpty();
    ledger.purge(List.of(row("twice")), Long.MAX_VALUE);

    assertThat(view.doubleSuspect(new Guid("TWICE"))).isPresent();
    assertThat(ledger.ack(new Guid("Twice"), RESOLVE, "reversed one")).isTrue();

    assertThat(view.doubleSuspects()).isEmpty();
    assertThat(view.doubleSuspect(new Guid("twice"))).isEmpty();
    assertThat(ledger.ack(new Guid("twice"), RESOLVE, "again")).isFalse();
    assertThat(view.entriesWithoutRow(0))
        .extracting(entry -> entry.event() + " " + entry.guid() + " " + entry.note())
        .containsExactly("double_suspect twice null", "ack twice reversed one");
    assertThatThrownBy(() -> hand.run("DELETE FROM journal WHERE event = 'ack'"))
        .hasMessageContaining("only added to");
  }

  @Test
  void changesOfTheModeAreEntriesWithoutARow() {
    ledger.changeMode(Settings.Mode.HOLD, RESOLVE, "incident 7");
    assertThat(ledger.view().entriesWithoutRow(0))
        .singleElement()
        .returns("mode", Entry::event)
        .returns(null, Entry::guid)
        .returns("incident 7", Entry::note);
    long id = ledger.view().entriesWithoutRow(0).get(0).id();
    assertThat(ledger.view().entriesWithoutRow(id)).isEmpty();
  }

  @Test
  void twinsAreDifferentGuidsWithOneFingerprint() {
    for (String guid : List.of("a", "x", "b", "y", "c")) {
      String body =
          "{\"guid\":\"" + guid + "\",\"amount\":" + (guid.matches("[abc]") ? 1 : 2) + "}";
      received(request(guid, null, body, SCHEME));
    }
    received(request("z", null, "{\"guid\":\"z\",\"amount\":3}", SCHEME));
    Fingerprint.Scheme other = Fingerprint.Scheme.without(List.of());
    received(request("o", null, "{\"amount\":1}", other));

    try (Twins twins = ledger.view().twins(Filter.ALL)) {
      List<Twins.Twin> page = twins.page(0);
      assertThat(page)
          .extracting(twin -> twin.group() + " " + twin.row().guid())
          .containsExactly("1 a", "1 b", "1 c", "2 x", "2 y");
      assertThat(twins.page(page.get(4).id())).isEmpty();
      assertThat(twins.page(page.get(2).id())).hasSize(2);
    }
  }
}
