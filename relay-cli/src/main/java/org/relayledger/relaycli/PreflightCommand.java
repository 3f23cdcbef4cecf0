package org.relayledger.relaycli;

import java.util.Map;
import org.relayledger.cli.Action;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.OutputOptions;
import org.relayledger.cli.Streams;
import org.relayledger.report.Report;
import org.relayledger.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "preflight",
    description = {
      "Looks at all that has to be right before transfers go through here, and changes nothing: one"
          + " line a check, ok, warn or fail; the exit code is that of the worst."
    })
final class PreflightCommand implements Action {
  @Mixin private RelayOptions options;
  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    Preflight preflight = new Preflight(options, spec, streams.environment());
    preflight.look();
    boolean silent = options.common.quiet() && output.format() == OutputOptions.Format.TEXT;
    Exit exit =
        silent
            ? preflight.worst()
            : output.write(streams, out -> print(preflight, output.report(out)));
    if (exit != Exit.OK) {
      throw new Failure(exit, preflight.firstFailure());
    }
    return exit;
  }

  private static Exit print(Preflight preflight, Report report) {
    report.begin(Table.CHECKS);
    preflight.checks().forEach(check -> report.add(Table.CHECKS, check));
    Exit exit = preflight.worst();
    report.end(Map.of("checks", (long) preflight.checks().size()), exit.code());
    return exit;
  }
}
