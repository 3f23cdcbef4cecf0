package org.relayledger.ledger;

import java.util.Optional;

/**
 * The idempotency key of one transaction, exactly as received: 1 to {@value #MAX_LENGTH} characters
 * of {@code A-Z a-z 0-9 . _ : -}, at least one of them a letter or digit.
 *
 * <p>Two GUIDs that differ only in the case of ASCII letters are equal: they name one transaction.
 */
public record Guid(String value) {
  /** The longest GUID, in characters. */
  public static final int MAX_LENGTH = 128;

  /**
   * @throws IllegalArgumentException if {@code value} is not a GUID; use {@link #parse} on input
   */
  public Guid {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not a GUID");
    }
  }

  /** The GUID that {@code text} spells, or empty if it spells none. */
  public static Optional<Guid> parse(String text) {
    return isValid(text) ? Optional.of(new Guid(text)) : Optional.empty();
  }

  private static boolean isValid(String text) {
    if (text.isEmpty() || text.length() > MAX_LENGTH) {
      return false;
    }
    boolean named = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letterOrDigit =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!letterOrDigit && ".:_-".indexOf(c) < 0) {
        return false;
      }
      named |= letterOrDigit;
    }
    return named;
  }

  /** The form by which the ledger knows it: ASCII letters in lower case, whatever the locale. */
  public String folded() {
    StringBuilder out = new StringBuilder(value.length());
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      out.append(c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c);
    }
    return out.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Guid that && folded().equals(that.folded());
  }

  @Override
  public int hashCode() {
    return folded().hashCode();
  }

  @Override
  public String toString() {
    return value;
  }
}
