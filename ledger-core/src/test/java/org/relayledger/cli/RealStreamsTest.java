package org.relayledger.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.relayledger.cli.ChildTool.Running;

class RealStreamsTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"write, 0", "write-in-doubt, 5"})
  void aClosedPipeIsSilentAndTheExitIsThatOfTheWork(String what, int exit) throws Exception {
    try (Running child = ChildTool.start(folder, what)) {
      child.process().getInputStream().close();
      child.process().getOutputStream().close();
      assertThat(child.exit()).isEqualTo(exit);
      assertThat(child.err()).isEmpty();
    }
  }

  @Test
  void aNamedPipeWhoseReaderHasGoneIsSilentToo() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    // Open for both, so that the child's open does not wait for a reader.
    List<String> before = List.of("sh", "-c", "exec 3<>\"$0\" >\"$0\" 3<&-; exec \"$@\"");
    List<String> all = new ArrayList<>(before);
    all.add(pipe.toString());
    try (Running child = ChildTool.start(folder, null, all, "write")) {
      child.process().getOutputStream().close();
      assertThat(child.exit()).isZero();
      assertThat(child.err()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"write", "write-in-doubt", "--help", "--version"})
  void aFullDeviceIsAFailureOnOneLine(String what) throws Exception {
    try (Running child = ChildTool.start(folder, new File("/dev/full"), List.of(), what)) {
      child.process().getOutputStream().close();
      assertThat(child.exit()).isEqualTo(1);
      assertThat(child.err()).isEqualTo("relay: cannot write to stdout: No space left on device\n");
    }
  }

  @Test
  void aStdoutThatIsNotOpenIsAFailureOnOneLine() throws Exception {
    List<String> closed = List.of("sh", "-c", "exec \"$@\" >&-", "sh");
    try (Running child = ChildTool.start(folder, null, closed, "write")) {
      child.process().getOutputStream().close();
      assertThat(child.exit()).isEqualTo(1);
      assertThat(child.err()).startsWith("relay: cannot write to stdout: ").hasLineCount(1);
    }
  }

  @Test
  void bytesPassThroughAsTheyAreFromAPipeToAFile() throws Exception {
    byte[] bytes = new byte[300_000];
    new Random(1).nextBytes(bytes);
    File out = folder.resolve("out").toFile();
    try (Running child = ChildTool.start(folder, out, List.of("env", "LC_ALL=C"), "echo")) {
      try (OutputStream in = child.process().getOutputStream()) {
        in.write(bytes);
      }
      assertThat(child.exit()).isZero();
      assertThat(Files.readAllBytes(out.toPath())).isEqualTo(bytes);
    }
  }

  @Test
  void stderrIsUtf8InEveryLocale() throws Exception {
    try (Running child = ChildTool.start(folder, null, List.of("env", "LC_ALL=C"), "say")) {
      assertThat(child.exit()).isZero();
      assertThat(child.err().getBytes(StandardCharsets.UTF_8))
          .isEqualTo("Zürich 雪\n".getBytes(StandardCharsets.UTF_8));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "log; --by=x; INFO ours, info|ERROR ours, error|WARN theirs, warn",
        "log; --quiet; ERROR ours, error|WARN theirs, warn",
        "log; --verbose; DEBUG ours, debug|INFO ours, info|ERROR ours, error|WARN theirs, warn",
        "one-shot-log; --by=x; WARN theirs, warn",
        "one-shot-log; --quiet; WARN theirs, warn",
        "one-shot-log; -v; DEBUG ours, debug|INFO ours, info|ERROR ours, error|WARN theirs, warn"
      })
  void logsGoToStderrOneShortLineEachAndAOneShotHasNone(String what, String option, String lines)
      throws Exception {
    try (Running child = ChildTool.start(folder, what, option)) {
      assertThat(child.line()).isNull();
      assertThat(child.exit()).isZero();
      List<String> log = child.err().lines().toList();
      String time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d) ";
      assertThat(log).allMatch(line -> line.matches(time + ".*"));
      assertThat(log.stream().map(line -> line.replaceFirst(time, "")))
          .containsExactly(lines.split("\\|"));
    }
  }
}
