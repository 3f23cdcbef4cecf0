package org.relayledger.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A program that a test starts, talks to by lines, and kills: what happens to the ledger when a
 * whole process pauses or dies can only be seen with a second process.
 *
 * <p>Every wait ends after {@value #DEADLINE_SECONDS} s with an AssertionError that shows what the
 * child wrote. Closing kills it.
 */
public final class Child implements AutoCloseable {
  /** How long any wait lasts at most. */
  public static final int DEADLINE_SECONDS = 60;

  private static final int MAX_LINES = 100_000;
  private static final String END = "\u0000end";

  private final Process process;
  private final PrintStream in;
  private final BlockingQueue<String> out = new LinkedBlockingQueue<>(MAX_LINES);
  private final List<String> seen = new ArrayList<>();

  private Child(Process process) {
    this.process = process;
    this.in = new PrintStream(process.getOutputStream(), true, UTF_8);
    read(
        "child-out",
        process.getInputStream(),
        line -> {
          if (!out.offer(line)) {
            throw new IllegalStateException("more than " + MAX_LINES + " lines nobody read");
          }
        },
        () -> out.add(END));
    read("child-err", process.getErrorStream(), line -> {}, () -> {});
  }

  private interface Lines {
    void accept(String line);
  }

  private void read(String name, InputStream from, Lines lines, Runnable end) {
    Thread thread =
        new Thread(
            () -> {
              try (BufferedReader reader = new BufferedReader(new InputStreamReader(from, UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                  note(name + ": " + line);
                  lines.accept(line);
                }
              } catch (IOException e) {
                note(name + ": " + e);
              } finally {
                end.run();
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts {@code main} in a JVM with this one's class path. */
  public static Child java(Class<?> main, String... args) {
    return start(javaCommand(main, args));
  }

  /** The command line that {@link #java} runs, for tests that put another program before it. */
  public static List<String> javaCommand(Class<?> main, String... args) {
    try {
      // A killed JVM leaves the driver's native library behind: where a clean build removes it.
      Path scratch = Files.createDirectories(Path.of("target", "child-tmp").toAbsolutePath());
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-Xmx256m",
                  "-Dorg.sqlite.tmpdir=" + scratch,
                  "-cp",
                  System.getProperty("java.class.path"),
                  main.getName()));
      command.addAll(List.of(args));
      return command;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts {@code command}. */
  public static Child start(List<String> command) {
    try {
      return new Child(new ProcessBuilder(command).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes {@code line} to its standard input. */
  public void say(String line) {
    in.println(line);
  }

  /**
   * The next line of its standard output that begins with {@code start}; those before it are
   * dropped.
   */
  public String await(String start) {
    while (true) {
      String line = next();
      if (line == null) {
        throw new AssertionError("the child ended without a line '" + start + "…':\n" + seen());
      }
      if (line.startsWith(start)) {
        return line;
      }
    }
  }

  /** Writes {@code line} and returns the next line that it answers. */
  public String ask(String line) {
    say(line);
    return await("");
  }

  /** All lines that are not read yet, up to the end of its output. */
  public List<String> rest() {
    List<String> lines = new ArrayList<>();
    for (String line = next(); line != null; line = next()) {
      lines.add(line);
    }
    return lines;
  }

  private String next() {
    try {
      String line = out.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
      if (line == null) {
        throw new AssertionError("the child says nothing more:\n" + seen());
      }
      if (line.equals(END)) {
        out.add(END);
        return null;
      }
      return line;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Sends the signal of this name, such as STOP, CONT or TERM. */
  public void signal(String name) {
    run("kill", "-" + name, Long.toString(process.pid()));
  }

  /** Limits the size of every file that it writes from now on. */
  public void limitFiles(long bytes) {
    run("prlimit", "--pid", Long.toString(process.pid()), "--fsize=" + bytes);
  }

  private static void run(String... command) {
    try (Child tool = start(List.of(command))) {
      if (tool.exit() != 0) {
        throw new AssertionError(String.join(" ", command) + " failed:\n" + tool.seen());
      }
    }
  }

  /** Whether it has not ended yet. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Its exit code, once it has ended. */
  public int exit() {
    try {
      if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the child does not end:\n" + seen());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Everything that it has written so far, for the message of an assertion. */
  public String seen() {
    synchronized (seen) {
      return String.join("\n", seen);
    }
  }

  private void note(String line) {
    synchronized (seen) {
      if (seen.size() < MAX_LINES) {
        seen.add(line);
      }
    }
  }

  /** Kills it and all that it has started with SIGKILL, and returns when they are gone. */
  public void kill() {
    List<ProcessHandle> all = process.descendants().toList();
    process.destroyForcibly();
    all.forEach(ProcessHandle::destroyForcibly);
    exit();
    all.forEach(each -> each.onExit().orTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS).join());
  }

  @Override
  public void close() {
    kill();
  }
}
