package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.arbitraries.StringArbitrary;
import net.jqwik.api.constraints.IntRange;

/** What is a GUID, and which two are one. */
final class GuidPropertyTest {
  private static final String GRAMMAR = "(?=[._:-]*[A-Za-z0-9])[A-Za-z0-9._:-]{1,128}";

  private static StringArbitrary allowed() {
    return Arbitraries.strings()
        .withCharRange('A', 'Z')
        .withCharRange('a', 'z')
        .withCharRange('0', '9')
        .withChars("._:-");
  }

  @Provide
  Arbitrary<String> guids() {
    return allowed().ofMinLength(1).ofMaxLength(128).filter(text -> text.matches(GRAMMAR));
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.oneOf(
        allowed().ofMaxLength(140),
        allowed().ofMinLength(126).ofMaxLength(131),
        Arbitraries.strings().withChars("._:-").ofMaxLength(5),
        Arbitraries.strings().withChars("aZ9-./ \n\0\u0130\u0131\u212a\u0660\uff21").ofMaxLength(5),
        Arbitraries.strings().ofMaxLength(3));
  }

  @Property(seed = "11")
  void exactlyWhatTheGrammarSpellsIsAGuidAndKeptAsItIs(@ForAll("texts") String text) {
    assertThat(Guid.parse(text).isPresent()).isEqualTo(text.matches(GRAMMAR));
    assertThat(Guid.parse(text).map(Guid::toString).orElse(text)).isEqualTo(text);
  }

  @Property(seed = "12")
  void oneCharacterThatIsNotAllowedMakesItNoGuid(
      @ForAll("guids") String guid, @ForAll char c, @ForAll @IntRange(max = 127) int place) {
    int at = Math.min(place, guid.length());
    String text = guid.substring(0, at) + c + guid.substring(at);
    boolean allowed = String.valueOf(c).matches("[A-Za-z0-9._:-]");
    assertThat(Guid.parse(text).isPresent()).isEqualTo(allowed && text.length() <= 128);
  }

  @Property(seed = "13")
  void theSameInAnotherCaseIsTheSameGuidInEveryLocale(
      @ForAll("guids") String text, @ForAll long cases, @ForAll("locales") Locale locale) {
    StringBuilder other = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      String c = text.substring(i, i + 1);
      boolean upper = (cases >> (i % Long.SIZE) & 1) == 1;
      other.append(upper ? c.toUpperCase(Locale.ROOT) : c.toLowerCase(Locale.ROOT));
    }
    in(
        locale,
        () -> {
          Guid one = new Guid(text);
          Guid two = new Guid(other.toString());
          assertThat(one).isEqualTo(two).hasSameHashCodeAs(two).hasToString(text);
          assertThat(one.folded()).isEqualTo(two.folded()).isEqualTo(text.toLowerCase(Locale.ROOT));
        });
  }

  @Property(seed = "14")
  void twoGuidsAreEqualIfAndOnlyIfTheyFoldToOne(
      @ForAll("short") String one, @ForAll("short") String two, @ForAll("locales") Locale locale) {
    in(
        locale,
        () -> {
          boolean same = one.toLowerCase(Locale.ROOT).equals(two.toLowerCase(Locale.ROOT));
          assertThat(new Guid(one).equals(new Guid(two))).isEqualTo(same);
          assertThat(new Guid(one).folded().equals(new Guid(two).folded())).isEqualTo(same);
        });
  }

  @Provide("short")
  Arbitrary<String> shortGuids() {
    return Arbitraries.strings().withChars("iIkK1").ofMinLength(1).ofMaxLength(3);
  }

  @Provide
  Arbitrary<Locale> locales() {
    return Arbitraries.of(Locale.ROOT, new Locale("tr"), new Locale("az"), new Locale("lt"));
  }

  private static void in(Locale locale, Runnable check) {
    Locale before = Locale.getDefault();
    Locale.setDefault(locale);
    try {
      check.run();
    } finally {
      Locale.setDefault(before);
    }
  }
}
