package org.relayledger.relaycli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The lines of a stream, in bytes, one after the other; no line is kept. For one thread. */
final class Lines {
  private static final int BUFFER = 1 << 16;

  /**
   * One line.
   *
   * @param number from 1
   * @param bytes without its end, LF or CRLF; null if there are more than the most
   */
  record Line(long number, byte[] bytes) {
    /** Whether there is nothing on it but white space. */
    boolean isBlank() {
      if (bytes == null) {
        return false;
      }
      for (byte b : bytes) {
        if (b != ' ' && b != '\t' && b != '\r') {
          return false;
        }
      }
      return true;
    }
  }

  private final InputStream in;
  private final int most;
  private final byte[] buffer = new byte[BUFFER];
  private int from;
  private int to;
  private long number;

  /** Reads from {@code in}; a line of more than {@code most} bytes is skipped. */
  Lines(InputStream in, int most) {
    this.in = in;
    this.most = most;
  }

  /** The next line, or null after the last one, which needs no end. */
  Line next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean any = false;
    boolean tooLong = false;
    while (from < to || fill()) {
      any = true;
      int end = from;
      while (end < to && buffer[end] != '\n') {
        end++;
      }
      // A CR that belongs to the end of the line does not count yet.
      tooLong |= line.size() + (end - from) > most + 1;
      if (!tooLong) {
        line.write(buffer, from, end - from);
      }
      boolean ended = end < to;
      from = ended ? end + 1 : end;
      if (ended) {
        break;
      }
    }
    if (!any) {
      return null;
    }
    number++;
    byte[] bytes = withoutCr(line.toByteArray());
    return new Line(number, tooLong || bytes.length > most ? null : bytes);
  }

  private static byte[] withoutCr(byte[] line) {
    boolean cr = line.length > 0 && line[line.length - 1] == '\r';
    return cr ? Arrays.copyOf(line, line.length - 1) : line;
  }

  private boolean fill() throws IOException {
    from = 0;
    to = Math.max(0, in.read(buffer, 0, BUFFER));
    return to > 0;
  }
}
