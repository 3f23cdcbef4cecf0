package org.relayledger.relaycli;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The three tools that clean up. */
class SystemCallsOfCleanersTest extends SystemCalls {
  @Tag("long")
  @ParameterizedTest
  @EnumSource(names = {"RESOLVE", "REPROCESS", "PURGE"})
  void isSafeWhateverCallFailsOrIsTheLast(Tool tool) throws Exception {
    whateverCallFailsOrIsTheLastNothingIsLostOrExecutedTwice(tool);
  }
}
