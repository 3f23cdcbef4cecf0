package org.relayledger.cli;

import picocli.CommandLine.TypeConversionException;
import tools.jackson.core.JsonPointer;

/** JSON pointers as options spell them. */
public final class Pointers {
  private Pointers() {}

  /**
   * The pointer that {@code text} spells (RFC 6901), but not the whole document.
   *
   * @throws TypeConversionException if it spells none; the message says why
   */
  public static JsonPointer parse(String text) {
    boolean good = text.startsWith("/") && text.chars().noneMatch(Character::isISOControl);
    for (int at = text.indexOf('~'); good && at >= 0; at = text.indexOf('~', at + 1)) {
      good = text.startsWith("~0", at) || text.startsWith("~1", at);
    }
    if (!good) {
      throw new TypeConversionException(
          "'" + text + "' is not a JSON pointer: write it as /code or /reply/code");
    }
    return JsonPointer.compile(text);
  }
}
