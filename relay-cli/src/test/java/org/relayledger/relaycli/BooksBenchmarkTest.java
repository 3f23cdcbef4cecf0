package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The books of a large ledger in a small memory: {@code -Drows=10000000 -Dbooks=FOLDER}. The folder
 * is filled the first time and used again.
 */
@Tag("bench")
class BooksBenchmarkTest {
  private static final long ROWS = Long.getLong("rows", 200_000);
  private static final Path FOLDER = Path.of(System.getProperty("books", "target/books"));
  private static final String HEAP = "-Xmx64m";

  private final Path ledger = FOLDER.resolve("ledger-" + ROWS + ".db");
  private final Path statement = FOLDER.resolve("statement-" + ROWS + ".csv");
  private final Path batch = FOLDER.resolve("batch-" + ROWS + ".ndjson");

  private void fill() throws Exception {
    Files.createDirectories(FOLDER);
    if (Files.exists(batch)) {
      return;
    }
    String[] init = {
      "init", "--ledger", ledger.toString(), "--max-processing", "1m", "--resend-window", "1d"
    };
    assertThat(Stage.run(init).exit()).isZero();
    Instant begun = Instant.now();
    long first = begun.minus(Duration.ofDays(30)).toEpochMilli();
    ManyRows.fill(ledger, ROWS, first);
    ManyRows.statement(statement, ROWS);
    ManyRows.batch(batch, ROWS);
    report("filled", begun, "");
  }

  private static void report(String what, Instant begun, String more) {
    double seconds = Duration.between(begun, Instant.now()).toMillis() / 1000.0;
    System.out.printf(
        Locale.ROOT, "%-40s %8.1f s %10.0f rows/s  %s%n", what, seconds, ROWS / seconds, more);
  }

  /** One command of the relay in a JVM of its own, with what it takes in memory at most. */
  private void time(String what, int exit, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                HEAP,
                "-cp",
                System.getProperty("java.class.path"),
                RelayMain.class.getName()));
    command.addAll(Arrays.asList(arguments));
    command.addAll(List.of("--ledger", ledger.toString()));
    Path err = Files.createTempFile("books", ".err");
    Instant begun = Instant.now();
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(err.toFile())
            .start();
    long resident = 0;
    while (!process.waitFor(100, TimeUnit.MILLISECONDS)) {
      resident = Math.max(resident, resident(process.pid()));
    }
    List<String> said = Files.readAllLines(err);
    String last = said.isEmpty() ? "" : said.get(said.size() - 1);
    report(what, begun, resident / 1024 + " MiB resident; " + last);
    assertThat(process.exitValue()).as(said.toString()).isEqualTo(exit);
  }

  /** What the process has resident now, in KiB. */
  private static long resident(long pid) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
        if (line.startsWith("VmRSS:")) {
          return Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
      }
    } catch (IOException e) {
      // It has just ended.
    }
    return 0;
  }

  @Test
  void theBooksOfALargeLedger() throws Exception {
    fill();
    Path out = FOLDER.resolve("out");
    String[] toFile = {"-o", out.toString(), "--force"};
    time("stats", 0, "stats");
    time("list to a file", 0, "list", toFile[0], toFile[1], toFile[2]);
    time("export", 0, "export", toFile[0], toFile[1], toFile[2]);
    time("export --bodies", 0, "export", "--bodies", toFile[0], toFile[1], toFile[2]);
    Files.deleteIfExists(out);
    time("twins", 0, "twins");
    time("reconcile", 0, "reconcile", statement.toString());
    time(
        "batch, all of it DONE already",
        0,
        "batch",
        batch.toString(),
        "--account-url",
        "http://127.0.0.1:1/transfers");
  }
}
