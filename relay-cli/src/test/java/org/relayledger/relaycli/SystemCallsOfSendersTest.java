package org.relayledger.relaycli;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The two tools that channels and operators send with. */
class SystemCallsOfSendersTest extends SystemCalls {
  @Tag("long")
  @ParameterizedTest
  @EnumSource(names = {"SEND", "BATCH"})
  void isSafeWhateverCallFailsOrIsTheLast(Tool tool) throws Exception {
    whateverCallFailsOrIsTheLastNothingIsLostOrExecutedTwice(tool);
  }
}
