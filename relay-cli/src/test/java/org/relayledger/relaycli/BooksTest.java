package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Steps;
import org.relayledger.relaycli.Channel.Heard;

/** {@code relay stats}, {@code ack} and {@code twins}. */
class BooksTest {
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

  private Ran run(String command, String... more) {
    List<String> all = new ArrayList<>(List.of(command, "--ledger", stage.ledger.toString()));
    all.addAll(List.of(more));
    return Stage.run(all.toArray(String[]::new));
  }

  /** Name and count of each kind that there is. */
  private List<String> counts(String... options) {
    List<String> all = new ArrayList<>(List.of("--format", "csv"));
    all.addAll(List.of(options));
    return run("stats", all.toArray(String[]::new))
        .out()
        .lines()
        .skip(1)
        .map(line -> line.replaceAll("^([^,]*),([^,]*),.*", "$1 $2"))
        .filter(line -> !line.endsWith(" 0"))
        .toList();
  }

  /** As a database where leases stand in for the claim byte would do it. */
  private void suspect(String guid) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + stage.ledger);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(
          "INSERT INTO journal (seq, guid, attempt, event, actor, \"by\", at, note) SELECT seq,"
              + " guid, attempt, 'double_suspect', 'relay', 'hub', updated_at, 'late reply'"
              + " FROM ledger WHERE guid = '"
              + guid
              + "'");
    }
  }

  private void fill() {
    stage.transfer("ok-1");
    stage.transfer("ok-2", "--channel", "app");
    stage.transfer("drop-3");
    stage.transfer("fail-4", "--account-url", DOWN);
    stage.transfer("fail-4", "--account-url", DOWN);
    Stage.run(
        Steps.NONE,
        Channel.body("batch-5").getBytes(UTF_8),
        stage.command("batch", "-", "--account-url", DOWN));
  }

  @Test
  void statsOfAnEmptyLedgerSayThatItIsEmpty() {
    Ran ran = run("stats");
    assertThat(ran.exit()).isZero();
    assertThat(ran.err()).isEqualTo("relay stats: the ledger is empty\n");
    assertThat(counts()).isEmpty();
  }

  @Test
  void statsCountEachStateAndWhatNeedsAPerson() throws Exception {
    fill();
    try (Serving hub = stage.serve("--timeout", "1s")) {
      CompletableFuture<Heard> sent = Channel.begin(hub.url(), "held-6");
      assertThat(sent.join().code()).isEqualTo("E901");
      assertThat(counts())
          .containsExactly("RECEIVED 1", "DONE 2", "UNKNOWN 2", "FAILED 1", "open_exchanges 1");
      assertThat(counts("--max-attempts", "2")).contains("used_up 1");
      stage.sandbox.release("held-6");
      while (!counts().contains("untold 1")) {
        Thread.onSpinWait(); // until the late reply is written
      }
    }
    assertThat(counts())
        .containsExactly("RECEIVED 1", "DONE 3", "UNKNOWN 1", "FAILED 1", "untold 1");
    assertThat(counts("--channel", "app")).containsExactly("DONE 1");
    assertThat(counts("--untold")).containsExactly("DONE 1", "untold 1");
    assertThat(counts("--where", "/guid=drop-3")).containsExactly("UNKNOWN 1");
    assertThat(run("stats", "--state", "gone").exit()).isEqualTo(2);
  }

  @Test
  void theFilteredAndTheUnfilteredCountAreTheSame() {
    fill();
    assertThat(counts("--since", "1d")).isEqualTo(counts());
    String oldest =
        run("stats", "--format", "json").out().lines().skip(2).findFirst().orElseThrow();
    assertThat(oldest)
        .startsWith("{\"v\":1,\"type\":\"stat\",\"name\":\"DONE\",\"count\":2,\"oldest_at\":\"");
  }

  @Test
  void theMetricsFileIsReplacedInOneStepAndKeepsItsRights() throws Exception {
    fill();
    Path file = folder.resolve("relay.prom");

    assertThat(run("stats", "-q", "--metrics-file", file.toString()))
        .returns(0, Ran::exit)
        .returns("", Ran::out)
        .returns("", Ran::err);
    assertThat(Files.readString(file))
        .contains(
            "# TYPE relay_ledger_rows gauge\n",
            "relay_ledger_rows{kind=\"done\"} 2\n",
            "relay_ledger_rows{kind=\"untold\"} 0\n",
            "relay_ledger_oldest_age_seconds{kind=\"unknown\"} ");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    stage.transfer("ok-9");
    assertThat(run("stats", "-q", "--metrics-file", file.toString()).exit()).isZero();
    assertThat(Files.readString(file)).contains("relay_ledger_rows{kind=\"done\"} 3\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r--r--");
    assertThat(run("stats", "--metrics-file", stage.ledger.toString()).exit()).isEqualTo(2);
    assertThat(run("stats").exit()).isZero();
  }

  @Test
  void aDoubleSuspectIsExit13UntilItIsAcknowledged() throws Exception {
    stage.transfer("ok-1");
    stage.transfer("ok-2");
    suspect("ok-1");
    assertThat(run("stats", "-q").exit()).isEqualTo(13);
    assertThat(run("stats", "--channel", "none").err())
        .contains("ok-1 may have been executed twice", "relay ack ok-1 --reason");
    assertThat(run("show", "ok-1").out())
        .contains("certain         it may have been executed twice", "relay ack ok-1 --reason");

    assertThat(run("ack", "ok-2", "--reason", "x").exit()).isEqualTo(7);
    assertThat(run("ack", "nobody", "--reason", "x").exit()).isEqualTo(8);
    assertThat(run("ack", "a/b", "--reason", "x").exit()).isEqualTo(9);
    assertThat(run("ack", "ok-1").exit()).isEqualTo(2);
    assertThat(run("ack", "ok-1", "--reason", " ").exit()).isEqualTo(2);
    assertThat(run("stats", "-q").exit()).isEqualTo(13);

    Ran ack = run("ack", "OK-1", "--reason", "reversed by ann", "--by", "ann", "--ticket", "T-7");

    assertThat(ack.exit()).as(ack.err()).isZero();
    assertThat(run("stats", "-q").exit()).isZero();
    assertThat(run("ack", "ok-1", "--reason", "again").exit()).isEqualTo(7);
    assertThat(run("show", "ok-1").out())
        .contains("attempt 1  ack  operator by ann, ticket T-7: reversed by ann")
        .contains("next            nothing to do");
    suspect("ok-1");
    assertThat(run("stats", "-q").exit()).isEqualTo(13);
  }

  @Test
  void twinsAreTheSameButForTheirGuid() {
    stage.send("{\"guid\":\"a-1\",\"to\":\"X\",\"amount\":5}", "--channel", "web");
    stage.send("{\"amount\":5,\"to\":\"X\",\"guid\":\"a-2\"}", "--channel", "app");
    stage.send("{\"guid\":\"a-3\",\"to\":\"X\",\"amount\":5.0}");

    Ran ran = run("twins", "--format", "csv");

    assertThat(ran.exit()).isZero();
    assertThat(ran.out().lines().map(line -> line.replaceAll("(,[^,]*){2}$", "")))
        .containsExactly(
            "group,guid,channel,state,code", "1,a-1,web,DONE,0000", "1,a-2,app,DONE,0000");
    assertThat(ran.err()).isEqualTo("relay twins: 2 rows in 1 groups\n");
    assertThat(run("twins", "--since", "1h").out()).contains("a-1", "a-2");
    assertThat(run("twins", "--channel", "app").out()).doesNotContain("a-2");
    assertThat(run("twins", "--format", "json", "--state", "failed").out())
        .isEqualTo("{\"v\":1,\"type\":\"summary\",\"rows\":0,\"groups\":0,\"exit\":0}\n");
  }
}
