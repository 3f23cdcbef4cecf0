package org.relayledger.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Stdout: buffered, byte for byte, and never throwing. The first error sticks and later bytes are
 * dropped, so that the exit code of work that is done is not lost with its report; {@link Main}
 * looks at the error in the end. A loop that only writes asks {@link #lost} and stops.
 */
public final class Output extends OutputStream {
  private final OutputStream to;
  private MessageDigest digest;
  private IOException failure;

  Output(OutputStream to) {
    this.to = new BufferedOutputStream(to);
  }

  /** From here on what is written counts for {@link #sha256}. */
  public synchronized void digest() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** The SHA-256 of what was written since {@link #digest}, once, in hexadecimal. */
  public synchronized String sha256() {
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Whether nobody will read what is written from now on. */
  public synchronized boolean lost() {
    return failure != null;
  }

  synchronized IOException failure() {
    return failure;
  }

  @Override
  public synchronized void write(int b) {
    if (failure == null) {
      if (digest != null) {
        digest.update((byte) b);
      }
      try {
        to.write(b);
      } catch (IOException e) {
        failure = e;
      }
    }
  }

  @Override
  public synchronized void write(byte[] bytes, int from, int length) {
    if (failure == null) {
      if (digest != null) {
        digest.update(bytes, from, length);
      }
      try {
        to.write(bytes, from, length);
      } catch (IOException e) {
        failure = e;
      }
    }
  }

  @Override
  public synchronized void flush() {
    if (failure == null) {
      try {
        to.flush();
      } catch (IOException e) {
        failure = e;
      }
    }
  }

  /** Flushes; stdout stays open until the tool exits. */
  @Override
  public void close() {
    flush();
  }
}
