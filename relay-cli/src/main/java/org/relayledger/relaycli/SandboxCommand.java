package org.relayledger.relaycli;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.relayledger.cli.Action;
import org.relayledger.cli.CommonOptions;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.Streams;
import org.relayledger.sandbox.Sandbox;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "sandbox",
    description = {
      "An account system to try the relay on. It books whatever it receives, twice if it receives it"
          + " twice, and fails on demand.",
      "POST /transfers, GET /transfers/GUID, GET /stats, GET /statement."
    })
final class SandboxCommand implements Action {
  @Mixin private CommonOptions common;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:8090",
      description = "Where to listen; port 0 takes a free one (default: ${DEFAULT-VALUE}).")
  private String listen;

  @Option(
      names = "--balance",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "The balance that transfers are taken from (default: ${DEFAULT-VALUE}).")
  private int balance;

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    streams.signals().onFirst(stopped::countDown);
    try (Sandbox sandbox = Sandbox.start(Listen.address(listen), balance)) {
      if (!common.quiet()) {
        streams.say("relay sandbox: listening on " + sandbox.transfers());
      }
      stopped.await();
      return Exit.OK;
    } catch (IOException e) {
      throw new Failure(Exit.USAGE, "cannot listen on " + listen + ": " + Failure.reason(e), e);
    }
  }
}
