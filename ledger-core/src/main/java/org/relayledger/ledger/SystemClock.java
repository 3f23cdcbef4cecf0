package org.relayledger.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** Linux: {@code boot_id} of random(4), and {@code uptime} of proc(5), whose unit is seconds. */
final class SystemClock implements HostClock {
  private final String boot = read("/proc/sys/kernel/random/boot_id");

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(System.currentTimeMillis());
  }

  @Override
  public long millis() {
    return System.currentTimeMillis();
  }

  @Override
  public String boot() {
    return boot;
  }

  @Override
  public long uptimeMillis() {
    String text = read("/proc/uptime");
    return (long) (Double.parseDouble(text.substring(0, text.indexOf(' '))) * 1000);
  }

  private static String read(String file) {
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
