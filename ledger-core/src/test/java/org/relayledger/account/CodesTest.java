package org.relayledger.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CodesTest {
  private static final Codes CODES = Codes.parse("0000, B2??,E500");

  @ParameterizedTest
  @ValueSource(strings = {"0000", "B200", "B2zz", "B2??", "E500"})
  void theWholeCodeMatchesWithAnyCharacterForAQuestionMark(String code) {
    assertThat(CODES.matches(code)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0", "00000", "b200", "B2", "B20", "B2000", "B2\n0", "B2é0", "E501", " 0000"})
  void nothingElseMatches(String code) {
    assertThat(CODES.matches(code)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"????", "000?", "B???", "?500"})
  void aQuestionMarkInACodeIsJustACharacter(String code) {
    assertThat(CODES.matches(code)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"E*", "E.0", "E\\d"})
  void nothingElseInAPatternIsSpecial(String pattern) {
    assertThat(Codes.parse(pattern).matches("E00")).isFalse();
    assertThat(Codes.parse(pattern).matches(pattern)).isTrue();
  }

  @Test
  void noneMatchesNothing() {
    assertThat(Codes.NONE.matches("")).isFalse();
    assertThat(Codes.NONE.overlaps(CODES)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "B2??,   B211, true",
    "B2??,   ??11, true",
    "A1?2,   A??2, true",
    "B2??,   B311, false",
    "B2??,   B2?,  false",
    "A1?2,   A2?2, false"
  })
  void overlapIsExact(String a, String b, boolean expected) {
    assertThat(Codes.parse(a).overlaps(Codes.parse(b))).isEqualTo(expected);
    assertThat(Codes.parse(b).overlaps(Codes.parse(a))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "0000,", ",0000", "0000,,E500", "00 00", "00\t00", "é"})
  void malformedListsAreRefusedInOneLine(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Codes.parse(text))
        .withMessageNotContaining("\n");
  }

  @Test
  void showsItselfAsItIsWritten() {
    assertThat(CODES).hasToString("0000,B2??,E500");
  }
}
