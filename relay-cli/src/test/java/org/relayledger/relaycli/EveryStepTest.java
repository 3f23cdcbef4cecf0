package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Step;

/** Each tool is stopped at each of its steps, then goes on or is killed. */
@Tag("long")
class EveryStepTest {
  /** Within a transaction: as long as somebody stands there nobody else can write. */
  private static final Set<Step> WRITING =
      EnumSet.of(Step.CLAIM_WRITTEN, Step.OUTCOME_WRITTEN, Step.INTAKE_WRITTEN, Step.PURGE_WRITTEN);

  private static final Set<Step> WAITED = EnumSet.noneOf(Step.class);

  @TempDir static Path folder;
  private static Stage stage;
  private static int count;

  @BeforeAll
  static void open() throws IOException {
    stage = new Stage(folder, Tool.MAX_PROCESSING, Tool.RESEND_WINDOW);
    assertThat(stage.transfer("canary")).returns(0, Ran::exit);
  }

  @AfterAll
  static void close() {
    stage.close();
  }

  static Stream<Arguments> all() {
    return Arrays.stream(Tool.values())
        .flatMap(
            tool ->
                tool.steps().stream()
                    .sorted()
                    .flatMap(
                        step ->
                            Stream.of(
                                Arguments.of(tool, step, false), Arguments.of(tool, step, true))));
  }

  @ParameterizedTest
  @MethodSource("all")
  void aToolThatStandsStillAtAStepDoesNoHarmWhetherItGoesOnOrDies(
      Tool tool, Step step, boolean dies) throws Exception {
    // Not by the step's name: such a GUID would pause in later runs, too.
    List<String> guids = tool.prepare(stage, tool.name().toLowerCase(Locale.ROOT) + ++count);
    try (Child child = Child.startPausing(step, tool.command(stage, guids))) {
      child.awaitAnyPause(step);
      child.signal("STOP");
      // Who waits for the lock waits for five seconds: once a step is enough.
      boolean tries = !WRITING.contains(step) || WAITED.add(step);
      for (String guid : tries ? tool.sentMeanwhile(guids) : List.<String>of()) {
        Ran other = stage.transfer(guid);
        // A reply, doubt, in progress, gone, or nothing could be written.
        assertThat(other.exit()).as(other.err()).isIn(0, 5, 6, 8, 12);
      }
      tool.check(stage, guids);
      if (dies) {
        child.kill();
      } else {
        child.signal("CONT");
        child.in("");
        String out = child.rest();
        tool.checkRun(stage, guids, child.exit(), out, child.err().text());
      }
    }
    tool.checkCutOff(stage, guids);
    if (tool != Tool.PURGE) {
      Ran again = tool.again(stage, guids);
      assertThat(again.exit()).as(again.err()).isIn(0, 4, 5, 6, 7);
    }
    tool.finish(stage, guids);
  }
}
