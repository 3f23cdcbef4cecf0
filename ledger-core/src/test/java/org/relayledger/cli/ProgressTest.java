package org.relayledger.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class ProgressTest {
  @Test
  void onceTheEndIsKnownTheyAlsoSeeHowLongItWillTake() {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    try (Progress progress = Progress.to(new PrintStream(shown, true, UTF_8), "relay batch")) {
      progress.step(90);
      progress.begin(8);
      progress.step(2);
      progress.step(1);
    }
    assertThat(shown.toString(UTF_8)).contains("3/8 rows", "37%", "/s");
  }

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
