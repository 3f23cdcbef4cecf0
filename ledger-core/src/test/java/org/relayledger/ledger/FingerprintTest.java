package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonPointer;

/** Claim 8: what makes two requests the same request. */
final class FingerprintTest {
  private static Fingerprint.Scheme without(String... pointers) {
    return Fingerprint.Scheme.without(
        List.of(pointers).stream().map(JsonPointer::compile).toList());
  }

  @Test
  void aBodyThatIsNotJsonCountsByteForByte() {
    Fingerprint.Scheme scheme = without("/guid");
    assertThat(scheme.of("a=1".getBytes(UTF_8))).isEqualTo(scheme.of("a=1".getBytes(UTF_8)));
    assertThat(scheme.of("a=1".getBytes(UTF_8))).isNotEqualTo(scheme.of("a=1 ".getBytes(UTF_8)));
    assertThat(scheme.of("a=1".getBytes(UTF_8)).sha256())
        .isEqualTo(Fingerprint.sha256("a=1".getBytes(UTF_8)));
    // Two texts that only the duplicate tells apart from JSON are no JSON.
    assertThat(scheme.of("{\"a\":1,\"a\":1}".getBytes(UTF_8)))
        .isNotEqualTo(scheme.of("{\"a\":1, \"a\":1}".getBytes(UTF_8)));
  }

  @Test
  void sha256IsInHexadecimal() {
    assertThat(Fingerprint.sha256("abc".getBytes(UTF_8)))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  @Test
  void aSchemeIsTheSameInWhateverOrderItsPointersAreGivenAndAsItIsStored() {
    Fingerprint.Scheme scheme = without("/b", "/a~1b/0", "/a", "/b", "");
    assertThat(scheme).isEqualTo(without("", "/a", "/a~1b/0", "/b"));
    assertThat(Fingerprint.Scheme.parse(scheme.text())).isEqualTo(scheme);
    assertThat(Fingerprint.Scheme.parse(without().text())).isEqualTo(without());
    assertThat(scheme).isNotEqualTo(without("/a"));
  }

  @Test
  void aSchemeThatCouldNotBeStoredIsRefused() {
    assertThatThrownBy(() -> without("/a\nb")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSchemeOfALaterVersionIsNotGuessed() {
    assertThatThrownBy(() -> Fingerprint.Scheme.parse("2\n/a"))
        .isInstanceOfSatisfying(
            LedgerException.class,
            e -> assertThat(e.kind()).isEqualTo(LedgerException.Kind.UNAVAILABLE));
  }

  @ParameterizedTest
  @CsvSource({
    "application/json,true",
    "Application/JSON; charset=utf-8,true",
    "application/problem+json,true",
    "text/json,true",
    " application/vnd.bank.v1+JSON ;q=1,true",
    "application/jsonp,false",
    "application/x-json-seq,false",
    "text/plain,false",
    "application/xml+json-ish,false",
    ",false"
  })
  void aContentTypeIsJsonByItsName(String contentType, boolean json) {
    assertThat(Fingerprint.isJson(contentType)).isEqualTo(json);
  }
}
