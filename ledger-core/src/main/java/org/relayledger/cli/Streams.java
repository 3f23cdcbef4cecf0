package org.relayledger.cli;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.relayledger.report.Plain;

/** All that a command hears from the outside and says to it, but for files and the network. */
public final class Streams {
  /** The longest line written to stderr, in characters; the rest of what was echoed is cut off. */
  static final int LONGEST_LINE = 2_000;

  private static final int FILE_TYPE = 0170000;
  private static final int PIPE = 0010000;
  private static final int SOCKET = 0140000;

  private final InputStream in;
  private final Output out;
  private final PrintStream err;
  private final Map<String, String> environment;
  private final Signals signals;
  private final boolean real;

  private Streams(
      InputStream in,
      OutputStream out,
      OutputStream err,
      Map<String, String> environment,
      boolean real) {
    this.in = in;
    this.out = new Output(out);
    this.err = new PrintStream(new BufferedOutputStream(err), true, StandardCharsets.UTF_8);
    this.environment = environment;
    this.signals = new Signals(real);
    this.real = real;
  }

  /** Streams of a test: nothing of the process is touched, signals come by {@code raise} only. */
  public Streams(
      InputStream in, OutputStream out, OutputStream err, Map<String, String> environment) {
    this(in, out, err, environment, false);
  }

  /** The streams of this process; from now on all that goes to stderr is UTF-8. */
  public static Streams ofProcess() {
    Streams streams =
        new Streams(
            // A bare one asks a pipe for its position in readAllBytes and readNBytes, and fails.
            new BufferedInputStream(new FileInputStream(FileDescriptor.in)),
            new FileOutputStream(FileDescriptor.out),
            new FileOutputStream(FileDescriptor.err),
            System.getenv(),
            true);
    System.setErr(streams.err);
    return streams;
  }

  /** Stdin. */
  public InputStream in() {
    return in;
  }

  /** Stdout. */
  public Output out() {
    return out;
  }

  /** Stderr, UTF-8, flushed line by line. What others have typed or sent goes by {@link #say}. */
  public PrintStream err() {
    return err;
  }

  /** The environment variables. */
  public Map<String, String> environment() {
    return environment;
  }

  /** The signals. */
  public Signals signals() {
    return signals;
  }

  boolean real() {
    return real;
  }

  /**
   * Writes one line to stderr, {@linkplain Plain plain} and not longer than {@value #LONGEST_LINE}
   * characters.
   */
  public void say(String line) {
    boolean tooLong = line.codePointCount(0, line.length()) > LONGEST_LINE;
    int end = tooLong ? line.offsetByCodePoints(0, LONGEST_LINE) : line.length();
    err.println(Plain.text(line.substring(0, end)) + (tooLong ? "..." : ""));
  }

  /**
   * Whether a failed write to stdout only means that its reader has gone. A pipe or socket fails
   * for no other reason; the error's own text depends on the locale.
   */
  boolean readerGone() {
    if (!real) {
      return false;
    }
    try {
      int mode = (int) Files.getAttribute(Path.of("/proc/self/fd/1"), "unix:mode");
      return (mode & FILE_TYPE) == PIPE || (mode & FILE_TYPE) == SOCKET;
    } catch (IOException e) {
      return false;
    }
  }
}
