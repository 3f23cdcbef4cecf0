package org.relayledger.resolvecli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;

class ResolveMainTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "G1", "-n", "--limit 3 G1 G2", "--no-such-option=1", "--ledger"})
  void untilItIsThereItSaysSoInOneLineAndExitsWithTwo(String line) {
    Ran ran = Ran.of(ResolveMain.commandLine(), line.split(" "));
    assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
    assertThat(ran.err())
        .startsWith("resolve: not in this version yet: ")
        .contains("UNKNOWN rows stay UNKNOWN")
        .endsWith("; see 'resolve --help'\n")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "-h", "G1 --limit 3 --help"})
  void itAnswersHelp(String line) {
    Ran ran = Ran.of(ResolveMain.commandLine(), line.split(" "));
    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out()).startsWith("Usage: resolve ").contains("not in this version yet");
  }

  @Test
  void itAnswersVersion() {
    Ran ran = Ran.of(ResolveMain.commandLine(), "--version");
    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out()).startsWith("relay-ledger ").hasLineCount(1);
  }
}
