package org.relayledger.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.relayledger.ledger.State;

/** The protocol as it is designed is safe, and would not be with any of its flaws. */
class ModelTest {
  private static Explorer.Result explore(int guids, int senders, int attempts, Set<Flaw> flaws) {
    World.Size size = new World.Size(guids, senders, attempts);
    // With flaws the path has to be told as it was.
    boolean alike = flaws.isEmpty();
    return new Explorer(new Protocol(size, flaws), alike).explore((before, after) -> {});
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 3", "1, 2, 3", "2, 1, 1"})
  void theDesignIsSafeInEveryWorldThatCanBeReached(int guids, int senders, int attempts) {
    Explorer.Result result = explore(guids, senders, attempts, Set.of());
    System.out.println(guids + " GUIDs, " + senders + " senders: " + result);
    assertThat(result.wrong()).as(result.toString()).isNull();
  }

  /** Minutes, and half a gigabyte. */
  @ParameterizedTest
  @CsvSource({"2, 1, 2", "2, 1, 3", "2, 2, 2"})
  @Tag("long")
  void theDesignIsSafeInLargerWorlds(int guids, int senders, int attempts) {
    theDesignIsSafeInEveryWorldThatCanBeReached(guids, senders, attempts);
  }

  @ParameterizedTest
  @EnumSource
  void eachFlawHasACounterExample(Flaw flaw) {
    Explorer.Result result = explore(1, 2, 3, EnumSet.of(flaw));
    System.out.println(flaw + ": " + result);
    assertThat(result.wrong()).as(flaw.toString()).isNotNull();
    assertThat(result.path()).isNotEmpty();
  }

  /** A model that never comes to a place, or never makes a move, proves nothing about it. */
  @Test
  void everyPlaceIsVisitedAndEveryMoveIsMadeButThoseOfAPerson() {
    Set<Place> places = EnumSet.noneOf(Place.class);
    Set<String> moves = new TreeSet<>();
    World.Size size = new World.Size(1, 2, 3);
    var unused =
        new Explorer(new Protocol(size, Set.of()), true)
            .explore(
                (before, after) -> {
                  for (int process = 0; process < size.processes(); process++) {
                    places.add(after.place(process));
                  }
                  if (after.state(0) != null && before.state(0) != after.state(0)) {
                    moves.add(before.state(0) + " to " + after.state(0));
                  }
                });
    Set<String> legal = new TreeSet<>(Set.of("null to RECEIVED", "null to SENT"));
    for (State from : State.values()) {
      for (State to : State.values()) {
        if (from.canBecome(to)) {
          legal.add(from + " to " + to);
        }
      }
    }
    assertThat(legal.removeAll(Set.of("RECEIVED to DONE", "FAILED to DONE"))).isTrue();
    assertThat(moves).isEqualTo(legal);
    assertThat(places).containsExactlyInAnyOrder(Place.values());
  }
}
