package org.relayledger.relaycli;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.LedgerOptions;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Steps;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "backup",
    description = {
      "Copies the ledger to a new file, while others go on working. The copy is checked before it"
          + " gets its name. It can be listed, shown and restored, and nothing else."
    })
final class BackupCommand implements Action {
  private final Steps steps;

  @Mixin private CommonOptions common;
  @Mixin private LedgerOptions ledger;

  @Parameters(paramLabel = "FILE", description = "The new file.")
  private Path file;

  BackupCommand(Steps steps) {
    this.steps = steps;
  }

  @Override
  public Exit run(Streams streams) {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new Failure(Exit.USAGE, file + " is there already; nothing was written");
    }
    ledger.mayCreate(file);
    try (LedgerView view = LedgerView.open(ledger.location())) {
      long guids = view.backup(file, HostClock.system(), steps);
      if (!common.quiet()) {
        streams.say("relay backup: " + file + " has " + guids + " GUIDs and is checked");
      }
    }
    return Exit.OK;
  }
}
