package org.relayledger.report;

/** Text for people, of which others have written a part. */
public final class Plain {
  private Plain() {}

  /**
   * {@code text} on one line that shows what it says: control characters, and those that only steer
   * a terminal, are escaped.
   */
  public static String text(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    text.codePoints().forEach(c -> escape(c, plain));
    return plain.toString();
  }

  private static void escape(int c, StringBuilder out) {
    boolean shown =
        switch (Character.getType(c)) {
          case Character.CONTROL,
              Character.FORMAT,
              Character.SURROGATE,
              Character.LINE_SEPARATOR,
              Character.PARAGRAPH_SEPARATOR ->
              false;
          default -> true;
        };
    if (shown) {
      out.appendCodePoint(c);
      return;
    }
    switch (c) {
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        for (char unit : Character.toChars(c)) {
          String hex = Integer.toHexString(unit);
          out.append("\\u").append("0000", 0, 4 - hex.length()).append(hex);
        }
      }
    }
  }
}
