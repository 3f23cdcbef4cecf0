package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The suite's own executables at work in a directory that goes with them. */
final class DemoTools implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("listening on (http://[^ ,]+)");
  private static final Duration MOST_TO_START = Duration.ofSeconds(30);
  private static final Duration MOST_TO_STOP = Duration.ofSeconds(10);

  /** What a one-shot left: its exit code, its output and its last line on stderr. */
  record Ran(int exit, String out, String said) {}

  private final Path bin;
  private final Path directory;
  private final List<Process> running = new ArrayList<>();
  private final CountDownLatch closing = new CountDownLatch(1);

  /** The tools in {@code bin}, in a fresh directory that only this user can enter. */
  DemoTools(Path bin) throws IOException {
    this.bin = bin;
    this.directory = Files.createTempDirectory("relay-demo-");
  }

  /** The name of a file in the directory. */
  String file(String name) {
    return directory.resolve(name).toString();
  }

  /**
   * Starts a tool that listens, and says where.
   *
   * @throws IOException if it does not come up
   */
  URI listen(String... command) throws IOException, InterruptedException {
    Stderr stderr = Stderr.of(start(command));
    try {
      return stderr.listening.get(MOST_TO_START.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e);
    } catch (TimeoutException e) {
      throw new IOException(
          String.join(" ", command) + " is not up after " + MOST_TO_START.toSeconds() + " s", e);
    }
  }

  static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * What a tool says, read to its end: a tool must never wait for somebody to take its log.
   *
   * @param listening where it says that it listens
   * @param last its last line, once it has ended
   */
  private record Stderr(CompletableFuture<URI> listening, CompletableFuture<String> last) {
    static Stderr of(Process tool) {
      Stderr stderr = new Stderr(new CompletableFuture<>(), new CompletableFuture<>());
      daemon("demo-stderr", () -> stderr.read(tool)).start();
      return stderr;
    }

    private void read(Process tool) {
      String last = "a tool ended without a word";
      try (BufferedReader lines = tool.errorReader(UTF_8)) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          last = line;
          Matcher found = LISTENING.matcher(line);
          if (found.find()) {
            listening.complete(URI.create(found.group(1)));
          }
        }
      } catch (IOException e) {
        last = e.getMessage();
      }
      listening.completeExceptionally(new IOException(last));
      this.last.complete(last);
    }
  }

  /** Runs a tool to its end, with {@code in} as its stdin. */
  Ran run(String in, String... command) throws IOException, InterruptedException {
    Process tool = start(command);
    Stderr stderr = Stderr.of(tool);
    try (OutputStream stdin = tool.getOutputStream()) {
      stdin.write(in.getBytes(UTF_8));
    }
    String out;
    try (InputStream stdout = tool.getInputStream()) {
      out = new String(stdout.readAllBytes(), UTF_8);
    }
    return new Ran(tool.waitFor(), out, stderr.last.join());
  }

  private synchronized Process start(String... command) throws IOException {
    if (closing.getCount() == 0) {
      throw new IOException("the demo is over");
    }
    // Ctrl-C goes to all processes of a terminal: these must hear of it from the demo alone, once,
    // for a second signal halts them.
    List<String> line = new ArrayList<>(List.of("sh", "-c", "trap '' INT HUP; exec \"$0\" \"$@\""));
    line.add(bin.resolve(command[0]).toString());
    line.addAll(List.of(command).subList(1, command.length));
    ProcessBuilder builder = new ProcessBuilder(line);
    // What the user has set for relays of his own is not meant for this one.
    builder.environment().keySet().removeIf(name -> name.startsWith("RELAY_"));
    // The SQLite library is unpacked here too, and so goes in any case; nobody runs for long.
    builder
        .environment()
        .merge(
            "JDK_JAVA_OPTIONS",
            "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC \"-Djava.io.tmpdir=" + directory + "\"",
            (theirs, ours) -> theirs + " " + ours);
    Process tool = builder.start();
    running.add(tool);
    return tool;
  }

  /** Lets {@code time} go by, or less if the demo is over. */
  void pause(Duration time) throws InterruptedException {
    closing.await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether all is stopped, or about to be. */
  boolean closed() {
    return closing.getCount() == 0;
  }

  /** Stops all tools and removes the directory. */
  @Override
  public synchronized void close() {
    closing.countDown();
    running.forEach(Process::destroy);
    for (Process tool : running) {
      try {
        if (!tool.waitFor(MOST_TO_STOP.toMillis(), TimeUnit.MILLISECONDS)) {
          tool.destroyForcibly().waitFor();
        }
      } catch (InterruptedException e) {
        tool.destroyForcibly();
      }
    }
    running.clear();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(DemoTools::delete);
    } catch (IOException e) {
      // It has gone already.
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      System.err.println("demo: " + path + " is left behind; remove it");
    }
  }
}
