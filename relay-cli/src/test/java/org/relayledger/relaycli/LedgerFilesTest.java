package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Fingerprint;
import org.relayledger.ledger.Steps;

/** Claim 11: what is not a ledger, or not the whole of one, is exit 10 and stays as it was. */
class LedgerFilesTest {
  private static Socket refusing;
  private static String url;

  @TempDir Path folder;

  /** A port that nobody listens on, and that nobody else can get. */
  @BeforeAll
  static void open() throws IOException {
    refusing = new Socket();
    refusing.bind(Stage.loopback());
    url = "http://127.0.0.1:" + refusing.getLocalPort() + "/transfers";
  }

  @AfterAll
  static void close() throws IOException {
    refusing.close();
  }

  private Path ledger() {
    return folder.resolve("ledger.db");
  }

  private Path claims() {
    return folder.resolve("ledger.db.claims");
  }

  private static Ran init(Path ledger, String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "init",
                "--ledger",
                ledger.toString(),
                "--max-processing",
                "1m",
                "--resend-window",
                "1d"));
    all.addAll(List.of(more));
    return Stage.run(all.toArray(String[]::new));
  }

  /** Runs a command on the ledger. */
  private Ran run(String command) {
    String path = ledger().toString();
    return switch (command) {
      case "send" ->
          Stage.run(
              Steps.NONE,
              Channel.body("g").getBytes(UTF_8),
              "send",
              "--ledger",
              path,
              "--account-url",
              url);
      case "serve" ->
          Stage.run("serve", "--ledger", path, "--account-url", url, "--listen", "127.0.0.1:0");
      case "show" -> Stage.run("show", "--ledger", path, "g");
      case "list" -> Stage.run("list", "--ledger", path);
      default -> throw new IllegalArgumentException(command);
    };
  }

  private enum Damage {
    MISSING,
    DANGLING_LINK,
    A_FOLDER,
    EMPTY,
    TEXT,
    ANOTHER_DATABASE,
    NEWER_SCHEMA,
    HARD_LINKED,
    CLAIMS_LOST,
    CLAIMS_OF_ANOTHER_LEDGER,
    CLAIMS_EMPTY;

    private boolean onlyClaims() {
      return name().startsWith("CLAIMS");
    }
  }

  private void make(Damage damage) throws Exception {
    if (damage.compareTo(Damage.NEWER_SCHEMA) >= 0) {
      assertThat(init(ledger())).returns(0, Ran::exit);
    }
    switch (damage) {
      case MISSING -> {}
      case DANGLING_LINK -> Files.createSymbolicLink(ledger(), folder.resolve("gone"));
      case A_FOLDER -> Files.createDirectory(ledger());
      case EMPTY -> Files.createFile(ledger());
      case TEXT -> Files.writeString(ledger(), "no ledger\n");
      case ANOTHER_DATABASE -> sql("CREATE TABLE t (a)");
      case NEWER_SCHEMA -> sql("PRAGMA user_version=2");
      case HARD_LINKED -> Files.createLink(folder.resolve("other.db"), ledger());
      case CLAIMS_LOST -> Files.delete(claims());
      case CLAIMS_OF_ANOTHER_LEDGER -> {
        Path other = Files.createDirectory(folder.resolve("other")).resolve("ledger.db");
        assertThat(init(other)).returns(0, Ran::exit);
        Files.move(
            other.resolveSibling("ledger.db.claims"),
            claims(),
            StandardCopyOption.REPLACE_EXISTING);
      }
      case CLAIMS_EMPTY -> Files.writeString(claims(), "");
    }
  }

  private void sql(String statement) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + ledger());
        var created = connection.createStatement()) {
      created.executeUpdate(statement);
    }
  }

  /** Every file with what stands for its content; nothing has the ledger open by then. */
  private Map<String, String> files() throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      all.forEach(path -> files.put(path.toString(), content(path)));
    }
    return files;
  }

  private static String content(Path path) {
    try {
      return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
          ? Fingerprint.sha256(Files.readAllBytes(path))
          : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-wal", "-shm", "-journal", ".claims"})
  void nothingIsWrittenUnderANameThatIsOrWouldBePartOfTheLedger(String ends) throws Exception {
    assertThat(init(ledger())).returns(0, Ran::exit);
    Path link = Files.createSymbolicLink(folder.resolve("a link"), ledger().getParent());
    for (Path folder : List.of(ledger().getParent(), link)) {
      String file = folder.resolve(ledger().getFileName()) + ends;
      Map<String, String> before = files();
      for (List<String> command :
          List.of(
              List.of("backup", file),
              List.of("export", "-o", file),
              List.of("export", "--force", "-o", file),
              List.of("stats", "--metrics-file", file))) {
        List<String> all = new ArrayList<>(command);
        all.addAll(1, List.of("--ledger", ledger().toString()));
        Ran ran = Stage.run(all.toArray(String[]::new));
        assertThat(ran.exit()).as(command + ran.err()).isEqualTo(2);
      }
      assertThat(files()).isEqualTo(before);
    }
    assertThat(Stage.run("list", "--ledger", ledger().toString())).returns(0, Ran::exit);
  }

  static Stream<Arguments> damagedLedgers() {
    return Stream.of("send", "serve", "show", "list")
        .flatMap(command -> Stream.of(Damage.values()).map(d -> Arguments.of(command, d)))
        .filter(
            each ->
                List.of("send", "serve").contains(each.get()[0])
                    || !((Damage) each.get()[1]).onlyClaims());
  }

  @ParameterizedTest
  @MethodSource("damagedLedgers")
  void aLedgerThatIsNoneIsExit10InOneLineAndStaysAsItWas(String command, Damage damage)
      throws Exception {
    make(damage);
    Map<String, String> before = files();

    Ran ran = run(command);

    assertThat(ran.exit()).as(ran.err()).isEqualTo(10);
    assertThat(ran.err())
        .startsWith("relay " + command + ": ")
        .contains("ledger")
        .doesNotContain("Exception", "org.", "java.")
        .hasLineCount(1);
    if (command.equals("send")) {
      assertThat(ran.out()).contains("\"code\":\"E908\"", "\"retry\":\"same-guid\"");
    } else {
      assertThat(ran.out()).isEmpty();
    }
    assertThat(files()).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = "CLAIMS.*")
  void showAndListNeedNoClaimsFile(Damage damage) throws Exception {
    make(damage);

    assertThat(run("list")).returns(0, Ran::exit);
    assertThat(run("show")).returns(8, Ran::exit);
  }

  @Test
  void aSymbolicLinkLeadsToTheLedgerAndItsClaims() throws Exception {
    Path real = Files.createDirectory(folder.resolve("real")).resolve("real.db");
    assertThat(init(real)).returns(0, Ran::exit);
    Files.createSymbolicLink(ledger(), real);

    assertThat(run("send")).returns(4, Ran::exit);

    assertThat(run("show")).returns(0, Ran::exit);
    assertThat(Stage.run("show", "--ledger", real.toString(), "g")).returns(0, Ran::exit);
    assertThat(claims()).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-wal", "-shm", "-journal", ".claims", ".init"})
  void initOverAnythingIsExit10AndChangesNothing(String end) throws Exception {
    Path there = folder.resolve("ledger.db" + end);
    Files.writeString(there, "precious");

    Ran ran = init(ledger());

    assertThat(ran).returns(10, Ran::exit).returns("", Ran::out);
    assertThat(ran.err())
        .isEqualTo(
            "relay init: " + there.toRealPath() + " is there already; nothing was created\n");
    assertThat(files())
        .hasSize(2)
        .containsEntry(there.toString(), Fingerprint.sha256("precious".getBytes(UTF_8)));
  }

  @Test
  void initOverALedgerLeavesItWhole() throws Exception {
    assertThat(init(ledger())).returns(0, Ran::exit);
    assertThat(run("send")).returns(4, Ran::exit);
    Map<String, String> before = files();

    assertThat(init(ledger())).returns(10, Ran::exit);

    assertThat(files()).isEqualTo(before);
    assertThat(run("show")).returns(0, Ran::exit);
  }

  @Test
  void initWithoutItsFolderIsExit10() {
    Ran ran = init(folder.resolve("no/ledger.db"));

    assertThat(ran).returns(10, Ran::exit);
    assertThat(ran.err()).contains("nothing was created").hasLineCount(1);
  }

  @Test
  void initThroughADanglingLinkIsExit10() throws Exception {
    Files.createSymbolicLink(ledger(), folder.resolve("gone"));

    assertThat(init(ledger())).returns(10, Ran::exit);

    assertThat(folder.resolve("gone")).doesNotExist();
    assertThat(claims()).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--format csv",
        "--mode hold",
        "--max-processing 5",
        "--resend-window 0s",
        "--no-such-option"
      })
  void initWithAWrongOptionIsExit2AndCreatesNothing(String option) throws Exception {
    Ran ran = init(ledger(), option.split(" ", -1));

    assertThat(ran.exit()).as(ran.err()).isEqualTo(2);
    assertThat(ran.err()).hasLineCount(1);
    assertThat(files()).hasSize(1);
  }

  @Test
  void initPrintsWhatItSetAsText() {
    Ran ran = init(ledger(), "--mode", "ask-first");

    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out().replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "ID"))
        .isEqualTo(
            """
            ledger          %s
            ledger_id       ID
            mode            ask-first
            max_processing  1m
            resend_window   1d
            min_age         3m
            """
                .formatted(ledger()));
  }

  @Test
  void initPrintsWhatItSetAsJsonLines() {
    Ran ran = init(ledger(), "--format", "json");

    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out().replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "ID"))
        .isEqualTo(
            """
            {"v":1,"type":"init","ledger":"%s","ledger_id":"ID","mode":"normal",\
            "max_processing":"1m","resend_window":"1d","min_age":"3m"}
            {"v":1,"type":"summary","exit":0}
            """
                .formatted(ledger()));
  }

  @Test
  void initIsSilentUnderQuiet() {
    assertThat(init(ledger(), "-q"))
        .returns(0, Ran::exit)
        .returns("", Ran::out)
        .returns("", Ran::err);
  }

  @Test
  void everyFileOfALedgerIs0600() throws Exception {
    assertThat(init(ledger())).returns(0, Ran::exit);
    try (Serving hub = Serving.start(Steps.NONE, serve());
        Stream<Path> files = Files.list(folder)) {
      Channel.transfer(hub.url(), "g");
      assertThat(files)
          .hasSize(4)
          .allSatisfy(
              file ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                      .isEqualTo("rw-------"));
    }
  }

  private String[] serve() {
    return new String[] {
      "serve", "--ledger", ledger().toString(), "--account-url", url, "--listen", "127.0.0.1:0"
    };
  }
}
