package org.relayledger.ledger;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonPointer;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * One strictly read JSON text: UTF-8 without a byte order mark, one value, no duplicate members, no
 * unpaired surrogate in the name of a member, at most {@value #MAX_DEPTH} levels deep (RFC 8259).
 * What two readers could understand differently is refused.
 */
public final class Json {
  /** The deepest nesting that is read. */
  public static final int MAX_DEPTH = 500;

  // Numbers are never converted, so that their length needs no limit of its own; names are not
  // canonicalized, so that no table grows with what hostile callers send.
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  /** The text is not JSON, or not unambiguously so; the message says why in a few words. */
  public static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    Malformed(String message) {
      super(message);
    }
  }

  /**
   * A value that was asked for.
   *
   * @param isString whether it is a JSON string
   * @param text the string's characters; a number or literal as written; the bracket of a container
   */
  public record Value(boolean isString, String text) {}

  private final String canonical;
  private final Map<JsonPointer, Value> found;

  private Json(String canonical, Map<JsonPointer, Value> found) {
    this.canonical = canonical;
    this.found = found;
  }

  /**
   * Reads {@code utf8}.
   *
   * @param find the pointers (RFC 6901) whose values are wanted
   * @param omit the pointers whose members are left out of the canonical form
   */
  public static Json read(byte[] utf8, Collection<JsonPointer> find, Collection<JsonPointer> omit)
      throws Malformed {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new Malformed("not UTF-8");
    }
    List<Trail> trails = new ArrayList<>();
    find.forEach(pointer -> trails.add(new Trail(pointer, pointer, false)));
    omit.forEach(pointer -> trails.add(new Trail(pointer, pointer, true)));
    StringBuilder out = new StringBuilder(text.length());
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() == null) {
        throw new Malformed("no value");
      }
      Map<JsonPointer, Value> found = new HashMap<>();
      read(parser, trails, found, out);
      if (parser.nextToken() != null) {
        throw new Malformed("text after the end of the value");
      }
      return new Json(out.toString(), found);
    } catch (StreamConstraintsException e) {
      throw new Malformed("nested more than " + MAX_DEPTH + " levels deep");
    } catch (JacksonException e) {
      // The parser's own words name its classes and options.
      TokenStreamLocation at = e.getLocation();
      throw new Malformed(
          "syntax error at line " + at.getLineNr() + ", column " + at.getColumnNr());
    }
  }

  /** A pointer on its way down the tree: {@code rest} is what of it is still to be matched. */
  private record Trail(JsonPointer whole, JsonPointer rest, boolean omit) {}

  private static void read(
      JsonParser parser, List<Trail> trails, Map<JsonPointer, Value> found, StringBuilder out)
      throws Malformed {
    JsonToken token = parser.currentToken();
    for (Trail trail : trails) {
      if (!trail.omit && trail.rest.matches()) {
        found.put(trail.whole, new Value(token == JsonToken.VALUE_STRING, parser.getString()));
      }
    }
    switch (token) {
      case START_OBJECT -> readObject(parser, trails, found, out);
      case START_ARRAY -> readArray(parser, trails, found, out);
      case VALUE_STRING -> quote(parser.getString(), out);
      default -> out.append(parser.getString());
    }
  }

  private static void readObject(
      JsonParser parser, List<Trail> trails, Map<JsonPointer, Value> found, StringBuilder out)
      throws Malformed {
    out.append('{');
    int start = out.length();
    TreeMap<String, Span> members = new TreeMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      List<Trail> below = new ArrayList<>();
      for (Trail trail : trails) {
        JsonPointer rest = trail.rest.matchProperty(name);
        if (rest != null) {
          below.add(new Trail(trail.whole, rest, trail.omit));
        }
      }
      parser.nextToken();
      int from = out.length();
      quote(name, out);
      out.append(':');
      read(parser, below, found, out);
      out.append(',');
      if (omitted(below)) {
        out.setLength(from);
      }
      if (members.put(name, new Span(from - start, out.length() - start)) != null) {
        throw new Malformed("duplicate member");
      }
    }
    sort(members.values(), start, out);
    out.append('}');
  }

  /** Where a member stands among the members of its object. */
  private record Span(int from, int to) {}

  /** Puts what follows {@code start} into the order of {@code spans}, if it is in another. */
  private static void sort(Collection<Span> spans, int start, StringBuilder out) {
    int end = 0;
    boolean sorted = true;
    for (Span span : spans) {
      sorted &= span.from >= end;
      end = span.to;
    }
    if (!sorted) {
      String written = out.substring(start);
      out.setLength(start);
      spans.forEach(span -> out.append(written.substring(span.from, span.to)));
    }
  }

  private static void readArray(
      JsonParser parser, List<Trail> trails, Map<JsonPointer, Value> found, StringBuilder out)
      throws Malformed {
    out.append('[');
    for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
      List<Trail> below = new ArrayList<>();
      for (Trail trail : trails) {
        JsonPointer rest = trail.rest.matchElement(i);
        if (rest != null) {
          below.add(new Trail(trail.whole, rest, trail.omit));
        }
      }
      int start = out.length();
      read(parser, below, found, out);
      if (omitted(below)) {
        out.setLength(start);
      }
      out.append(',');
    }
    out.append(']');
  }

  private static boolean omitted(List<Trail> trails) {
    return trails.stream().anyMatch(trail -> trail.omit && trail.rest.matches());
  }

  /** Quotes so that no two strings look alike; how they were escaped is gone. */
  private static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\');
      }
      out.append(c);
    }
    out.append('"');
  }

  /**
   * The same text for all texts that differ only in white space, in the order of members or in how
   * characters are escaped, and for no others: numbers stay as written, strings are compared by
   * UTF-16 code unit, unpaired surrogates included.
   */
  public String canonical() {
    return canonical;
  }

  /** The value at {@code pointer}, one of those asked for, or null if there is none. */
  public Value at(JsonPointer pointer) {
    return found.get(pointer);
  }
}
