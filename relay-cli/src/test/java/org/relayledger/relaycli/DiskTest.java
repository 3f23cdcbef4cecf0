package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.relaycli.Channel.Heard;

/** Claim 7: the disk fails a commit, here because files may no longer grow. */
class DiskTest {
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

  private static Child sendUpTo(Step step, String guid) throws Exception {
    Path body = Files.writeString(folder.resolve(guid), Channel.body(guid));
    Child child = Child.start(stage.command("send", body.toString()));
    child.awaitPause(step, guid);
    child.limitFiles(1);
    child.in("");
    return child;
  }

  @Test
  void sendWhoseClaimCannotBeCommittedSendsNothingAndExitsWith10() throws Exception {
    String guid = "disk-" + Child.at(Step.BYTE_TAKEN);
    try (Child child = sendUpTo(Step.BYTE_TAKEN, guid)) {
      assertThat(child.rest()).contains("\"code\":\"E908\"");
      assertThat(child.exit()).isEqualTo(10);
      assertThat(child.err().text())
          .contains(guid, "was not sent", "check the disk")
          .hasLineCount(1);
    }
    assertThat(stage.received(guid)).isZero();
    assertThat(stage.row(guid)).isNull();
    assertThat(stage.transfer(guid)).returns(0, Ran::exit);
    assertThat(stage.row(guid)).returns(State.DONE, Row::state).returns(1, Row::attempt);
  }

  @Test
  void sendWhoseOutcomeCannotBeCommittedAnswersE901AndExitsWith10() throws Exception {
    String guid = "disk-" + Child.at(Step.REPLY_READ);
    try (Child child = sendUpTo(Step.REPLY_READ, guid)) {
      assertThat(child.rest()).contains("\"code\":\"E901\"").doesNotContain("0000");
      assertThat(child.exit()).isEqualTo(10);
      assertThat(child.err().text())
          .contains(guid, "could not be written", "not sent again")
          .hasLineCount(1);
    }
    assertThat(stage.row(guid)).returns(State.SENT, Row::state).returns(null, Row::reply);
    assertThat(stage.transfer(guid)).returns(5, Ran::exit);
    assertThat(stage.row(guid)).returns(State.UNKNOWN, Row::state);
    assertThat(stage.received(guid)).isEqualTo(1);
  }

  @Test
  void serveStopsWith10AndAnswersNothingAsDoneThatIsNotInTheLedger() throws Exception {
    String done = "disk-done";
    String settling = "hub-" + Child.at(Step.REPLY_READ);
    String open = "held-hub";
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      assertThat(Channel.transfer(hub.url(), done).status()).isEqualTo(200);
      CompletableFuture<Heard> second = Channel.begin(hub.url(), settling);
      CompletableFuture<Heard> third = Channel.begin(hub.url(), open);
      hub.awaitPause(Step.REPLY_READ, settling);
      stage.sandbox.awaitReceived(open, 1, Stage.PATIENCE);
      hub.limitFiles(1);
      hub.in("");

      assertThat(hub.exit()).isEqualTo(10);
      assertThat(hub.err().text())
          .contains("relay serve: the ledger stopped")
          .doesNotContain("\tat ");
      assertNotDone(second);
      assertNotDone(third);
    }
    stage.sandbox.release(open);
    assertThat(stage.transfer(done)).returns(0, Ran::exit);
    for (String guid : List.of(settling, open)) {
      assertThat(stage.row(guid)).returns(State.SENT, Row::state);
      assertThat(stage.transfer(guid)).returns(5, Ran::exit);
      assertThat(stage.received(guid)).isEqualTo(1);
    }
  }

  /** The hub may be gone before it can answer; if it answers, then with E901. */
  private static void assertNotDone(CompletableFuture<Heard> heard) {
    try {
      assertThat(heard.join().code()).isEqualTo("E901");
    } catch (CompletionException e) {
      assertThat(e).hasCauseInstanceOf(IOException.class);
    }
  }

  @Test
  void underUlimitEveryReplyThatServeGaveIsInTheLedgerWhenItStopsWith10() throws Exception {
    List<String> shell = List.of("sh", "-c", "ulimit -f 5000; exec \"$@\"", "sh");
    String padding = " ".repeat(900_000);
    List<String> answered = new ArrayList<>();
    String failed = null;
    try (Child hub = Child.start(shell, stage.command("serve", Stage.hub()))) {
      for (int i = 0; failed == null; i++) {
        String guid = "ulimit-" + i;
        try {
          Heard heard = Channel.post(hub.url(), Channel.body(guid) + padding);
          assertThat(heard.code()).isIn("0000", "E901", "E908");
          failed = heard.status() == 200 ? null : guid;
        } catch (IOException e) {
          failed = guid; // it stopped before it could answer
        }
        if (failed == null) {
          answered.add(guid);
        }
      }
      assertThat(hub.exit()).isEqualTo(10);
    }
    assertThat(answered).isNotEmpty();
    assertThat(answered).allMatch(guid -> stage.row(guid).state() == State.DONE);
    assertThat(stage.received(failed)).isLessThan(2);
    assertThat(stage.transfer(failed).exit()).isIn(0, 5);
    assertThat(stage.received(failed)).isLessThan(2);
  }
}
