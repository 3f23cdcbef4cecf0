package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.relaycli.Channel.Heard;

/** What all commands have in common: options, lines, secrets, internal failures. */
class RelayMainTest {
  private static final String SECRET = "s3cr3t-t0ken";

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

  @Test
  void everyOptionIsOneThatAConfigFileKnows() {
    assertThat(Ran.unlistedOptions(RelayMain.commandLine(Steps.NONE))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"init", "send", "serve", "show", "list", "sandbox"})
  void everyCommandHasHelp(String command) {
    Ran ran = Stage.run(command, "--help");

    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out()).startsWith("Usage: relay " + command).contains("--ledger", "Exit codes");
  }

  @Test
  void sendSaysOneLineOnSuccessAndNoneUnderQuiet() {
    Ran said = stage.transfer("said-1");
    Ran quiet = stage.transfer("quiet-1", "-q");

    assertThat(said.err()).isEqualTo("relay send: said-1 DONE 0000, attempt 1\n");
    assertThat(quiet).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(quiet.out()).contains("\"code\":\"0000\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"code:B201-q 3", "drop-q 5", "othercode-q 4", "a/b 9"})
  void underQuietEveryOtherExitHasExactlyOneLine(String guidAndExit) {
    String[] cells = guidAndExit.split(" ", -1);

    Ran ran = stage.transfer(cells[0], "-q", "--not-sent-codes", "P100");

    assertThat(ran.exit()).as(ran.err()).isEqualTo(Integer.parseInt(cells[1]));
    assertThat(ran.err()).startsWith("relay send: ").hasLineCount(1);
  }

  @Test
  void serveUnderQuietSaysNothingAndStillTellsWhyItCannotStart() throws Exception {
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(Stage.loopback());
      String listen = "127.0.0.1:" + taken.getLocalPort();

      Ran ran = Stage.run(stage.command("serve", "-q", "--listen", listen));

      assertThat(ran.exit()).isEqualTo(2);
      assertThat(ran.err()).contains("cannot listen on " + listen).hasLineCount(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--max-in-flight 4097",
        "--max-in-flight 0",
        "--listen 8080",
        "--listen nobody.invalid:0",
        "--account-url ftp://host/x",
        "--account-url http://user:word@host/x",
        "--timeout 5",
        "--final-codes 0000 --not-sent-codes 0000",
        "--header-file no-such-file"
      })
  void serveWithAWrongOptionIsExit2InOneLine(String options) {
    Ran ran = Stage.run(stage.command("serve", options.split(" ", -1)));

    assertThat(ran.exit()).as(ran.err()).isEqualTo(2);
    assertThat(ran.err()).startsWith("relay serve: ").doesNotContain("word", "Exception");
    assertThat(ran.err()).hasLineCount(1);
  }

  @Test
  void credentialsAreSentAndAppearNowhereElse() throws Exception {
    Path headers = headerFile("headers", "Authorization: Bearer " + SECRET + "\n", "rw-------");
    byte[] reply = Teller.reply(200, null, "{\"code\":\"0000\"}".getBytes(UTF_8));
    StringBuilder seen = new StringBuilder();
    try (Teller teller = new Teller(asked -> asked.guid().contains("drop") ? null : reply);
        Child hub =
            Child.start(
                stage.command(
                    "serve",
                    Stage.hub(
                        "-v",
                        "--account-url",
                        teller.url(),
                        "--header-file",
                        headers.toString())))) {
      for (String guid : List.of("secret-1", "secret-1", "secret-drop", Child.BROKEN)) {
        seen.append(Channel.transfer(hub.url(), guid));
      }
      seen.append(Channel.get(hub.url(), "/metrics").text());
      for (String guid : List.of("secret-1", "secret-drop", Child.BROKEN)) {
        assertThat(teller.asked(guid))
            .singleElement()
            .returns("Bearer " + SECRET, asked -> asked.header("Authorization"));
        seen.append(Stage.run("show", "--bodies", "--ledger", stage.ledger.toString(), guid).out());
      }
      seen.append(Stage.run("list", "--format", "csv", "--ledger", stage.ledger.toString()).out());
      hub.signal("TERM");
      assertThat(hub.exit()).isZero();
      // Under -v even a bug is logged with all that is known of it.
      assertThat(hub.err().text()).contains("secret-1 DONE 0000", "IllegalStateException: a bug");
      seen.append(hub.err().text());
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(file -> file.toString().contains("ledger.db")).toList()) {
        seen.append(Files.readString(file, ISO_8859_1));
      }
    }
    assertThat(seen.toString()).contains("secret-drop").doesNotContain(SECRET);
  }

  @Test
  void aHeaderFileThatOthersMayReadOrThatIsWrongIsExit2AndIsNotQuoted() throws Exception {
    List<Path> files =
        List.of(
            headerFile("open", "Authorization: " + SECRET + "\n", "rw-r--r--"),
            headerFile("wrong", SECRET + "\n", "rw-------"),
            headerFile("ours", "Idempotency-Key: " + SECRET + "\n", "rw-------"));
    for (Path file : files) {
      Ran ran = stage.transfer("no-headers", "--header-file", file.toString());

      assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
      assertThat(ran.err()).contains(file.toString()).doesNotContain(SECRET).hasLineCount(1);
    }
    assertThat(stage.row("no-headers")).isNull();
  }

  private static Path headerFile(String name, String text, String mode) throws IOException {
    Path file = Files.writeString(folder.resolve(name), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  @Test
  void aBugInSendIsExit1InOneLineAndTheRowIsInDoubt() {
    Ran ran =
        stage.send(
            (step, guid) -> {
              if (step == Step.REPLY_READ) {
                throw new IllegalStateException("a bug");
              }
            },
            Channel.body("bug-1").getBytes(UTF_8));

    assertThat(ran).returns(1, Ran::exit).returns("", Ran::out);
    assertThat(ran.err()).contains("internal failure").doesNotContain("Exception").hasLineCount(1);
    assertThat(stage.row("bug-1")).returns(State.UNKNOWN, Row::state);
    assertThat(stage.transfer("bug-1")).returns(5, Ran::exit);
    assertThat(stage.received("bug-1")).isEqualTo(1);
  }

  @Test
  void aDamagedStoredReplyIsE908ThatSaysItWasSentAndNeverSendsAgain() throws Exception {
    stage.transfer("damaged-1");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + stage.ledger);
        Statement statement = connection.createStatement()) {
      // A disk does it without asking the trigger.
      statement.executeUpdate("DROP TRIGGER ledger_update_reply");
      statement.executeUpdate("UPDATE ledger SET reply = x'00' WHERE guid = 'damaged-1'");
    }
    try (Serving hub = stage.serve()) {
      Heard heard = Channel.transfer(hub.url(), "damaged-1");

      assertThat(heard.status()).isEqualTo(503);
      assertThat(heard.text())
          .contains("\"code\":\"E908\"", "\"retry\":\"never\"", "damaged-1 is DONE")
          .contains("it was sent and is never sent again");
      assertThat(heard.header("Retry-After")).isNull();
    }
    assertThat(stage.transfer("damaged-1")).returns(10, Ran::exit);
    assertThat(stage.received("damaged-1")).isEqualTo(1);
  }

  @Test
  void theSandboxCommandBooksWhatItReceivesUntilItIsStopped() throws Exception {
    try (Child sandbox = Child.start("sandbox", "--listen", "127.0.0.1:0", "--balance", "10")) {
      Heard heard = Channel.transfer(sandbox.url(), "s-1");
      Channel.transfer(sandbox.url(), "s-1");

      assertThat(heard.text()).contains("\"balance\":9");
      assertThat(Channel.get(sandbox.url(), "/stats").text())
          .isEqualTo("{\"received\":{\"s-1\":2},\"executed\":{\"s-1\":2},\"balance\":8}");
      sandbox.signal("TERM");
      assertThat(sandbox.exit()).isZero();
    }
  }
}
