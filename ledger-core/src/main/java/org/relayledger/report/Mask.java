package org.relayledger.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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

  /** A shorter value is not looked for in notes: it would be found everywhere. */
  private static final int TELLING = 4;

  /** The same for bodies, which are full of short values. */
  private static final int LONG = KEEPS_FROM;

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
    private final Set<String> values = new LinkedHashSet<>();
    private final Row row;

    private Masked(Row read, boolean bodies) {
      String request = json(read.request());
      String reply = json(read.reply());
      row =
          isNone()
              ? read
              : bodies
                  ? read.withBodies(echoes(request), echoes(reply))
                  : read.withBodies(null, null);
    }

    /** What is hidden at its pointer may stand elsewhere too. */
    private byte[] echoes(String body) {
      return body == null ? null : without(body, LONG).getBytes(UTF_8);
    }

    private String without(String text, int shortest) {
      String shown = text;
      for (String value : values) {
        if (value.length() >= shortest) {
          shown = shown.replace(value, hidden(value));
        }
      }
      return shown;
    }

    /** The row. */
    public Row row() {
      return row;
    }

    /** An entry of its journal; null stays null. */
    public Entry entry(Entry entry) {
      return entry == null
          ? null
          : new Entry(
              entry.id(),
              entry.guid(),
              entry.attempt(),
              entry.event(),
              entry.from(),
              entry.to(),
              entry.code(),
              entry.actor(),
              text(entry.by()),
              text(entry.ticket()),
              entry.at(),
              text(entry.note()));
    }

    private String json(byte[] body) {
      if (body == null || isNone()) {
        return null;
      }
      try {
        String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
        return Mask.this.json(text, values);
      } catch (CharacterCodingException e) {
        return STARS;
      }
    }

    /** Text that may quote JSON, or a value. */
    private String text(String text) {
      if (text == null || isNone()) {
        return text;
      }
      int json = text.indexOf('{');
      String shown =
          json < 0 ? text : text.substring(0, json) + Mask.this.json(text.substring(json), values);
      return without(shown, TELLING);
    }
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

  /** {@code text} with its members hidden; what they were is added to {@code values}. */
  private String json(String text, Set<String> values) {
    StringBuilder out = new StringBuilder(text.length());
    int done = 0;
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      Reading reading = new Reading(text, parser, out, values);
      try {
        if (parser.nextToken() != null) {
          reading.value(pointers);
        }
        JsonToken more = parser.nextToken();
        done = more == null ? text.length() : reading.done;
        if (more == null) {
          return out.append(text, reading.done, text.length()).toString();
        }
      } catch (JacksonException e) {
        done = reading.done;
      }
    }
    return done == text.length() ? out.toString() : out.append(STARS).toString();
  }

  /** One way through a text: what was read is in {@code out}, up to {@code done}. */
  private static final class Reading {
    private final String text;
    private final JsonParser parser;
    private final StringBuilder out;
    private final Set<String> values;
    private int done;

    Reading(String text, JsonParser parser, StringBuilder out, Set<String> values) {
      this.text = text;
      this.parser = parser;
      this.out = out;
      this.values = values;
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
        default -> copy();
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
      return token == JsonToken.VALUE_STRING || token.isStructEnd()
          ? offsetAfter()
          : start() + parser.getString().length();
    }

    private int offsetAfter() {
      if (parser.currentToken() == JsonToken.VALUE_STRING) {
        String unused = parser.getString(); // a string is read to its end only when it is asked for
      }
      return (int) parser.currentLocation().getCharOffset();
    }

    private int start() {
      return (int) parser.currentTokenLocation().getCharOffset();
    }

    /** Stars instead of the present token's value, with all that is in it. */
    private void hide() {
      int from = start();
      out.append(text, done, from);
      done = from;
      String shown = STARS;
      switch (parser.currentToken()) {
        case START_OBJECT, START_ARRAY -> {
          int depth = 1;
          while (depth > 0) {
            JsonToken token = parser.nextToken();
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            if (token.isScalarValue()) {
              note(parser.getString());
            }
          }
        }
        default -> {
          note(parser.getString());
          shown = hidden(parser.getString());
        }
      }
      out.append('"').append(JsonStringEncoder.getInstance().quoteAsCharArray(shown)).append('"');
      done = end();
    }

    private void note(String value) {
      if (value.length() >= TELLING) {
        values.add(value);
      }
    }
  }
}
