package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.relaycli.Channel.Heard;

/** SIGTERM and SIGINT while something is in flight. */
class StoppingTest {
  @TempDir static Path folder;
  private static Stage stage;

  @BeforeAll
  static void open() throws Exception {
    stage = new Stage(folder);
  }

  @AfterAll
  static void close() {
    stage.close();
  }

  /** One request on a connection that stays open. */
  private static Heard ask(Socket line, String method, String path, String body)
      throws IOException {
    String head =
        method + " " + path + " HTTP/1.1\r\nHost: relay\r\nContent-Length: " + body.length();
    line.getOutputStream().write((head + "\r\n\r\n" + body).getBytes(UTF_8));
    return Channel.hear(line);
  }

  @Test
  void serveOnSigtermClaimsNothingNewSettlesWhatIsInFlightAndExitsWith0() throws Exception {
    try (Serving hub = stage.serve();
        Socket line = Channel.connect(hub.url())) {
      assertThat(ask(line, "POST", "/transfers", Channel.body("early")).status()).isEqualTo(200);
      CompletableFuture<Heard> first = Channel.begin(hub.url(), "held-term");
      stage.sandbox.awaitReceived("held-term", 1, Stage.PATIENCE);

      hub.terminate();

      Heard health = ask(line, "GET", "/healthz", "");
      while (health.status() == 200) {
        health = ask(line, "GET", "/healthz", ""); // until the signal has reached the hub
      }
      assertThat(health.status()).isEqualTo(503);
      Heard late = ask(line, "POST", "/transfers", Channel.body("too-late"));
      assertThat(late.status()).isEqualTo(503);
      assertThat(late.code()).isEqualTo("E907");
      assertThat(ask(line, "POST", "/transfers", Channel.body("early")).status()).isEqualTo(200);
      assertThat(ask(line, "POST", "/transfers", Channel.body("held-term")).code())
          .isEqualTo("E903");
      assertThat(first).isNotDone();
      stage.sandbox.release("held-term");

      assertThat(first.join().status()).isEqualTo(200);
      assertThat(hub.exit()).isZero();
      assertThat(hub.said()).hasLineCount(1);
    }
    assertThat(stage.row("held-term")).returns(State.DONE, Row::state);
    assertThat(stage.row("too-late")).isNull();
    assertThat(stage.received("too-late")).isZero();
  }

  @Test
  void serveOnSigtermEndsAtTheTimeOutWhatHasNoReplyByThen() throws Exception {
    stage.transfer("warm-1");
    try (Serving hub = stage.serve("--timeout", "1s")) {
      CompletableFuture<Heard> late = Channel.begin(hub.url(), "silent-late");
      assertThat(late.join().code()).isEqualTo("E901");
      CompletableFuture<Heard> inFlight = Channel.begin(hub.url(), "silent-term");
      stage.sandbox.awaitReceived("silent-term", 1, Stage.PATIENCE);

      hub.terminate();

      assertThat(hub.exit()).isZero();
      assertThat(inFlight.join().code()).isEqualTo("E901");
      for (String guid : new String[] {"silent-late", "silent-term"}) {
        assertThat(stage.row(guid))
            .returns(State.UNKNOWN, Row::state)
            .satisfies(row -> assertThat(row.endedAt()).isNotNull());
      }
    }
  }

  @Test
  void serveHaltsOnTheSecondSigtermAndLeavesWhatIsInFlightToBeAdopted() throws Exception {
    try (Child hub = Child.start(stage.command("serve", Stage.hub()));
        Socket line = Channel.connect(hub.url())) {
      CompletableFuture<Heard> first = Channel.begin(hub.url(), "held-halt");
      stage.sandbox.awaitReceived("held-halt", 1, Stage.PATIENCE);
      hub.signal("TERM");
      while (ask(line, "GET", "/healthz", "").status() == 200) {
        // until the first signal has reached the hub
      }

      hub.signal("TERM");

      assertThat(hub.exit()).isEqualTo(143);
      assertThat(first).failsWithin(Stage.PATIENCE);
    }
    assertThat(stage.row("held-halt")).returns(State.SENT, Row::state);
    assertThat(stage.transfer("held-halt").exit()).isEqualTo(5);
    assertThat(stage.received("held-halt")).isEqualTo(1);
  }

  @Test
  void sendOnSigtermSettlesPrintsTheReplyAndExitsWith143() {
    ByteArrayInputStream body = new ByteArrayInputStream(Channel.body("send-term").getBytes(UTF_8));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Streams streams = new Streams(body, out, OutputStream.nullOutputStream(), Map.of());

    int exit =
        RelayMain.run(
            stage.command("send"),
            streams,
            (step, guid) -> {
              if (step == Step.GATE_CHECKED) {
                streams.signals().raise(15);
              }
            });

    assertThat(exit).isEqualTo(143);
    assertThat(out.toString(UTF_8)).contains("\"code\":\"0000\"");
    assertThat(stage.row("send-term")).returns(State.DONE, Row::state);
    assertThat(stage.received("send-term")).isEqualTo(1);
  }
}
