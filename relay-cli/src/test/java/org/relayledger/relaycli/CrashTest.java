package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;

/** Claim 5: kill -9 at every step, in the middle of a call, and a sender that is only stopped. */
class CrashTest {
  private static final String MID_CALL = "held-mid-call";

  /** How a kill at a step leaves the row, and how often the account system was called by then. */
  private record Left(State state, int received) {}

  private static final Left NOTHING = new Left(null, 0);
  private static final Map<Step, Left> LEFT =
      new EnumMap<>(
          Map.of(
              Step.BYTE_TAKEN, NOTHING,
              Step.CLAIM_WRITTEN, NOTHING,
              Step.CLAIM_COMMITTED, new Left(State.SENT, 0),
              Step.GATE_CHECKED, new Left(State.SENT, 0),
              Step.GATE_OPENED, new Left(State.SENT, 0),
              Step.REPLY_READ, new Left(State.SENT, 1),
              Step.OUTCOME_WRITTEN, new Left(State.SENT, 1),
              Step.OUTCOME_COMMITTED, new Left(State.DONE, 1),
              Step.BYTE_FREED, new Left(State.DONE, 1),
              Step.ADOPTED, new Left(State.UNKNOWN, 1)));

  @TempDir static Path folder;
  private static Stage stage;
  private static final Map<String, Ran> WHILE_ALIVE = new HashMap<>();

  @BeforeAll
  static void killTwoHubs() throws Exception {
    stage = new Stage(folder);
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      List<String> held = List.of(MID_CALL, guid(Step.ADOPTED));
      for (String guid : held) {
        var unused = Channel.begin(hub.url(), guid);
        stage.sandbox.awaitReceived(guid, 1, Stage.PATIENCE);
      }
      List<String> open = new ArrayList<>(held);
      for (Step step : LEFT.keySet()) {
        // These stop the one thread that writes: one a hub, and last.
        if (step != Step.CLAIM_WRITTEN && step != Step.OUTCOME_WRITTEN && step != Step.ADOPTED) {
          pause(hub, step);
          open.add(guid(step));
        }
      }
      open.forEach(guid -> WHILE_ALIVE.put(guid, stage.transfer(guid)));
      pause(hub, Step.CLAIM_WRITTEN);
      String guid = guid(Step.CLAIM_WRITTEN);
      WHILE_ALIVE.put(guid, stage.transfer(guid));
      hub.kill();
    }
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      pause(hub, Step.ADOPTED);
      pause(hub, Step.OUTCOME_WRITTEN);
      hub.kill();
    }
  }

  @AfterAll
  static void close() {
    stage.close();
  }

  private static String guid(Step step) {
    return (step == Step.ADOPTED ? "held-" : "kill-") + Child.at(step);
  }

  private static void pause(Child hub, Step step) throws Exception {
    var unused = Channel.begin(hub.url(), guid(step));
    hub.awaitPause(step, guid(step));
  }

  @ParameterizedTest
  @EnumSource(to = "ADOPTED")
  void afterKill9AtAnyStepTheRowTellsTheTruthAndNothingIsSentTwice(Step step) {
    String guid = guid(step);
    Left left = LEFT.get(step);
    Row found = stage.row(guid);
    assertThat(found == null ? null : found.state()).isEqualTo(left.state);
    assertThat(stage.received(guid)).isEqualTo(left.received);
    if (found != null) {
      assertThat(found.request()).isEqualTo(Channel.body(guid).getBytes(UTF_8));
      assertThat(found.attempt()).isEqualTo(1);
      assertThat(found.endedAt() != null).isEqualTo(left.state != State.SENT);
    }

    Ran next = stage.transfer(guid);

    if (left.state == null) {
      assertThat(next.exit()).as(next.err()).isZero();
      assertThat(stage.row(guid)).returns(State.DONE, Row::state).returns(1, Row::attempt);
    } else if (left.state == State.DONE) {
      assertThat(next.exit()).as(next.err()).isZero();
      assertThat(next.stdout()).isEqualTo(found.reply());
      assertThat(next.err()).contains("replayed");
    } else {
      assertAdopted(next, guid);
    }
    assertThat(stage.received(guid)).isEqualTo(left.state == null ? 1 : left.received);
  }

  private static void assertAdopted(Ran next, String guid) {
    assertThat(next.exit()).as(next.err()).isEqualTo(5);
    assertThat(next.out()).contains("\"code\":\"E901\"").doesNotContain("E903");
    assertThat(stage.row(guid))
        .returns(State.UNKNOWN, Row::state)
        .returns("E901", Row::code)
        .returns(1, Row::attempt)
        .satisfies(row -> assertThat(row.endedAt()).isNotNull())
        .satisfies(row -> assertThat(row.endedBoot()).isNotNull());
    assertThat(stage.journal(guid))
        .extracting(Entry::to)
        .containsExactly(State.SENT, State.UNKNOWN);
  }

  @Test
  void afterKill9MidCallTheNextRequestFindsTheByteFreeAndGetsE901NotE903() {
    Row left = stage.row(MID_CALL);
    assertThat(left).returns(State.SENT, Row::state).returns(null, Row::endedAt);
    assertThat(left.request()).isEqualTo(Channel.body(MID_CALL).getBytes(UTF_8));

    Ran next = stage.transfer(MID_CALL);

    assertAdopted(next, MID_CALL);
    // The account system books it after all: once.
    stage.sandbox.release(MID_CALL);
    assertThat(stage.transfer(MID_CALL)).returns(5, Ran::exit);
    assertThat(stage.received(MID_CALL)).isEqualTo(1);
  }

  @Test
  void whileTheSenderLivesEverybodyElseGetsE903OrTheReply() {
    assertThat(WHILE_ALIVE).hasSize(LEFT.size());
    WHILE_ALIVE.forEach((guid, ran) -> assertThat(ran.exit()).as(guid).isIn(0, 6));
    for (Step step : List.of(Step.OUTCOME_COMMITTED, Step.BYTE_FREED)) {
      assertThat(WHILE_ALIVE.remove(guid(step)).exit()).isZero();
    }
    assertThat(WHILE_ALIVE.values()).extracting(Ran::exit).containsOnly(6);
  }

  @Test
  void aSenderStoppedBetweenClaimAndSendKeepsOthersAtE903AndSendsOnceWhenItRunsOn()
      throws Exception {
    String guid = "stop-" + Child.at(Step.CLAIM_COMMITTED);
    Path body = Files.writeString(folder.resolve("body"), Channel.body(guid));
    try (Child sender = Child.start(stage.command("send", body.toString()));
        Serving hub = stage.serve()) {
      sender.awaitPause(Step.CLAIM_COMMITTED, guid);
      sender.signal("STOP");
      sender.in("");

      assertThat(Channel.transfer(hub.url(), guid).code()).isEqualTo("E903");
      assertThat(stage.transfer(guid)).returns(6, Ran::exit);
      assertThat(stage.row(guid)).returns(State.SENT, Row::state);
      assertThat(stage.received(guid)).isZero();

      sender.signal("CONT");
      String reply = sender.rest();
      assertThat(sender.exit()).as(sender.err().text()).isZero();
      assertThat(Channel.transfer(hub.url(), guid).text()).isEqualTo(reply);
      assertThat(stage.transfer(guid).out()).isEqualTo(reply);
      assertThat(stage.received(guid)).isEqualTo(1);
    }
  }
}
