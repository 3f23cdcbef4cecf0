package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.relayledger.testing.Mutations;
import org.relayledger.testing.StrictJson;
import tools.jackson.core.JsonPointer;

/** The canonical form against a second reader, on spoilt documents. */
class FuzzJsonTest {
  private static final List<byte[]> SEEDS =
      Stream.of(
              "{\"guid\":\"T-1\",\"amount\":1}",
              "{\"guid\":\"T-1\",\"to\":{\"iban\":\"DE00\",\"names\":[\"a\",\"b\"]},\"ok\":true}",
              " [1, -0.5e+3, \"\\u00e9\u00e9\\n\\/\", null, {}, [], [[[]]]] ",
              "{\"a\":{\"b\":{\"c\":[1,2,{\"d\":\"\\ud83d\\ude00\"}]}},\"\":0,\"b\":\"\\\\\\\"\"}",
              "\"x\"",
              "12.50",
              "[".repeat(499) + "{}" + "]".repeat(499))
          .map(text -> text.getBytes(UTF_8))
          .toList();
  private static final List<String> WORDS =
      List.of("\"a\":1,", "\"guid\"", "true", "1.0", "\\u0061", "\u00e9", "[]", "{}", "\"\":0");
  private static final int MOST_COMMON = 200;
  private static final JsonPointer GUID = JsonPointer.compile("/guid");

  @Test
  void twentyThousandSpoiltDocumentsAreReadAsTheSecondReaderReadsThem() {
    fuzz(20260401, 20_000);
  }

  @Test
  @Tag("long")
  void aHundredAndFiftyThousandSpoiltDocumentsAreReadAsTheSecondReaderReadsThem() {
    fuzz(20260402, 150_000);
  }

  private static void fuzz(long seed, int rounds) {
    Random random = new Random(seed);
    Mutations documents = new Mutations(random, SEEDS, WORDS);
    Fingerprint.Scheme scheme = Fingerprint.Scheme.without(List.of());
    Map<String, Object> valueOf = new HashMap<>();
    Map<Object, String> canonicalOf = new HashMap<>();
    int read = 0;
    for (int round = 1; round <= rounds; round++) {
      byte[] document = documents.next();
      String where = "seed " + seed + ", round " + round;
      Optional<Object> expected = StrictJson.read(document);
      Optional<Json> json = json(document, where);
      assertThat(json.isPresent()).as(where).isEqualTo(expected.isPresent());
      String sha256 = scheme.of(document).sha256();
      if (json.isEmpty()) {
        assertThat(sha256).as(where).isEqualTo(Fingerprint.sha256(document));
        continue;
      }
      read++;
      String canonical = json.get().canonical();
      assertThat(guid(json.get())).as(where).isEqualTo(guid(expected.get()));
      byte[] rewritten = write(expected.get(), random).getBytes(UTF_8);
      assertThat(scheme.of(rewritten).sha256()).as(where + ", rewritten").isEqualTo(sha256);
      if (canonical.length() < 200) {
        assertThat(valueOf.merge(canonical, expected.get(), (known, now) -> known))
            .as(where)
            .isEqualTo(expected.get());
        assertThat(canonicalOf.merge(expected.get(), canonical, (known, now) -> known))
            .as(where)
            .isEqualTo(canonical);
      }
    }
    assertThat(read).as("documents that were read").isBetween(rounds / 8, rounds / 2);
    assertThat(valueOf).as("different values").hasSizeGreaterThan(MOST_COMMON);
  }

  private static Optional<Json> json(byte[] document, String where) {
    try {
      return Optional.of(Json.read(document, List.of(GUID), List.of()));
    } catch (Json.Malformed e) {
      return Optional.empty();
    } catch (RuntimeException | Error e) {
      throw new AssertionError(where + ": not refused in the documented way", e);
    }
  }

  private static Object guid(Json json) {
    Json.Value value = json.at(GUID);
    return value != null && value.isString() ? value.text() : null;
  }

  private static Object guid(Object value) {
    Object guid = value instanceof Map<?, ?> members ? members.get("guid") : null;
    return guid instanceof String ? guid : null;
  }

  /** {@code value} once more, in another order, with other blanks and escapes. */
  private static String write(Object value, Random random) {
    String blanks = " \r\n\t".substring(0, random.nextInt(3));
    if (value instanceof StrictJson.Bare bare) {
      return blanks + bare.text() + blanks;
    }
    if (value instanceof String text) {
      StringBuilder out = new StringBuilder(blanks).append('"');
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        boolean plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
        out.append(plain && random.nextBoolean() ? "" + c : String.format("\\u%04x", (int) c));
      }
      return out.append('"').append(blanks).toString();
    }
    List<String> parts = new ArrayList<>();
    if (value instanceof List<?> list) {
      list.forEach(each -> parts.add(write(each, random)));
      return blanks + "[" + String.join(",", parts) + "]";
    }
    ((Map<?, ?>) value)
        .forEach((name, each) -> parts.add(write(name, random) + ":" + write(each, random)));
    Collections.shuffle(parts, random);
    return "{" + blanks + String.join(",", parts) + "}" + blanks;
  }
}
