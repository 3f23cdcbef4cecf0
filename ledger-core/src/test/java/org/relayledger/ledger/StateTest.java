package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class StateTest {
  /** The table of section 2 of the design, purge and the first insert left out. */
  static final Map<State, Set<State>> MOVES =
      Map.of(
          State.RECEIVED, Set.of(State.SENT, State.DONE),
          State.SENT, Set.of(State.DONE, State.UNKNOWN, State.FAILED),
          State.UNKNOWN, Set.of(State.DONE, State.FAILED),
          State.FAILED, Set.of(State.SENT, State.DONE),
          State.DONE, Set.of());

  @ParameterizedTest
  @EnumSource(State.class)
  void aStateBecomesWhatTheTableOfMovesSaysAndNothingElse(State from) {
    for (State to : State.values()) {
      assertThat(from.canBecome(to)).as(from + " to " + to).isEqualTo(MOVES.get(from).contains(to));
    }
  }
}
