package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.cli.Ran;

/**
 * Each tool while one of its system calls on the ledger's files fails, or is its last, from the
 * first to the last of a short run, each on a ledger of its own.
 */
abstract class SystemCalls {
  /** What is done to a call, as strace spells it. */
  private enum Fault {
    EIO("error=EIO"),
    ENOSPC("error=ENOSPC"),
    KILL("signal=KILL");

    private final String spelled;

    Fault(String spelled) {
      this.spelled = spelled;
    }
  }

  private static final int KILLED = 128 + 9;
  private static final int MOST_CALLS = 500;

  /**
   * With {@code -Dfaults=every} each write meets one of the faults, with {@code -Dfaults=all} all
   * of them; else every fourth write meets one. A quarter of an hour is not enough for more.
   */
  private static final String FAULTS = System.getProperty("faults", "some");

  private static final boolean ALL = FAULTS.equals("all");
  private static final int STRIDE = FAULTS.equals("some") ? 4 : 1;

  @TempDir Path folder;

  @BeforeAll
  static void needsStrace() throws Exception {
    boolean works;
    try {
      works =
          new ProcessBuilder("strace", "-f", "-e", "inject=fsync:error=EIO", "true")
                  .redirectErrorStream(true)
                  .start()
                  .waitFor()
              == 0;
    } catch (IOException e) {
      works = false;
    }
    assumeTrue(works, "no strace that can inject faults");
  }

  /**
   * Runs {@code tool} with {@code fault} at the {@code n}th {@code call} on the ledger's files.
   *
   * @return whether it came to that call
   */
  private boolean run(Tool tool, String call, Fault fault, int n) throws Exception {
    try (Stage stage = stage()) {
      return run(stage, tool, call, fault, n);
    }
  }

  private boolean run(Stage stage, Tool tool, String call, Fault fault, int n) throws Exception {
    String name = "%s.%s.%s.%d".formatted(tool, call, fault, n);
    List<String> guids =
        tool.prepare(stage, name.toLowerCase(Locale.ROOT).replace(',', '.').replace('-', '.'));
    Path log = folder.resolve("strace.log");
    List<String> strace = new ArrayList<>(List.of("strace", "-f", "-qq"));
    strace.addAll(List.of("-o", log.toString()));
    for (String ends : List.of("", "-wal", "-shm")) {
      strace.addAll(List.of("-P", stage.ledger + ends));
    }
    strace.addAll(List.of("-e", "trace=" + call));
    strace.addAll(List.of("-e", "inject=%s:%s:when=%d".formatted(call, fault.spelled, n)));
    try (Child child = Child.start(strace, tool.command(stage, guids))) {
      String out = child.rest();
      int exit = child.exit();
      boolean injected;
      try (Stream<String> lines = Files.lines(log)) {
        injected = lines.anyMatch(line -> line.contains("INJECTED"));
      }
      // strace does not come to write down what has killed what it watches.
      injected |= fault == Fault.KILL && exit == KILLED;
      if (exit == KILLED && injected) {
        tool.checkCutOff(stage, guids);
      } else {
        tool.checkRun(stage, guids, exit, out, child.err().text());
        assertThat(injected || exit == 0).as(name + ": " + child.err().text()).isTrue();
      }
      tool.finish(stage, guids);
      Path backup = stage.ledger.resolveSibling("backup.db");
      Ran whole = Stage.run("backup", "--ledger", stage.ledger.toString(), backup.toString());
      assertThat(whole.exit()).as(whole.err()).isZero();
      return injected;
    } catch (AssertionError e) {
      throw new AssertionError(name + ": " + e.getMessage(), e);
    }
  }

  /** Each {@code stride}th call from the first to the last; returns how many runs that was. */
  private int each(Tool tool, String call, int stride, List<Fault> faults) throws Exception {
    int runs = 0;
    for (int n = 1; n < MOST_CALLS; n += stride) {
      boolean injected = false;
      for (int i = 0; i < faults.size(); i++) {
        if (ALL || i == n % faults.size()) {
          injected |= run(tool, call, faults.get(i), n);
          runs++;
        }
      }
      if (!injected) {
        break;
      }
    }
    System.out.println(tool + " " + call + " " + faults + ": " + runs + " runs");
    return runs;
  }

  private Stage stage() throws IOException {
    Stage stage =
        new Stage(
            Files.createTempDirectory(folder, "stage"), Tool.MAX_PROCESSING, Tool.RESEND_WINDOW);
    assertThat(stage.transfer("canary")).returns(0, Ran::exit);
    return stage;
  }

  void whateverCallFailsOrIsTheLastNothingIsLostOrExecutedTwice(Tool tool) throws Exception {
    List<Fault> ofFlush = List.of(Fault.EIO, Fault.KILL);
    assertThat(each(tool, "fsync,fdatasync", 1, ofFlush)).isGreaterThan(2);
    assertThat(each(tool, "pwrite64,ftruncate", STRIDE, List.of(Fault.values()))).isGreaterThan(2);
  }
}
