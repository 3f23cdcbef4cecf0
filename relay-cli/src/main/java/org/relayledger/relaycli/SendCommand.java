package org.relayledger.relaycli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.relayledger.account.AccountSystem;
import org.relayledger.cli.Action;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerException;
import org.relayledger.ledger.Request;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.Answer;
import org.relayledger.relay.AskFirst;
import org.relayledger.relay.Inquirer;
import org.relayledger.relay.Intake;
import org.relayledger.relay.Problem;
import org.relayledger.relay.Relay;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "send",
    description = {
      "Sends one request, or replays the reply it has had. The reply's bytes go to stdout, state"
          + " and code to stderr."
    })
final class SendCommand implements Action {
  private final Steps steps;

  @Mixin private RelayOptions options;

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      defaultValue = "-",
      description = "The request body; - is stdin (default: ${DEFAULT-VALUE}).")
  private Path file;

  @Option(
      names = "--content-type",
      paramLabel = "TYPE",
      defaultValue = "application/json",
      description = "Its content type (default: ${DEFAULT-VALUE}).")
  private String contentType;

  @Option(
      names = "--guid",
      paramLabel = "GUID",
      description = "Its GUID, if the body has none at --guid-pointer.")
  private String guid;

  SendCommand(Steps steps) {
    this.steps = steps;
  }

  @Override
  public Exit run(Streams streams) {
    // A one-shot does not outlive its time-out to wait for a late reply.
    AccountSystem account = options.account.accountSystem(options.account.timeout(), steps);
    byte[] body = body(streams);
    Intake.Arrival arrival =
        body.length > Intake.MAX_BODY
            ? new Intake.Arrival.Rejected(Intake.tooLarge())
            : options
                .intake()
                .read(
                    guid == null ? List.of() : List.of(guid),
                    options.channel().orElse(null),
                    contentType,
                    body);
    return streams.signals().exit(send(arrival, account, streams));
  }

  private byte[] body(Streams streams) {
    try (InputStream in = file.toString().equals("-") ? streams.in() : Files.newInputStream(file)) {
      return in.readNBytes(Intake.MAX_BODY + 1);
    } catch (IOException e) {
      throw new Failure(Exit.USAGE, "cannot read " + file + ": " + Failure.reason(e), e);
    }
  }

  private Exit send(Intake.Arrival arrival, AccountSystem account, Streams streams) {
    Ledger opened;
    try {
      opened = Ledger.open(options.ledger.location(), HostClock.system(), steps);
    } catch (LedgerException e) {
      return print(unavailable(arrival, e), streams);
    }
    try (Ledger ledger = opened) {
      Answer answer;
      if (arrival instanceof Intake.Arrival.Accepted accepted) {
        answer = relay(ledger, account, accepted.request(), streams);
      } else {
        answer = ((Intake.Arrival.Rejected) arrival).answer();
      }
      Exit exit = print(answer, streams);
      return ledger.halted().isPresent() ? Exit.LEDGER : exit;
    }
  }

  private Answer relay(Ledger ledger, AccountSystem account, Request request, Streams streams) {
    Relay.Limits limits = new Relay.Limits(options.account.timeout(), options.account.timeout(), 1);
    Actor actor = options.common.actor(Actor.Role.RELAY, streams.environment());
    Inquirer inquirer = options.inquirer(ledger.view(), account, null);
    AskFirst askFirst = options.askFirst(ledger.view(), inquirer, streams, steps);
    Relay relay = new Relay(ledger, account, askFirst, limits, actor, steps);
    streams.signals().onFirst(relay::stop);
    return relay.relay(request);
  }

  private static Answer unavailable(Intake.Arrival arrival, LedgerException e) {
    return Answer.Refused.of(
        Problem.E908,
        arrival instanceof Intake.Arrival.Accepted accepted ? accepted.request().guid() : null,
        e.getMessage() + "; nothing was sent");
  }

  private Exit print(Answer answer, Streams streams) {
    byte[] body = answer.reply().body();
    streams.out().write(body, 0, body.length);
    Exit exit;
    String line;
    if (answer instanceof Answer.Definite definite) {
      exit = options.account.successCodes().matches(definite.code()) ? Exit.OK : Exit.REFUSED;
      line =
          definite.guid()
              + " DONE "
              + definite.code()
              + ", attempt "
              + definite.attempt()
              + (definite.replayed() ? ", replayed" : "");
    } else {
      Answer.Refused refused = (Answer.Refused) answer;
      exit = Exit.of(refused.problem());
      line = refused.problem() + ": " + refused.detail();
    }
    if (exit != Exit.OK || !options.common.quiet()) {
      streams.say("relay send: " + line);
    }
    return exit;
  }
}
