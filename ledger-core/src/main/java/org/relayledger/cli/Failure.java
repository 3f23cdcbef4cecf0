package org.relayledger.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/**
 * A command cannot go on; the message is one line for the operator, the exit code says the kind.
 */
public final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Exit exit;

  /**
   * @param line what happened, what is certain and what to do next
   */
  public Failure(Exit exit, String line) {
    this(exit, line, null);
  }

  /**
   * @param line what happened, what is certain and what to do next
   * @param cause shown under {@code -v} only
   */
  public Failure(Exit exit, String line, Throwable cause) {
    super(line, cause);
    this.exit = exit;
  }

  /** What the tool exits with. */
  public Exit exit() {
    return exit;
  }

  /** Why a file could not be read or written, in a few words without its name. */
  public static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no such file or directory";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "it exists already";
    }
    String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return reason == null ? "input/output error" : reason;
  }
}
