package org.relayledger.schedule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.testing.Child;

/** The schedules find out when a rule is broken in the code. */
class MutantTest {
  private static final int MOST_PAIRS = 400;

  /** Runs schedules up to the first that executes something twice, and tells of it. */
  public static void main(String[] arguments) throws Exception {
    try (Schedules schedules = new Schedules(Path.of(arguments[0]))) {
      for (int i = 0; i < MOST_PAIRS; i++) {
        try {
          int unused = Pairs.run(schedules, i, i + 1);
        } catch (AssertionError e) {
          if (e.getMessage().contains(Schedules.TWICE)) {
            System.out.println(e.getMessage());
            System.exit(0);
          }
        }
      }
    }
    System.exit(1);
  }

  @ParameterizedTest
  @ValueSource(strings = "asks-at-any-age")
  void aMutantExecutesSomethingTwice(String name, @TempDir Path folder) throws Exception {
    String patch;
    try (InputStream in = MutantTest.class.getResourceAsStream(name + ".patch")) {
      patch = new String(in.readAllBytes(), UTF_8);
    }
    List<String> command = new ArrayList<>(Child.javaCommand(MutantTest.class, folder.toString()));
    command.set(command.indexOf("-cp") + 1, Mutant.build(patch, folder.resolve("mutant")));
    try (Child child = Child.start(command)) {
      child.rest().forEach(System.out::println);
      assertThat(child.exit()).as(child.seen()).isZero();
    }
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "doubt-counts-as-not-sent",
        "takes-no-byte",
        "orphan-keeps-its-age",
        "sends-as-soon-as-it-has-asked"
      })
  void eachOfTheOthersDoesToo(String name, @TempDir Path folder) throws Exception {
    aMutantExecutesSomethingTwice(name, folder);
  }
}
