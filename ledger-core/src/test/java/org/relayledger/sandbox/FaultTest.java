package org.relayledger.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "-drop",
        "drop",
        "550e8400-e29b-41d4-a716-446655440000",
        "DROP-1",
        "Drop-1",
        "dropped-1",
        "drop:-1",
        "drop:1s-1",
        "drop.-1",
        "delay-1",
        "delay:-1",
        "delay:0s-1",
        "delay:05s-1",
        "delay:5-1",
        "delay:5h-1",
        "delay:5S-1",
        "delay:99999s-1",
        "delay:5s:-1",
        "delay:5s_1",
        "code-1",
        "code:-1",
        "code:B2.1-1",
        "code:B2012012012012012-1",
        "html-1",
        "html:52-1",
        "html:602-1",
        "redirect:200-1",
        "kind-1"
      })
  void anOrdinaryGuidIsNoFault(String guid) {
    assertThat(Fault.ofPrefix(guid)).isEqualTo(Fault.HONEST);
  }

  @ParameterizedTest
  @CsvSource({
    "drop-1, DROP, ''",
    "drop-, DROP, ''",
    "rst-delay:5s-1, RST, ''",
    "delay:5s-1, DELAY, 5s",
    "slow:500ms-1, SLOW, 500ms",
    "drip-1, DRIP, ''",
    "drip:1ms-1, DRIP, 1ms",
    "code:B201-7, CODE, B201",
    "html:502-1, HTML, 502",
    "redirect:307-1, REDIRECT, 307",
  })
  void whatStandsBeforeTheFirstDashIsTheFault(String guid, Fault.Kind kind, String argument) {
    assertThat(Fault.ofPrefix(guid)).isEqualTo(new Fault(kind, argument));
  }

  @ParameterizedTest
  @CsvSource({"delay:5s, 5000", "delay:500ms, 500", "slow:9999s, 9999000", "drip, 200"})
  void aTimeIsInItsUnit(String fault, long millis) {
    assertThat(Fault.parse(fault).orElseThrow().time()).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource({"code:E500, 500", "code:E404, 404", "code:B201, 200", "code:E902, 200"})
  void aCodeThatNamesAnHttpErrorComesWithIt(String fault, int status) {
    assertThat(Fault.parse(fault).orElseThrow().status()).isEqualTo(status);
  }

  @ParameterizedTest
  @EnumSource
  void everyFaultIsInTheListOfSpellings(Fault.Kind kind) {
    assertThat(Fault.spellings().split(" ", -1))
        .anyMatch(spelling -> spelling.replace(":…", "").equalsIgnoreCase(kind.name()));
  }

  @Test
  void theListSaysWhichNeedAnArgument() {
    assertThat(Fault.spellings()).contains("drop ", "delay:… ", "code:… ", "drip ");
  }
}
