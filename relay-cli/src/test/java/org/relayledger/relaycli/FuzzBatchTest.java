package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Steps;
import org.relayledger.testing.Mutations;
import org.relayledger.testing.StrictJson;

/** Spoilt batches, and spoilt statements of the account system to compare with. */
class FuzzBatchTest {
  private static final List<byte[]> LINES =
      Stream.of(
              "{\"guid\":\"b-1\",\"amount\":1}\n{\"guid\":\"b-2\",\"amount\":1}\n",
              "{\"guid\":\"b-3\",\"amount\":1}\r\n\r\n \t\n{\"amount\":1,\"guid\":\"b-3\"}\n",
              "{\"guid\":\"B201-4\",\"amount\":1}\n{}\n\n{\"guid\":\"b-5\",\"amount\":1}",
              "{\"guid\":\"b-6\",\"amount\":1,\"x\":[\"\\u00e9\u00e9\"]}\n")
          .map(text -> text.getBytes(UTF_8))
          .toList();
  private static final List<String> LINE_WORDS =
      List.of(
          "\n", "\n\n", "\r\n", "\"guid\":\"b-1\"", "{\"guid\":\"b-7\"}\n", "b-8", "\"amount\":2");
  private static final List<byte[]> STATEMENTS =
      Stream.of(
              "guid,at\r\nok-1,2026-01-31T03:00:00Z\r\nok-2,2026-01-31T03:00:00.5+01:00\r\n",
              "\"guid\",\"at\"\n\"ok-1\",\"2026-01-31T03:00:00Z\"\n\n\"x\"\"y\",\"\"\n",
              "at,guid,other\n2026-01-31T03:00:00Z,OK-1,\"a\nb\"\n,,\n")
          .map(text -> text.getBytes(UTF_8))
          .toList();
  private static final List<String> STATEMENT_WORDS =
      List.of(
          "\"", "\"\"", ",", "\r\n", "guid", "ok-1", "ok-2", "at", "+999999999-12-31T23:59:59Z");
  private static final Set<Integer> BATCH_EXITS = Set.of(0, 3, 7, 9);

  @TempDir Path folder;

  @Test
  void twentyFiveSpoiltBatchesAreAnsweredLineByLine() throws Exception {
    batches(20260409, 25);
  }

  @Test
  @Tag("long")
  void threeHundredSpoiltBatchesAreAnsweredLineByLine() throws Exception {
    batches(20260410, 300);
  }

  private void batches(long seed, int rounds) throws Exception {
    Mutations files = new Mutations(new Random(seed), LINES, LINE_WORDS);
    int answered = 0;
    try (Stage stage = new Stage(folder)) {
      for (int round = 1; round <= rounds; round++) {
        byte[] file = files.next();
        String where = "seed " + seed + ", round " + round + ": " + new String(file, ISO_8859_1);
        Ran ran = Stage.run(Steps.NONE, file, stage.command("batch", "-", "-q"));
        List<Long> lines = new ArrayList<>();
        Set<Integer> worst = new TreeSet<>();
        for (String line : ran.out().lines().toList()) {
          Map<?, ?> members =
              (Map<?, ?>) StrictJson.read(line.getBytes(UTF_8)).orElseThrow(AssertionError::new);
          if (members.get("type").equals("line")) {
            lines.add(Long.parseLong(((StrictJson.Bare) members.get("line")).text()));
          } else {
            assertThat(members.get("exit")).isEqualTo(new StrictJson.Bare("" + ran.exit()));
            worst.add(ran.exit());
          }
        }
        assertThat(worst).as(where + "\n" + ran.err()).isSubsetOf(BATCH_EXITS).hasSize(1);
        assertThat(lines).as(where).isEqualTo(notBlank(file));
        assertThat(ran.err()).as(where).doesNotContain("Exception", "\tat ");
        answered += lines.size();
      }
      assertThat(answered).isGreaterThan(rounds);
      // Each GUID once, in whatever files and on however many lines it was.
      assertThat(stage.sandbox.received().values()).isNotEmpty().containsOnly(1);
    }
  }

  /** The numbers of the lines that have something on them. */
  private static List<Long> notBlank(byte[] file) {
    List<Long> numbers = new ArrayList<>();
    long number = 1;
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int i = 0; i <= file.length; i++) {
      if (i < file.length && file[i] != '\n') {
        line.write(file[i]);
        continue;
      }
      if (!line.toString(ISO_8859_1).matches("[ \t\r]*")) {
        numbers.add(number);
      }
      line.reset();
      number++;
    }
    return numbers;
  }

  @Test
  void fortySpoiltStatementsAreComparedOrExit2() throws Exception {
    statements(20260411, 40);
  }

  @Test
  @Tag("long")
  void threeHundredSpoiltStatementsAreComparedOrExit2() throws Exception {
    statements(20260412, 300);
  }

  private void statements(long seed, int rounds) throws Exception {
    Mutations files = new Mutations(new Random(seed), STATEMENTS, STATEMENT_WORDS);
    Set<Integer> exits = new TreeSet<>();
    try (Stage stage = new Stage(folder)) {
      stage.transfer("ok-1");
      stage.transfer("ok-2");
      Path file = folder.resolve("statement.csv");
      for (int round = 1; round <= rounds; round++) {
        Files.write(file, files.next());
        String where =
            "seed " + seed + ", round " + round + ": " + Files.readString(file, ISO_8859_1);
        List<String> command =
            new ArrayList<>(
                List.of(
                    "reconcile",
                    file.toString(),
                    "--ledger",
                    stage.ledger.toString(),
                    "--format",
                    "json"));
        if (round % 2 == 0) {
          command.addAll(List.of("--time-column", "at"));
        }
        Ran ran = Stage.run(command.toArray(String[]::new));
        exits.add(ran.exit());
        assertThat(ran.exit()).as(where + "\n" + ran.err()).isIn(0, 2, 13);
        assertThat(ran.err()).as(where).doesNotContain("Exception", "\tat ");
        assertThat(ran.err().lines())
            .as(where)
            .allMatch(line -> line.startsWith("relay reconcile: "))
            .allMatch(line -> line.chars().noneMatch(Character::isISOControl));
        assertThat(ran.out().lines())
            .as(where)
            .allMatch(line -> StrictJson.read(line.getBytes(UTF_8)).isPresent());
      }
    }
    assertThat(exits).contains(2, 13);
  }
}
