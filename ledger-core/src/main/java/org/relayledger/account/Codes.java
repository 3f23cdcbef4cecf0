package org.relayledger.account;

import java.util.List;

/**
 * Patterns of reply codes, such as {@code 0000,B2??,E500}: visible ASCII characters, of which
 * {@code ?} stands for exactly one of any and nothing else is special.
 *
 * @param patterns the patterns as written
 */
public record Codes(List<String> patterns) {
  /** Matches no code. */
  public static final Codes NONE = new Codes(List.of());

  private static final char ANY = '?';

  /** Copies the list. */
  public Codes {
    patterns = List.copyOf(patterns);
  }

  /**
   * Reads patterns separated by commas; blanks around them do not count.
   *
   * @throws IllegalArgumentException in one line, if a pattern is empty or has a character that is
   *     no visible ASCII
   */
  public static Codes parse(String text) {
    List<String> patterns = List.of(text.split(",", -1)).stream().map(String::strip).toList();
    for (String pattern : patterns) {
      if (pattern.isEmpty()) {
        throw new IllegalArgumentException("\"" + text + "\" has an empty code");
      }
      if (!pattern.chars().allMatch(Codes::visible)) {
        throw new IllegalArgumentException("a code may have only visible ASCII characters");
      }
    }
    return new Codes(patterns);
  }

  private static boolean visible(int c) {
    return c > ' ' && c < 0x7f;
  }

  /** Whether one of the patterns matches the whole of {@code code}. */
  public boolean matches(String code) {
    return code.chars().allMatch(Codes::visible)
        && patterns.stream().anyMatch(pattern -> alike(pattern, code, false));
  }

  /** Whether there is a code that both match. */
  public boolean overlaps(Codes other) {
    return patterns.stream()
        .anyMatch(mine -> other.patterns.stream().anyMatch(its -> alike(mine, its, true)));
  }

  /** A {@code ?} in {@code text} stands for any character only if that is a pattern, too. */
  private static boolean alike(String pattern, String text, boolean textIsPattern) {
    if (pattern.length() != text.length()) {
      return false;
    }
    for (int i = 0; i < pattern.length(); i++) {
      boolean any = pattern.charAt(i) == ANY || (textIsPattern && text.charAt(i) == ANY);
      if (!any && pattern.charAt(i) != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return String.join(",", patterns);
  }
}
