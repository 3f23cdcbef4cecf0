package org.relayledger.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ExitTest {
  private static final List<Integer> WORST_FIRST =
      List.of(1, 10, 13, 14, 12, 7, 8, 5, 4, 9, 6, 3, 0);

  @Test
  void theCodesAreThoseOfTheContractAndNoOthers() {
    assertThat(Arrays.stream(Exit.values()).map(Exit::code))
        .containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 130, 143);
  }

  @Test
  void theWorseOfTwoIsTheOneThatComesFirstInTheContract() {
    for (int i = 0; i < WORST_FIRST.size(); i++) {
      for (int j = i; j < WORST_FIRST.size(); j++) {
        Exit worse = exit(WORST_FIRST.get(i));
        Exit better = exit(WORST_FIRST.get(j));
        assertThat(Exit.worst(worse, better)).isEqualTo(worse);
        assertThat(Exit.worst(better, worse)).isEqualTo(worse);
      }
    }
  }

  @Test
  void whatEndsARunBeforeOrAfterTheWorkIsNeverOneOfSeveral() {
    Set<Exit> alone = Set.of(exit(2), exit(11), exit(130), exit(143));
    for (Exit exit : alone) {
      assertThatThrownBy(() -> Exit.worst(exit, Exit.OK))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> Exit.worst(Exit.OK, exit))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void everyCodeHasAMeaningOfItsOwn() {
    assertThat(Arrays.stream(Exit.values()).map(Exit::meaning).collect(Collectors.toSet()))
        .hasSameSizeAs(Exit.values());
  }

  private static Exit exit(int code) {
    return Arrays.stream(Exit.values()).filter(e -> e.code() == code).findFirst().orElseThrow();
  }
}
