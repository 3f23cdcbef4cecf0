package org.relayledger.ledger;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JsonPointer;

/**
 * What makes two requests the same request: the SHA-256 of a JSON body's canonical form, or of the
 * raw bytes of any other body, under a {@link Scheme}.
 */
public record Fingerprint(Scheme scheme, String sha256) {

  /**
   * How fingerprints are made: a version and the members left out. It is stored with each row, so
   * that a changed option never turns an honest re-send into a conflict.
   *
   * @param omitted the pointers of members that a channel changes from one send to the next, the
   *     GUID's first of all
   */
  public record Scheme(List<JsonPointer> omitted) {
    private static final String VERSION = "1";

    /** Most rows of a ledger have the same. */
    private static volatile Parsed lastParsed;

    private record Parsed(String text, Scheme scheme) {}

    /**
     * @throws IllegalArgumentException if a pointer contains a line break
     */
    public Scheme {
      if (omitted.stream().anyMatch(pointer -> pointer.toString().contains("\n"))) {
        throw new IllegalArgumentException("a pointer must not contain a line break");
      }
    }

    /** A scheme that leaves out {@code pointers}, in whatever order they are given. */
    public static Scheme without(List<JsonPointer> pointers) {
      return new Scheme(
          new TreeSet<>(pointers.stream().map(JsonPointer::toString).toList())
              .stream().map(JsonPointer::compile).toList());
    }

    /** As a row stores it: the version, then a pointer a line. */
    String text() {
      return Stream.concat(Stream.of(VERSION), omitted.stream().map(JsonPointer::toString))
          .collect(Collectors.joining("\n"));
    }

    static Scheme parse(String text) {
      Parsed known = lastParsed;
      if (known == null || !known.text.equals(text)) {
        known = new Parsed(text, parsed(text));
        lastParsed = known;
      }
      return known.scheme;
    }

    private static Scheme parsed(String text) {
      List<String> lines = Arrays.asList(text.split("\n", -1));
      if (!lines.get(0).equals(VERSION)) {
        throw new LedgerException(
            LedgerException.Kind.UNAVAILABLE,
            "fingerprint scheme " + lines.get(0) + " was written by a newer version");
      }
      return new Scheme(lines.stream().skip(1).map(JsonPointer::compile).toList());
    }

    /** The fingerprint of {@code body}, JSON or not. */
    Fingerprint of(byte[] body) {
      try {
        return of(Json.read(body, List.of(), omitted));
      } catch (Json.Malformed e) {
        return new Fingerprint(this, sha256(body));
      }
    }

    /** The fingerprint of a body that was read with these very members omitted. */
    public Fingerprint of(Json json) {
      String canonical = json.canonical();
      byte[] units = new byte[canonical.length() * 2];
      for (int i = 0; i < canonical.length(); i++) {
        units[2 * i] = (byte) (canonical.charAt(i) >> 8);
        units[2 * i + 1] = (byte) canonical.charAt(i);
      }
      return new Fingerprint(this, sha256(units));
    }

    /** The fingerprint of a body that is not JSON. */
    public Fingerprint ofRaw(byte[] body) {
      return new Fingerprint(this, sha256(body));
    }
  }

  /** Whether a content type is JSON by name: {@code application/json} or any {@code +json}. */
  public static boolean isJson(String contentType) {
    if (contentType == null) {
      return false;
    }
    String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return type.equals("application/json") || type.equals("text/json") || type.endsWith("+json");
  }

  /** The SHA-256 of {@code bytes}, 64 hexadecimal digits in lower case. */
  public static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
