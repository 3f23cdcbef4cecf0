package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/** What a JSON text says, and the many ways to spell it. */
sealed interface JsonTree {
  /** A number, true, false or null, as written. */
  record Literal(String text) implements JsonTree {}

  /** A string. */
  record Text(String text) implements JsonTree {}

  /** An array. */
  record Elements(List<JsonTree> all) implements JsonTree {}

  /** An object. */
  record Members(Map<String, JsonTree> all) implements JsonTree {}

  /** What is left of an element that does not count. */
  record Gone() implements JsonTree {}

  /** Names that pointers of {@link #POINTERS} lead to, and others. */
  List<String> NAMES =
      List.of("a", "a", "a", "guid", "sentAt", "0", "a/b", "\"\\\n", "\ud83d\ude00", "");

  /** What may be left out. */
  List<String> POINTERS =
      List.of("/guid", "/sentAt", "/a", "/a/0", "/a~1b", "/a/sentAt", "/sentAt/1/guid");

  /** Any object, small enough that two of them are often nearly the same. */
  static Arbitrary<JsonTree> objects() {
    Arbitrary<JsonTree> leaves =
        Arbitraries.oneOf(
            Arbitraries.of("0", "-0", "0.0", "1", "1.0", "1.10", "1e1", "1E1", "1e+1", "true")
                .map(Literal::new),
            Arbitraries.of("false", "null", "12345678901234567890").map(Literal::new),
            Arbitraries.of("", "1", "true", "a", "A", "\u00e9", "e\u0301", "/", "\",\"", "\\", "\n")
                .map(Text::new),
            Arbitraries.of("\ud83d\ude00", "\ud83d", "\ude00", "\u0000", "{}", "\\u0061")
                .map(Text::new));
    Arbitrary<JsonTree> values =
        Arbitraries.recursive(
            () -> leaves,
            below ->
                Arbitraries.frequencyOf(
                    Tuple.of(1, members(below)), Tuple.of(1, elements(below)), Tuple.of(2, leaves)),
            0,
            2);
    return members(values);
  }

  /** Any few of those pointers. */
  static Arbitrary<List<String>> pointers() {
    return Arbitraries.of(POINTERS).set().ofMaxSize(3).map(List::copyOf);
  }

  private static Arbitrary<JsonTree> members(Arbitrary<JsonTree> values) {
    return Arbitraries.maps(Arbitraries.of(NAMES), values)
        .ofMaxSize(4)
        .map(all -> new Members(new TreeMap<>(all)));
  }

  private static Arbitrary<JsonTree> elements(Arbitrary<JsonTree> values) {
    return values.list().ofMaxSize(3).map(Elements::new);
  }

  /** Another tree that differs from this one in one place, which {@code random} chooses. */
  default JsonTree changed(Random random) {
    if (this instanceof Members members) {
      Map<String, JsonTree> all = new TreeMap<>(members.all);
      String name = NAMES.get(random.nextInt(NAMES.size()));
      JsonTree there = all.remove(name);
      if (there == null) {
        all.put(name, new Literal("1"));
      } else if (random.nextInt(4) > 0) {
        all.put(name, there.changed(random));
      }
      return new Members(all);
    }
    if (this instanceof Elements elements) {
      List<JsonTree> all = new ArrayList<>(elements.all);
      int at = random.nextInt(all.size() + 1);
      if (at == all.size()) {
        all.add(new Literal("1"));
      } else if (at > 0 && all.get(at - 1) instanceof Text one && all.get(at) instanceof Text two) {
        // What looks like two strings, in one.
        all.set(at, new Text(one.text + "\",\"" + two.text));
        all.remove(at - 1);
      } else if (random.nextInt(4) > 0) {
        all.set(at, all.get(at).changed(random));
      } else {
        all.remove(at);
      }
      return new Elements(all);
    }
    if (this instanceof Text text) {
      return random.nextBoolean() ? new Text(text.text + " ") : new Elements(List.of(this));
    }
    Literal literal = (Literal) this;
    return random.nextBoolean() && Character.isDigit(literal.text.charAt(0))
        ? new Literal(literal.text.replaceFirst("$", literal.text.matches("[0-9]+") ? ".0" : "0"))
        : new Text(literal.text);
  }

  /** The same without what {@code pointers} lead to; of an array its place stays. */
  default JsonTree without(List<String> pointers) {
    JsonTree rest = this;
    for (String pointer : pointers) {
      List<String> steps =
          Arrays.stream(pointer.substring(1).split("/", -1))
              .map(step -> step.replace("~1", "/").replace("~0", "~"))
              .toList();
      rest = rest.without(steps, 0);
    }
    return rest;
  }

  private JsonTree without(List<String> steps, int done) {
    boolean last = done + 1 == steps.size();
    String step = steps.get(done);
    if (this instanceof Members members && members.all.containsKey(step)) {
      Map<String, JsonTree> all = new TreeMap<>(members.all);
      JsonTree there = all.remove(step);
      if (!last) {
        all.put(step, there.without(steps, done + 1));
      }
      return new Members(all);
    }
    if (this instanceof Elements elements && step.matches("[0-9]")) {
      int at = Integer.parseInt(step);
      if (at < elements.all.size()) {
        List<JsonTree> all = new ArrayList<>(elements.all);
        all.set(at, last ? new Gone() : all.get(at).without(steps, done + 1));
        return new Elements(all);
      }
    }
    return this;
  }

  /** One of its spellings: {@code random} decides on order, white space and escapes. */
  default byte[] spelled(Random random) {
    StringBuilder out = new StringBuilder();
    spell(random, out);
    return out.toString().getBytes(UTF_8);
  }

  private void spell(Random random, StringBuilder out) {
    blank(random, out);
    if (this instanceof Members members) {
      out.append('{');
      List<String> names = new ArrayList<>(members.all.keySet());
      Collections.shuffle(names, random);
      String comma = "";
      for (String name : names) {
        out.append(comma);
        blank(random, out);
        quote(name, random, out);
        blank(random, out);
        out.append(':');
        members.all.get(name).spell(random, out);
        comma = ",";
      }
      blank(random, out);
      out.append('}');
    } else if (this instanceof Elements elements) {
      out.append('[');
      String comma = "";
      for (JsonTree element : elements.all) {
        out.append(comma);
        element.spell(random, out);
        comma = ",";
      }
      blank(random, out);
      out.append(']');
    } else if (this instanceof Text text) {
      quote(text.text, random, out);
    } else {
      out.append(((Literal) this).text);
    }
    blank(random, out);
  }

  private static void blank(Random random, StringBuilder out) {
    if (random.nextInt(3) == 0) {
      out.append(" \t\r\n", 0, random.nextInt(5));
    }
  }

  private static void quote(String text, Random random, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      int end = i + Character.charCount(c);
      int known = "\"\\/\b\f\n\r\t".indexOf(c);
      boolean unpaired = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
      boolean bare = c >= ' ' && c != '"' && c != '\\' && !unpaired;
      if (known >= 0 && random.nextBoolean()) {
        out.append('\\').append("\"\\/bfnrt".charAt(known));
      } else if (bare && random.nextInt(3) > 0) {
        out.appendCodePoint(c);
      } else {
        for (char unit : text.substring(i, end).toCharArray()) {
          out.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", (int) unit));
        }
      }
      i = end;
    }
    out.append('"');
  }
}
