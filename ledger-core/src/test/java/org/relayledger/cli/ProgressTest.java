package org.relayledger.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class ProgressTest {
  @Test
  void whoSitsAtTheTerminalSeesHowManyRowsAreDone() {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    try (Progress progress = Progress.to(new PrintStream(shown, true, UTF_8), "purge")) {
      progress.step(3);
      progress.step(4);
    }
    assertThat(shown.toString(UTF_8)).contains("purge", "7/? rows");
  }
}
