package org.relayledger.purgecli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Steps;
import picocli.CommandLine;

class PurgeMainTest {
  private static CommandLine tool() {
    return PurgeMain.commandLine(HostClock.system(), Steps.NONE);
  }

  @Test
  void helpSaysWhatItDoesAndWhatEachExitCodeMeans() {
    Ran ran = Ran.of(tool(), "--help");
    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out()).startsWith("Usage: purge ").contains("--retention", "--archive");
    for (Exit exit : Exit.values()) {
      assertThat(ran.out()).contains(" " + exit.code() + " ");
    }
  }

  @Test
  void itAnswersVersion() {
    Ran ran = Ran.of(tool(), "--version");
    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out()).startsWith("relay-ledger ").hasLineCount(1);
  }

  @Test
  void everyOptionCanStandInAConfigFileOrIsKnownToBeOneRunsOwn() {
    assertThat(Ran.unlistedOptions(tool())).isEmpty();
  }
}
