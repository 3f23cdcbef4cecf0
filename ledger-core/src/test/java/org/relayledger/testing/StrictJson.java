package org.relayledger.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A second reader of strict JSON, written from RFC 8259 alone, for tests to compare with: maps,
 * lists, strings, and {@link Bare} for what is written without quotes.
 */
public final class StrictJson {
  private static final int MAX_DEPTH = 500;

  /** A number or literal, as written. */
  public record Bare(String text) {}

  private static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private final String text;
  private int at;

  private StrictJson(String text) {
    this.text = text;
  }

  /** The value that {@code utf8} spells, or empty if it is not one unambiguous JSON text. */
  public static Optional<Object> read(byte[] utf8) {
    try {
      StrictJson json = new StrictJson(UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString());
      json.blanks();
      Object value = json.value(0);
      json.blanks();
      return json.at == json.text.length() ? Optional.of(value) : Optional.empty();
    } catch (CharacterCodingException | Refused e) {
      return Optional.empty();
    }
  }

  private int peek() {
    return at < text.length() ? text.charAt(at) : -1;
  }

  private void take(char c) throws Refused {
    if (peek() != c) {
      throw new Refused();
    }
    at++;
  }

  private void blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
      at++;
    }
  }

  private Object value(int depth) throws Refused {
    if (peek() == '"') {
      return string();
    }
    if (peek() == '{' || peek() == '[') {
      if (depth == MAX_DEPTH) {
        throw new Refused();
      }
      return peek() == '{' ? object(depth + 1) : array(depth + 1);
    }
    for (String literal : List.of("true", "false", "null")) {
      if (text.startsWith(literal, at)) {
        at += literal.length();
        return new Bare(literal);
      }
    }
    return number();
  }

  private Object object(int depth) throws Refused {
    Map<String, Object> members = new TreeMap<>();
    take('{');
    blanks();
    while (peek() != '}') {
      if (!members.isEmpty()) {
        take(',');
        blanks();
      }
      String name = string();
      if (!UTF_8.newEncoder().canEncode(name)) {
        throw new Refused();
      }
      blanks();
      take(':');
      blanks();
      if (members.put(name, value(depth)) != null) {
        throw new Refused();
      }
      blanks();
    }
    at++;
    return members;
  }

  private Object array(int depth) throws Refused {
    List<Object> elements = new ArrayList<>();
    take('[');
    blanks();
    while (peek() != ']') {
      if (!elements.isEmpty()) {
        take(',');
        blanks();
      }
      elements.add(value(depth));
      blanks();
    }
    at++;
    return elements;
  }

  private String string() throws Refused {
    StringBuilder out = new StringBuilder();
    take('"');
    while (peek() != '"') {
      int c = peek();
      if (c < ' ') {
        throw new Refused();
      }
      at++;
      out.append(c == '\\' ? escaped() : (char) c);
    }
    at++;
    return out.toString();
  }

  private char escaped() throws Refused {
    int c = peek();
    at++;
    int simple = "\"\\/bfnrt".indexOf(c);
    if (c >= 0 && simple >= 0) {
      return "\"\\/\b\f\n\r\t".charAt(simple);
    }
    if (c != 'u' || at + 4 > text.length()) {
      throw new Refused();
    }
    String hex = text.substring(at, at + 4);
    if (!hex.matches("[0-9a-fA-F]{4}")) {
      throw new Refused();
    }
    at += 4;
    return (char) Integer.parseInt(hex, 16);
  }

  private Object number() throws Refused {
    int start = at;
    if (peek() == '-') {
      at++;
    }
    if (peek() == '0') {
      at++;
    } else {
      digits();
    }
    if (peek() == '.') {
      at++;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      at++;
      if (peek() == '+' || peek() == '-') {
        at++;
      }
      digits();
    }
    return new Bare(text.substring(start, at));
  }

  private void digits() throws Refused {
    int start = at;
    while (peek() >= '0' && peek() <= '9') {
      at++;
    }
    if (at == start) {
      throw new Refused();
    }
  }
}
