package org.relayledger.account;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One header that goes with every call to the account system, most often a credential: its value is
 * in no message and not in {@link #toString}.
 *
 * @param name an HTTP token
 * @param value visible ASCII characters, spaces and tabs; not empty
 */
public record Header(String name, String value) {
  /** The largest header file, in bytes. */
  public static final int MAX_FILE = 64 * 1024;

  private static final Set<PosixFilePermission> OWNER =
      Set.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  /** Names that are ours, or that would change how a call or its reply is framed or read. */
  private static final Set<String> REFUSED =
      Set.of(
          "accept-encoding",
          "connection",
          "content-encoding",
          "content-length",
          "content-type",
          "expect",
          "host",
          "http2-settings",
          "idempotency-key",
          "keep-alive",
          "proxy-connection",
          "range",
          "relay-attempt",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /**
   * @throws IllegalArgumentException in one line, if the header is malformed or one of ours
   */
  public Header {
    if (name.isEmpty() || !name.chars().allMatch(Header::isToken)) {
      throw new IllegalArgumentException("not a header name");
    }
    if (REFUSED.contains(name.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException("the header " + name + " may not be set");
    }
    if (value.isBlank() || !isVisible(value)) {
      throw new IllegalArgumentException(
          "the value of the header " + name + " is empty or not visible ASCII");
    }
  }

  /** Whether a header's value may be {@code text}: ASCII without control characters but tabs. */
  public static boolean isVisible(String text) {
    return text.chars().allMatch(c -> c == '\t' || (c >= ' ' && c < 0x7f));
  }

  private static boolean isToken(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
  }

  /**
   * Reads a file of {@code Name: value} lines; empty lines do not count.
   *
   * @throws IllegalArgumentException in one line without any value, if the file cannot be read, may
   *     be read by its group or others, is larger than {@value #MAX_FILE} bytes, names a header
   *     twice, or has a line that is no header or one of ours
   */
  public static List<Header> read(Path file) {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      if (!OWNER.containsAll(Files.getPosixFilePermissions(file))) {
        throw new IllegalArgumentException(
            "header file " + file + ": others may read it; set its mode to 0600");
      }
      bytes = in.readNBytes(MAX_FILE + 1);
    } catch (IOException | UnsupportedOperationException e) {
      throw new IllegalArgumentException("header file " + file + " cannot be read", e);
    }
    if (bytes.length > MAX_FILE) {
      throw new IllegalArgumentException("header file " + file + " is too large");
    }
    List<Header> headers = new ArrayList<>();
    Set<String> names = new HashSet<>();
    List<String> lines = new String(bytes, StandardCharsets.ISO_8859_1).lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.isBlank()) {
        continue;
      }
      String where = "header file " + file + ", line " + (i + 1) + ": ";
      int colon = line.indexOf(':');
      if (colon < 0) {
        throw new IllegalArgumentException(where + "not \"Name: value\"");
      }
      try {
        Header header = new Header(line.substring(0, colon), line.substring(colon + 1).strip());
        if (!names.add(header.name.toLowerCase(Locale.ROOT))) {
          throw new IllegalArgumentException("the header " + header.name + " is there twice");
        }
        headers.add(header);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(where + e.getMessage(), e);
      }
    }
    return headers;
  }

  @Override
  public String toString() {
    return name + ": ***";
  }
}
