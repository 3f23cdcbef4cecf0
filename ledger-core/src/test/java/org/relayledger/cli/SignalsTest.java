package org.relayledger.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.relayledger.cli.ChildTool.Running;

class SignalsTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130"})
  void theFirstSignalLetsTheWorkEndAndIsTheExit(String signal, int exit) throws Exception {
    try (Running child = ChildTool.start(folder, "work")) {
      assertThat(child.line()).isEqualTo("ready");
      child.signal(signal);
      assertThat(child.line()).isEqualTo("winding up");
      assertThat(child.process().isAlive()).isTrue();
      child.process().getOutputStream().close();
      assertThat(child.exit()).isEqualTo(exit);
      assertThat(child.err()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"TERM, TERM, 143", "INT, INT, 130", "TERM, INT, 130", "INT, TERM, 143"})
  void theSecondSignalHaltsAtOnce(String first, String second, int exit) throws Exception {
    try (Running child = ChildTool.start(folder, "work")) {
      assertThat(child.line()).isEqualTo("ready");
      child.signal(first);
      assertThat(child.line()).isEqualTo("winding up");
      child.signal(second);
      // Its stdin is still open: by itself it would not end.
      assertThat(child.exit()).isEqualTo(exit);
      assertThat(child.err()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"TERM", "INT"})
  void aCommandWhoseEndIsASignalMayExitWithZero(String signal) throws Exception {
    try (Running child = ChildTool.start(folder, "serve")) {
      assertThat(child.line()).isEqualTo("ready");
      child.signal(signal);
      assertThat(child.line()).isEqualTo("winding up");
      child.process().getOutputStream().close();
      assertThat(child.exit()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130"})
  void aCommandThatAsksForNoSignalsIsEndedAtOnce(String signal, int exit) throws Exception {
    try (Running child = ChildTool.start(folder, "one-shot")) {
      assertThat(child.line()).isEqualTo("ready");
      child.signal(signal);
      assertThat(child.exit()).isEqualTo(exit);
      assertThat(child.err()).isEmpty();
    }
  }
}
