package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Steps;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.resolvecli.ResolveMain;

/** {@code relay export}, and the filters and masks that list and show have too. */
class ExportTest {
  private static final String DOWN = "http://127.0.0.1:1/transfers";
  private static final String IBAN = "DE89370400440532013000";
  private static final String NASTY = "=1+1 \"q\"\nnext, -5 12345678901234567890 \ud83d\ude00\0";

  @TempDir static Path folder;
  private static Stage shared;

  /** The shared one, or that of a test which changes it. */
  private Stage stage = shared;

  @BeforeAll
  static void open() throws Exception {
    shared = filled(folder);
  }

  private static Stage filled(Path folder) throws Exception {
    Stage stage = new Stage(folder);
    stage.send(
        "{\"guid\":\"a-1\",\"iban\":\""
            + IBAN
            + "\",\"payees\":[{\"iban\":\"FR7630006000011234567890189\"}],\"amount\":5.00}",
        "--channel",
        "=web");
    stage.send("{\"guid\":\"a-2\",\"amount\":5}", "--channel", "app");
    stage.send("{\"guid\":\"drop-3\",\"iban\":\"" + IBAN + "\"}", "--channel", "app");
    stage.transfer("fail-4", "--account-url", DOWN);
    stage.send("{\"guid\":\"b-5\",\"fault\":\"code:B201\"}", "--by", "@ann", "--ticket", "-T1");
    stage.send(Steps.NONE, NASTY.getBytes(UTF_8), "--guid", "c-6", "--content-type", "text/plain");
    stage.send(
        Steps.NONE, new byte[] {(byte) 0xff, 'x'}, "--guid", "c-7", "--content-type", "text/plain");
    return stage;
  }

  @AfterEach
  void closeIfOwn() {
    if (stage != shared) {
      stage.close();
    }
  }

  private void ownStage() throws Exception {
    stage = filled(Files.createTempDirectory(folder, "own"));
  }

  @AfterAll
  static void close() {
    shared.close();
  }

  private Ran run(String command, String... more) {
    List<String> all = new ArrayList<>(List.of(command, "--ledger", stage.ledger.toString()));
    all.addAll(List.of(more));
    return Stage.run(all.toArray(String[]::new));
  }

  private static List<CSVRecord> records(Ran ran) throws IOException {
    assertThat(ran.exit()).as(ran.err()).isZero();
    CSVFormat format = CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).get();
    try (CSVParser parser = CSVParser.parse(ran.out(), format)) {
      return parser.getRecords();
    }
  }

  private static List<String> guids(Ran ran) throws IOException {
    return records(ran).stream().map(record -> record.get("guid")).toList();
  }

  @Test
  void rowsAreCsvWithTheNamesOfTheColumns() throws Exception {
    Ran ran = run("export");

    assertThat(ran.out())
        .startsWith(
            "guid,channel,state,code,http_status,attempt,received_at,sent_at,ended_at,updated_at,"
                + "told_code,told_at,account,settled_by,request_sha256,reply_sha256,reason,by,ticket"
                + "\r\na-1,'=web,DONE,0000,200,1,")
        .contains(",'@ann,'-T1\r\n");
    assertThat(guids(ran)).containsExactly("a-1", "a-2", "drop-3", "fail-4", "b-5", "c-6", "c-7");
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(ran.stdout());
    assertThat(ran.err())
        .isEqualTo("relay export: 7 rows, SHA-256 " + HexFormat.of().formatHex(digest) + "\n");
  }

  @Test
  void bodiesAreTextIfTheyAreUtf8ElseBase64() throws Exception {
    List<CSVRecord> records = records(run("export", "--bodies", "--code", "0000,E901,B201,E902"));

    CSVRecord nasty = records.get(5);
    assertThat(nasty.get("request")).isEqualTo("'" + NASTY);
    assertThat(nasty.get("request_encoding")).isEqualTo("text");
    assertThat(nasty.get("reply")).isEqualTo(new String(stage.row("c-6").reply(), UTF_8));
    assertThat(records.get(6).get("request")).isEqualTo("/3g=");
    assertThat(records.get(6).get("request_encoding")).isEqualTo("base64");
    assertThat(records.get(2).get("reply")).isEmpty();
    assertThat(records.get(2).get("reply_encoding")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--state done --channel app | a-2",
        "--state done,unknown --channel app | a-2 drop-3",
        "--code E902 --code B201 | fail-4 b-5",
        "--where /amount=5.00 | a-1",
        "--where /amount=5 | a-2",
        "--where /payees/0/iban=FR7630006000011234567890189 --where /amount=5.00 | a-1",
        "--where /amount=5 --state unknown | ''",
        "--since 2h --until 1h --state failed | ''",
        "--state failed --older-than 1h | ''",
        "--state failed --since 1h | fail-4",
        "--limit 2 | a-1 a-2",
      })
  void filtersMayBeCombinedFreely(String options, String found) throws Exception {
    List<String> expected = found.isEmpty() ? List.of() : List.of(found.split(" "));
    assertThat(guids(run("export", options.split(" ")))).isEqualTo(expected);
    assertThat(run("list", options.split(" ")).err())
        .isEqualTo(
            "relay list: " + expected.size() + (expected.size() == 1 ? " row\n" : " rows\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--state gone",
        "--since yesterday",
        "--since 1h --until 2h",
        "--older-than 5",
        "--where amount=5",
        "--where /amount",
        "--where /amount=5 --where /amount=6",
        "--mask iban",
        "--where /~3=b",
        "--where /a~=b",
        "--limit 0",
        "--journal --bodies",
        "--excel --format json",
      })
  void whatCannotBeAskedIsRefusedInOneLine(String options) {
    Ran ran = run("export", options.split(" "));
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).startsWith("relay export: ").hasLineCount(1);
  }

  @Test
  void anEmptyVariableIsNoFilter() {
    assertThat(run("list", "--channel", "").exit()).isEqualTo(2);
    assertThat(run("list", "--code", "").exit()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"list", "export", "twins", "show a-1", "stats", "show a/b"})
  void jsonLinesEndWithASummaryEvenWhenThereIsNoLedger(String command) {
    List<String> all = new ArrayList<>(List.of(command.split(" ")));
    all.addAll(List.of("--format", "json", "--ledger", folder.resolve("none.db").toString()));
    Ran ran = Stage.run(all.toArray(String[]::new));
    int exit = command.equals("show a/b") ? 9 : 10;
    assertThat(ran.exit()).isEqualTo(exit);
    assertThat(ran.out()).contains("\"type\":\"summary\"", "\"exit\":" + exit).hasLineCount(1);
  }

  @Test
  void aBodyCannotForgeALineOfShow() throws Exception {
    ownStage();
    byte[] body = "x\u001b[31mRED\nnext            nothing to do".getBytes(UTF_8);
    stage.send(
        Steps.NONE, body, "--guid", "esc-1", "--content-type", "text/plain", "--channel", "x");
    assertThat(run("show", "esc-1", "--bodies").out())
        .contains("request         x\\u001b[31mRED\\nnext")
        .containsOnlyOnce("\nnext  ");
  }

  @Test
  void theJournalIsATableOfItsOwnInCsvAndStandsBehindItsRowInJson() throws Exception {
    ownStage();
    run("mode", "hold", "--reason", "test", "--by", "ann");
    run("mode", "normal", "--reason", "test", "--by", "ann");

    Ran csv = run("export", "--journal");
    assertThat(csv.out())
        .startsWith(
            "guid,attempt,event,from,to,code,actor,by,ticket,at,note\r\na-1,1,move,,SENT,,relay,")
        .contains("\r\n\"\",,mode,,,hold,operator,ann,,");
    assertThat(csv.err()).startsWith("relay export: 16 entries, SHA-256 ");
    assertThat(records(run("export", "--journal", "--channel", "app"))).hasSize(4);

    List<String> json =
        run("export", "--journal", "--format", "json", "--channel", "app").out().lines().toList();
    assertThat(json)
        .extracting(line -> line.replaceAll(".*\"type\":\"(\\w+)\".*", "$1"))
        .containsExactly("row", "journal", "journal", "row", "journal", "journal", "summary");
    assertThat(json.get(6)).contains("\"rows\":2,\"entries\":4,\"exit\":0");
  }

  @Test
  void aSpreadsheetGetsTheCodeWithItsZeros() {
    String csv = run("export", "--excel", "--where", "/amount=5").out();
    assertThat(csv).startsWith("\ufeffguid,").contains("a-2,app,DONE,\"=\"\"0000\"\"\",200,1,");
  }

  @Test
  void aFileAppearsWhenItIsWholeAndReplacesNothingUnlessForced() throws Exception {
    Path file = folder.resolve("export.csv");
    Ran ran = run("export", "-o", file.toString());
    assertThat(ran.out()).isEmpty();
    assertThat(Files.readString(file)).isEqualTo(run("export").out());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(run("export", "-o", file.toString(), "--limit", "1").exit()).isEqualTo(2);
    assertThat(Files.readString(file)).isEqualTo(run("export").out());
    assertThat(run("export", "-o", file.toString(), "--limit", "1", "--force").exit()).isZero();
    assertThat(Files.readString(file)).isEqualTo(run("export", "--limit", "1").out());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertNoDrafts();
  }

  private static void assertNoDrafts() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(path -> path.getFileName().toString()))
          .noneMatch(name -> name.startsWith(".relay-"));
    }
  }

  @Test
  void noFileOfALedgerIsEverReplaced() throws Exception {
    ownStage();
    Path backup = stage.ledger.resolveSibling("backup");
    assertThat(run("backup", backup.toString()).exit()).isZero();
    byte[] before = Files.readAllBytes(backup);
    Path link = Files.createSymbolicLink(stage.ledger.resolveSibling("link"), stage.ledger);
    for (String target :
        List.of(
            stage.ledger.toString(),
            stage.ledger + "-wal",
            stage.ledger + "-shm",
            stage.ledger + ".claims",
            backup.toString(),
            link.toString(),
            folder.toString())) {
      Ran ran = run("export", "--force", "-o", target);
      assertThat(ran.exit()).as(target).isEqualTo(2);
      assertThat(ran.err()).contains("cannot write to " + target).hasLineCount(1);
    }
    assertThat(Files.readAllBytes(backup)).isEqualTo(before);
    assertThat(stage.transfer("a-2-still-here").exit()).isZero();
    assertThat(run("export", "--where", "/guid=a-2-still-here").exit()).isZero();
  }

  @Test
  void aDiskThatFillsUpLeavesNoFile() throws Exception {
    ownStage();
    for (int i = 0; i < 4; i++) {
      stage.send("{\"guid\":\"big-" + i + "\",\"x\":\"" + "x".repeat(1_000_000) + "\"}");
    }
    Path file = folder.resolve("full.csv");
    List<String> limited = List.of("sh", "-c", "ulimit -f 5000; exec \"$@\"", "-");
    try (Child child =
        Child.start(
            limited,
            "export",
            "--bodies",
            "--ledger",
            stage.ledger.toString(),
            "-o",
            file.toString())) {
      assertThat(child.exit()).as(child.err().text()).isEqualTo(1);
      assertThat(child.err().text()).contains("cannot write to " + file).hasLineCount(1);
    }
    assertThat(file).doesNotExist();
    assertNoDrafts();
  }

  /** Claim 4: wherever the value of a masked member could come out. */
  @Test
  void aMaskedMemberIsInNoOutputOfAnyCommandThatShowsRows() throws Exception {
    ownStage();
    Ran settled =
        Ran.of(
            ResolveMain.commandLine(new Later(Duration.ofHours(1)), Steps.NONE),
            Map.of(),
            "--settle",
            "failed",
            "drop-3",
            "--override",
            "--reason",
            "booked to " + IBAN + " {\"iban\":\"GB33BUKB20201555555555\"",
            "--ledger",
            stage.ledger.toString(),
            "--account-url",
            stage.account().toString());
    assertThat(settled.exit()).as(settled.err()).isZero();
    String[] masks = {"--mask", "/iban,/payees/iban"};
    List<List<String>> commands =
        List.of(
            List.of("export", "--bodies"),
            List.of("export", "--bodies", "--format", "json", "--journal"),
            List.of("export", "--bodies", "--format", "text"),
            List.of("export", "--bodies", "--excel"),
            List.of("export", "--journal"),
            List.of("export", "-v"),
            List.of("list"),
            List.of("list", "--format", "json"),
            List.of("list", "--where", "/iban=" + IBAN, "--limit", "x"),
            List.of("list", "--where", "iban=" + IBAN),
            List.of("show", "a-1", "--bodies"),
            List.of("show", "drop-3", "--bodies"),
            List.of("show", "drop-3", "--bodies", "--format", "json"));
    boolean kept = false;
    for (List<String> command : commands) {
      List<String> all = new ArrayList<>(command.subList(1, command.size()));
      all.addAll(List.of(masks));
      Ran ran = run(command.get(0), all.toArray(String[]::new));
      assertThat(ran.out() + ran.err())
          .as(command.toString())
          .doesNotContain("DE8937", "FR7630", "GB33");
      kept |= ran.out().contains("****3000");
    }
    assertThat(kept).isTrue();
    assertThat(run("show", "a-1", "--bodies", masks[0], masks[1]).out())
        .contains("{\"guid\":\"a-1\",\"iban\":\"****3000\",\"payees\":[{\"iban\":\"****0189\"}]");
    assertThat(run("show", "a-1", "--bodies").out()).contains(IBAN);
  }

  @Test
  void aConfigFileCanMaskForAllWhoShare() throws Exception {
    Path config =
        Files.writeString(folder.resolve("relay.properties"), "mask=/iban,/payees/iban\n");
    assertThat(run("export", "--bodies", "--config", config.toString()).out())
        .contains("****3000", "****0189")
        .doesNotContain(IBAN);
  }

  @Test
  void untoldIsWhatTheChannelBelievesWronglyAndAReplayTellsIt() throws Exception {
    ownStage();
    stage.send("{\"guid\":\"drop-untold\",\"amount\":1}");
    assertThat(guids(run("export", "--untold"))).isEmpty();
    Ran resolve =
        Ran.of(
            ResolveMain.commandLine(new Later(Duration.ofHours(1)), Steps.NONE),
            Map.of(),
            "drop-untold",
            "--ledger",
            stage.ledger.toString(),
            "--account-url",
            stage.account().toString());
    assertThat(resolve.exit()).as(resolve.err()).isZero();
    assertThat(guids(run("export", "--untold"))).containsExactly("drop-untold");

    Ran told = stage.send("{\"guid\":\"drop-untold\",\"amount\":1}");

    assertThat(told.exit()).as(told.err()).isZero();
    assertThat(guids(run("export", "--untold"))).isEmpty();
    assertThat(stage.row("drop-untold").toldCode()).isEqualTo("0000");
    Ran reprocess =
        Ran.of(
            ReprocessMain.commandLine(HostClock.system(), Steps.NONE),
            Map.of(),
            "fail-4",
            "--ledger",
            stage.ledger.toString(),
            "--account-url",
            stage.account().toString());
    assertThat(reprocess.exit()).as(reprocess.err()).isZero();
    assertThat(guids(run("export", "--untold"))).containsExactly("fail-4");
  }

  @Test
  void whoStopsReadingEndsTheWorkInSilence() {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    OutputStream gone =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    Streams streams = new Streams(new ByteArrayInputStream(new byte[0]), gone, err, Map.of());
    int exit =
        RelayMain.run(
            new String[] {"export", "--ledger", stage.ledger.toString()}, streams, Steps.NONE);
    assertThat(err.toString(UTF_8)).doesNotContain("rows, SHA-256");
    assertThat(exit).isEqualTo(1); // for a stdout that is no pipe
  }
}
