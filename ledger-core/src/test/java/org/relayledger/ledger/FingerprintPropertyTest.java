package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsReport;
import tools.jackson.core.JsonPointer;

/** What makes two JSON bodies the same request. */
final class FingerprintPropertyTest {
  @Provide
  Arbitrary<JsonTree> objects() {
    return JsonTree.objects();
  }

  @Provide
  Arbitrary<List<String>> pointers() {
    return JsonTree.pointers();
  }

  static Fingerprint.Scheme scheme(List<String> pointers) {
    return Fingerprint.Scheme.without(pointers.stream().map(JsonPointer::compile).toList());
  }

  @Property(seed = "51", edgeCases = EdgeCasesMode.NONE)
  void itIsTheSameHoweverTheBodyIsSpelled(
      @ForAll("objects") JsonTree tree,
      @ForAll("pointers") List<String> pointers,
      @ForAll Random one,
      @ForAll Random two) {
    Fingerprint.Scheme scheme = scheme(pointers);
    byte[] body = tree.spelled(one);
    byte[] again = tree.spelled(two);
    assertThat(scheme.of(again))
        .as(() -> new String(again, UTF_8))
        .isEqualTo(scheme.of(body))
        .isNotEqualTo(scheme.ofRaw(again));
  }

  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  @Property(seed = "52", tries = 5000, edgeCases = EdgeCasesMode.NONE)
  void itIsAnotherIfAndOnlyIfAnythingIsThatCounts(
      @ForAll("objects") JsonTree tree,
      @ForAll("pointers") List<String> pointers,
      @ForAll Random random) {
    Fingerprint.Scheme scheme = scheme(pointers);
    JsonTree changed = tree.changed(random);
    boolean same = tree.without(pointers).equals(changed.without(pointers));
    byte[] body = tree.spelled(random);
    byte[] other = changed.spelled(random);
    assertThat(scheme.of(body).equals(scheme.of(other)))
        .as(() -> new String(body, UTF_8) + "\n" + new String(other, UTF_8))
        .isEqualTo(same);
    String what = same && !changed.equals(tree) ? "only what is left out" : "something";
    Statistics.collect(what);
    Statistics.coverage(all -> all.check("only what is left out").count(times -> times > 50));
  }

  @Property(seed = "53", edgeCases = EdgeCasesMode.NONE)
  void anySchemeIsReadAsItIsStoredAndGivesTheSameFingerprint(
      @ForAll("objects") JsonTree tree,
      @ForAll("pointers") List<String> pointers,
      @ForAll Random random) {
    Fingerprint.Scheme scheme = scheme(pointers);
    Fingerprint.Scheme stored = Fingerprint.Scheme.parse(scheme.text());
    byte[] body = tree.spelled(random);
    assertThat(stored).isEqualTo(scheme);
    assertThat(stored.of(body)).isEqualTo(scheme.of(body));
  }
}
