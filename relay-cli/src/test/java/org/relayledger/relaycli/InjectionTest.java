package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Steps;
import org.relayledger.relaycli.Channel.Heard;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.resolvecli.ResolveMain;
import picocli.CommandLine;

/**
 * Claim 9: what is meant for a file system, a database, a shell, a log, a terminal or a
 * spreadsheet, in the place of a GUID, of a channel's name, and of what an account system says.
 */
class InjectionTest {
  private static final String CANARY = "canary-1";
  private static final String JSON = "Content-Type: application/json";

  @TempDir static Path folder;
  private static Stage stage;
  private static Child hub;
  private static List<String> files;

  @BeforeAll
  static void open() throws Exception {
    stage = new Stage(folder);
    hub = Child.start(stage.command("serve", Stage.hub("--channel-header", "X-Channel")));
    assertThat(Channel.transfer(hub.url(), CANARY).status()).isEqualTo(200);
    files = files();
  }

  @AfterAll
  static void whatTheHubHasSaidIsPlainLinesOfItsOwn() throws Exception {
    hub.signal("TERM");
    assertThat(hub.exit()).isZero();
    String said = hub.err().text();
    hub.close();
    stage.close();
    assertThat(said.lines().skip(1))
        .isNotEmpty()
        .allMatch(line -> line.matches("\\[[-\\w]+] (INFO|WARN) org.relayledger[.\\w]* - [ -~]+"))
        .noneMatch(line -> line.contains("forged"));
  }

  private static List<String> files() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.map(Path::toString)
          .filter(name -> !name.matches(".*-(wal|shm)"))
          .sorted()
          .toList();
    }
  }

  @AfterEach
  void theLedgerIsUnharmedAndNothingWasSent() throws Exception {
    try (LedgerView view = LedgerView.open(stage.ledger.toString())) {
      assertThat(view.page(Filter.ALL, 0, LedgerView.MAX_PAGE))
          .filteredOn(row -> row.channel() == null)
          .singleElement()
          .returns(State.DONE, Row::state)
          .returns(new Guid(CANARY), Row::guid);
    }
    assertThat(stage.sandbox.received().keySet())
        .allMatch(guid -> guid.equals(CANARY) || guid.startsWith("channel-"));
    assertThat(files()).isEqualTo(files);
  }

  private static Stream<String> guids() {
    return Stream.of(
        "../../etc/passwd",
        "/etc/passwd",
        "..",
        "C:\\windows\\system32",
        "file:///etc/passwd",
        "canary-1/../canary-2",
        "canary-1%00",
        "canary-1%0d%0aforged",
        "%2e%2e%2f",
        "'; DROP TABLE ledger;--",
        "' OR '1'='1",
        "canary-1'--",
        "\"; DELETE FROM journal; --",
        "canary-1*",
        "canary_1%",
        "?1",
        "$(reboot)",
        "`reboot`",
        "; reboot",
        "| reboot",
        "a && reboot",
        "${jndi:ldap://x/a}",
        "${env:HOME}",
        "#{7*7}",
        "%s%n%x",
        "{guid}",
        "{}",
        "=cmd|'/c calc'!A1",
        "@SUM(1+1)",
        "+1+1",
        "\t=1",
        "a,b",
        "\"a\"\"b\"",
        "canary-1\n2026-01-31T03:00:00.000Z INFO forged DONE 0000",
        "canary-1\r\nX-Forged: 1",
        "canary-1\rforged",
        "canary-1\u0000",
        "canary-1\u001b[2J",
        "canary-1\u0007",
        "canary-1\u009b31m",
        "canary-1\u2028forged",
        "canary-1\u202eforged",
        "\ufeffcanary-1",
        "canary-1\u200b",
        "c\u0430nary-1",
        "CANARY-\u0131",
        "\u0130",
        "\uff43anary-1",
        "\ud83d\ude00",
        "<script>alert(1)</script>",
        "x".repeat(129),
        "x".repeat(10_000),
        "-._:",
        "");
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder();
    text.chars()
        .forEach(
            c -> {
              boolean plain = c > ' ' && c < 0x7f && c != '"' && c != '\\';
              out.append(plain ? "" + (char) c : String.format("\\u%04x", c));
            });
    return "\"" + out + "\"";
  }

  private static void assertRefused(Heard heard) {
    assertThat(heard.status()).isEqualTo(400);
    assertThat(heard.text()).contains("\"code\":\"E905\"", "nothing was sent");
    assertPlain(heard.text());
  }

  private static void assertPlain(String text) {
    assertThat(text.strip().chars()).allMatch(c -> c >= ' ' && c < 0x7f);
    assertThat(text).doesNotContain("Exception");
  }

  @Test
  void aGuidThatIsNoneIsRefusedByTheHub() throws Exception {
    for (String guid : guids().toList()) {
      assertRefused(Channel.post(hub.url(), body(guid), JSON));
      if (guid.contains("\r\n")) {
        continue; // as a header that is a good one, and another after it
      }
      for (String key : List.of(guid, "\"" + guid + "\"")) {
        String head = Channel.post(hub.url().getPath(), 12, JSON, "Idempotency-Key: " + key);
        boolean latin = guid.chars().allMatch(c -> c < 0x100);
        String bytes = latin ? head : new String(head.getBytes(UTF_8), ISO_8859_1);

        Heard heard = Channel.exchange(hub.url(), bytes, "{\"amount\":1}".getBytes(UTF_8));

        assertThat(heard.status()).as(key).isIn(400, 431);
        assertPlain(heard.text());
      }
    }
  }

  private static String body(String guid) {
    return "{\"guid\":" + quoted(guid) + ",\"amount\":1}";
  }

  @Test
  void aGuidThatIsNoneIsRefusedBySendAndShow() {
    for (String guid : guids().toList()) {
      assertOneLine(9, stage.send("{\"amount\":1}", "-q", "--guid=" + guid));
      assertOneLine(9, Stage.run("show", "--ledger", stage.ledger.toString(), "--", guid));
    }
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(
      strings = {
        "../../etc/passwd",
        "'; DROP TABLE ledger;--",
        "$(reboot)",
        "a\nforged",
        "\u009b31m"
      })
  void aGuidThatIsNoneIsRefusedByTheOtherTools(String guid) {
    String ledger = stage.ledger.toString();
    assertOneLine(9, Stage.run("ack", "--ledger", ledger, "--reason", "seen", "--", guid));
    for (CommandLine tool :
        List.of(
            ResolveMain.commandLine(HostClock.system(), Steps.NONE),
            ReprocessMain.commandLine(HostClock.system(), Steps.NONE))) {
      String url = stage.account().toString();
      assertOneLine(
          9, Ran.of(tool, "--ledger", ledger, "--account-url", url, "-q", "--", CANARY, guid));
    }
  }

  @Test
  void linesWithSuchGuidsAreRefusedOneByOne() {
    String lines = guids().map(guid -> body(guid) + "\n").reduce("", String::concat);

    Ran batch = Stage.run(Steps.NONE, lines.getBytes(UTF_8), stage.command("batch", "-", "-q"));

    assertOneLine(9, batch);
    assertThat(batch.out().lines().filter(line -> line.contains("\"code\":\"E905\"")))
        .hasSize((int) guids().count())
        .allSatisfy(InjectionTest::assertPlain);
  }

  private static void assertOneLine(int exit, Ran ran) {
    assertThat(ran.exit()).as(ran.err()).isEqualTo(exit);
    assertThat(ran.err()).hasLineCount(1).doesNotContain("Exception");
    assertThat(ran.err().strip().codePoints()).noneMatch(InjectionTest::steers);
  }

  private static boolean steers(int c) {
    return Character.isISOControl(c)
        || List.of(
                (int) Character.FORMAT,
                (int) Character.LINE_SEPARATOR,
                (int) Character.PARAGRAPH_SEPARATOR)
            .contains(Character.getType(c));
  }

  @Test
  void executionsWithSuchGuidsAreSaidToBeUnreadable() {
    List<String> unreadable =
        guids().filter(guid -> !guid.isBlank() && Guid.parse(guid.strip()).isEmpty()).toList();
    StringBuilder statement = new StringBuilder("at,guid\r\n1,canary-1\r\n");
    unreadable.forEach(
        guid -> statement.append("1,\"").append(guid.replace("\"", "\"\"")).append("\"\r\n"));
    for (String format : List.of("text", "json", "csv")) {
      Ran ran =
          Stage.run(
              Steps.NONE,
              statement.toString().getBytes(UTF_8),
              "reconcile",
              "-",
              "--ledger",
              stage.ledger.toString(),
              "--format",
              format);
      assertThat(ran.exit()).as(ran.err()).isEqualTo(13);
      assertThat(ran.err()).contains(unreadable.size() + " unreadable");
      assertThat((ran.out() + ran.err()).lines().flatMapToInt(String::codePoints))
          .noneMatch(InjectionTest::steers);
    }
  }

  @Test
  void aChannelsNameSteersNoTerminalAndRunsInNoSpreadsheet() throws Exception {
    List<String> names =
        List.of(
            "=cmd|'/c calc'!A1",
            "+1",
            "@SUM(1)",
            "\u009b31mred",
            "$(reboot)",
            "a,\"b\"",
            "'; DROP TABLE ledger;--",
            "../../x",
            "x".repeat(4_000));
    List<String> guids = new ArrayList<>();
    for (String name : names) {
      String guid = "channel-" + names.indexOf(name);
      guids.add(guid);
      assertThat(Channel.transfer(hub.url(), guid, "X-Channel: " + name).status()).isEqualTo(200);
      assertThat(stage.row(guid).channel()).isEqualTo(name);
    }
    String ledger = stage.ledger.toString();
    Ran text = Stage.run("list", "--ledger", ledger);
    Ran json = Stage.run("list", "--ledger", ledger, "--format", "json");
    Ran csv = Stage.run("list", "--ledger", ledger, "--format", "csv");
    Ran export = Stage.run("export", "--ledger", ledger, "--format", "csv");

    assertThat(text.out().lines()).hasSizeGreaterThan(names.size());
    assertThat(text.out().lines().flatMapToInt(String::codePoints))
        .noneMatch(InjectionTest::steers);
    assertThat(json.out().lines()).hasSizeGreaterThan(names.size());
    assertThat(csv.out()).contains(",'=cmd|'/c calc'!A1,", ",'+1,", ",'@SUM(1),");
    assertThat(export.out()).contains(",'=cmd|'/c calc'!A1,", ",'+1,", ",'@SUM(1),");
    for (String guid : guids) {
      Ran show = Stage.run("show", guid, "--ledger", ledger);
      assertThat(show.exit()).isZero();
      assertThat(show.out().lines().flatMapToInt(String::codePoints))
          .noneMatch(InjectionTest::steers);
    }
  }

  @Test
  void whatTheAccountSystemSaysIsQuotedOnlyWhereItIsPlain() throws Exception {
    String[] codes = {
      "\\u001b[2J",
      "a\\nb",
      "\\u009b31m",
      "$(reboot)",
      "=1+1",
      "\\u202e",
      "x".repeat(5_000),
      "\\u0000"
    };
    for (String code : codes) {
      String guid = "told-" + Arrays.asList(codes).indexOf(code);
      String reply = "{\"code\":\"" + code + "\",\"guid\":\"" + guid + "\"}";
      try (Teller teller =
          new Teller(asked -> Teller.reply(200, "text/x\u00a0y", reply.getBytes(UTF_8)))) {
        Ran sent =
            stage.send(Channel.body(guid), "--account-url", teller.url(), "--channel", "told");
        assertOneLine(5, sent);
        Ran show = Stage.run("show", guid, "--ledger", stage.ledger.toString());
        assertThat(show.out()).contains("UNKNOWN");
        assertThat(show.out().lines().flatMapToInt(String::codePoints))
            .noneMatch(InjectionTest::steers);
      }
    }
  }
}
