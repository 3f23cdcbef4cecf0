package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.ledger.State;

/** The judges of the soak see what is wrong, and nothing where nothing is. */
class SoakJudgesTest {
  private final List<String> violations = new ArrayList<>();
  private final Witness witness =
      new Witness(1, Duration.ofHours(1), (what, index) -> violations.add(what));
  private final int index = witness.next();
  private final Audit audit =
      new Audit(
          witness,
          Duration.ofSeconds(3),
          List.of(new Audit.Held(100, 200)),
          (what, of) -> violations.add(what));

  private static byte[] reply(String guid, int balance) {
    return ("{\"code\":\"0000\",\"guid\":\"" + guid + "\",\"balance\":" + balance + "}")
        .getBytes(UTF_8);
  }

  private void hear(String code, byte[] reply, boolean conflicting) {
    witness.heard(witness.ask(index, conflicting), code, reply, false);
  }

  @Test
  void aLifeWithoutAFaultIsLegal() {
    hear("E907", null, false);
    hear("E902", null, false);
    hear("E901", null, false);
    hear("E903", null, false);
    hear("0000", reply(witness.guid(index), 1), false);
    hear("0000", reply(witness.guid(index), 1), false);
    hear("E904", null, true);
    assertThat(violations).isEmpty();
    assertThat(witness.replays()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"E901", "E902", "E903", "E904", "E905", "E906", "E908"})
  void afterADefiniteReplyThatIsYoungOnlyTheSameReplyIsLegal(String code) {
    hear("0000", reply(witness.guid(index), 1), false);
    hear(code, null, false);
    assertThat(violations).hasSize(1).first().asString().startsWith(code);
  }

  @Test
  void aReplyThatDiffersInOneByteOrIsAboutSomebodyElseIsSeen() {
    hear("0000", reply(witness.guid(index), 1), false);
    hear("0000", reply(witness.guid(index), 2), false);
    assertThat(violations).hasSize(1);
    hear("0000", reply(witness.guid(index) + "0", 1), false);
    assertThat(violations).hasSize(3);
  }

  @Test
  void aReplyToAnotherBodyIsSeen() {
    hear("0000", reply(witness.guid(index), 1), true);
    assertThat(violations).hasSize(1);
  }

  /** An attempt, a move and its actor each, the time going on by ten. */
  @ParameterizedTest
  @CsvSource({
    "'1 SENT relay', true",
    "'1 SENT relay, 1 DONE relay', true",
    "'0 RECEIVED batch, 1 SENT batch, 1 UNKNOWN batch, 1 DONE resolve', true",
    "'1 SENT relay, 1 UNKNOWN resolve, 1 FAILED resolve, 2 SENT reprocess, 2 DONE relay', true",
    "'', false",
    "'2 SENT relay', false",
    "'1 DONE relay', false",
    "'1 SENT relay, 1 DONE relay, 2 SENT relay', false",
    "'1 SENT relay, 1 UNKNOWN relay, 2 SENT relay', false",
    "'1 SENT relay, 1 UNKNOWN relay, 1 FAILED relay', false",
    "'1 SENT relay, 1 UNKNOWN relay, 1 FAILED resolve, 1 SENT relay', false",
    "'1 SENT relay, 1 UNKNOWN relay, 1 FAILED resolve, 2 SENT resolve', false",
    "'1 SENT relay, 1 UNKNOWN relay, 1 FAILED resolve, 1 DONE relay', false"
  })
  void aJournalIsLegalExactlyIfEachMoveIs(String moves, boolean legal) {
    assertThat(judged(moves, 0).isEmpty()).isEqualTo(legal);
  }

  @Test
  void aClaimOnHoldIsSeen() {
    assertThat(judged("1 SENT relay, 1 DONE relay", 100))
        .hasValueSatisfying(what -> assertThat(what).contains("hold"));
    assertThat(judged("1 SENT relay, 1 DONE relay", 200)).isEmpty();
  }

  private Optional<String> judged(String moves, long begin) {
    List<Audit.Step> steps = new ArrayList<>();
    State from = null;
    int attempt = 0;
    for (String move : moves.isEmpty() ? List.<String>of() : List.of(moves.split(", ", -1))) {
      String[] words = move.split(" ", -1);
      attempt = Integer.parseInt(words[0]);
      State to = State.valueOf(words[1]);
      long at = begin + 10L * (steps.size() + 1);
      steps.add(new Audit.Step("move", from, to, attempt, words[2], at));
      from = to;
    }
    return audit.illegal(steps, from == null ? State.SENT : from, attempt);
  }
}
