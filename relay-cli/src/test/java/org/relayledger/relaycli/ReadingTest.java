package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Steps;
import org.relayledger.report.Table;
import org.relayledger.report.Times;

/** What {@code relay list} and {@code relay show} say of a ledger. */
class ReadingTest {
  @TempDir static Path folder;
  private static Stage stage;

  /** One row a state that a call can leave, in this order. */
  @BeforeAll
  static void fill() throws Exception {
    stage = new Stage(folder);
    send("done-1", 0, "--channel", "atm");
    send("code:B201-1", 3, "--channel", "=1+1");
    send("drop-1", 5, "--channel", "atm", "--by", "Zo\u00eb", "--ticket", "T-1");
    send("othercode-1", 4, "--not-sent-codes", "P100");
    send("-minus", 0);
    byte[] latin1 = "caf\u00e9".getBytes(StandardCharsets.ISO_8859_1);
    stage.send(Steps.NONE, latin1, "--guid", "raw-1", "--content-type", "text/plain");
    send("gone-1", 0);
    sql("DELETE FROM ledger WHERE guid = 'gone-1'");
  }

  private static void send(String guid, int exit, String... more) {
    Ran ran = stage.transfer(guid, more);
    assertThat(ran.exit()).as(ran.err()).isEqualTo(exit);
  }

  /** What purge will do. */
  private static void sql(String statement) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + stage.ledger);
        var prepared = connection.createStatement()) {
      assertThat(prepared.executeUpdate(statement)).isPositive();
    }
  }

  @AfterAll
  static void close() {
    stage.close();
  }

  private static Ran run(String command, String... more) {
    List<String> all = new ArrayList<>(List.of(command, "--ledger", stage.ledger.toString()));
    all.addAll(List.of(more));
    return Stage.run(all.toArray(String[]::new));
  }

  private static List<String> guids(Ran list) {
    assertThat(list.exit()).as(list.err()).isZero();
    return list.out()
        .lines()
        .filter(line -> line.contains("\"type\":\"row\""))
        .map(line -> line.replaceAll(".*\"guid\":\"([^\"]*)\".*", "$1"))
        .toList();
  }

  private static List<String> listed(String... filter) {
    List<String> all = new ArrayList<>(List.of("--format", "json"));
    all.addAll(List.of(filter));
    return guids(run("list", all.toArray(String[]::new)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | done-1 code:B201-1 drop-1 othercode-1 -minus raw-1",
        "--state done | done-1 code:B201-1 -minus raw-1",
        "--state UNKNOWN,failed | drop-1 othercode-1",
        "--state unknown --state failed | drop-1 othercode-1",
        "--state sent | ''",
        "--state received | ''",
        "--code B201 | code:B201-1",
        "--code E901,E902 | drop-1 othercode-1",
        "--code E901 --code 0000 | done-1 drop-1 -minus raw-1",
        "--channel atm | done-1 drop-1",
        "--channel atm --state unknown | drop-1",
        "--channel ATM | ''",
        "--untold | ''",
        "--limit 2 | done-1 code:B201-1",
        "--limit 1 --state failed | othercode-1",
        "--since 1h | done-1 code:B201-1 drop-1 othercode-1 -minus raw-1",
        "--since 2020-01-31 | done-1 code:B201-1 drop-1 othercode-1 -minus raw-1",
        "--since 2999-01-31T03:00:00+01:00 | ''",
        "--until 2020-01-31T03:00:00Z | ''",
        "--older-than 1h | ''",
        "--older-than 2999-01-31 | done-1 code:B201-1 drop-1 othercode-1 -minus raw-1",
      })
  void listShowsTheRowsThatMatchEveryFilterInTheOrderTheyCameIn(String filter, String guids) {
    assertThat(listed(filter.isEmpty() ? new String[0] : filter.split(" ", -1)))
        .containsExactly(guids.isEmpty() ? new String[0] : guids.split(" ", -1));
  }

  @Test
  void showOfAGuidThatIsNotThereEndsInASummaryToo() {
    Ran ran =
        Stage.run(
            "show", "--ledger", stage.ledger.toString(), "--format", "json", "never-heard-of");
    assertThat(ran).returns(8, Ran::exit);
    assertThat(ran.out()).isEqualTo("{\"v\":1,\"type\":\"summary\",\"rows\":0,\"exit\":8}\n");
    assertThat(ran.err()).contains("never-heard-of is not in this ledger").hasLineCount(1);
  }

  @Test
  void timesAreHalfOpen() {
    String received = Times.format(stage.row("drop-1").receivedAt());

    assertThat(listed("--since", received))
        .containsExactly("drop-1", "othercode-1", "-minus", "raw-1");
    assertThat(listed("--until", received)).containsExactly("done-1", "code:B201-1");
    assertThat(listed("--older-than", received)).containsExactly("done-1", "code:B201-1");
    assertThat(listed("--until", "2999-01-01", "--older-than", received))
        .containsExactly("done-1", "code:B201-1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--since yesterday",
        "--since 2020-01-31T03:00:00",
        "--since 2h --until 3h",
        "--since 2020-01-31 --until 2020-01-31",
        "--older-than 2",
        "--limit 0",
        "--state gone",
        "--format xml",
        "extra"
      })
  void aFilterThatMeansNothingIsExit2(String filter) {
    Ran ran = run("list", filter.split(" ", -1));

    assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
    assertThat(ran.err()).startsWith("relay list: ").hasLineCount(1);
  }

  @Test
  void listAsJsonHasALineARowWithAllColumnsAndASummary() {
    Row row = stage.row("drop-1");

    List<String> lines = run("list", "--format", "json", "--code", "E901").out().lines().toList();

    assertThat(lines)
        .containsExactly(
            ("{\"v\":1,\"type\":\"row\",\"guid\":\"drop-1\",\"channel\":\"atm\","
                    + "\"state\":\"UNKNOWN\",\"code\":\"E901\",\"http_status\":null,\"attempt\":1,"
                    + "\"received_at\":\"%s\",\"sent_at\":\"%s\",\"ended_at\":\"%s\","
                    + "\"updated_at\":\"%s\",\"told_code\":\"E901\",\"told_at\":\"%s\","
                    + "\"account\":\"%s\",\"settled_by\":\"relay\",\"request_sha256\":\"%s\","
                    + "\"reply_sha256\":null,"
                    + "\"reason\":\"it closed the connection without a whole reply\","
                    + "\"by\":\"Zo\u00eb\",\"ticket\":\"T-1\"}")
                .formatted(
                    Times.format(row.receivedAt()),
                    Times.format(row.sentAt()),
                    Times.format(row.endedAt()),
                    Times.format(row.updatedAt()),
                    Times.format(row.toldAt()),
                    stage.account(),
                    row.requestSha256()),
            "{\"v\":1,\"type\":\"summary\",\"rows\":1,\"exit\":0}");
  }

  @Test
  void listAsCsvHasAHeaderCrlfAndNothingThatASpreadsheetWouldRun() {
    String csv = run("list", "--format", "csv").out();

    String header =
        String.join(",", Table.ROWS.columns().stream().map(Table.Column::name).toList());
    assertThat(csv).startsWith(header + "\r\n");
    assertThat(csv.split("\r\n", -1)).hasSize(8); // and nothing after the last line end
    assertThat(csv.replace("\r\n", "")).doesNotContain("\n");
    assertThat(csv).contains("\r\ncode:B201-1,'=1+1,DONE,B201,200,1,", "\r\n'-minus,,DONE,0000,");
  }

  @Test
  void listAsTextHasAHeaderAndALineARow() {
    assertThat(run("list").out().lines())
        .hasSize(7)
        .first()
        .asString()
        .startsWith("guid         state    code  attempt  received_at");
  }

  @Test
  void zeroRowsStillHaveTheirHeaderOrSummary() {
    String[] none = {"--state", "sent", "--format"};

    assertThat(run("list", none[0], none[1], none[2], "json").out())
        .isEqualTo("{\"v\":1,\"type\":\"summary\",\"rows\":0,\"exit\":0}\n");
    assertThat(run("list", none[0], none[1], none[2], "csv").out())
        .startsWith("guid,channel,state,")
        .endsWith(",ticket\r\n")
        .hasLineCount(1);
    assertThat(run("list", none[0], none[1], none[2], "text").out())
        .startsWith("guid  state  ")
        .hasLineCount(1);
  }

  @Test
  void onlyTheCountGoesToStderrAndUnderQuietNothing() {
    assertThat(run("list").err()).isEqualTo("relay list: 6 rows\n");
    assertThat(run("list", "--limit", "1").err()).isEqualTo("relay list: 1 row\n");
    assertThat(run("list", "-q").err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"list", "show"})
  void anOutputFileIs0600AndHasWhatStdoutWouldHave(String command) throws Exception {
    Path file = folder.resolve(command + ".txt");
    String[] show = {"show", "--ledger", stage.ledger.toString(), "done-1"};
    String[] list = {"list", "--ledger", stage.ledger.toString()};
    String[] arguments = command.equals("show") ? show : list;
    List<String> toFile = new ArrayList<>(List.of(arguments));
    toFile.addAll(List.of("-o", file.toString()));

    Ran ran = Stage.run(toFile.toArray(String[]::new));

    assertThat(ran).returns(0, Ran::exit).returns("", Ran::out);
    assertThat(file).content().isEqualTo(Stage.run(arguments).out()).contains("done-1");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void anOutputFileNeverOverwritesAnything() throws Exception {
    Path file = Files.writeString(folder.resolve("precious"), "precious");

    for (Path taken : List.of(file, stage.ledger)) {
      Ran ran = run("list", "--output", taken.toString());

      assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
      assertThat(ran.err()).contains(taken + ": it exists already").hasLineCount(1);
    }
    assertThat(file).hasContent("precious");
    assertThat(run("list")).returns(0, Ran::exit);
  }

  @Test
  void showTellsTheRowItsJournalWhatIsCertainAndTheNextSafeCommand() {
    Row row = stage.row("drop-1");
    String received = Times.format(row.receivedAt());
    String updated = Times.format(row.updatedAt());

    Ran ran = run("show", "DROP-1");

    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out())
        .contains("guid            drop-1\n", "state           UNKNOWN\n")
        .contains("request_sha256  " + row.requestSha256() + "\n")
        .contains(
            "journal\n  %s  +0.000s  attempt 1  new -> SENT  relay by Zo\u00eb, ticket T-1\n"
                    .formatted(received)
                + "  %s  +%s  attempt 1  SENT -> UNKNOWN E901  relay by Zo\u00eb, ticket T-1: it closed"
                    .formatted(updated, Times.span(row.updatedAt() - row.receivedAt())))
        .contains("\ncertain         sent or maybe sent")
        .containsPattern("\nnext            not before [-0-9T:.]+Z: resolve drop-1\n$")
        .doesNotContain("http_status", "amount");
  }

  @Test
  void showAsJsonHasRowJournalAdviceAndSummary() {
    List<String> lines = run("show", "othercode-1", "--format", "json").out().lines().toList();

    assertThat(lines).hasSize(5);
    assertThat(lines.get(0)).startsWith("{\"v\":1,\"type\":\"row\",\"guid\":\"othercode-1\",");
    assertThat(lines.get(1)).contains("\"type\":\"journal\"", "\"from\":null,\"to\":\"SENT\"");
    assertThat(lines.get(2)).contains("\"from\":\"SENT\",\"to\":\"FAILED\",\"code\":\"E902\"");
    assertThat(lines.get(3))
        .contains("\"type\":\"advice\"", "\"certain\":\"certainly not processed")
        .contains("\"next\":\"reprocess othercode-1", "\"not_before\":null");
    assertThat(lines.get(4)).isEqualTo("{\"v\":1,\"type\":\"summary\",\"rows\":1,\"exit\":0}");
  }

  @Test
  void showHasBodiesOnlyWhenAskedFor() {
    assertThat(run("show", "done-1").out()).doesNotContain("\"amount\"");
    assertThat(run("show", "done-1", "--bodies").out())
        .contains("request         " + Channel.body("done-1") + "\n")
        .contains("reply           {\"code\":\"0000\",");
    assertThat(run("show", "raw-1", "--bodies", "--format", "json").out())
        .contains("\"request\":\"Y2Fm6Q==\",\"request_encoding\":\"base64\"")
        .contains("\"reply\":\"{\\\"code\\\"", "\"reply_encoding\":\"text\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nobody-1 | 8 | nobody-1 is not in this ledger; nothing is known of it",
        "gone-1 | 8 | gone-1 finished with code 0000 at ",
        "a/b | 9 | 'a/b' is no GUID",
        "-.: | 2 | ",
        "done-1 --format csv | 2 | csv is for lists",
        "'' | 9 | is no GUID",
      })
  void showOfWhatIsNotThereIsOneLine(String arguments, int exit, String words) {
    Ran ran = run("show", arguments.split(" ", -1));

    assertThat(ran.exit()).as(ran.err()).isEqualTo(exit);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).startsWith("relay show: ").contains(words == null ? "" : words);
    assertThat(ran.err()).hasLineCount(1);
  }

  @Test
  void whatWasForgottenIsE906() {
    Ran sent = stage.transfer("gone-1");

    assertThat(sent).returns(8, Ran::exit);
    assertThat(sent.out()).contains("\"code\":\"E906\"", "\"status\":410", "\"retry\":\"never\"");
    assertThat(sent.err())
        .contains("gone-1 finished earlier with code 0000", "nothing was sent")
        .hasLineCount(1);
    assertThat(stage.received("gone-1")).isEqualTo(1);
  }
}
