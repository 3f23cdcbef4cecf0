package org.relayledger.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A tool in a JVM of its own, with real streams and signals; its first parameter says what. */
@Command(name = "relay")
final class ChildTool implements Action {
  private static final long DEADLINE_SECONDS = 60;

  @Mixin CommonOptions common;

  @Parameters(paramLabel = "WHAT")
  private String what;

  public static void main(String[] arguments) {
    System.exit(Main.run(new CommandLine(new ChildTool()), arguments, Streams.ofProcess()));
  }

  @Override
  public Exit run(Streams streams) throws Exception {
    return switch (what) {
      case "write" -> {
        // Not before stdout is as the test wants it.
        streams.in().read();
        streams.out().write(new byte[1_000_000]);
        yield Exit.OK;
      }
      case "write-in-doubt" -> {
        streams.in().read();
        streams.out().write('x');
        yield Exit.UNKNOWN;
      }
      case "echo" -> {
        streams.out().write(streams.in().readAllBytes());
        yield Exit.OK;
      }
      case "say" -> {
        streams.say("Zürich 雪");
        yield Exit.OK;
      }
      case "log", "one-shot-log" -> {
        LoggerFactory.getLogger("org.relayledger.test").debug("ours, debug");
        LoggerFactory.getLogger("org.relayledger.test").info("ours, info");
        LoggerFactory.getLogger("org.relayledger.test").error("ours, error");
        LoggerFactory.getLogger("org.other").info("theirs, info");
        LoggerFactory.getLogger("org.other").warn("theirs, warn");
        yield Exit.OK;
      }
      case "one-shot" -> {
        announce(streams, "ready");
        streams.in().read();
        yield Exit.OK;
      }
      case "serve" -> {
        awaitSignal(streams);
        yield Exit.OK;
      }
      case "work" -> {
        awaitSignal(streams);
        yield streams.signals().exit(Exit.OK);
      }
      default -> throw new Failure(Exit.USAGE, "no such part");
    };
  }

  @Override
  public boolean logs() {
    return what.equals("log");
  }

  /** Says when it is ready and when it winds up, which lasts until stdin ends. */
  private static void awaitSignal(Streams streams) throws Exception {
    CountDownLatch stop = new CountDownLatch(1);
    streams.signals().onFirst(stop::countDown);
    announce(streams, "ready");
    stop.await();
    announce(streams, "winding up");
    streams.in().readAllBytes();
  }

  private static void announce(Streams streams, String line) throws IOException {
    streams.out().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    streams.out().flush();
  }

  /** The other side: the process, its stdin and stdout as pipes, its stderr in a file. */
  static final class Running implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;
    private final Path err;

    private Running(Process process, Path err) {
      this.process = process;
      this.lines =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      this.err = err;
    }

    Process process() {
      return process;
    }

    String line() throws IOException {
      return lines.readLine();
    }

    void signal(String name) throws Exception {
      Process kill =
          new ProcessBuilder("kill", "-s", name, Long.toString(process.pid())).inheritIO().start();
      if (kill.waitFor() != 0) {
        throw new IllegalStateException("kill failed");
      }
    }

    int exit() throws InterruptedException {
      if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("still running");
      }
      return process.exitValue();
    }

    String err() throws IOException {
      return Files.readString(err);
    }

    @Override
    public void close() {
      process.destroyForcibly();
      try {
        process.waitFor();
        lines.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  static Running start(Path folder, String... arguments) throws IOException {
    return start(folder, null, List.of(), arguments);
  }

  /**
   * Starts a child.
   *
   * @param stdout the file that stdout goes to, or null for a pipe
   * @param before what starts the JVM, if not the test itself
   */
  static Running start(Path folder, File stdout, List<String> before, String... arguments)
      throws IOException {
    // A shell that starts a build in the background has SIGINT ignored, and so would the child.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.addAll(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ChildTool.class.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("RELAY_"));
    Path err = folder.resolve("stderr");
    builder.redirectError(err.toFile());
    if (stdout != null) {
      builder.redirectOutput(stdout);
    }
    return new Running(builder.start(), err);
  }
}
