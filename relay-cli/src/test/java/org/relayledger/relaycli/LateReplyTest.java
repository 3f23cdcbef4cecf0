package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.relaycli.Channel.Heard;

/** Claim 6: replies that come after the channel was told E901. */
class LateReplyTest {
  @TempDir static Path folder;
  private static final Map<String, CountDownLatch> FREED = new ConcurrentHashMap<>();
  private static Stage stage;
  private static Serving hub;

  @BeforeAll
  static void open() throws Exception {
    stage = new Stage(folder);
    hub = stage.serve(LateReplyTest::reached, "--timeout", "1s");
    // The first call loads classes; a time-out must not end before that.
    stage.transfer("warm-1");
  }

  @AfterAll
  static void close() {
    stage.close();
    hub.close();
  }

  private static void reached(Step step, Guid guid) {
    if (step == Step.BYTE_FREED) {
      FREED.computeIfAbsent(guid.value(), g -> new CountDownLatch(1)).countDown();
    }
  }

  /** Waits until the exchange of {@code guid} has ended, however it did. */
  private static void awaitEnd(String guid) throws InterruptedException {
    CountDownLatch freed = FREED.computeIfAbsent(guid, g -> new CountDownLatch(1));
    assertThat(freed.await(Stage.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  private static void assertUnknown(Heard heard) {
    assertThat(heard.status()).isEqualTo(504);
    assertThat(heard.code()).isEqualTo("E901");
  }

  @Test
  void aReplyAfterTheTimeOutIsDoneByItselfAndReplayedToTheNextResend() throws Exception {
    String guid = "held-late";
    assertUnknown(Channel.transfer(hub.url(), guid));
    assertThat(stage.row(guid))
        .returns(State.UNKNOWN, Row::state)
        .returns("E901", Row::toldCode)
        .returns(null, Row::endedAt);
    assertUnknown(Channel.transfer(hub.url(), guid));
    assertThat(Channel.get(hub.url(), "/metrics").text()).contains("relay_exchanges_open 1\n");

    stage.sandbox.release(guid);
    awaitEnd(guid);

    Row done = stage.row(guid);
    assertThat(done)
        .returns(State.DONE, Row::state)
        .returns("0000", Row::code)
        .returns("E901", Row::toldCode);
    assertThat(done.endedAt()).isNotNull();
    assertThat(Stage.run("list", "--ledger", stage.ledger.toString(), "--untold").out())
        .contains(guid)
        .doesNotContain("warm-1");
    assertThat(stage.journal(guid))
        .extracting(Entry::to, Entry::note)
        .last()
        .isEqualTo(tuple(State.DONE, "late reply"));
    Heard replay = Channel.transfer(hub.url(), guid);
    assertThat(replay.status()).isEqualTo(200);
    assertThat(replay.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(replay.body()).isEqualTo(done.reply());
    assertThat(Channel.get(hub.url(), "/metrics").text()).contains("relay_late_replies_total 1\n");
    assertThat(stage.received(guid)).isEqualTo(1);
  }

  @Test
  void aLateNotSentCodeLeavesTheRowUnknownAndEndsItsExchange() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    byte[] notSent = Teller.reply(200, null, "{\"code\":\"P100\"}".getBytes(UTF_8));
    assertEndsUnknown("late-not-sent", notSent, answer);
  }

  @Test
  void anExchangeThatEndsLateWithoutAReplyLeavesTheRowUnknownAndItsEndNoted() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    assertEndsUnknown("late-drop", null, answer);
  }

  private static void assertEndsUnknown(String guid, byte[] reply, CountDownLatch answer)
      throws Exception {
    try (Teller teller = new Teller(asked -> after(answer, reply));
        Serving late =
            stage.serve(
                LateReplyTest::reached,
                "--timeout",
                "1s",
                "--not-sent-codes",
                "P100",
                "--account-url",
                teller.url())) {
      assertUnknown(Channel.transfer(late.url(), guid));
      assertThat(stage.row(guid).endedAt()).isNull();

      answer.countDown();
      awaitEnd(guid);

      assertThat(stage.row(guid))
          .returns(State.UNKNOWN, Row::state)
          .satisfies(row -> assertThat(row.endedAt()).isNotNull());
      assertUnknown(Channel.transfer(late.url(), guid));
      assertThat(teller.asked(guid)).hasSize(1);
      assertThat(Channel.get(late.url(), "/metrics").text())
          .contains("relay_late_replies_total 0\n");
    }
  }

  private static byte[] after(CountDownLatch latch, byte[] reply) {
    try {
      return latch.await(Stage.PATIENCE.toSeconds(), TimeUnit.SECONDS) ? reply : null;
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts a teller", e);
    }
  }

  @Test
  void sendEndsItsExchangeAtItsTimeOutAndTakesNoLateReply() throws Exception {
    Ran sent = stage.transfer("held-send", "--timeout", "1s");

    assertThat(sent.exit()).as(sent.err()).isEqualTo(5);
    assertThat(stage.row("held-send").endedAt()).isNotNull();
    stage.sandbox.release("held-send");
    stage.sandbox.awaitExecuted("held-send", 1, Stage.PATIENCE);
    assertThat(stage.transfer("held-send")).returns(5, Ran::exit);
    assertThat(stage.received("held-send")).isEqualTo(1);
  }
}
