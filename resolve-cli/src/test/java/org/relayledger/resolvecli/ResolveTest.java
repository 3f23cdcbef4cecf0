package org.relayledger.resolvecli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.account.AccountOptions;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Claim;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Steps;
import org.relayledger.ledger.Taken;
import org.relayledger.relay.Answer;
import org.relayledger.testing.Scene;

class ResolveTest {
  private static final Actor CHANNEL = new Actor(Actor.Role.RELAY, "test", null);

  @TempDir Path folder;
  private Scene scene;

  @BeforeEach
  void begin() throws IOException {
    scene = new Scene(folder);
  }

  @AfterEach
  void end() {
    scene.close();
  }

  private Ran resolve(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--account-url", scene.url()));
    all.addAll(List.of(arguments));
    Ran ran =
        scene.run(ResolveMain.commandLine(scene.clock(), Steps.NONE), all.toArray(String[]::new));
    // The next run begins later than this one asked.
    scene.clock().advance(Duration.ofMillis(1));
    return ran;
  }

  private void ripen() {
    scene.clock().advance(Scene.MIN_AGE);
  }

  // Claim 1.

  @Test
  void anExecutedRowBecomesDoneWithTheAccountSystemsBytesWhichTheChannelThenGets() {
    scene.send("ok-1");
    scene.send("drop-1");
    ripen();

    Ran ran = resolve();

    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.err()).isEqualTo("resolve: 1 done\n");
    Row row = scene.row("drop-1");
    assertThat(row).returns(State.DONE, Row::state).returns("0000", Row::code);
    assertThat(new String(row.reply(), UTF_8)).isEqualTo("{\"code\":\"0000\",\"guid\":\"drop-1\"}");
    assertThat(((Answer.Definite) scene.send("drop-1")).reply().body()).isEqualTo(row.reply());
    assertThat(scene.received("drop-1")).isEqualTo(1);
    assertThat(scene.journal("drop-1"))
        .extracting(Entry::event)
        .containsExactly("move", "move", "inquiry", "move");
    assertThat(scene.journal("drop-1").get(2).note())
        .contains("processed", scene.url() + "/drop-1", "HTTP 200", "\"code\":\"0000\"");
  }

  @Test
  void aRowWithoutARecordBecomesFailedAndASecondRunAsksNothing() {
    scene.send("ok-1");
    scene.send("dropbefore-1");
    ripen();
    List<String> asked = recordInquiries();

    assertThat(resolve()).returns(0, Ran::exit).returns("resolve: 1 failed\n", Ran::err);
    assertThat(scene.row("dropbefore-1"))
        .returns(State.FAILED, Row::state)
        .returns("E902", Row::code);
    assertThat(asked).containsExactlyInAnyOrder("dropbefore-1", "ok-1");
    assertThat(scene.journal("dropbefore-1").get(2).note()).contains("no record", "HTTP 404");

    asked.clear();
    Ran second = resolve();
    assertThat(second).returns(0, Ran::exit);
    assertThat(second.err()).isEqualTo("resolve: nothing to do: no row is UNKNOWN or SENT\n");
    assertThat(asked).isEmpty();
  }

  private List<String> recordInquiries() {
    List<String> asked = new ArrayList<>();
    scene
        .sandbox()
        .inquiryFaults(
            guid -> {
              synchronized (asked) {
                asked.add(guid);
              }
              return "honest";
            });
    return asked;
  }

  @Test
  void aRowYoungerThanMinAgeIsNotAskedAboutInABulkRunAndNamedItIsExit5() {
    scene.send("drop-1");
    scene.clock().advance(Scene.MIN_AGE.minusMillis(2));
    List<String> asked = recordInquiries();
    assertThat(resolve()).returns(0, Ran::exit).returns("resolve: 1 too young\n", Ran::err);
    Ran named = resolve("drop-1");
    assertThat(named).returns(5, Ran::exit);
    assertThat(named.err()).contains("drop-1 is not asked about yet");
    assertThat(asked).isEmpty();
    assertThat(resolve()).returns(0, Ran::exit);
    assertThat(scene.state("drop-1")).isEqualTo(State.DONE);
  }

  @Test
  void aClockThatJumpsAYearForwardMakesNothingOld() {
    scene.send("dropbefore-1");
    scene.clock().step(Duration.ofDays(365));
    assertThat(resolve()).returns(0, Ran::exit);
    assertThat(resolve("dropbefore-1")).returns(5, Ran::exit);
    assertThat(scene.state("dropbefore-1")).isEqualTo(State.UNKNOWN);
  }

  @Test
  void howeverOldARowIsNothingCountsUntilWhatWasUnderWayAtARestoreMustHaveArrived() {
    scene.send("ok-1");
    scene.send("dropbefore-1");
    ripen();
    for (Settings.Mode mode : List.of(Settings.Mode.ASK_FIRST, Settings.Mode.NORMAL)) {
      try (Ledger ledger = scene.open()) {
        ledger.changeMode(mode, CHANNEL, "restored");
      }
      assertThat(resolve()).returns(0, Ran::exit).returns("resolve: 1 too young\n", Ran::err);
    }
    ripen();
    assertThat(resolve()).returns(0, Ran::exit).returns("resolve: 1 failed\n", Ran::err);
  }

  @Test
  void afterARestartOnlyTheTimeSinceThenCounts() {
    scene.send("drop-1");
    scene.clock().reboot(Duration.ofDays(9));
    assertThat(resolve("drop-1")).returns(5, Ran::exit);
    ripen();
    assertThat(resolve("drop-1")).returns(0, Ran::exit);
  }

  @Test
  void anOrphanBecomesUnknownAndAgesFromThen() {
    scene.send("ok-1");
    orphan("orphan");
    ripen();
    Ran first = resolve();
    assertThat(first).returns(0, Ran::exit);
    assertThat(first.err()).isEqualTo("resolve: 1 too young, 1 orphans\n");
    assertThat(scene.row("orphan")).returns(State.UNKNOWN, Row::state);
    ripen();
    assertThat(resolve()).returns(0, Ran::exit);
    assertThat(scene.state("orphan")).isEqualTo(State.FAILED);
    assertThat(scene.received("orphan")).isZero();
  }

  /** A row that is SENT and whose sender is gone: here, what a killed process leaves. */
  private void orphan(String guid) {
    Ran child = Orphans.leave(scene, guid);
    assertThat(child.exit()).as(child.err()).isEqualTo(137);
    assertThat(scene.state(guid)).isEqualTo(State.SENT);
  }

  @Test
  void aRowWithALiveOwnerIsSkippedAndNamedItIsExit6() {
    try (Ledger ledger = scene.open();
        Claim claim =
            ((Taken.Won) ledger.claim(Scene.request("held"), scene.url(), CHANNEL)).claim()) {
      scene.clock().advance(Duration.ofDays(1));
      assertThat(resolve()).returns(0, Ran::exit).returns("resolve: 1 held\n", Ran::err);
      Ran named = resolve("held");
      assertThat(named).returns(6, Ran::exit);
      assertThat(named.err()).contains("held was left alone: a live owner holds it");
      assertThat(claim.stillMine()).isTrue();
    }
  }

  // Claim 3.

  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop",
        "rst",
        "html:200",
        "html:404",
        "html:202",
        "html:401",
        "html:403",
        "html:429",
        "html:503",
        "bare404",
        "redirect:302",
        "redirect:307",
        "truncated",
        "otherguid",
        "noguid",
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
        "code:E500",
        "code:P100",
        "silent",
        "drip:1s"
      })
  void anythingElseLeavesTheRowUnknownWithEvidenceAndExits5(String fault) {
    scene.send("ok-1");
    scene.send("drop-1");
    scene.send("dropbefore-1");
    ripen();
    scene.sandbox().inquiryFaults(guid -> guid.startsWith("drop") ? fault : "honest");

    Ran ran = resolve("--timeout", "500ms");

    assertThat(ran).returns(5, Ran::exit);
    assertThat(ran.err()).contains("drop-1 stays UNKNOWN", "resolve: 2 inconclusive");
    for (String guid : List.of("drop-1", "dropbefore-1")) {
      assertThat(scene.row(guid)).returns(State.UNKNOWN, Row::state);
      assertThat(scene.row(guid).askedAt()).isNotNull();
      Entry last = scene.journal(guid).get(2);
      assertThat(last.event()).isEqualTo("inquiry");
      assertThat(last.note()).startsWith("inconclusive").contains(scene.url() + "/" + guid);
      assertThat(scene.received(guid)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "200|{\"code\":\"E404\",\"guid\":\"%s\"}",
        "404|{\"code\":\"0000\",\"guid\":\"%s\"}",
        "404|{\"code\":\"E404\"}",
        "404|{\"code\":\"E404\",\"guid\":\"another\"}",
        "200|{\"code\":\"0000\"}",
        "202|{\"code\":\"0000\",\"guid\":\"%s\"}",
        "500|{\"code\":\"E500\",\"guid\":\"%s\"}",
        "410|{\"code\":\"E404\",\"guid\":\"%s\"}",
      })
  void statusCodeAndGuidMustAllBeRight(int status, String body) throws IOException {
    scene.send("ok-1");
    scene.send("drop-1");
    ripen();
    HttpServer server = answering(status, body);
    try {
      String inquiries = "http://127.0.0.1:" + server.getAddress().getPort() + "/{guid}";
      assertThat(resolve("--inquiry-url", inquiries, "drop-1")).returns(5, Ran::exit);
      assertThat(scene.state("drop-1")).isEqualTo(State.UNKNOWN);
    } finally {
      server.stop(0);
    }
  }

  private static HttpServer answering(int status, String body) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String guid = exchange.getRequestURI().getPath().substring(1);
          byte[] bytes = body.formatted(guid).getBytes(UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    return server;
  }

  @Test
  void ofTheInconclusiveInquiriesTheJournalKeepsTheNewest() {
    scene.send("drop-1");
    ripen();
    scene.sandbox().inquiryFaults(guid -> "html:503");
    assertThat(resolve()).returns(5, Ran::exit);
    scene.sandbox().inquiryFaults(guid -> "bare404");
    assertThat(resolve()).returns(5, Ran::exit);
    assertThat(scene.journal("drop-1"))
        .extracting(Entry::event)
        .containsExactly("move", "move", "inquiry");
    assertThat(scene.journal("drop-1").get(2).note()).contains("HTTP 404");
  }

  @Test
  void theLeastRecentlyAskedComeFirst() {
    scene.send("drop-1");
    scene.send("drop-2");
    scene.send("drop-3");
    ripen();
    scene.sandbox().inquiryFaults(guid -> "bare404");
    assertThat(resolve("drop-1")).returns(5, Ran::exit);
    scene.clock().advance(Duration.ofSeconds(1));
    List<String> asked = recordInquiries();
    Ran ran = resolve("--limit", "2", "--concurrency", "1", "--format", "json");
    assertThat(ran).returns(5, Ran::exit);
    assertThat(ran.err())
        .contains("rows left because of --limit, all of them UNKNOWN or named: 1;");
    assertThat(asked).startsWith("drop-2").contains("drop-3").doesNotContain("drop-1");
    assertThat(ran.out().lines().toList())
        .last()
        .asString()
        .contains("\"type\":\"summary\"", "\"done\":2", "\"left\":1", "\"exit\":5");
  }

  // Claim 4.

  @ParameterizedTest
  @CsvSource({"nobody, dropbefore-1", "nobody, drop-1", "everybody, dropbefore-1"})
  void anInquiryThatTheCanariesShowToLieMovesNoRowAndExits14(String lie, String guid) {
    scene.send("ok-1");
    scene.send(guid);
    ripen();
    scene.sandbox().inquiryFaults(asked -> lie);

    Ran ran = resolve();

    assertThat(ran).returns(14, Ran::exit);
    assertThat(ran.err()).contains("the inquiry cannot be trusted").contains("(exit 14:");
    assertThat(scene.state(guid)).isEqualTo(State.UNKNOWN);
  }

  @Test
  void theInquiryOfAnotherAccountSystemMovesNoRow(@TempDir Path elsewhere) throws IOException {
    scene.send("ok-1");
    scene.send("drop-1");
    ripen();
    try (Scene other = new Scene(elsewhere)) {
      assertThat(resolve("--inquiry-url", other.url() + "/{guid}")).returns(14, Ran::exit);
      // By its account URL it is not asked at all.
      assertThat(resolve("--account-url", other.url())).returns(5, Ran::exit);
    }
    assertThat(scene.state("drop-1")).isEqualTo(State.UNKNOWN);
  }

  @Test
  void aCanaryThatIsNotAnsweredProvesNothingTheRowStaysAndItIsExit14() {
    scene.send("ok-1");
    scene.send("dropbefore-1");
    ripen();
    scene.sandbox().inquiryFaults(guid -> guid.equals("ok-1") ? "html:503" : "honest");
    assertThat(resolve()).returns(14, Ran::exit);
    assertThat(scene.state("dropbefore-1")).isEqualTo(State.UNKNOWN);
    scene.sandbox().inquiryFaults(guid -> guid.startsWith("canary-") ? "drop" : "honest");
    scene.send("drop-1");
    ripen();
    assertThat(resolve("drop-1")).returns(14, Ran::exit);
    assertThat(scene.state("drop-1")).isEqualTo(State.UNKNOWN);
  }

  @Test
  void aCanaryIsAskedOnceARun() {
    scene.send("ok-1");
    for (int i = 0; i < 5; i++) {
      scene.send("dropbefore-" + i);
    }
    ripen();
    List<String> asked = new ArrayList<>();
    scene
        .sandbox()
        .inquiryFaults(
            guid -> {
              synchronized (asked) {
                asked.add(guid);
              }
              return guid.equals("ok-1") ? "bare404" : "honest";
            });
    assertThat(resolve()).returns(14, Ran::exit);
    assertThat(asked).hasSize(6).containsOnlyOnce("ok-1");
  }

  @Test
  void whatAnInquiryOrAPersonMadeDoneVouchesForNobody() {
    scene.send("drop-1");
    scene.send("drop-2");
    ripen();
    assertThat(resolve("drop-1")).returns(0, Ran::exit);
    scene.send("dropbefore-1");
    ripen();
    // Without a reply that came by itself there is one canary only, which is said.
    scene.sandbox().inquiryFaults(guid -> guid.startsWith("drop-") ? "nobody" : "honest");
    Ran ran = resolve("dropbefore-1");
    assertThat(ran).returns(0, Ran::exit);
    assertThat(ran.err()).contains("'no record' was believed without having tried the inquiry");
  }

  // Where rows were sent to.

  @Test
  void rowsThatWereSentElsewhereAreNotAskedAboutUnlessTheUrlIsNamed() {
    String old = scene.url().replace("127.0.0.1", "localhost");
    scene.send("ok-1", AccountOptions.at(old));
    scene.send("drop-1", AccountOptions.at(old));
    ripen();
    List<String> asked = recordInquiries();
    Ran ran = resolve();
    assertThat(ran).returns(5, Ran::exit);
    assertThat(ran.err()).contains("drop-1 stays UNKNOWN: it was sent to " + old);
    assertThat(asked).isEmpty();
    assertThat(resolve("--also-account", old)).returns(0, Ran::exit);
    assertThat(scene.state("drop-1")).isEqualTo(State.DONE);
  }

  @Test
  void afterSoManyOutagesInARowItStopsWith12() {
    for (int i = 0; i < 6; i++) {
      scene.send("drop-" + i);
    }
    ripen();
    scene.sandbox().inquiryFaults(guid -> "html:503");
    List<String> asked = new ArrayList<>();
    scene
        .sandbox()
        .inquiryFaults(
            guid -> {
              synchronized (asked) {
                asked.add(guid);
              }
              return "html:503";
            });
    Ran ran = resolve("--stop-after", "2", "--concurrency", "1");
    assertThat(ran).returns(12, Ran::exit);
    assertThat(ran.err()).contains("did not answer 2 inquiries in a row; the run stopped");
    assertThat(asked).hasSize(2);
  }

  // How it is called.

  @Test
  void minAgeBelowMaxProcessingIsRefusedAndBelowItsDefaultWarnedOfOnce() {
    scene.send("drop-1");
    ripen();
    Ran below = resolve("--min-age", "59s");
    assertThat(below).returns(2, Ran::exit);
    assertThat(below.err()).hasLineCount(1).contains("max-processing 1m", "nothing was asked");
    Ran between = resolve("-n", "--min-age", "1m");
    assertThat(between).returns(0, Ran::exit);
    assertThat(between.err()).contains("warning: --min-age 1m is less than 3m");
    assertThat(resolve("--min-age", "1m", "-q")).returns(0, Ran::exit).returns("", Ran::err);
  }

  @Test
  void namedRowsAreEachDoneOnTheirOwnAndTheWorstDecides() {
    scene.send("ok-1");
    scene.send("drop-1");
    scene.fail("failed");
    ripen();
    Ran ran = resolve("drop-1", "nobody", "ok-1", "failed", "DROP-1", "--format", "json");
    assertThat(ran).returns(7, Ran::exit);
    assertThat(ran.out().lines().toList())
        .hasSize(5)
        .last()
        .asString()
        .contains("\"done\":1", "\"wrong_state\":2", "\"no_such_guid\":1", "\"exit\":7");
    assertThat(ran.err())
        .contains("nobody is not in this ledger")
        .contains("ok-1 was not settled: it is DONE")
        .contains("failed was not settled: it is FAILED");
    assertThat(scene.state("drop-1")).isEqualTo(State.DONE);
    assertThat(resolve("nobody")).returns(8, Ran::exit);
    assertThat(resolve("drop-1", "no guid")).returns(9, Ran::exit);
  }

  @Test
  void aDryRunAsksAndChangesNoByte() throws IOException {
    scene.send("ok-1");
    scene.send("drop-1");
    scene.send("dropbefore-1");
    ripen();
    byte[] before = Files.readAllBytes(scene.path());
    Ran ran = resolve("-n", "--format", "csv");
    assertThat(ran).returns(0, Ran::exit);
    assertThat(ran.out())
        .startsWith("guid,result,state,code,attempt,detail\r\n")
        .contains("drop-1,would_be_done,UNKNOWN,E901,1,")
        .contains("dropbefore-1,would_be_failed,UNKNOWN,E901,1,");
    assertThat(ran.err()).isEqualTo("resolve: 1 would be done, 1 would be failed\n");
    assertThat(Files.readAllBytes(scene.path())).isEqualTo(before);
    assertThat(scene.row("drop-1").askedAt()).isNull();
    assertThat(scene.journal("drop-1")).hasSize(2);
  }

  @Test
  void quietItSaysNothingOnSuccessAndOneLineOfTrouble() {
    assertThat(resolve("-q")).returns(0, Ran::exit).returns("", Ran::out).returns("", Ran::err);
    scene.send("drop-1");
    scene.send("drop-2");
    ripen();
    scene.sandbox().inquiryFaults(guid -> "bare404");
    Ran ran = resolve("-q");
    assertThat(ran).returns(5, Ran::exit).returns("", Ran::out);
    assertThat(ran.err()).hasLineCount(1).contains("stays UNKNOWN", "1 more", "(exit 5:");
  }

  @Test
  void jsonEndsInASummaryAlsoWithNothingToDoAndWhenItIsRefused() {
    assertThat(resolve("--format", "json").out())
        .startsWith("{\"v\":1,\"type\":\"summary\",\"done\":0")
        .endsWith("\"exit\":0}\n")
        .hasLineCount(1);
    try (Ledger other = scene.open()) {
      other.runLock(Actor.Role.RESOLVE);
      Ran ran = resolve("--format", "json");
      assertThat(ran).returns(11, Ran::exit);
      assertThat(ran.out()).endsWith("\"exit\":11}\n").hasLineCount(1);
      assertThat(ran.err())
          .hasLineCount(1)
          .contains("another resolve run", "pid " + ProcessHandle.current().pid() + ", started ");
      // Named rows need no lock; other tools have their own.
      assertThat(resolve("nobody")).returns(8, Ran::exit);
    }
    assertThat(resolve()).returns(0, Ran::exit);
  }

  @Test
  void aMissingLedgerIsExit10AndIsNotMade() {
    Ran ran = resolve("--ledger", folder.resolve("none.db").toString());
    assertThat(ran).returns(10, Ran::exit);
    assertThat(folder.resolve("none.db")).doesNotExist();
  }

  // By hand.

  private Path reply(String text) throws IOException {
    return Files.writeString(folder.resolve("reply.json"), text);
  }

  @Test
  void settleDoneStoresTheReplyOfUnknownAndFailedRowsAndSaysWhoAndWhy() throws IOException {
    scene.send("drop-1");
    scene.fail("failed");
    for (String guid : List.of("drop-1", "failed")) {
      String text = "{\"code\":\"0000\",\"guid\":\"" + guid + "\"}";
      Ran ran =
          resolve(
              "--settle",
              "done",
              guid,
              "--reply",
              reply(text).toString(),
              "--reason",
              "by phone",
              "--by",
              "ann",
              "--ticket",
              "T7");
      assertThat(ran.exit()).as(ran.err()).isZero();
      Row row = scene.row(guid);
      assertThat(row).returns(State.DONE, Row::state).returns(200, Row::httpStatus);
      assertThat(new String(row.reply(), UTF_8)).isEqualTo(text);
      List<Entry> journal = scene.journal(guid);
      assertThat(journal.get(journal.size() - 1))
          .returns("operator", Entry::actor)
          .returns("ann", Entry::by)
          .returns("T7", Entry::ticket)
          .returns("by phone", Entry::note);
    }
    assertThat(
            resolve(
                "--settle",
                "done",
                "failed",
                "--reply",
                folder.resolve("reply.json").toString(),
                "--reason",
                "again"))
        .returns(7, Ran::exit);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "OK",
        "{}",
        "{\"code\":\"0000\"}",
        "{\"code\":\"P100\",\"guid\":\"drop-1\"}",
        "{\"code\":\"0000\",\"guid\":\"drop-2\"}",
        "{\"code\":\"0000\",\"code\":\"B201\",\"guid\":\"drop-1\"}"
      })
  void aReplyThatIsNotFinalOrNotOfThisGuidIsExit9(String text) throws IOException {
    scene.send("drop-1");
    Ran ran =
        resolve("--settle", "done", "drop-1", "--reply", reply(text).toString(), "--reason", "why");
    assertThat(ran).returns(9, Ran::exit);
    assertThat(ran.err()).contains("is no reply to drop-1").contains("nothing was settled");
    assertThat(scene.state("drop-1")).isEqualTo(State.UNKNOWN);
  }

  @Test
  void settleFailedNeedsAgeAndAnInquiryThatDoesNotSayProcessedOrOverride() {
    scene.send("drop-1");
    scene.send("dropbefore-1");
    scene.send("dropbefore-2");
    String[] failed = {"--settle", "failed", "--reason", "why"};
    assertThat(resolve(with(failed, "dropbefore-1"))).returns(5, Ran::exit);
    assertThat(resolve(with(failed, "dropbefore-1", "--override"))).returns(0, Ran::exit);
    assertThat(scene.row("dropbefore-1")).returns(State.FAILED, Row::state);
    ripen();
    Ran contradicted = resolve(with(failed, "drop-1"));
    assertThat(contradicted).returns(7, Ran::exit);
    assertThat(contradicted.err()).contains("the inquiry says that it was processed");
    assertThat(scene.state("drop-1")).isEqualTo(State.UNKNOWN);
    scene.sandbox().inquiryFaults(guid -> "html:503");
    assertThat(resolve(with(failed, "dropbefore-2"))).returns(5, Ran::exit);
    scene.sandbox().inquiryFaults(guid -> "bare404");
    assertThat(resolve(with(failed, "dropbefore-2"))).returns(0, Ran::exit);
    assertThat(scene.journal("dropbefore-2"))
        .last()
        .returns("operator", Entry::actor)
        .returns("why", Entry::note);
    assertThat(resolve(with(failed, "dropbefore-2"))).returns(7, Ran::exit);
    assertThat(resolve(with(failed, "nobody"))).returns(8, Ran::exit);
  }

  private static String[] with(String[] some, String... more) {
    List<String> all = new ArrayList<>(List.of(some));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @Test
  void theLimitHoldsForNamedRowsToo() {
    scene.send("drop-1");
    scene.send("drop-2");
    ripen();
    Ran ran = resolve("drop-1", "drop-2", "--limit", "1");
    assertThat(ran).returns(5, Ran::exit);
    assertThat(ran.err()).contains("rows left because of --limit").contains("1 done, 1 left");
    assertThat(scene.state("drop-2")).isEqualTo(State.UNKNOWN);
  }

  @Test
  void nobodySettlesByHandWhatALiveOwnerHolds() {
    try (Ledger ledger = scene.open();
        Claim claim =
            ((Taken.Won) ledger.claim(Scene.request("held"), scene.url(), CHANNEL)).claim()) {
      assertThat(resolve("--settle", "failed", "held", "--reason", "why", "--override"))
          .returns(6, Ran::exit);
      assertThat(claim.stillMine()).isTrue();
    }
  }

  @Test
  void aDryRunByHandOnlySaysWhatItWouldDo() throws IOException {
    scene.send("drop-1");
    ripen();
    String[] failed = {"-n", "drop-1", "--settle", "failed", "--reason", "why"};
    assertThat(resolve(failed)).returns(7, Ran::exit);
    assertThat(resolve(with(failed, "--override"))).returns(0, Ran::exit);
    String text = "{\"code\":\"0000\",\"guid\":\"drop-1\"}";
    assertThat(
            resolve(
                "-n",
                "--settle",
                "done",
                "drop-1",
                "--reply",
                reply(text).toString(),
                "--reason",
                "why"))
        .returns(0, Ran::exit);
    assertThat(scene.state("drop-1")).isEqualTo(State.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--settle failed --reason why",
        "--settle failed G1",
        "--settle done G1 --reason why",
        "--settle failed G1 --reason why --reply FILE",
        "--settle done G1 --reason why --reply FILE --override",
        "--settle done G1 G2 --reason why --reply FILE",
        "--reason why G1",
        "--override G1",
        "--reply FILE G1",
        "--settle maybe G1 --reason why",
        "--concurrency 257",
        "--limit 0",
        "--min-age 5",
        "--inquiry-url http://127.0.0.1:1/x",
        "--nobody-knows-this"
      })
  void whatDoesNotGoTogetherIsExit2AndOneLine(String line) {
    Ran ran = resolve(line.split(" ", -1));
    assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
    assertThat(ran.err()).hasLineCount(1).startsWith("resolve: ");
  }

  @Test
  void theGuidGoesIntoTheUrlAsOneSegment() {
    scene.send("ok-1");
    scene.send("drop-a:b.c_d");
    ripen();
    assertThat(resolve()).returns(0, Ran::exit);
    assertThat(scene.row("drop-a:b.c_d")).returns(new Guid("drop-a:b.c_d"), Row::guid);
    assertThat(scene.state("drop-a:b.c_d")).isEqualTo(State.DONE);
  }
}
