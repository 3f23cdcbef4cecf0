package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a tool has said so far, and a place to wait for what it will say. */
final class Said extends OutputStream {
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @Override
  public synchronized void write(int b) {
    bytes.write(b);
    notifyAll();
  }

  @Override
  public synchronized void write(byte[] from, int start, int length) {
    bytes.write(from, start, length);
    notifyAll();
  }

  synchronized byte[] bytes() {
    return bytes.toByteArray();
  }

  String text() {
    return new String(bytes(), UTF_8);
  }

  /** The first group of the first match of {@code pattern}, once there is one. */
  synchronized String await(String pattern) throws InterruptedException {
    long end = System.nanoTime() + DEADLINE_NANOS;
    while (true) {
      Matcher matcher = Pattern.compile(pattern).matcher(text());
      if (matcher.find()) {
        return matcher.group(1);
      }
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new IllegalStateException("not said: " + pattern + ", but: " + text());
      }
      wait(left);
    }
  }
}
