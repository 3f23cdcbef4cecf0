package org.relayledger.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;
import tools.jackson.core.JsonPointer;

/** How options of the common types are read, in every command. */
final class Values {
  /** A size: a whole number and one of the units {@code B KiB MiB}, up to {@code 1024MiB}. */
  static final class Size implements ITypeConverter<Integer> {
    private static final long LARGEST = 1 << 30;

    @Override
    public Integer convert(String text) {
      int unit = text.endsWith("MiB") ? 1 << 20 : text.endsWith("KiB") ? 1 << 10 : 1;
      int length = text.length() - (unit > 1 ? 3 : 1);
      if (length < 1 || (unit == 1 && !text.endsWith("B")) || !isDigits(text, length)) {
        throw new TypeConversionException(
            "'" + text + "' is not a size: write a whole number and a unit, as 512B, 64KiB, 1MiB");
      }
      // Ten digits are more than the largest, and far from overflowing.
      long bytes = length > 10 ? Long.MAX_VALUE : Long.parseLong(text, 0, length, 10) * unit;
      if (bytes == 0) {
        throw new TypeConversionException("'" + text + "' is zero");
      }
      if (bytes > LARGEST) {
        throw new TypeConversionException("'" + text + "' is more than 1024MiB");
      }
      return (int) bytes;
    }
  }

  private Values() {}

  static void register(CommandLine tool) {
    tool.registerConverter(Duration.class, new Durations());
    tool.registerConverter(Integer.class, Values::count);
    tool.registerConverter(int.class, Values::count);
    tool.registerConverter(Boolean.class, Values::truth);
    tool.registerConverter(boolean.class, Values::truth);
    tool.registerConverter(Path.class, Values::path);
    tool.registerConverter(JsonPointer.class, Pointers::parse);
  }

  private static boolean isDigits(String text, int length) {
    for (int i = 0; i < length; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return length > 0;
  }

  /** Every number that an option takes counts something: it is whole and at least 1. */
  private static Integer count(String text) {
    try {
      int count = isDigits(text, text.length()) ? Integer.parseInt(text) : 0;
      if (count > 0) {
        return count;
      }
    } catch (NumberFormatException e) {
      // Too many digits: refused like the rest.
    }
    throw new TypeConversionException(
        "'" + text + "' is not a whole number from 1 to " + Integer.MAX_VALUE);
  }

  private static Boolean truth(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new TypeConversionException("'" + text + "' is neither true nor false");
    };
  }

  /** An empty path would be the working directory; it only comes of a variable that is not set. */
  private static Path path(String text) {
    if (text.isEmpty()) {
      throw new TypeConversionException("the path is empty");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new TypeConversionException(
          "'" + text + "' cannot be a path in this locale: set LC_ALL=C.UTF-8");
    }
  }
}
