package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Steps;
import org.relayledger.purgecli.PurgeMain;
import org.relayledger.relaycli.Channel.Heard;
import org.relayledger.resolvecli.ResolveMain;

/** {@code relay reconcile}: the ledger against what the account system says it has executed. */
class ReconcileTest {
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

  /** What the account system says. */
  private String statement() throws IOException {
    Heard heard = Channel.get(stage.account(), "/statement");
    assertThat(heard.status()).isEqualTo(200);
    return heard.text();
  }

  private Ran reconcile(String statement, String... more) {
    List<String> all = new ArrayList<>(List.of("reconcile", "-", "--format", "csv"));
    all.addAll(List.of("--ledger", stage.ledger.toString()));
    all.addAll(List.of(more));
    return Stage.run(Steps.NONE, statement.getBytes(UTF_8), all.toArray(String[]::new));
  }

  /** The findings without what to do about them. */
  private static List<String> found(Ran ran) {
    return ran.out().lines().skip(1).map(line -> line.replaceAll(",[^,]*(\".*\")?$", "")).toList();
  }

  @Test
  void theBooksAgreeWhenAllThatWasExecutedIsDoneHereAndTheOtherWayRound() throws Exception {
    stage.transfer("ok-1");
    stage.transfer("ok-2");
    stage.send("{\"guid\":\"no-3\",\"fault\":\"code:B201\"}");
    stage.transfer("dropbefore-4");
    stage.transfer("fail-5", "--account-url", DOWN);

    Ran ran = reconcile(statement());

    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.out()).isEqualTo("finding,guid,executions,state,code,detail\r\n");
    assertThat(ran.err()).contains("the books agree", "2 executions, 5 rows");
  }

  @Test
  void eachKindOfDisagreementIsNamedWithItsGuid() throws Exception {
    for (String guid : List.of("ok-1", "ok-2", "drop-3", "ok-9")) {
      stage.transfer(guid);
    }
    stage.transfer("fail-4", "--account-url", DOWN);
    Stage.run(
        Steps.NONE,
        Channel.body("batch-5").getBytes(UTF_8),
        stage.command("batch", "-", "--account-url", DOWN));
    stage.send("{\"guid\":\"no-6\",\"fault\":\"code:B201\"}");
    String statement =
        statement().replaceAll("(?m)^ok-2,.*\\R?", "")
            + "\nOK-1,again\nfail-4,x\nbatch-5,x\nno-6,x\nelse-7,x\n\n  \n\"n\no\",x\n";

    Ran ran = reconcile(statement);

    assertThat(ran.exit()).isEqualTo(13);
    assertThat(found(ran))
        .containsExactlyInAnyOrder(
            "unreadable,,1,,",
            "duplicate,OK-1,2,DONE,0000",
            "missing,ok-2,0,DONE,0000",
            "unresolved,drop-3,1,UNKNOWN,E901",
            "unexpected,fail-4,1,FAILED,E902",
            "unexpected,batch-5,1,RECEIVED,",
            "unexpected,no-6,1,DONE,B201",
            "not_in_ledger,else-7,1,,");
    assertThat(ran.err()).contains("3 unexpected", "1 duplicate", "(exit 13:");
  }

  @Test
  void whatIsUnknownAndExecutedAgreesOnceItIsResolved() throws Exception {
    stage.transfer("drop-1");
    stage.transfer("ok-0");
    assertThat(reconcile(statement()).out()).contains("executed: resolve drop-1");

    Ran resolve =
        Ran.of(
            ResolveMain.commandLine(new Later(Duration.ofHours(1)), Steps.NONE),
            Map.of(),
            "drop-1",
            "--ledger",
            stage.ledger.toString(),
            "--account-url",
            stage.account().toString());

    assertThat(resolve.exit()).as(resolve.err()).isZero();
    assertThat(reconcile(statement()).exit()).isZero();
  }

  @Test
  void aRowThatIsBeingSentIsUnresolvedWhenTheStatementHasIt() throws Exception {
    try (Serving hub = stage.serve()) {
      CompletableFuture<Heard> heard = Channel.begin(hub.url(), "held-1");
      stage.sandbox.awaitReceived("held-1", 1, Stage.PATIENCE);

      assertThat(reconcile("guid\n").exit()).isZero();
      Ran executed = reconcile("guid\nheld-1\n");

      assertThat(executed.exit()).isEqualTo(13);
      assertThat(found(executed)).containsExactly("unresolved,held-1,1,SENT,");
      stage.sandbox.release("held-1");
      heard.join();
    }
    assertThat(reconcile(statement()).exit()).isZero();
  }

  @Test
  void tombstonesAreKnownAndNeedNotBeInTheStatement() throws Exception {
    stage.transfer("ok-1");
    stage.transfer("ok-2");
    stage.send("{\"guid\":\"no-3\",\"fault\":\"code:B201\"}");
    Ran purge =
        Ran.of(
            PurgeMain.commandLine(new Later(Duration.ofDays(3)), Steps.NONE),
            Map.of(),
            "--retention",
            "2d",
            "--clock-ok",
            "--ledger",
            stage.ledger.toString());
    assertThat(purge.exit()).as(purge.err()).isZero();

    assertThat(reconcile(statement()).exit()).isZero();
    assertThat(reconcile("guid\n").exit()).isZero();
    assertThat(found(reconcile("guid\nok-1\nok-1\nno-3\n")))
        .containsExactlyInAnyOrder("duplicate,ok-1,2,,0000", "unexpected,no-3,1,,B201");
  }

  @Test
  void sinceAndUntilBoundWhatMustBeInTheStatement() {
    stage.transfer("ok-1");
    Row row = stage.row("ok-1");
    String sent = Instant.ofEpochMilli(row.sentAt()).toString();
    String afterwards = Instant.ofEpochMilli(row.doneAt() + 1).toString();
    String inBetween = Instant.ofEpochMilli(row.doneAt()).toString();

    assertThat(reconcile("guid\n").exit()).isEqualTo(13);
    assertThat(reconcile("guid\n", "--since", sent, "--until", afterwards).exit()).isEqualTo(13);
    assertThat(reconcile("guid\n", "--since", afterwards).exit()).isZero();
    assertThat(reconcile("guid\n", "--until", sent).exit()).isZero();
    assertThat(reconcile("guid\nok-1\n", "--until", sent).exit()).isZero();
    if (row.sentAt() < row.doneAt()) {
      Ran edge = reconcile("guid\n", "--until", inBetween);
      assertThat(edge.exit()).isZero();
      assertThat(found(edge)).containsExactly("edge,ok-1,0,DONE,0000");
    }
    assertThat(reconcile("guid\n", "--since", afterwards, "--until", sent).exit()).isEqualTo(2);
    assertThat(reconcile("guid\n", "--since", "yesterday").exit()).isEqualTo(2);
  }

  @Test
  void anExecutionAtAnotherTimeIsFoundThoughItsTwinIsInAnotherStatement() throws Exception {
    stage.transfer("ok-1");
    stage.transfer("ok-2");
    String[] timed = {"--time-column", "at"};
    assertThat(reconcile(statement(), timed).exit()).isZero();
    Row row = stage.row("ok-1");
    String before = Instant.ofEpochMilli(row.sentAt() - 5_000).toString();
    String after = Instant.ofEpochMilli(row.doneAt() + 5_000).toString();
    String two = statement().replaceAll("(?m)^ok-1,.*\\R?", "");

    for (String at : List.of(before, after)) {
      Ran ran = reconcile(two + "\nok-1," + at + "\n", timed);
      assertThat(ran.exit()).isEqualTo(13);
      assertThat(found(ran)).containsExactly("mistimed,ok-1,1,DONE,0000");
      assertThat(reconcile(two + "\nok-1," + at + "\n").exit()).isZero();
      assertThat(
              reconcile(two + "\nok-1," + at + "\n", "--time-column", "at", "--skew", "1m").exit())
          .isZero();
    }
    assertThat(found(reconcile("guid,at\nok-1,yesterday\nok-2,\n", timed)))
        .contains("unreadable,,1,,", "missing,ok-1,0,DONE,0000");
    assertThat(reconcile("guid\nok-1\n", timed).exit()).isEqualTo(2);
  }

  @Test
  void whatWasBookedBeforeItCameHereMayBeInAnEarlierStatement() throws Exception {
    Channel.post(stage.account(), Channel.body("old-1"), "Content-Type: application/json");
    String[] mode = {"mode", "ask-first", "--reason", "test", "--ledger", stage.ledger.toString()};
    Stage.run(mode);
    String now = Instant.ofEpochMilli(HostClock.system().millis()).toString();
    assertThat(stage.transfer("old-1").exit()).isZero();
    stage.transfer("fail-2", "--account-url", DOWN);
    Path reply =
        Files.writeString(folder.resolve("reply"), "{\"guid\":\"fail-2\",\"code\":\"0000\"}");
    Ran settled =
        Ran.of(
            ResolveMain.commandLine(HostClock.system(), Steps.NONE),
            Map.of(),
            "--settle",
            "done",
            "fail-2",
            "--reply",
            reply.toString(),
            "--reason",
            "booked by other means",
            "--ledger",
            stage.ledger.toString(),
            "--account-url",
            stage.account().toString());
    assertThat(settled.exit()).as(settled.err()).isZero();

    Ran since = reconcile("guid\n", "--since", now);
    assertThat(since.exit()).isZero();
    assertThat(found(since))
        .containsExactlyInAnyOrder("edge,old-1,0,DONE,0000", "edge,fail-2,0,DONE,0000");
    assertThat(found(reconcile("guid\n")))
        .containsExactlyInAnyOrder("missing,old-1,0,DONE,0000", "missing,fail-2,0,DONE,0000");
    assertThat(
            reconcile(statement() + "\nfail-2,2020-01-01T00:00:00Z\n", "--time-column", "at")
                .exit())
        .isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "id,at\nok-1,1\n",
        "guid,guid\nok-1,1\n",
        "guid,at\nok-1,\"1\n",
        "guid,at\nok-1,\"1\"x\n"
      })
  void whatIsNoStatementIsRefusedBeforeAnythingIsSaid(String statement) {
    stage.transfer("ok-1");
    Ran ran = reconcile(statement);
    assertThat(ran.exit()).as(ran.err()).isEqualTo(2);
    assertThat(ran.err()).contains("nothing was compared").hasLineCount(1);
    assertThat(found(ran)).isEmpty();
  }

  @Test
  void aQuoteThatIsNeverClosedIsFoundBeforeMemoryIsFull() {
    Ran ran = reconcile("guid\n\"" + "x".repeat(Statement.MAX_RECORD + 100_000));
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err()).contains("is a quote not closed?");
  }

  @Test
  void theGuidMayStandInAnyColumnAndTheFileMayBeginWithAByteOrderMark() throws Exception {
    stage.transfer("ok-1");
    Path file = folder.resolve("statement.csv");
    Files.writeString(file, "\ufeff\"booked\",\"Trans, ID\"\r\n\"1\n2\",\" ok-1 \"\r\n");

    Ran ran =
        Stage.run(
            "reconcile",
            file.toString(),
            "--guid-column",
            "Trans, ID",
            "--ledger",
            stage.ledger.toString());

    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(reconcile("\ufeffguid\nok-1\n").exit()).isZero();
  }
}
