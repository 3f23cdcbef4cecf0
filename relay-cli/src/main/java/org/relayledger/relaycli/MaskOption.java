package org.relayledger.relaycli;

import java.util.List;
import org.relayledger.report.Mask;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonPointer;

/** What is hidden wherever rows are shown. */
final class MaskOption {
  @Option(
      names = "--mask",
      paramLabel = "POINTER",
      split = ",",
      description =
          "Hide this member of requests, replies and answers, in arrays too, but for its last four"
              + " characters; repeatable.")
  private List<JsonPointer> pointers;

  Mask mask() {
    return pointers == null ? Mask.NONE : new Mask(pointers);
  }
}
