package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program of the built suite that runs in a room of its own, which has its streams and its
 * temporary files and goes with it, however it ended.
 */
final class Launched implements AutoCloseable {
  /** What a shell sees of a program that was killed. */
  static final int KILLED = 128 + 9;

  /** How much of what it wrote is read, from the end. */
  private static final int MOST = 16 << 20;

  private final Path room;
  private final Process process;

  private Launched(Path room, Process process) {
    this.room = room;
    this.process = process;
  }

  /**
   * Starts {@code program} with {@code in} as its stdin.
   *
   * @param room a directory to be made
   * @param java options for its JVM
   */
  static Launched start(Path room, ProcessBuilder program, byte[] in, String... java)
      throws IOException {
    Files.createDirectories(room.resolve("tmp"));
    Files.write(room.resolve("in"), in);
    String temporary = room.resolve("tmp").toString();
    program
        .environment()
        .put(
            "JDK_JAVA_OPTIONS",
            String.join(" ", java)
                + (" \"-Djava.io.tmpdir=" + temporary + "\"")
                + (" \"-Dorg.sqlite.tmpdir=" + temporary + "\""));
    return new Launched(
        room,
        program
            .redirectInput(room.resolve("in").toFile())
            .redirectOutput(room.resolve("out").toFile())
            .redirectError(room.resolve("err").toFile())
            .start());
  }

  boolean endsWithin(Duration time) throws InterruptedException {
    return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  int exit() {
    return process.exitValue();
  }

  String out() throws IOException {
    return end("out");
  }

  String err() throws IOException {
    return end("err");
  }

  private String end(String name) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(room.resolve(name).toFile(), "r")) {
      byte[] bytes = new byte[(int) Math.min(MOST, file.length())];
      file.seek(file.length() - bytes.length);
      file.readFully(bytes);
      return new String(bytes, UTF_8);
    }
  }

  void kill() {
    process.destroyForcibly();
  }

  void terminate() {
    process.destroy();
  }

  /** Sends the signal of that name, unless it has gone meanwhile. */
  void signal(String name) throws IOException, InterruptedException {
    if (process.isAlive()) {
      int unused =
          new ProcessBuilder("kill", "-s", name, Long.toString(process.pid()))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor();
    }
  }

  /** Ends it, if it has not, and removes all that it left. */
  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    process.onExit().join();
    remove(room);
  }

  static void remove(Path room) throws IOException {
    if (Files.exists(room)) {
      try (Stream<Path> paths = Files.walk(room)) {
        List<Path> deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
        for (Path path : deepestFirst) {
          Files.delete(path);
        }
      }
    }
  }
}
