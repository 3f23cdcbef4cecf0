package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.account.AccountOptions;
import org.relayledger.account.AccountSystem;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.Intake;
import org.relayledger.relay.Relay;
import org.relayledger.relaycli.Channel.Heard;
import org.relayledger.testing.Scene;
import tools.jackson.core.JsonPointer;

/** What takes too long in the hub that {@code relay serve} makes. */
class HubTest {
  @TempDir Path folder;

  @Test
  void aClientThatStopsInTheMiddleIsCutAndNothingOfItIsClaimed() throws Exception {
    try (Stage stage = new Stage(folder);
        Ledger ledger = Ledger.open(stage.ledger.toString(), HostClock.system(), Steps.NONE)) {
      AccountSystem account =
          new AccountSystem(
              AccountOptions.at(stage.account().toString()), Stage.PATIENCE, Steps.NONE);
      Relay relay =
          new Relay(
              ledger,
              account,
              Scene.askFirst(ledger, account, HostClock.system()),
              new Relay.Limits(Stage.PATIENCE, Stage.PATIENCE, 1),
              new Actor(Actor.Role.RELAY, "test", null),
              Steps.NONE);
      Hub hub =
          new Hub(
              relay,
              new Intake(JsonPointer.compile("/guid"), List.of()),
              new Hub.Channels(null, Optional.empty()),
              "/transfers",
              new Hub.Limits(1, Duration.ofMillis(300)));
      hub.start(Stage.loopback());
      URI url = URI.create(hub.url());
      try (Socket half = Channel.connect(url);
          Socket head = Channel.connect(url)) {
        String start = Channel.post("/transfers", 100, "Content-Type: application/json");
        half.getOutputStream().write((start + "{\"guid\":\"half\"").getBytes(UTF_8));
        head.getOutputStream().write("POST /tra".getBytes(UTF_8));

        Heard heard = Channel.hear(half);

        assertThat(heard.status()).isEqualTo(408);
        assertThat(heard.text())
            .contains("\"code\":\"E905\"", "\"retry\":\"never\"", "nothing was sent");
        assertThat(half.getInputStream().read()).isEqualTo(-1);
        assertThat(head.getInputStream().read()).isEqualTo(-1);
        assertThat(Channel.transfer(url, "next").status()).isEqualTo(200);
        assertThat(stage.row("half")).isNull();
      } finally {
        hub.stop();
      }
    }
  }
}
