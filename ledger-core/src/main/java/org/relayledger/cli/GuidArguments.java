package org.relayledger.cli;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.relayledger.ledger.Guid;
import picocli.CommandLine.Parameters;

/** Rows named one by one; without any a command goes through all that are in its state. */
public final class GuidArguments {
  @Parameters(
      arity = "0..*",
      paramLabel = "GUID",
      description = "These rows only, each done on its own (default: all rows).")
  private List<String> guids = List.of();

  /**
   * The GUIDs, each once, as given.
   *
   * @throws Failure if one of them is no GUID: then nothing is begun
   */
  public Set<Guid> all() {
    Set<Guid> all = new LinkedHashSet<>();
    for (String text : guids) {
      all.add(
          Guid.parse(text)
              .orElseThrow(
                  () ->
                      new Failure(
                          Exit.BAD_REQUEST, "'" + text + "' is no GUID; nothing was done")));
    }
    return all;
  }
}
