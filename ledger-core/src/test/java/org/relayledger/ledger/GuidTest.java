package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class GuidTest {
  private static final String ALLOWED =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-";

  @Test
  void everyAllowedCharacterIsKeptAndEveryOtherRefused() {
    for (char c = 0; c < 0x3000; c++) {
      String text = "a" + c;
      assertThat(Guid.parse(text).map(Guid::value))
          .as("U+%04X", (int) c)
          .isEqualTo(ALLOWED.indexOf(c) < 0 ? Optional.empty() : Optional.of(text));
    }
  }

  @Test
  void itIs1To128CharactersLong() {
    assertThat(Guid.parse("")).isEmpty();
    assertThat(Guid.parse("a")).isPresent();
    assertThat(Guid.parse("a".repeat(128))).isPresent();
    assertThat(Guid.parse("a".repeat(129))).isEmpty();
  }

  @Test
  void itHasALetterOrDigit() {
    assertThat(Guid.parse(".")).isEmpty();
    assertThat(Guid.parse("..")).isEmpty();
    assertThat(Guid.parse("-_:.".repeat(8))).isEmpty();
    assertThat(Guid.parse("-0")).isPresent();
  }

  @Test
  void whatIsNoGuidIsNeverOne() {
    assertThatThrownBy(() -> new Guid("a b")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void guidsThatDifferInAsciiCaseOnlyAreOneGuidInEveryLocale() {
    Locale before = Locale.getDefault();
    try {
      for (Locale locale : new Locale[] {Locale.ROOT, new Locale("tr"), new Locale("lt")}) {
        Locale.setDefault(locale);
        Guid upper = new Guid("TITLE-I.Z:9_");
        Guid lower = new Guid("title-i.z:9_");
        assertThat(upper).isEqualTo(lower).hasSameHashCodeAs(lower);
        assertThat(upper.folded()).isEqualTo("title-i.z:9_").isEqualTo(lower.folded());
        assertThat(upper.value()).isEqualTo("TITLE-I.Z:9_");
        assertThat(upper).hasToString("TITLE-I.Z:9_").isNotEqualTo(new Guid("title-i.z:9-"));
      }
    } finally {
      Locale.setDefault(before);
    }
  }
}
