package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.relaycli.Channel.Heard;

/** Claim 4: every way in which a call can end, as the channel, the row and the account see it. */
class OutcomeTest {
  private static final String[] DEFINITE = {
    "honest 0000 200 0",
    "everybody 0000 200 0",
    "chunked 0000 200 0",
    "noguid 0000 200 0",
    "drip:1ms 0000 200 0",
    "delay:100ms 0000 200 0",
    "code:0000 0000 200 0",
    "code:B201 B201 200 3",
    "code:B2zz B2zz 200 3",
    "code:E500 E500 500 3",
  };
  private static final String[] DOUBTFUL = {
    "drop",
    "rst",
    "dropbefore",
    "lost",
    "html:200",
    "html:502",
    "bare404",
    "redirect:302",
    "redirect:307",
    "truncated",
    "otherguid",
    "empty",
    "notjson",
    "nocode",
    "othercode",
    "duplicate",
    "toolarge",
    "closedelimited",
    "bothframings",
    "continue",
    "malformed",
    "nobody",
    "code:E404",
    "code:E501",
    "code:E902",
    "code:B301",
    "code:B2011",
  };
  private static final String[] NEVER_ANSWERED = {"silent", "void", "slow:9999s"};

  /** Elsewhere: see {@link InFlightTest}, which releases what is held. */
  private static final String HELD = "held";

  @TempDir static Path folder;
  private static Stage stage;
  private static Serving hub;
  private static Socket refusing;
  private static ServerSocket full;
  private static final List<Socket> FILLING = new ArrayList<>();

  @BeforeAll
  static void open() throws Exception {
    stage = new Stage(folder);
    hub = stage.serve();
    refusing = new Socket();
    refusing.bind(Stage.loopback());
    full = new ServerSocket();
    full.bind(Stage.loopback(), 1);
    boolean room = true;
    while (room) {
      Socket socket = new Socket();
      FILLING.add(socket);
      try {
        socket.connect(full.getLocalSocketAddress(), 100);
      } catch (SocketTimeoutException e) {
        room = false;
      }
    }
  }

  @AfterAll
  static void close() throws IOException {
    stage.close();
    hub.close();
    refusing.close();
    for (Socket socket : FILLING) {
      socket.close();
    }
    full.close();
  }

  static Stream<String> definite() {
    return Stream.of(DEFINITE);
  }

  static Stream<String> doubtful() {
    return Stream.of(DOUBTFUL);
  }

  @Test
  void everyFaultOfTheSandboxIsInOneOfTheTables() throws Exception {
    List<String> tabled = new ArrayList<>(List.of(HELD));
    for (String[] table : List.of(DEFINITE, DOUBTFUL, NEVER_ANSWERED)) {
      Arrays.stream(table).map(row -> row.split("[: ]", -1)[0]).forEach(tabled::add);
    }
    String refusal = Channel.post(stage.account(), "{\"guid\":\"x\",\"fault\":\"none\"}").text();
    String spellings = refusal.replaceAll(".*there are: ([^\"]*)\".*", "$1").replace(":\u2026", "");

    assertThat(tabled).containsAll(List.of(spellings.split(" ", -1)));
  }

  @ParameterizedTest
  @MethodSource("definite")
  void aDefiniteReplyIsDoneAndReplayedWithoutAnotherCall(String row) throws Exception {
    String[] cells = row.split(" ", -1);
    String guid = cells[0] + "-hub";

    Heard first = Channel.transfer(hub.url(), guid);
    Heard again = Channel.transfer(hub.url(), guid);

    assertThat(first.status()).isEqualTo(Integer.parseInt(cells[2]));
    assertThat(first.code()).isEqualTo(cells[1]);
    assertThat(again.reply()).isEqualTo(first.reply());
    assertThat(stage.row(guid))
        .returns(State.DONE, Row::state)
        .returns(cells[1], Row::code)
        .satisfies(done -> assertThat(done.endedAt()).isNotNull());
    assertThat(stage.received(guid)).isEqualTo(1);

    Ran sent = stage.transfer(cells[0] + "-send");
    assertThat(sent.exit()).as(sent.err()).isEqualTo(Integer.parseInt(cells[3]));
    assertThat(stage.transfer(cells[0] + "-send").stdout()).isEqualTo(sent.stdout());
    assertThat(stage.received(cells[0] + "-send")).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("doubtful")
  void anythingElseAfterTheGateIsE901AndTheResendIsAnsweredWithoutACall(String fault)
      throws Exception {
    String guid = fault + "-hub";

    Heard first = Channel.transfer(hub.url(), guid);
    Heard again = Channel.transfer(hub.url(), guid);

    assertUnknown(first, guid);
    assertUnknown(again, guid);
    assertThat(stage.row(guid))
        .returns(State.UNKNOWN, Row::state)
        .returns("E901", Row::code)
        .returns(1, Row::attempt)
        .satisfies(row -> assertThat(row.endedAt()).isNotNull());
    assertThat(stage.received(guid)).isEqualTo(1);

    Ran sent = stage.transfer(fault + "-send");
    assertThat(sent.exit()).as(sent.err()).isEqualTo(5);
    assertThat(sent.out()).contains("\"code\":\"E901\"");
    assertThat(stage.transfer(fault + "-send")).returns(5, Ran::exit);
    assertThat(stage.received(fault + "-send")).isEqualTo(1);
  }

  private static void assertUnknown(Heard heard, String guid) {
    assertThat(heard.status()).isEqualTo(504);
    assertThat(heard.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(heard.header("Idempotent-Replayed")).isNull();
    assertThat(heard.text())
        .contains("\"code\":\"E901\"", "\"guid\":\"" + guid + "\"", "\"retry\":\"later\"")
        .doesNotContain("Exception", "java.");
  }

  @Test
  void aTimeOutIsE901AndTheResendIsAnsweredWithoutACall() throws Exception {
    Channel.transfer(hub.url(), "warm-1");
    try (Serving impatient = stage.serve("--timeout", "1s")) {
      List<CompletableFuture<Heard>> first =
          Arrays.stream(NEVER_ANSWERED)
              .map(fault -> Channel.begin(impatient.url(), fault + "-hub"))
              .toList();
      for (int i = 0; i < NEVER_ANSWERED.length; i++) {
        String guid = NEVER_ANSWERED[i] + "-hub";
        assertUnknown(first.get(i).join(), guid);
        assertUnknown(Channel.transfer(impatient.url(), guid), guid);
        assertThat(stage.row(guid)).returns(State.UNKNOWN, Row::state);
        assertThat(stage.received(guid)).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"silent", "void"})
  void aTimeOutOfSendIsExit5AndTheEndOfItsExchange(String fault) {
    String guid = fault + "-send";

    Ran first = stage.transfer(guid, "--timeout", "1s");
    Ran again = stage.transfer(guid, "--timeout", "1s");

    assertThat(first.exit()).as(first.err()).isEqualTo(5);
    assertThat(first.err()).contains(guid, "no reply within 1s", "not sent again");
    assertThat(again).returns(5, Ran::exit);
    assertThat(stage.row(guid).endedAt()).isNotNull();
    assertThat(stage.received(guid)).isEqualTo(1);
  }

  private static String[] cutOff(String cause) {
    String url =
        switch (cause) {
          case "refused" -> "http://127.0.0.1:" + refusing.getLocalPort() + "/transfers";
          case "unresolved" -> "http://nobody.invalid/transfers";
          case "connect time-out" -> "http://127.0.0.1:" + full.getLocalPort() + "/transfers";
          case "TLS failure" -> stage.account().toString().replace("http:", "https:");
          default -> throw new IllegalArgumentException(cause);
        };
    String patience = cause.equals("connect time-out") ? "300ms" : "100s";
    return new String[] {"--account-url", url, "--connect-timeout", patience};
  }

  @ParameterizedTest
  @CsvSource({
    "refused, no connection",
    "unresolved, its host name was not resolved",
    "connect time-out, connecting timed out",
    "TLS failure, TLS failed"
  })
  void whatWasNeverSentIsE902AndItsResendGoesOutAsAttempt2(String cause, String words)
      throws Exception {
    String guid = cause.replace(' ', '_');
    String stored = "{\"guid\":\"" + guid + "\",  \"amount\":1}";
    try (Serving cutOff = stage.serve(cutOff(cause));
        Teller teller =
            new Teller(asked -> Teller.reply(200, null, "{\"code\":\"0000\"}".getBytes(UTF_8)))) {
      Heard first = Channel.post(cutOff.url(), stored, "Content-Type: application/json");

      assertThat(first.status()).isEqualTo(503);
      assertThat(first.header("Retry-After")).isEqualTo("5");
      assertThat(first.text())
          .contains("\"code\":\"E902\"", "\"retry\":\"same-guid\"", words)
          .contains(guid + " was certainly not sent")
          .doesNotContain("Exception", "java.");
      assertThat(stage.row(guid))
          .returns(State.FAILED, Row::state)
          .returns(1, Row::attempt)
          .satisfies(row -> assertThat(row.endedAt()).isNotNull());

      Ran again = stage.transfer(guid, "--account-url", teller.url());

      assertThat(again.exit()).as(again.err()).isZero();
      assertThat(teller.asked(guid))
          .singleElement()
          .returns("2", asked -> asked.header("Relay-Attempt"))
          .satisfies(asked -> assertThat(asked.body()).isEqualTo(stored.getBytes(UTF_8)));
      assertThat(stage.row(guid))
          .returns(State.DONE, Row::state)
          .returns(2, Row::attempt)
          .returns(teller.url(), Row::account);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"refused", "unresolved", "connect time-out", "TLS failure"})
  void whatSendNeverSentIsExit4(String cause) {
    String guid = "send_" + cause.replace(' ', '_');

    Ran sent = stage.transfer(guid, cutOff(cause));

    assertThat(sent.exit()).as(sent.err()).isEqualTo(4);
    assertThat(sent.out()).contains("\"code\":\"E902\"");
    assertThat(sent.err())
        .contains(guid + " was certainly not sent", "send it again")
        .hasLineCount(1);
  }

  @Test
  void aNotSentCodeIsE902AndTheResendIsSent() throws Exception {
    try (Serving trusting = stage.serve("--not-sent-codes", "P100")) {
      Heard first = Channel.transfer(trusting.url(), "othercode-not-sent");

      assertThat(first.status()).isEqualTo(503);
      assertThat(first.text()).contains("\"code\":\"E902\"", "P100");
      assertThat(stage.row("othercode-not-sent")).returns(State.FAILED, Row::state);
      assertThat(stage.transfer("othercode-not-sent", "--not-sent-codes", "P100"))
          .returns(4, Ran::exit);
      assertThat(stage.row("othercode-not-sent")).returns(2, Row::attempt);
      assertThat(stage.received("othercode-not-sent")).isEqualTo(2);
    }
  }

  @Test
  void aGuidKnownWithAnotherBodyOrFromAnotherChannelIsE904AndUntouched() throws Exception {
    try (Serving told = stage.serve("--channel-header", "X-Channel", "--channel", "branch")) {
      Channel.transfer(told.url(), "conflict-1", "X-Channel: atm");
      Row before = stage.row("conflict-1");

      List<Heard> refused =
          List.of(
              Channel.post(told.url(), "{\"guid\":\"conflict-1\",\"amount\":2}", "X-Channel: atm"),
              Channel.transfer(told.url(), "conflict-1", "X-Channel: web"),
              Channel.transfer(told.url(), "conflict-1"));

      assertThat(refused)
          .allSatisfy(
              heard -> {
                assertThat(heard.status()).isEqualTo(422);
                assertThat(heard.text()).contains("\"code\":\"E904\"", "\"retry\":\"never\"");
              });
      assertThat(Channel.transfer(told.url(), "conflict-1", "X-Channel: atm").status())
          .isEqualTo(200);
      Ran sent = stage.transfer("conflict-1", "--channel", "web");
      assertThat(sent.exit()).isEqualTo(7);
      assertThat(sent.err()).contains("E904: conflict-1 ", "nothing was sent").hasLineCount(1);
      assertThat(stage.row("conflict-1").updatedAt()).isEqualTo(before.updatedAt());
      assertThat(stage.row("conflict-1").channel()).isEqualTo("atm");
      assertThat(stage.received("conflict-1")).isEqualTo(1);
    }
  }
}
