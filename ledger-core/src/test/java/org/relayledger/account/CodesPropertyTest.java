package org.relayledger.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Which codes a pattern such as {@code B2??} matches. */
final class CodesPropertyTest {
  /** Few enough characters that patterns often match. */
  private static final String SOME = "aB2";

  @Provide
  Arbitrary<List<String>> patterns() {
    return Arbitraries.strings()
        .withChars(SOME + "??.*")
        .ofMinLength(1)
        .ofMaxLength(4)
        .list()
        .ofMinSize(1)
        .ofMaxSize(3);
  }

  @Provide
  Arbitrary<String> codes() {
    return Arbitraries.strings().withChars(SOME + "?.\u0130 \n\u007f").ofMaxLength(4);
  }

  private static boolean matches(String pattern, String code) {
    String regex =
        pattern
            .chars()
            .mapToObj(c -> c == '?' ? "[!-~]" : Pattern.quote(String.valueOf((char) c)))
            .collect(Collectors.joining());
    return Pattern.matches(regex, code);
  }

  @Property(seed = "41")
  void aCodeMatchesIfAnyPatternDoesCharacterByCharacter(
      @ForAll("patterns") List<String> patterns, @ForAll("codes") String code) {
    Codes read = Codes.parse(String.join(" ,\t", patterns));
    assertThat(read.patterns()).isEqualTo(patterns);
    assertThat(read.matches(code))
        .isEqualTo(patterns.stream().anyMatch(pattern -> matches(pattern, code)));
  }

  @Property(seed = "42")
  void twoListsOverlapIfAndOnlyIfThereIsACodeThatBothMatch(
      @ForAll("patterns") List<String> ones, @ForAll("patterns") List<String> others) {
    Codes one = new Codes(ones);
    Codes other = new Codes(others);
    // With a question mark filled in as the other list has it, every common code has a witness.
    boolean common =
        ones.stream()
            .flatMap(mine -> others.stream().map(its -> witness(mine, its)))
            .anyMatch(code -> one.matches(code) && other.matches(code));
    assertThat(one.overlaps(other)).isEqualTo(common);
    assertThat(other.overlaps(one)).isEqualTo(common);
  }

  private static String witness(String mine, String its) {
    StringBuilder code = new StringBuilder(mine);
    for (int i = 0; i < Math.min(mine.length(), its.length()); i++) {
      if (mine.charAt(i) == '?') {
        code.setCharAt(i, its.charAt(i));
      }
    }
    return code.toString();
  }
}
