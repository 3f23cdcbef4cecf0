package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.relayledger.cli.Main;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Step;
import org.relayledger.purgecli.PurgeMain;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.resolvecli.ResolveMain;
import picocli.CommandLine;

/**
 * The relay, or another tool, in a JVM of its own, which can be killed. A GUID that names a step
 * pauses there, and says so on stdout, until a line comes on stdin.
 */
final class Child implements AutoCloseable {
  /** A GUID that begins so meets a bug once its reply is read. */
  static final String BROKEN = "broken";

  private static final String PAUSE = "pause";

  private final Process process;
  private final BufferedReader out;
  private final Said err = new Said();
  private final Thread pump;

  private Child(Process process) {
    this.process = process;
    this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    this.pump = new Thread(this::pump, "child-stderr");
    pump.setDaemon(true);
    pump.start();
  }

  public static void main(String[] arguments) {
    System.exit(Main.run(tool(arguments[0]), arguments(arguments), Streams.ofProcess()));
  }

  /** The tool of that name; any other is a command of the relay. */
  private static CommandLine tool(String name) {
    return switch (name) {
      case "resolve" -> ResolveMain.commandLine(HostClock.system(), Child::pause);
      case "reprocess" -> ReprocessMain.commandLine(HostClock.system(), Child::pause);
      case "purge" -> PurgeMain.commandLine(HostClock.system(), Child::pause);
      default -> RelayMain.commandLine(Child::pause);
    };
  }

  private static String[] arguments(String[] all) {
    boolean named = Set.of("resolve", "reprocess", "purge").contains(all[0]);
    return Arrays.copyOfRange(all, named ? 1 : 0, all.length);
  }

  private static void pause(Step step, Guid guid) {
    if (step == Step.REPLY_READ && guid.folded().startsWith(BROKEN)) {
      throw new IllegalStateException("a bug");
    }
    if (guid.folded().contains(step.name().toLowerCase(Locale.ROOT))
        || step.name().equals(System.getProperty(PAUSE))) {
      System.out.println(step + " " + guid);
      try {
        int unused = System.in.read();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A GUID that pauses at {@code step}. */
  static String at(Step step) {
    return step.name().toLowerCase(Locale.ROOT);
  }

  static Child start(String... arguments) throws IOException {
    return start(List.of(), arguments);
  }

  /** Starts a child that pauses whenever it reaches {@code step}. */
  static Child startPausing(Step step, String... arguments) throws IOException {
    return start(List.of("env", "JDK_JAVA_OPTIONS=-D" + PAUSE + "=" + step), arguments);
  }

  /** Starts a child by what {@code before} begins with, for example a shell that sets a limit. */
  static Child start(List<String> before, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx128m"));
    // A killed JVM leaves the driver's native library behind: where a clean build removes it.
    Path scratch = Files.createDirectories(Path.of("target", "child-tmp").toAbsolutePath());
    command.add("-Dorg.sqlite.tmpdir=" + scratch);
    command.add("-Dorg.slf4j.simpleLogger.log.org.relayledger=info");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Child.class.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("RELAY_"));
    return new Child(builder.start());
  }

  private void pump() {
    try {
      process.getErrorStream().transferTo(err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Said err() {
    return err;
  }

  /** Where a hub listens. */
  URI url() throws InterruptedException {
    return URI.create(err.await("listening on ([^\\s,]+)"));
  }

  /** Waits until {@code guid} pauses at {@code step}; other pauses before it are fine. */
  void awaitPause(Step step, String guid) throws IOException {
    String wanted = step + " " + guid;
    for (String line = out.readLine(); !wanted.equals(line); line = out.readLine()) {
      if (line == null) {
        throw new IllegalStateException("ended before " + wanted + ": " + err.text());
      }
    }
  }

  /** Waits until any GUID pauses at {@code step}. */
  void awaitAnyPause(Step step) throws IOException {
    for (String line = out.readLine();
        line == null || !line.startsWith(step + " ");
        line = out.readLine()) {
      if (line == null) {
        throw new IllegalStateException("ended before " + step + ": " + err.text());
      }
    }
  }

  /** Writes {@code text} to stdin, which stays open. */
  void write(String text) throws IOException {
    process.getOutputStream().write(text.getBytes(UTF_8));
    process.getOutputStream().flush();
  }

  /** Writes {@code text} to stdin and closes it, which ends every pause. */
  void in(String text) throws IOException {
    process.getOutputStream().write(text.getBytes(UTF_8));
    process.getOutputStream().close();
  }

  /** What is on stdout from here to its end. */
  String rest() throws IOException {
    StringBuilder rest = new StringBuilder();
    for (int c = out.read(); c >= 0; c = out.read()) {
      rest.append((char) c);
    }
    return rest.toString();
  }

  long pid() {
    return process.pid();
  }

  void signal(String name) throws IOException, InterruptedException {
    run("kill", "-s", name, Long.toString(process.pid()));
  }

  /** Limits the size of every file that it writes from now on. */
  void limitFiles(long bytes) throws IOException, InterruptedException {
    run("prlimit", "--pid", Long.toString(process.pid()), "--fsize=" + bytes);
  }

  private static void run(String... command) throws IOException, InterruptedException {
    if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
      throw new IllegalStateException(String.join(" ", command) + " failed");
    }
  }

  void onExit(Runnable then) {
    CompletableFuture<Void> unused = process.onExit().thenRun(then);
  }

  int exit() throws InterruptedException {
    return exit(Stage.PATIENCE);
  }

  /** Its exit code, once it has one, if that is within {@code patience}. */
  int exit(Duration patience) throws InterruptedException {
    if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException("still running: " + err.text());
    }
    pump.join(Stage.PATIENCE.toMillis());
    return process.exitValue();
  }

  /** As kill -9 does. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    exit();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
