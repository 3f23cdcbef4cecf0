package org.relayledger.ledger;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.relayledger.testing.Child;

/** The guards as the system's own sqlite3, often an older one, fires them. */
final class GuardsUnderTheSystemShellTest extends GuardsContract {
  private Child shell;

  @Override
  void openShell(Path file) {
    assumeTrue(
        Pattern.compile(":")
            .splitAsStream(System.getenv("PATH"))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "sqlite3"))),
        "no sqlite3");
    shell = Child.start(List.of("sqlite3", "-batch", "-init", "/dev/null", file.toString()));
  }

  @Override
  void closeShell() {
    if (shell != null) {
      shell.close();
    }
  }

  @Override
  boolean changes(String sql) {
    shell.say("DELETE FROM settings WHERE 0;"); // changes() is 0 again
    shell.say(sql + ";");
    shell.say("SELECT '#' || changes();");
    return !shell.await("#").equals("#0");
  }
}
