package org.relayledger.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;

/**
 * A file that appears under its name only once it is whole and on the disk, 0600. It replaces
 * nothing unless told so, and never what belongs to a ledger.
 *
 * <p>No ledger may be open in this process when one is begun: what is to be replaced is looked
 * into, and closing it would drop the locks that the process has on it.
 */
final class WholeFile implements AutoCloseable {
  private static final byte[] DATABASE = "SQLite format 3\0".getBytes(US_ASCII);
  private static final List<String> OF_A_DATABASE =
      List.of("", "-wal", "-shm", "-journal", ".claims");

  /** What to do about a file that is there already. */
  enum Existing {
    REFUSE,
    REPLACE,
    /** Who may read it may read the new one. */
    REPLACE_AND_KEEP_RIGHTS
  }

  private final Path path;
  private final Existing existing;
  private final Path draft;
  private final FileChannel file;
  private final Output out;

  /**
   * Begins to write beside {@code path}.
   *
   * @throws Failure if it is there and must not be replaced, or cannot be created (exit 2)
   */
  WholeFile(Path path, Existing existing) {
    this.path = path;
    this.existing = existing;
    check();
    try {
      draft = Files.createTempFile(path.toAbsolutePath().getParent(), ".relay-", ".part");
      file = FileChannel.open(draft, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw failed(Exit.USAGE, e);
    }
    out = new Output(Channels.newOutputStream(file));
  }

  /** What is written to the file. */
  Output out() {
    return out;
  }

  /**
   * Gives the file its name.
   *
   * @throws Failure if it could not be written (exit 1)
   */
  void publish() {
    try {
      out.flush();
      if (out.lost()) {
        throw out.failure();
      }
      file.force(true);
      file.close();
      if (existing == Existing.REPLACE_AND_KEEP_RIGHTS && Files.exists(path)) {
        Files.setPosixFilePermissions(draft, Files.getPosixFilePermissions(path));
      }
      if (existing != Existing.REFUSE) {
        Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
      } else {
        link();
      }
    } catch (IOException e) {
      throw failed(Exit.INTERNAL, e);
    }
  }

  /** Unlike a move, a link never replaces what somebody else has put there meanwhile. */
  private void link() throws IOException {
    try {
      Files.createLink(path, draft);
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (IOException | UnsupportedOperationException e) {
      Files.move(draft, path); // a file system without links
    }
  }

  private Failure failed(Exit exit, IOException e) {
    return new Failure(exit, "cannot write to " + path + ": " + Failure.reason(e), e);
  }

  private void check() {
    String why = null;
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      why =
          existing == Existing.REFUSE
              ? "it exists already; --force replaces it"
              : Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                  ? null
                  : "it exists and is no regular file";
    }
    if (why != null) {
      throw new Failure(Exit.USAGE, "cannot write to " + path + ": " + why);
    }
    refuseOfALedger(path);
  }

  /**
   * Refuses a file that belongs to a ledger, or would: what lies under such a name is read as a
   * part of it.
   *
   * @throws Failure if it does (exit 2)
   */
  static void refuseOfALedger(Path path) {
    if (belongsToADatabase(path)) {
      throw new Failure(
          Exit.USAGE, "cannot write to " + path + ": it is a ledger, or belongs to one");
    }
  }

  private static boolean belongsToADatabase(Path path) {
    String name = path.getFileName().toString();
    return OF_A_DATABASE.stream()
        .filter(name::endsWith)
        .map(end -> name.substring(0, name.length() - end.length()))
        .anyMatch(main -> !main.isEmpty() && isDatabase(path.resolveSibling(main)));
  }

  private static boolean isDatabase(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return Arrays.equals(in.readNBytes(DATABASE.length), DATABASE);
    } catch (IOException e) {
      return false;
    }
  }

  /** Nothing is left of a file that was not published. */
  @Override
  public void close() {
    try {
      file.close();
      Files.deleteIfExists(draft);
    } catch (IOException e) {
      // Its name is not that of the file, which is whole or not there.
    }
  }
}
