package org.relayledger.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Row;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonPointer;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.core.json.JsonFactory;

/**
 * Hides members of requests, replies and of what inquiries answered. A value of eight or more
 * characters keeps its last four, a shorter one nothing. What is not JSON as far as it can be read
 * is hidden as a whole from there on: nobody knows what it says.
 *
 * <p>A pointer reaches into arrays: {@code /payees/iban} hides the member of each element, as does
 * {@code /payees/*}{@code /iban}; {@code /payees/0/iban} that of the first.
 */
public final class Mask {
  /** Hides nothing. */
  public static final Mask NONE = new Mask(List.of());

  /** From how many characters on a value keeps its last ones. */
  private static final int KEEPS_FROM = 8;

  private static final int KEPT = 4;
  private static final String STARS = "****";

  /** A shorter value is not looked for elsewhere: it would be found everywhere. */
  private static final int TELLING = 4;

  /** A shorter value is not looked for within the values of bodies. */
  private static final int LONG = KEEPS_FROM;

  /** Behind it an inquiry's note quotes what was answered. */
  private static final Pattern ANSWER = Pattern.compile("; GET \\S+: HTTP [0-9]+: ");

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private final List<JsonPointer> pointers;

  /** Hides what is at {@code pointers}. */
  public Mask(List<JsonPointer> pointers) {
    this.pointers = List.copyOf(pointers);
  }

  /** Whether nothing is hidden. */
  public boolean isNone() {
    return pointers.isEmpty();
  }

  /** {@code value} as it may be shown. */
  static String hidden(String value) {
    int length = value.codePointCount(0, value.length());
    return length < KEEPS_FROM
        ? STARS
        : STARS + value.substring(value.offsetByCodePoints(value.length(), -KEPT));
  }

  /** One row as it may be shown, and what belongs to it. */
  public final class Masked {
    private final Set<String> values = new HashSet<>();
    private final Row row;

    private Masked(Row read, boolean bodies) {
      String request = text(read.request());
      String reply = text(read.reply());
      // What is hidden at its pointer may stand elsewhere too, so all of it is known first.
      collect(request);
      collect(reply);
      row =
          isNone()
              ? read
              : bodies
                  ? read.withBodies(shown(request), shown(reply))
                  : read.withBodies(null, null);
    }

    private void collect(String body) {
      if (body != null && !isNone()) {
        String unused = json(body, values, Set.of());
      }
    }

    private byte[] shown(String body) {
      return body == null ? null : json(body, new HashSet<>(), values).getBytes(UTF_8);
    }

    /** The row. */
    public Row row() {
      return row;
    }

    /** An entry of its journal; null stays null. */
    public Entry entry(Entry entry) {
      return entry == null || isNone()
          ? entry
          : new Entry(
              entry.id(),
              entry.guid(),
              entry.attempt(),
              entry.event(),
              entry.from(),
              entry.to(),
              entry.code(),
              entry.actor(),
              note(entry.by()),
              note(entry.ticket()),
              entry.at(),
              note(entry.note()));
    }

    /** Text that may quote an answer, or a value. */
    private String note(String text) {
      if (text == null) {
        return null;
      }
      Matcher answer = ANSWER.matcher(text);
      int quoted = answer.find() ? answer.end() : text.indexOf('{');
      if (quoted < 0) {
        return without(text, values);
      }
      Set<String> more = new HashSet<>();
      json(text.substring(quoted), more, values);
      more.addAll(values);
      return without(text.substring(0, quoted), more)
          + json(text.substring(quoted), new HashSet<>(), more);
    }
  }

  private static String text(byte[] body) {
    try {
      return body == null ? null : UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException e) {
      return ""; // of which nothing can be read, so that all of it is hidden
    }
  }

  /** {@code text} with the last four at most of whatever of it is one of {@code values}. */
  private static String without(String text, Set<String> values) {
    BitSet covered = new BitSet();
    for (String value : values) {
      for (int at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
        covered.set(at, at + value.length());
      }
    }
    StringBuilder shown = new StringBuilder();
    for (int at = 0; at < text.length(); ) {
      int from = covered.nextSetBit(at);
      if (from < 0) {
        shown.append(text, at, text.length());
        break;
      }
      int to = covered.nextClearBit(from);
      shown.append(text, at, from).append(hidden(text.substring(from, to)));
      at = to;
    }
    return shown.toString();
  }

  /**
   * {@code read} and what belongs to it, as they may be shown.
   *
   * @param read read with its bodies
   * @param bodies whether they are to be shown
   */
  public Masked mask(Row read, boolean bodies) {
    return new Masked(read, bodies);
  }

  /**
   * {@code text} with its members hidden.
   *
   * @param found what they were is added here
   * @param known what is hidden wherever it stands
   */
  private String json(String text, Set<String> found, Set<String> known) {
    StringBuilder out = new StringBuilder(text.length());
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      Reading reading = new Reading(text, parser, out, found, known);
      try {
        if (parser.nextToken() != null) {
          reading.value(pointers);
          if (parser.nextToken() == null) {
            return out.append(text, reading.done, text.length()).toString();
          }
        }
      } catch (JacksonException e) {
        // Nobody knows what comes after what was read.
      }
    }
    return out.append(STARS).toString();
  }

  /** One way through a text: what was read is in {@code out}, up to {@code done}. */
  private static final class Reading {
    private final String text;
    private final JsonParser parser;
    private final StringBuilder out;
    private final Set<String> found;
    private final Set<String> known;
    private final Set<String> longOnes;
    private int done;

    Reading(
        String text, JsonParser parser, StringBuilder out, Set<String> found, Set<String> known) {
      this.text = text;
      this.parser = parser;
      this.out = out;
      this.found = found;
      this.known = known;
      this.longOnes =
          known.stream().filter(value -> value.length() >= LONG).collect(Collectors.toSet());
    }

    /** Copies the present token's value, or hides it where a pointer ends. */
    void value(List<JsonPointer> at) {
      if (at.stream().anyMatch(JsonPointer::matches)) {
        hide();
        return;
      }
      switch (parser.currentToken()) {
        case START_OBJECT -> {
          while (parser.nextToken() != JsonToken.END_OBJECT) {
            List<JsonPointer> below = below(at, parser.currentName());
            scalar(parser.currentName());
            parser.nextToken();
            value(below);
          }
          copy();
        }
        case START_ARRAY -> {
          for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
            value(below(at, i));
          }
          copy();
        }
        default -> scalar(parser.getString());
      }
    }

    /** Copies the present token, which says {@code value}, unless that is known to be hidden. */
    private void scalar(String value) {
      String shown =
          known.contains(value)
              ? hidden(value)
              : longOnes.isEmpty() ? value : without(value, longOnes);
      if (shown.equals(value)) {
        copy();
      } else {
        replace(shown);
      }
    }

    private static List<JsonPointer> below(List<JsonPointer> at, String name) {
      List<JsonPointer> below = new ArrayList<>();
      for (JsonPointer pointer : at) {
        if (pointer.matchesProperty(name) || isAny(pointer)) {
          below.add(pointer.tail());
        }
      }
      return below;
    }

    private static List<JsonPointer> below(List<JsonPointer> at, int element) {
      List<JsonPointer> below = new ArrayList<>(at); // an array is as good as each of its elements
      for (JsonPointer pointer : at) {
        if (pointer.matchesElement(element) || isAny(pointer)) {
          below.add(pointer.tail());
        }
      }
      return below;
    }

    private static boolean isAny(JsonPointer pointer) {
      return "*".equals(pointer.getMatchingProperty());
    }

    /** All up to the end of the present token. */
    private void copy() {
      int end = end();
      out.append(text, done, end);
      done = end;
    }

    private int end() {
      JsonToken token = parser.currentToken();
      if (token == JsonToken.PROPERTY_NAME) {
        return afterString(start()); // the parser is at its value already
      }
      if (token != JsonToken.VALUE_STRING && !token.isStructEnd()) {
        return start() + parser.getString().length();
      }
      if (token == JsonToken.VALUE_STRING) {
        String unused = parser.getString(); // a string is read to its end only when it is asked for
      }
      return (int) parser.currentLocation().getCharOffset();
    }

    /** Where the string that begins at {@code from} ends. */
    private int afterString(int from) {
      int at = from + 1;
      while (text.charAt(at) != '"') {
        at += text.charAt(at) == '\\' ? 2 : 1;
      }
      return at + 1;
    }

    /** Another string instead of the present token. */
    private void replace(String shown) {
      out.append(text, done, start());
      out.append('"').append(JsonStringEncoder.getInstance().quoteAsCharArray(shown)).append('"');
      done = end();
    }

    private int start() {
      return (int) parser.currentTokenLocation().getCharOffset();
    }

    /** Stars instead of the present token's value, with all that is in it. */
    private void hide() {
      if (!parser.currentToken().isStructStart()) {
        note(parser.getString());
        replace(hidden(parser.getString()));
        return;
      }
      out.append(text, done, start());
      done = start();
      int depth = 1;
      while (depth > 0) {
        JsonToken token = parser.nextToken();
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        if (token.isScalarValue()) {
          note(parser.getString());
        }
      }
      out.append('"').append(STARS).append('"');
      done = end();
    }

    private void note(String value) {
      if (value.length() >= TELLING) {
        found.add(value);
      }
    }
  }
}
