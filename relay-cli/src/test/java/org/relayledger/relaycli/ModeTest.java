package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.LedgerView;
import org.relayledger.testing.Threads;

class ModeTest {
  @TempDir Path folder;
  private Stage stage;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(folder);
  }

  @AfterEach
  void close() {
    stage.close();
  }

  private Ran mode(String... arguments) {
    List<String> all = new ArrayList<>(List.of("mode", "--ledger", stage.ledger.toString()));
    all.addAll(List.of(arguments));
    return Stage.run(all.toArray(String[]::new));
  }

  @Test
  void aChangeIsToldWithItsReasonAndWithoutAModeItSaysWhatItIs() {
    assertThat(mode().out()).isEqualTo("mode            normal\nsince           init\n");
    Ran hold = mode("hold", "--reason", "incident 7", "--by", "ann", "--ticket", "INC-7");
    assertThat(hold).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(mode().out())
        .isEqualTo(hold.out())
        .containsPattern("mode +hold\nsince +20.*Z\nby +ann\nticket +INC-7\nreason +incident 7\n");
    assertThat(mode("--format", "json").out())
        .contains("\"type\":\"mode\",\"mode\":\"hold\"", "\"by\":\"ann\"");
    assertThat(mode("normal", "--reason", "over", "-q"))
        .returns(0, Ran::exit)
        .returns("", Ran::out);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hold", "stop --reason why", "--reason why", "HOLD --reason why"})
  void aChangeWithoutAReasonOrToNoModeIsExit2(String line) {
    Ran ran = mode(line.split(" ", -1));
    assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
    assertThat(ran.err()).hasLineCount(1);
    assertThat(mode().out()).contains("normal");
  }

  private long rows() {
    try (LedgerView view = LedgerView.open(stage.ledger.toString())) {
      return view.page(Filter.ALL, 0, LedgerView.MAX_PAGE).size();
    }
  }

  @Test
  void onceHoldReturnsNotOneNewClaimIsMadeByAnyProcessAndReplaysGoOn() throws Exception {
    try (Serving here = stage.serve();
        Child elsewhere = Child.start(stage.command("serve", Stage.hub()))) {
      assertThat(Channel.transfer(here.url(), "before").code()).isEqualTo("0000");
      AtomicInteger next = new AtomicInteger();
      AtomicBoolean over = new AtomicBoolean();
      List<CompletableFuture<Void>> channels = new ArrayList<>();
      for (var hub : List.of(here.url(), elsewhere.url(), here.url(), elsewhere.url())) {
        channels.add(
            Threads.run(
                () -> {
                  while (!over.get()) {
                    try {
                      Channel.transfer(hub, "load-" + next.incrementAndGet());
                    } catch (java.io.IOException e) {
                      throw new java.io.UncheckedIOException(e);
                    }
                  }
                }));
      }
      while (next.get() < 40) {
        Thread.onSpinWait();
      }

      assertThat(mode("hold", "--reason", "stop it")).returns(0, Ran::exit);
      long claimed = rows();

      int then = next.get();
      while (next.get() < then + 40) {
        Thread.onSpinWait();
      }
      over.set(true);
      channels.forEach(CompletableFuture::join);
      assertThat(rows()).isEqualTo(claimed);
      for (var hub : List.of(here.url(), elsewhere.url())) {
        assertThat(Channel.transfer(hub, "late").code()).isEqualTo("E907");
        assertThat(Channel.transfer(hub, "before").code()).isEqualTo("0000");
      }
      assertThat(stage.transfer("late")).returns(12, Ran::exit);

      assertThat(mode("normal", "--reason", "go on")).returns(0, Ran::exit);
      assertThat(Channel.transfer(elsewhere.url(), "late").code()).isEqualTo("0000");
      assertThat(stage.sandbox.received().values()).containsOnly(1);
    }
  }

  @Test
  void inFrontOfASystemThatHasBookedAlreadyAFreshLedgerAsksFirst(@TempDir Path fresh)
      throws Exception {
    assertThat(Channel.post(stage.account(), Channel.body("booked")).code()).isEqualTo("0000");
    String ledger = fresh.resolve("l.db").toString();
    assertThat(
            Stage.run(
                "init",
                "--ledger",
                ledger,
                "--max-processing",
                "1m",
                "--resend-window",
                "1d",
                "--mode",
                "ask-first"))
        .returns(0, Ran::exit);
    Ran booked = stage.transfer("booked", "--ledger", ledger);
    assertThat(booked.exit()).as(booked.err()).isZero();
    assertThat(booked.err()).contains("booked DONE 0000, attempt 1, replayed");
    // It may still be on its way: it was just begun.
    assertThat(stage.transfer("absent", "--ledger", ledger)).returns(5, Ran::exit);
    assertThat(stage.received("booked")).isEqualTo(1);
    assertThat(stage.received("absent")).isZero();
  }

  @Test
  void minAgeBelowMaxProcessingIsRefusedBeforeAnythingIsSent() {
    assertThat(stage.transfer("g", "--min-age", "59s")).returns(2, Ran::exit);
    assertThat(stage.received("g")).isZero();
  }
}
