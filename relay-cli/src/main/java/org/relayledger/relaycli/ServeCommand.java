package org.relayledger.relaycli;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.relayledger.account.AccountSystem;
import org.relayledger.cli.Action;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.Relay;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "serve",
    description = {
      "The HTTP hub: takes requests on the path of the account URL, and answers GET /healthz and"
          + " GET /metrics."
    })
final class ServeCommand implements Action {
  private static final int MOST_IN_FLIGHT = 4_096;
  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final Duration TURN = Duration.ofMinutes(1);

  /** How long the canaries of the mode ask-first are believed. */
  private static final Duration CANARIES_BELIEVED = Duration.ofMinutes(1);

  private static final long LEDGER_CHECK_MILLIS = 500;

  private final Steps steps;

  @Mixin private RelayOptions options;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:8080",
      description = "Where to listen; port 0 takes a free one (default: ${DEFAULT-VALUE}).")
  private String listen;

  @Option(
      names = "--max-in-flight",
      paramLabel = "N",
      defaultValue = "256",
      description =
          "How many exchanges may be open at once, late ones included, up to 4096; beyond it E907"
              + " (default: ${DEFAULT-VALUE}).")
  private int maxInFlight;

  @Option(
      names = "--channel-header",
      paramLabel = "NAME",
      description = "The header that names the channel a request comes from.")
  private String channelHeader;

  ServeCommand(Steps steps) {
    this.steps = steps;
  }

  @Override
  public boolean logs() {
    return true;
  }

  @Override
  public Exit run(Streams streams) throws InterruptedException {
    if (maxInFlight > MOST_IN_FLIGHT) {
      throw new Failure(Exit.USAGE, "--max-in-flight is at most " + MOST_IN_FLIGHT);
    }
    CountDownLatch stopped = new CountDownLatch(1);
    try (Ledger ledger = Ledger.open(options.ledger.location(), HostClock.system(), steps)) {
      Duration timeout = options.account.timeout();
      Duration openFor = ledger.view().settings().openFor(timeout);
      AccountSystem account = options.account.accountSystem(openFor, steps);
      Actor actor = options.common.actor(Actor.Role.RELAY, streams.environment());
      Relay relay =
          new Relay(
              ledger,
              account,
              options.askFirst(
                  ledger.view(),
                  options.inquirer(ledger.view(), account, CANARIES_BELIEVED),
                  streams,
                  steps),
              new Relay.Limits(timeout, openFor, maxInFlight),
              actor,
              steps);
      Hub hub =
          new Hub(
              relay,
              options.intake(),
              new Hub.Channels(options.channel().orElse(null), Optional.ofNullable(channelHeader)),
              path(account.url()),
              new Hub.Limits(maxInFlight, IDLE, TURN));
      hub.start(Listen.address(listen));
      streams.signals().onFirst(stopped::countDown);
      if (!options.common.quiet()) {
        streams.say(
            "relay serve: listening on "
                + hub.url()
                + ", ledger "
                + options.ledger.location()
                + ", account system "
                + account.url());
      }
      while (!stopped.await(LEDGER_CHECK_MILLIS, TimeUnit.MILLISECONDS)
          && ledger.halted().isEmpty()) {
        // Nothing but a signal or a failed ledger ends a hub.
      }
      relay.stop();
      hub.stopAccepting();
      relay.windUp(ledger.halted().isEmpty() ? timeout : Duration.ZERO);
      hub.stop();
      if (ledger.halted().isPresent()) {
        streams.say("relay serve: " + ledger.halted().get());
        return Exit.LEDGER;
      }
      return Exit.OK;
    }
  }

  private static String path(String url) {
    String path = URI.create(url).getRawPath();
    return path.isEmpty() ? "/" : path;
  }
}
