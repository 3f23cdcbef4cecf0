package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A copy of the suite as it was built, in a folder whose name has a space, to be run as users do.
 */
abstract class BuiltSuite {
  static final String NOTHING = "http://127.0.0.1:1/transfers";

  @TempDir static Path all;
  static Path bin;

  Path temp;

  @BeforeAll
  static void copyTheSuite() throws IOException {
    Path suite = Path.of(System.getProperty("suite.dir"));
    Path copy = all.resolve("a copy of the suite");
    try (Stream<Path> paths = Files.walk(suite)) {
      for (Path path : paths.toList()) {
        Files.copy(
            path,
            copy.resolve(suite.relativize(path).toString()),
            StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    bin = copy.resolve("bin");
  }

  @BeforeEach
  void makeRoom() throws IOException {
    temp = Files.createTempDirectory(all.toRealPath(), "a test ");
  }

  /** What a program left. */
  record Ended(int exit, String out, String err) {}

  Ended run(Object... command) throws Exception {
    return run(Map.of(), "", command);
  }

  Ended run(Map<String, String> environment, String in, Object... command) throws Exception {
    Path out = temp.resolve("stdout");
    Path err = temp.resolve("stderr");
    Process program =
        program(environment, command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try (OutputStream stdin = program.getOutputStream()) {
      stdin.write(in.getBytes(UTF_8));
    }
    try {
      assertThat(program.waitFor(60, SECONDS)).isTrue();
      return new Ended(program.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      program.destroyForcibly();
      Files.delete(out);
      Files.delete(err);
    }
  }

  /** A program in an environment in which nobody has set anything for the suite or for Java. */
  static ProcessBuilder program(Map<String, String> environment, Object... command) {
    ProcessBuilder program = new ProcessBuilder(Stream.of(command).map(Object::toString).toList());
    program.environment().keySet().removeIf(name -> name.matches("RELAY_.*|.*JAVA.*_OPTIONS"));
    program.environment().put("JAVA_HOME", System.getProperty("java.home"));
    program.environment().remove("CACHE_DIRECTORY");
    program.environment().put("XDG_CACHE_HOME", cache().toString());
    program.environment().putAll(environment);
    return program;
  }

  /** Where the launcher keeps what makes the next start faster. */
  static Path cache() {
    return all.resolve("cache");
  }

  Ended init(String ledger) throws Exception {
    return init(ledger, "30s");
  }

  Ended init(String ledger, String maxProcessing) throws Exception {
    return run(
        "sh",
        "-c",
        "umask 0; exec \"$0\" \"$@\"",
        bin.resolve("relay"),
        "init",
        "--ledger",
        ledger,
        "--max-processing=" + maxProcessing,
        "--resend-window=1d");
  }
}
