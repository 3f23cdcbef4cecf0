package org.relayledger.relay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.account.AccountOptions;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.State;
import org.relayledger.testing.Scene;

/** In the mode ask-first nothing is sent that the account system may know. */
class AskFirstTest {
  private static final Actor ANN = new Actor(Actor.Role.OPERATOR, "ann", null);

  @TempDir Path folder;
  private Scene scene;

  @BeforeEach
  void begin() throws IOException {
    scene = new Scene(folder);
    mode(Settings.Mode.ASK_FIRST);
  }

  @AfterEach
  void end() {
    scene.close();
  }

  private void mode(Settings.Mode mode) {
    try (Ledger ledger = scene.open()) {
      ledger.changeMode(mode, ANN, "test");
    }
  }

  private Problem refused(String guid) {
    Answer answer = scene.send(guid);
    assertThat(answer).isInstanceOf(Answer.Refused.class);
    return ((Answer.Refused) answer).problem();
  }

  @Test
  void whatWasExecutedBeforeComesBackAndIsNotSent() {
    scene.execute("g");
    Answer.Definite answer = (Answer.Definite) scene.send("g");
    assertThat(answer.replayed()).isTrue();
    assertThat(new String(answer.reply().body(), UTF_8))
        .isEqualTo("{\"code\":\"0000\",\"guid\":\"g\"}");
    assertThat(scene.row("g")).returns(State.DONE, Row::state).returns("0000", Row::toldCode);
    assertThat(((Answer.Definite) scene.send("g")).reply().body()).isEqualTo(answer.reply().body());
    assertThat(scene.received("g")).isEqualTo(1);
    assertThat(scene.journal("g"))
        .extracting(Entry::event)
        .containsExactly("move", "inquiry", "move");
  }

  @Test
  void withoutARecordItIsSentOnceWhatWasUnderWayBeforeMustHaveArrived() {
    assertThat(refused("soon")).isEqualTo(Problem.E901);
    assertThat(scene.state("soon")).isEqualTo(State.UNKNOWN);
    scene.clock().advance(Scene.MIN_AGE.minusMillis(1));
    assertThat(refused("still")).isEqualTo(Problem.E901);
    scene.clock().step(Duration.ofDays(365));
    assertThat(refused("jumped")).isEqualTo(Problem.E901);
    scene.clock().step(Duration.ofDays(-365));
    scene.clock().advance(Duration.ofMillis(1));
    assertThat(scene.send("later")).isInstanceOf(Answer.Definite.class);
    assertThat(scene.sandbox().received()).containsOnlyKeys("later");
    assertThat(scene.journal("later").get(1).note()).startsWith("no record");
  }

  @Test
  void aFailedRowIsAskedAboutToo() {
    scene.fail("booked", "absent");
    scene.execute("booked");
    scene.clock().advance(Scene.MIN_AGE);
    assertThat(scene.send("booked")).isInstanceOf(Answer.Definite.class);
    assertThat(scene.send("absent")).isInstanceOf(Answer.Definite.class);
    assertThat(scene.executed("booked")).isEqualTo(1);
    assertThat(scene.executed("absent")).isEqualTo(1);
    assertThat(scene.row("booked")).returns(2, Row::attempt);
  }

  @Test
  void whatWasFailedBeforeTheModeBeganIsAskedAboutAlsoWhenItIsOver() {
    mode(Settings.Mode.NORMAL);
    scene.fail("booked", "absent");
    scene.clock().advance(Duration.ofSeconds(1));
    mode(Settings.Mode.ASK_FIRST);
    mode(Settings.Mode.NORMAL);
    scene.execute("booked"); // by the ledger that a restore has replaced
    assertThat(refused("absent")).isEqualTo(Problem.E901);
    scene.clock().advance(Scene.MIN_AGE);
    assertThat(scene.send("booked")).isInstanceOf(Answer.Definite.class);
    assertThat(scene.executed("booked")).isEqualTo(1);
    assertThat(scene.received("absent")).isZero();
  }

  @Test
  void noRecordIsNotBelievedOfAUrlThatNothingVouchesForWhileSomethingIsDoneElsewhere() {
    mode(Settings.Mode.NORMAL);
    scene.send("ok-1", AccountOptions.at(scene.url().replace("127.0.0.1", "localhost")));
    mode(Settings.Mode.ASK_FIRST);
    scene.clock().advance(Scene.MIN_AGE);
    assertThat(refused("g")).isEqualTo(Problem.E901);
    assertThat(scene.received("g")).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"html:503", "bare404", "drop", "otherguid", "noguid", "code:P100", "redirect:302"})
  void anythingElseIsUnknownAndNothingIsSent(String fault) {
    scene.clock().advance(Scene.MIN_AGE);
    scene.sandbox().inquiryFaults(guid -> fault);
    assertThat(refused("g")).isEqualTo(Problem.E901);
    assertThat(scene.state("g")).isEqualTo(State.UNKNOWN);
    assertThat(scene.received("g")).isZero();
  }

  @Test
  void anInquiryThatKnowsEverybodyIsNotBelieved() {
    scene.clock().advance(Scene.MIN_AGE);
    scene.sandbox().inquiryFaults(guid -> "everybody");
    assertThat(refused("g")).isEqualTo(Problem.E901);
    assertThat(scene.state("g")).isEqualTo(State.UNKNOWN);
  }

  @Test
  void anInquiryThatKnowsNobodyIsNotBelievedOnceThereIsSomebodyToKnow() {
    mode(Settings.Mode.NORMAL);
    scene.send("ok-1");
    mode(Settings.Mode.ASK_FIRST);
    scene.clock().advance(Scene.MIN_AGE);
    scene.sandbox().inquiryFaults(guid -> "nobody");
    assertThat(refused("g")).isEqualTo(Problem.E901);
    assertThat(scene.received("g")).isZero();
  }

  @Test
  void whatAskFirstHasFoundVouchesForNobody() {
    scene.execute("found");
    assertThat(scene.send("found")).isInstanceOf(Answer.Definite.class);
    try (Ledger ledger = scene.open()) {
      assertThat(ledger.view().newestReply(scene.url()::equals, code -> true)).isEmpty();
    }
  }

  @Test
  void backInNormalModeNobodyIsAsked() {
    mode(Settings.Mode.NORMAL);
    List<String> asked = new java.util.ArrayList<>();
    scene
        .sandbox()
        .inquiryFaults(
            guid -> {
              asked.add(guid);
              return "honest";
            });
    assertThat(scene.send("g")).isInstanceOf(Answer.Definite.class);
    assertThat(asked).isEmpty();
  }
}
