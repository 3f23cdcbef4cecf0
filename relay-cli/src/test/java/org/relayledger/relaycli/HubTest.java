package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PushbackInputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
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

  private Hub hub(Stage stage, Ledger ledger, Duration idle, Duration turn) {
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
            new Hub.Limits(1, idle, turn));
    hub.start(Stage.loopback());
    return hub;
  }

  @Test
  void aClientThatStopsInTheMiddleIsCutAndNothingOfItIsClaimed() throws Exception {
    try (Stage stage = new Stage(folder);
        Ledger ledger = Ledger.open(stage.ledger.toString(), HostClock.system(), Steps.NONE)) {
      Hub hub = hub(stage, ledger, Duration.ofMillis(300), Stage.PATIENCE);
      URI url = URI.create(hub.url());
      try (Socket half = Channel.connect(url);
          Socket head = Channel.connect(url)) {
        String start = Channel.post("/transfers", 100, "Content-Type: application/json");
        half.getOutputStream().write((start + "{\"guid\":\"half\"").getBytes(UTF_8));
        head.getOutputStream().write("POST /tra".getBytes(UTF_8));

        assertTooSlow(Channel.hear(half));
        assertThat(half.getInputStream().read()).isEqualTo(-1);
        assertThat(head.getInputStream().read()).isEqualTo(-1);
        assertThat(Channel.transfer(url, "next").status()).isEqualTo(200);
        assertThat(stage.row("half")).isNull();
      } finally {
        hub.stop();
      }
    }
  }

  /** Each byte comes long before a client counts as idle; it is the whole that takes too long. */
  @Test
  void aClientThatDribblesIsCutHoweverBusyItIs() throws Exception {
    try (Stage stage = new Stage(folder);
        Ledger ledger = Ledger.open(stage.ledger.toString(), HostClock.system(), Steps.NONE)) {
      Hub hub = hub(stage, ledger, Stage.PATIENCE, Duration.ofMillis(500));
      URI url = URI.create(hub.url());
      String json = "Content-Type: application/json";
      try (Socket first = Channel.connect(url);
          Socket second = Channel.connect(url);
          Socket blank = Channel.connect(url);
          Socket sized = Channel.connect(url);
          Socket chunks = Channel.connect(url)) {
        String get = "GET /healthz HTTP/1.1\r\nHost: r\r\n";
        first.getOutputStream().write("POST /transfers HTTP/1.1\r\nX: ".getBytes(UTF_8));
        // The second request of a connection has no more time than the first.
        second.getOutputStream().write((get + "\r\n" + get + "X: ").getBytes(UTF_8));
        assertThat(Channel.hear(second).status()).isEqualTo(200);
        sized
            .getOutputStream()
            .write((Channel.post("/transfers", 1_000_000, json) + "{").getBytes(UTF_8));
        chunks
            .getOutputStream()
            .write(
                (Channel.request("POST", "/transfers", json, "Transfer-Encoding: chunked")
                        + "ff000\r\n{")
                    .getBytes(UTF_8));

        assertThat(dribble(first, "x")).isEmpty();
        assertThat(dribble(second, "x")).isEmpty();
        assertThat(dribble(blank, "\r\n")).isEmpty();
        assertTooSlow(dribble(sized, " ").orElseThrow());
        assertTooSlow(dribble(chunks, " ").orElseThrow());
        assertThat(Channel.transfer(url, "dribbled").status()).isEqualTo(200);
        assertThat(stage.received("dribbled")).isEqualTo(1);
      } finally {
        hub.stop();
      }
    }
  }

  private static void assertTooSlow(Heard heard) {
    assertThat(heard.status()).isEqualTo(408);
    assertThat(heard.text())
        .contains("\"code\":\"E905\"", "\"retry\":\"never\"", "nothing was sent");
  }

  /** Writes {@code bytes} again and again until there is an answer, or an end without one. */
  private static Optional<Heard> dribble(Socket socket, String bytes) throws IOException {
    socket.setSoTimeout(20);
    PushbackInputStream in = new PushbackInputStream(socket.getInputStream());
    long end = System.nanoTime() + Stage.PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      try {
        socket.getOutputStream().write(bytes.getBytes(UTF_8));
        int first = in.read();
        if (first < 0) {
          return Optional.empty();
        }
        in.unread(first);
        return Optional.of(Channel.hear(in));
      } catch (SocketTimeoutException e) {
        // It still waits for more.
      } catch (SocketException e) {
        return Optional.empty();
      }
    }
    throw new AssertionError("never cut");
  }
}
