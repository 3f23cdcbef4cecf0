package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonPointer;

/** What claim 8 calls the same request and another one, and what claim 9 calls no JSON. */
final class JsonTest {
  private static Json read(String text, String... omit) throws Json.Malformed {
    List<JsonPointer> pointers = Arrays.stream(omit).map(JsonPointer::compile).toList();
    return Json.read(text.getBytes(UTF_8), List.of(), pointers);
  }

  private static String canonical(String text, String... omit) {
    try {
      return read(text, omit).canonical();
    } catch (Json.Malformed e) {
      throw new AssertionError(text, e);
    }
  }

  private static void same(String one, String two, String... omit) {
    assertThat(canonical(one, omit)).as(one + " is " + two).isEqualTo(canonical(two, omit));
  }

  private static void different(String one, String two, String... omit) {
    assertThat(canonical(one, omit)).as(one + " is not " + two).isNotEqualTo(canonical(two, omit));
  }

  @Test
  void memberOrderAndWhiteSpaceDoNotMatter() {
    same("{\"a\":1,\"b\":[true,null]}", " {\n\t\"b\" : [ true , null ],\r\"a\" : 1 } ");
    same("{\"b\":{\"y\":1,\"x\":2},\"a\":{}}", "{\"a\":{},\"b\":{\"x\":2,\"y\":1}}");
    same("[]", "[ ]");
    same("\"a\"", "\n\"a\"");
    different("[1,2]", "[2,1]");
    different("[1,2]", "[12]");
    different("{\"a\":{\"b\":1}}", "{\"a\":1,\"b\":1}");
    different("{\"a\":[]}", "{\"a\":{}}");
    different("{}", "{\"a\":null}");
    different("[[],[]]", "[[[]]]");
  }

  @Test
  void numbersAreAsTheyAreWritten() {
    List<String> numbers =
        List.of("1.10", "1.1", "1e400", "2e400", "1E400", "1e+400", "-0", "0", "0.0", "1", "1.0");
    for (String one : numbers) {
      for (String two : numbers) {
        if (one.equals(two)) {
          same("{\"a\":" + one + "}", "{ \"a\" : " + two + " }");
        } else {
          different("{\"a\":" + one + "}", "{\"a\":" + two + "}");
        }
      }
      different(one, "\"" + one + "\"");
    }
    String digits = "9".repeat(100_000);
    different("[" + digits + "]", "[" + digits + "9]");
    different("[0." + digits + "1]", "[0." + digits + "2]");
  }

  @Test
  void stringsAreComparedByCodeUnitHoweverTheyAreEscaped() {
    same("\"A\"", "\"\\u0041\"");
    same("{\"A\":1}", "{\"\\u0041\":1}");
    same("\"\\/\\b\\f\\n\\r\\t\"", "\"/\\u0008\\u000c\\u000a\\u000D\\u0009\"");
    same("\"\u00e9\"", "\"\\u00E9\"");
    same("\"\ud83d\ude00\"", "\"\\ud83d\\uDE00\"");
    different("\"\u00e9\"", "\"e\u0301\"");
    different("\"a\"", "\"A\"");
    different("\"\\u0000\"", "\"\"");
    different("\"true\"", "true");
    different("\"null\"", "null");
  }

  @Test
  void unpairedSurrogatesAreToldApart() {
    List<String> strings =
        List.of(
            "\\ud800", "\\ud801", "\\udc00", "\\udc00\\ud800", "\\ud800\\udc00", "\\ufffd", "?");
    for (String one : strings) {
      for (String two : strings) {
        if (!one.equals(two)) {
          different("\"" + one + "\"", "\"" + two + "\"");
          assertThat(Samples.SCHEME.of(("\"" + one + "\"").getBytes(UTF_8)))
              .as(one + " and " + two)
              .isNotEqualTo(Samples.SCHEME.of(("\"" + two + "\"").getBytes(UTF_8)));
        }
      }
    }
  }

  @Test
  void whatLooksLikeStructureInAStringIsNone() {
    different("[\"a\",\"b\"]", "[\"a\\\",\\\"b\"]");
    different("{\"a\":1,\"b\":2}", "{\"a\\\":1,\\\"b\":2}");
    different("[\"\\\\\",\"\"]", "[\"\\\\\\\",\\\"\"]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"b\":2,\"a\":3}",
        "{\"a\":1,\"\\u0061\":1}",
        "{\"\\ud83d\\ude00\":1,\"\ud83d\ude00\":1}",
        "{\"x\":[{\"y\":{\"a\":1,\"a\":2}}]}",
        "{\"skip\":1,\"skip\":2}",
        "{\"\":1,\"\":2}"
      })
  void duplicateMembersAreRefusedHoweverTheyAreEscapedAndWhereverTheyAre(String text) {
    assertThatThrownBy(() -> read(text, "/skip"))
        .isInstanceOf(Json.Malformed.class)
        .hasMessage("duplicate member");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "[1,",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,}",
        "[1,]",
        "[,1]",
        "{,}",
        "{a:1}",
        "{'a':1}",
        "'a'",
        "\"a",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"a\nb\"",
        "\"\t\"",
        "tru",
        "nul",
        "True",
        "truefalse",
        "NaN",
        "Infinity",
        "-Infinity",
        "-",
        "+1",
        "01",
        "-01",
        ".5",
        "1.",
        "1.e5",
        "1e",
        "1e+",
        "0x10",
        "1_000",
        "12a",
        "1 2",
        "1,2",
        "{}{}",
        "{}x",
        "{} x",
        "[]]",
        "\"a\"\"b\"",
        "null,",
        "/*c*/1",
        "1//c",
        "#c\n1",
        "\u00a01",
        "\u2028{}",
        "\ufeff{}",
        "1\u0000",
        "\u0000",
        "{}\u0000",
        "{\"a\" 1}",
        "[1 2]",
        "{\"a\":1 \"b\":2}",
        "undefined",
        "{\"\\ud800\":1}",
        "{\"\\udc00\":1}"
      })
  void whatIsNotOneStrictJsonTextIsRefusedInPlainWords(String text) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(Json.Malformed.class)
        .message()
        .matches("no value|text after the end of the value|syntax error at line \\d, column \\d+");
  }

  @Test
  void onlyUtf8WithoutAByteOrderMarkIsRead() {
    String text = "{\"a\":\"\u00e9\"}";
    assertThat(canonical(text)).isEqualTo("{\"a\":\"\u00e9\",}");
    for (Charset charset :
        List.of(
            UTF_16, UTF_16LE, UTF_16BE, Charset.forName("UTF-32"), Charset.forName("UTF-32LE"))) {
      refused(text.getBytes(charset));
      refused("{}".getBytes(charset));
    }
    refused(("\ufeff" + text).getBytes(UTF_8));
    for (String hex :
        List.of(
            "22ff22", // no UTF-8 byte
            "22c328", // a cut sequence
            "22c322", // a cut sequence before the quote
            "22c0af22", // overlong
            "22e080af22", // overlong
            "22eda08022", // a surrogate
            "22f490808022", // beyond U+10FFFF
            "22e98d")) {
      refused(HexFormat.of().parseHex(hex));
    }
  }

  private static void refused(byte[] bytes) {
    assertThatThrownBy(() -> Json.read(bytes, List.of(), List.of()))
        .as(HexFormat.of().formatHex(bytes))
        .isInstanceOf(Json.Malformed.class);
  }

  @Test
  void fiveHundredLevelsAreReadAndNotOneMore() throws Exception {
    for (String[] level : new String[][] {{"[", "]"}, {"{\"a\":", "}"}}) {
      String core = level[0].equals("[") ? "" : "1";
      read(level[0].repeat(500) + core + level[1].repeat(500));
      for (int depth : List.of(501, 100_000)) {
        assertThatThrownBy(() -> read(level[0].repeat(depth) + core + level[1].repeat(depth)))
            .isInstanceOf(Json.Malformed.class)
            .hasMessage("nested more than 500 levels deep");
        assertThatThrownBy(() -> read(level[0].repeat(depth))).isInstanceOf(Json.Malformed.class);
      }
    }
  }

  @Test
  void whatIsOmittedDoesNotMatter() {
    same("{\"a\":1,\"sentAt\":1}", "{\"sentAt\":{\"x\":[2]},\"a\":1}", "/sentAt");
    same("{\"a\":1,\"sentAt\":1}", "{\"a\":1}", "/sentAt");
    same("{\"h\":{\"t\":1,\"u\":2}}", "{\"h\":{\"u\":2}}", "/h/t");
    same("{\"h\":[{\"t\":1},{\"t\":2}]}", "{\"h\":[{\"t\":3},{\"t\":2}]}", "/h/0/t");
    same("[1,2]", "[1,3]", "/1");
    same("{\"a/b\":1,\"c\":2}", "{\"a/b\":2,\"c\":2}", "/a~1b");
    same("{\"a~b\":1,\"c\":2}", "{\"a~b\":2,\"c\":2}", "/a~0b");
    same("{\"~1\":1}", "{\"~1\":2}", "/~01");
    same("{\"0\":1}", "{\"0\":2}", "/0");
    same("{\"\":1}", "{\"\":2}", "/");
    same("{\"t\":1,\"u\":1}", "{\"t\":2,\"u\":2}", "/t", "/u");
  }

  @Test
  void whatIsOnlyLikeItMatters() {
    different("{\"h\":{\"sentAt\":1}}", "{\"h\":{\"sentAt\":2}}", "/sentAt");
    different("{\"SentAt\":1}", "{\"SentAt\":2}", "/sentAt");
    different("{\"sentAt\":1,\"a\":1}", "{\"sentAt\":1,\"a\":2}", "/sentAt");
    different("{\"h\":[{\"t\":1},{\"t\":2}]}", "{\"h\":[{\"t\":1},{\"t\":3}]}", "/h/0/t");
    different("[1,2]", "[1]", "/1");
    different("[1,2]", "[2]", "/0");
    different("{\"a/b\":1}", "{\"a/b\":2}", "/a/b");
    different("{\"~1\":1}", "{\"~1\":2}", "/~1");
    different("{\"h\":1}", "{\"h\":2}", "/h/t");
    different("{\"sentAt\":1}", "[1]", "/sentAt");
  }

  @Test
  void whatWasAskedForIsFoundAlsoWhereItIsOmitted() throws Exception {
    List<JsonPointer> find =
        List.of(
            JsonPointer.compile("/guid"),
            JsonPointer.compile("/h/1/n"),
            JsonPointer.compile("/h"),
            JsonPointer.compile("/none"));
    String text = "{\"h\":[0,{\"n\":1.50,\"m\":2}],\"\\u0067uid\":\"x\\u0041\"}";
    Json json = Json.read(text.getBytes(UTF_8), find, List.of(find.get(0)));
    assertThat(json.at(find.get(0))).isEqualTo(new Json.Value(true, "xA"));
    assertThat(json.at(find.get(1))).isEqualTo(new Json.Value(false, "1.50"));
    assertThat(json.at(find.get(2))).isEqualTo(new Json.Value(false, "["));
    assertThat(json.at(find.get(3))).isNull();
    assertThat(json.canonical()).doesNotContain("guid");
  }

  @Test
  void theCanonicalFormIsTheSameForTheSameValueOnlyWhateverItIs() {
    Random random = new Random(20260131);
    Map<String, Object> valueOf = new HashMap<>();
    int seen = 0;
    for (int i = 0; i < 6_000; i++) {
      Object value = value(random, 3);
      String canonical = canonical(write(value, random));
      same(write(value, random), write(value, random));
      Object known = valueOf.putIfAbsent(canonical, value);
      if (known != null) {
        seen++;
        assertThat(known).as(canonical).isEqualTo(value);
      }
    }
    assertThat(seen).as("values that came twice").isGreaterThan(100);
    assertThat(valueOf.values()).doesNotHaveDuplicates();
    assertThat(valueOf).hasSizeGreaterThan(1_000);
  }

  /** A number or literal, as written. */
  private record Bare(String text) {}

  private static final List<String> BARE = List.of("0", "-0", "1", "10", "1e1", "true", "null");

  private static Object value(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 4 : 2)) {
      case 0 -> new Bare(BARE.get(random.nextInt(BARE.size())));
      case 1 -> string(random);
      case 2 -> {
        List<Object> list = new ArrayList<>();
        for (int n = random.nextInt(3); n > 0; n--) {
          list.add(value(random, depth - 1));
        }
        yield list;
      }
      default -> {
        Map<String, Object> map = new TreeMap<>();
        for (int n = random.nextInt(3); n > 0; n--) {
          String name = string(random).replaceAll("[\\x{d800}\\x{dc00}]", "u");
          map.put(name, value(random, depth - 1));
        }
        yield map;
      }
    };
  }

  private static String string(Random random) {
    StringBuilder out = new StringBuilder();
    for (int n = random.nextInt(4); n > 0; n--) {
      out.append("\",\\:{}[]a\ud800\udc00\u0000".charAt(random.nextInt(12)));
    }
    return out.toString();
  }

  /** {@code value} as JSON, in one of the many ways to write it. */
  private static String write(Object value, Random random) {
    String space = " \n".substring(0, random.nextInt(3));
    if (value instanceof Bare bare) {
      return space + bare.text + space;
    }
    if (value instanceof String text) {
      StringBuilder out = new StringBuilder(space).append('"');
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        boolean plain = c >= ' ' && c < 0x80 && c != '"' && c != '\\';
        out.append(plain && random.nextBoolean() ? "" + c : String.format("\\u%04x", (int) c));
      }
      return out.append('"').append(space).toString();
    }
    List<String> parts = new ArrayList<>();
    if (value instanceof List<?> list) {
      list.forEach(each -> parts.add(write(each, random)));
      return space + "[" + String.join(",", parts) + "]";
    }
    ((Map<?, ?>) value)
        .forEach((name, each) -> parts.add(write(name, random) + ":" + write(each, random)));
    Collections.shuffle(parts, random);
    return "{" + space + String.join(",", parts) + "}" + space;
  }
}
