package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Steps;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.resolvecli.ResolveMain;
import picocli.CommandLine;

/**
 * Claim 1: a batch with faults of ten kinds, killed at random and run again, then cleaned up after:
 * every line is accounted for, nothing is executed twice, and the books agree.
 */
class BatchRecoveryTest {
  /** One line in twenty meets one of these; all but the first are executed the first time. */
  private static final List<String> FAULTS =
      List.of(
          "lost",
          "delay700",
          "drop",
          "rst",
          "silent",
          "html500",
          "truncated",
          "othercode",
          "notjson",
          "empty");

  private static final Duration HOUR = Duration.ofHours(1);
  private static final String TIMEOUT = "500ms";

  @TempDir Path folder;

  private static String line(int number) {
    String fault = number % 20 == 7 ? FAULTS.get(number / 20 % FAULTS.size()) : "ok";
    String spelled =
        fault.replaceAll("^(html)(500)$", "$1:$2").replaceAll("^(delay)(700)$", "$1:$2ms");
    return "{\"guid\":\"" + fault + "-" + number + "\",\"amount\":1,\"fault\":\"" + spelled + "\"}";
  }

  private Path batch(int lines) throws IOException {
    Path file = folder.resolve("batch.ndjson");
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (int i = 1; i <= lines; i++) {
        out.write(line(i).replace(",\"fault\":\"ok\"", ""));
        out.write('\n');
      }
    }
    return file;
  }

  private static Ran run(Stage stage, CommandLine tool, String... more) {
    List<String> all = new ArrayList<>(List.of("--ledger", stage.ledger.toString()));
    all.addAll(List.of("--account-url", stage.account().toString(), "-q"));
    all.addAll(List.of(more));
    return Ran.of(tool, Map.of(), all.toArray(String[]::new));
  }

  private void killed(int lines, int kills, long seed) throws Exception {
    Path file = batch(lines);
    Random random = new Random(seed);
    try (Stage stage = new Stage(folder, "1s")) {
      String[] command =
          stage.command("batch", file.toString(), "--timeout", TIMEOUT, "-q", "-o", "out");
      for (int i = 0; i < kills; i++) {
        int received = stage.sandbox.received().size();
        int until = received + random.nextInt(Math.max(1, lines / kills));
        try (Child child = Child.start(withOutput(command, "out-" + i))) {
          stage.sandbox.awaitReceived(until, HOUR);
          child.kill();
        }
      }
      int left = 1;
      for (int round = 0; left > 0 && round < 5; round++) {
        try (Child child = Child.start(withOutput(command, "round-" + round))) {
          assertThat(child.exit(HOUR)).as(child.err().text()).isIn(0, 5);
        }
        Ran resolve =
            run(
                stage,
                ResolveMain.commandLine(new Later(HOUR.multipliedBy(round + 1)), Steps.NONE));
        assertThat(resolve.exit()).as(resolve.err()).isZero();
        Ran reprocess =
            run(
                stage,
                ReprocessMain.commandLine(new Later(HOUR.multipliedBy(round + 1)), Steps.NONE),
                "--rate",
                "100000/s",
                "--max-age",
                "7d",
                "--concurrency",
                "16",
                "--timeout",
                TIMEOUT);
        assertThat(reprocess.exit()).as(reprocess.err()).isIn(0, 5);
        left = 0;
        for (String answer : Files.readAllLines(folder.resolve("round-" + round))) {
          left += answer.contains("\"type\":\"line\"") && !answer.contains("\"DONE\"") ? 1 : 0;
        }
      }
      Ran last = Stage.run(Steps.NONE, new byte[0], withOutput(command, "last"));
      assertThat(last.exit()).as(last.err()).isZero();
      assertAccountedFor(Files.readAllLines(folder.resolve("last")), lines);
      assertThat(stage.sandbox.executed().values()).allMatch(times -> times == 1).hasSize(lines);
      Ran reconcile =
          Stage.run(
              Steps.NONE,
              Channel.get(stage.account(), "/statement").body(),
              "reconcile",
              "-",
              "--ledger",
              stage.ledger.toString());
      assertThat(reconcile.exit()).as(reconcile.out() + reconcile.err()).isZero();
      assertThat(reconcile.err()).contains("the books agree", lines + " executions");
    }
  }

  private String[] withOutput(String[] command, String name) {
    String[] all = command.clone();
    all[all.length - 1] = folder.resolve(name).toString();
    return all;
  }

  private static void assertAccountedFor(List<String> answers, int lines) {
    Map<String, Integer> kinds = new TreeMap<>();
    assertThat(answers).hasSize(lines + 1);
    for (int i = 1; i <= lines; i++) {
      String answer = answers.get(i - 1);
      assertThat(answer).startsWith("{\"v\":1,\"type\":\"line\",\"line\":" + i + ",\"guid\":");
      assertThat(answer).contains("-" + i + "\",\"state\":\"DONE\",\"code\":\"0000\"");
      kinds.merge(answer.replaceAll(".*\"guid\":\"([a-z]+)[0-9]*-.*", "$1"), 1, Integer::sum);
    }
    assertThat(kinds).hasSize(FAULTS.size() + 1);
  }

  @Test
  void aBatchWithTenKindsOfFaultsKilledTwiceEndsWithBooksThatAgree() throws Exception {
    killed(400, 2, 1);
  }

  /** Minutes; {@code -Dlines=100000} takes a quarter of an hour. */
  @Test
  @Tag("long")
  void manyLinesKilledFiveTimesEndWithBooksThatAgree() throws Exception {
    killed(Integer.getInteger("lines", 8_000), 5, 20261201);
  }
}
