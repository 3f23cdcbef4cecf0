package org.relayledger.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What is in a directory, byte for byte; only for files that this JVM does not have open. */
final class Snapshot {
  private Snapshot() {}

  static Map<String, String> of(Path dir) {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(dir)) {
      for (Path file : files.toList()) {
        String what =
            Files.isSymbolicLink(file)
                ? "-> " + Files.readSymbolicLink(file)
                : Files.isRegularFile(file)
                    ? Fingerprint.sha256(Files.readAllBytes(file))
                    : "no file";
        all.put(
            dir.relativize(file).toString(),
            PosixFilePermissions.toString(
                    Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS))
                + " "
                + Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                + " "
                + what);
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
