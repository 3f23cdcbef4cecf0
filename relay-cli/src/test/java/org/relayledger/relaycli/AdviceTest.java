package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.resolvecli.ResolveMain;
import picocli.CommandLine;

/**
 * Claim 5: the command that {@code relay show} names is right for each state and each way into it,
 * and following it works.
 */
class AdviceTest {
  private static final String DOWN = "http://127.0.0.1:1/transfers";

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

  /** The advice on {@code guid} as show gives it in JSON. */
  private String advice(String guid) {
    Ran ran = Stage.run("show", guid, "--ledger", stage.ledger.toString(), "--format", "json");
    return ran.out().lines().filter(line -> line.contains("\"advice\"")).findFirst().orElseThrow();
  }

  private static String member(String json, String name) {
    Matcher value = Pattern.compile("\"" + name + "\":(null|\"[^\"]*\")").matcher(json);
    assertThat(value.find()).as(json).isTrue();
    return value.group(1).equals("null") ? null : value.group(1).replace("\"", "");
  }

  /** Does what the advice on {@code guid} says, when it says. */
  private Ran follow(String guid) {
    String advice = advice(guid);
    String[] words = member(advice, "next").split(" ");
    String notBefore = member(advice, "not_before");
    Duration wait =
        notBefore == null
            ? Duration.ZERO
            : Duration.between(Instant.now(), Instant.parse(notBefore)).plusMillis(1);
    HostClock clock = new Later(wait.isNegative() ? Duration.ZERO : wait);
    CommandLine tool =
        words[0].equals("resolve")
            ? ResolveMain.commandLine(clock, Steps.NONE)
            : ReprocessMain.commandLine(clock, Steps.NONE);
    List<String> arguments = new ArrayList<>(Arrays.asList(words).subList(1, words.length));
    arguments.addAll(List.of("--ledger", stage.ledger.toString()));
    arguments.addAll(List.of("--account-url", stage.account().toString()));
    Ran ran = Ran.of(tool, Map.of(), arguments.toArray(String[]::new));
    return ran;
  }

  private State state(String guid) {
    return stage.row(guid).state();
  }

  private void settles(String guid, State state) {
    Ran ran = follow(guid);
    assertThat(ran.exit()).as(guid + ": " + ran.err()).isZero();
    assertThat(state(guid)).as(guid).isEqualTo(state);
  }

  @Test
  void unknownBySilenceIsResolvedAtTheTimeThatIsNamedAndNotBefore() {
    stage.transfer("ok-0");
    stage.transfer("drop-1");
    stage.transfer("lost-2");
    Row row = stage.row("lost-2");
    assertThat(Instant.parse(member(advice("lost-2"), "not_before")).toEpochMilli())
        .isEqualTo(row.endedAt() + Duration.ofMinutes(3).toMillis());
    Ran tooEarly =
        Ran.of(
            ResolveMain.commandLine(new Later(Duration.ofSeconds(170)), Steps.NONE),
            Map.of(),
            "lost-2",
            "--ledger",
            stage.ledger.toString(),
            "--account-url",
            stage.account().toString());
    assertThat(tooEarly.exit()).isEqualTo(5);

    settles("drop-1", State.DONE);
    settles("lost-2", State.FAILED);
    settles("lost-2", State.DONE);
    assertThat(member(advice("lost-2"), "next")).isNull();
    assertThat(stage.executed("lost-2")).isEqualTo(1);
  }

  @Test
  void sentIsLeftAloneWhileItsSenderLivesAndAdoptedWhenItIsDead() throws Exception {
    stage.transfer("ok-0");
    String guid = "stop-" + Child.at(Step.GATE_OPENED);
    Path body = Files.writeString(folder.resolve("body"), Channel.body(guid));
    try (Child sender = Child.start(stage.command("send", body.toString()))) {
      sender.awaitPause(Step.GATE_OPENED, guid);
      assertThat(member(advice(guid), "next")).isEqualTo("resolve " + guid);
      assertThat(follow(guid).exit()).isEqualTo(6);
      sender.kill();
    }
    assertThat(follow(guid).exit()).isEqualTo(5);
    assertThat(state(guid)).isEqualTo(State.UNKNOWN);
    settles(guid, State.FAILED);
    settles(guid, State.DONE);
    assertThat(stage.executed(guid)).isEqualTo(1);
  }

  @Test
  void failedIsSentAgainHoweverOftenItHasFailed() {
    for (int i = 0; i < 6; i++) {
      stage.transfer("fail-1", "--account-url", DOWN);
    }
    assertThat(member(advice("fail-1"), "next")).isEqualTo("reprocess --max-attempts 7 fail-1");
    assertThat(member(advice("fail-1"), "remark")).contains("6 attempts");
    settles("fail-1", State.DONE);
  }

  @Test
  void receivedIsSent() {
    Stage.run(
        Steps.NONE,
        Channel.body("batch-1").getBytes(UTF_8),
        stage.command("batch", "-", "--account-url", DOWN));
    settles("batch-1", State.DONE);
  }

  @Test
  void onHoldTheRemarkSaysThatNothingIsSent() {
    stage.transfer("fail-1", "--account-url", DOWN);
    String[] mode = {"mode", "hold", "--reason", "test", "--ledger", stage.ledger.toString()};
    Stage.run(mode);
    assertThat(member(advice("fail-1"), "next")).isEqualTo("relay mode");
    assertThat(member(advice("fail-1"), "remark")).contains("on hold", ": reprocess fail-1");
    mode[1] = "normal";
    Stage.run(mode);
    settles("fail-1", State.DONE);
  }

  @Test
  void whereTheLedgerAsksFirstTheTimeIsThatFromWhichNoRecordIsBelieved() {
    stage.transfer("ok-0");
    stage.transfer("fail-1", "--account-url", DOWN);
    stage.transfer("lost-2");
    String[] mode = {"mode", "ask-first", "--reason", "test", "--ledger", stage.ledger.toString()};
    Stage.run(mode);

    assertThat(member(advice("fail-1"), "not_before")).isNotNull();
    settles("fail-1", State.DONE);
    settles("lost-2", State.FAILED);
    settles("lost-2", State.DONE);
    assertThat(stage.executed("fail-1")).isEqualTo(1);
  }

  @Test
  void inABackupTheAdviceIsToLookInTheLedgerItself() {
    stage.transfer("drop-1");
    String backup = folder.resolve("backup.db").toString();
    Stage.run("backup", backup, "--ledger", stage.ledger.toString());
    assertThat(Stage.run("show", "drop-1", "--ledger", backup).out())
        .contains("remark          this is a backup of ", "look in the ledger itself");
  }

  @Test
  void doneNeedsNothingAndSaysIfItsChannelDoesNotKnow() {
    stage.transfer("ok-0");
    assertThat(advice("ok-0")).contains("\"next\":null", "\"remark\":null");
    stage.transfer("drop-1");
    settles("drop-1", State.DONE);
    assertThat(member(advice("drop-1"), "remark")).contains("its channel last heard E901");
  }
}
