package org.relayledger.schedule;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * The product with one of its rules broken: a unified diff applied to a copy of one source file,
 * compiled, and put before the rest on the class path.
 */
final class Mutant {
  private static final String MODULE = "ledger-core/";

  private Mutant() {}

  /**
   * Builds the mutant that {@code patch} makes.
   *
   * @param folder where its source and its classes go
   * @return a class path that has it
   * @throws IllegalArgumentException if the source no longer has the lines that the patch is about
   */
  static String build(String patch, Path folder) throws IOException {
    List<String> lines = patch.lines().toList();
    String file = lines.get(0).substring("--- a/".length());
    if (!file.startsWith(MODULE)) {
      throw new IllegalArgumentException(file + " is not in " + MODULE);
    }
    Path source = Path.of(file.substring(MODULE.length()));
    Path copy = folder.resolve(source);
    Files.createDirectories(copy.getParent());
    Files.writeString(copy, apply(lines.subList(2, lines.size()), Files.readString(source)));

    Path classes = Files.createDirectories(folder.resolve("classes"));
    String classPath = System.getProperty("java.class.path");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    int failed =
        compiler.run(
            null,
            null,
            null,
            "-proc:none",
            "-nowarn",
            "-encoding",
            UTF_8.name(),
            "-cp",
            classPath,
            "-d",
            classes.toString(),
            copy.toString());
    if (failed != 0) {
      throw new IllegalArgumentException(file + " does not compile with its patch");
    }
    return classes + File.pathSeparator + classPath;
  }

  /** Replaces what each hunk has before by what it has after, wherever in the text that is. */
  private static String apply(List<String> hunks, String text) {
    String patched = text;
    List<String> hunk = new ArrayList<>();
    for (String line : hunks) {
      if (line.startsWith("@@")) {
        patched = replace(hunk, patched);
        hunk.clear();
      } else {
        hunk.add(line);
      }
    }
    return replace(hunk, patched);
  }

  private static String replace(List<String> hunk, String text) {
    if (hunk.isEmpty()) {
      return text;
    }
    String before = side(hunk, '+');
    int at = text.indexOf(before);
    if (at < 0 || text.indexOf(before, at + 1) >= 0) {
      throw new IllegalArgumentException("not there, or not once:\n" + before);
    }
    return text.substring(0, at) + side(hunk, '-') + text.substring(at + before.length());
  }

  /** The lines of {@code hunk} without those that only the other side has. */
  private static String side(List<String> hunk, char other) {
    StringBuilder side = new StringBuilder();
    for (String line : hunk) {
      if (line.charAt(0) != other) {
        side.append(line, 1, line.length()).append('\n');
      }
    }
    return side.toString();
  }
}
