package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.Steps;

/** What preflight says of everything that can be wrong before the first transfer. */
class PreflightTest {
  @TempDir Path folder;
  private Stage stage;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(folder);
    assertThat(stage.transfer("canary")).returns(0, Ran::exit);
  }

  @AfterEach
  void close() {
    stage.close();
  }

  private Ran preflight(String... more) {
    List<String> all = new ArrayList<>(List.of("--timeout", "5s"));
    all.addAll(List.of(more));
    return Stage.run(stage.command("preflight", all.toArray(String[]::new)));
  }

  private static void assertFails(Ran ran, int exit, String check, String detail) {
    assertThat(ran.exit()).as(ran.out() + ran.err()).isEqualTo(exit);
    assertThat(ran.columns()).containsPattern("fail  " + check + "  .*" + detail);
    assertThat(ran.err()).startsWith("relay preflight: ").hasLineCount(1);
  }

  @Test
  void whereAllIsRightItSaysSoOfEachThingAndChangesNothing() throws Exception {
    byte[] before = Files.readAllBytes(stage.ledger);
    Ran ran = preflight();
    assertThat(ran.exit()).as(ran.out() + ran.err()).isZero();
    assertThat(ran.columns())
        .doesNotContain("fail  ")
        .contains(
            "ok  ledger  ",
            "  file system  ",
            "  space  ",
            "  fsync  a write is on the disk in ",
            "ok  permissions  ledger.db is its owner's alone",
            "ok  locks  another process cannot take what this one holds",
            "ok  clock  ",
            "ok  mode  normal",
            "ok  min-age  3m, max-processing 1m",
            "ok  retention  ",
            "ok  account system  ",
            "ok  inquiry, stranger  asked about a GUID that never existed: no record",
            "ok  inquiry, known  asked about a transfer that is DONE: processed with code 0000",
            "account-url = " + stage.account() + ", from command line",
            "final-codes = [0000, B2??, E500], from default");
    assertThat(Files.readAllBytes(stage.ledger)).isEqualTo(before);
    assertThat(preflight("-q")).returns(0, Ran::exit).returns("", Ran::out).returns("", Ran::err);
    assertThat(preflight("--format", "json").out().lines().toList())
        .allMatch(line -> line.startsWith("{\"v\":1,\"type\":\""))
        .last()
        .asString()
        .contains("\"type\":\"summary\"", "\"exit\":0");
  }

  @ParameterizedTest
  @CsvSource({"nobody, 'inquiry, known'", "everybody, 'inquiry, stranger'", "html:503, inquiry"})
  void anInquiryThatLiesOrDoesNotAnswerIsExit14(String lie, String check) {
    stage.sandbox.inquiryFaults(guid -> lie);
    assertFails(preflight(), 14, check.equals("inquiry") ? "inquiry, known" : check, "would not");
  }

  @Test
  void anAccountSystemThatIsDownIsExit12AndUnderQOneLine() {
    String down = "http://127.0.0.1:1/transfers";
    assertFails(preflight("--account-url", down), 12, "account system", down);
    Ran quiet = preflight("--account-url", down, "-q");
    assertThat(quiet).returns(12, Ran::exit).returns("", Ran::out);
    assertThat(quiet.err()).hasLineCount(1).contains(down);
  }

  @Test
  void whatMayBeASecretInAUrlIsNotShown() {
    Ran user = preflight("--account-url", "http://bob:SECRET@127.0.0.1/transfers");
    assertThat(user).returns(2, Ran::exit);
    Ran query = preflight("--inquiry-url", stage.account() + "/{guid}?key=SECRET");
    assertThat(user.out() + user.err() + query.out().replaceAll("inquiry, .*", ""))
        .contains("account-url = http://...@127.0.0.1/transfers")
        .contains("/{guid}?..., from command line")
        .doesNotContain("SECRET");
  }

  @Test
  void minAgeBelowMaxProcessingAndARetentionWithinTheResendWindowAreExit2() throws Exception {
    assertFails(preflight("--min-age", "59s"), 2, "min-age", "max-processing 1m");
    Path config = Files.writeString(folder.resolve("relay.properties"), "purge.retention=1d\n");
    Ran ran = preflight("--config", config.toString());
    assertFails(ran, 2, "retention", "1d, from purge.retention in .*; resend-window 1d");
    Files.writeString(config, "purge.retention=2d\n");
    assertThat(preflight("--config", config.toString())).returns(0, Ran::exit);
  }

  @Test
  void aLostClaimsFileIsExit10() throws Exception {
    Files.delete(Path.of(stage.ledger + ".claims"));
    assertFails(preflight(), 10, "locks", "claims file");
    Ran none = preflight("--ledger", folder + "/none");
    assertFails(none, 10, "ledger", "no ledger at");
    assertThat(none.columns()).contains("ok  account system");
  }

  @Test
  void aFileThatOthersCanReadIsExit10() throws Exception {
    Files.setPosixFilePermissions(stage.ledger, PosixFilePermissions.fromString("rw-r-----"));
    assertFails(preflight(), 10, "permissions", "ledger.db is rw-r-----");
  }

  @Test
  void aClockBehindTheJournalIsExit10() {
    Later later = new Later(Duration.ofDays(1));
    try (Ledger ledger = Ledger.open(stage.ledger.toString(), later, Steps.NONE)) {
      Actor ann = new Actor(Actor.Role.OPERATOR, "ann", null);
      ledger.changeMode(Settings.Mode.HOLD, ann, "tomorrow");
    }
    Ran ran = preflight();
    assertFails(ran, 10, "clock", "the clock is behind the journal");
    assertThat(ran.columns()).containsPattern("warn  mode  hold since .* by ann: tomorrow");
  }

  /** Runs it where {@code script} has made the folder what it is; it gets the folder as $0. */
  private void assertFailsWhere(String script, String check, String detail) throws Exception {
    assumeTrue(
        new ProcessBuilder("unshare", "-rm", "true").start().waitFor() == 0, "no mount namespaces");
    List<String> before =
        List.of("unshare", "-rm", "sh", "-c", script + " && exec \"$@\"", folder.toString());
    try (Child child = Child.start(before, stage.command("preflight", "--timeout", "5s"))) {
      String out = child.rest();
      assertThat(child.exit()).as(out + child.err().text()).isEqualTo(10);
      assertThat(out.replaceAll(" {2,}", "  ")).containsPattern("fail  " + check + "  .*" + detail);
    }
  }

  @Test
  void aFolderThatIsReadOnlyIsExit10() throws Exception {
    assertFailsWhere("mount -o bind,ro \"$0\" \"$0\"", "ledger", "cannot be read");
  }

  @Test
  void aFileSystemWhoseLocksAreNotKnownToHoldIsExit10() throws Exception {
    assertFailsWhere(
        "mkdir /tmp/kept.$$ && cp \"$0\"/* /tmp/kept.$$ && mount -t ramfs ramfs \"$0\""
            + " && cp /tmp/kept.$$/* \"$0\" && rm -r /tmp/kept.$$",
        "locks",
        "whose locks are not known to hold");
  }

  @Test
  void aDiskThatIsNearlyFullIsExit10() throws Exception {
    assertFailsWhere(
        "mkdir /tmp/kept.$$ && cp \"$0\"/* /tmp/kept.$$ && mount -t tmpfs -o size=8m tmpfs \"$0\""
            + " && cp /tmp/kept.$$/* \"$0\" && rm -r /tmp/kept.$$",
        "space",
        "MiB free");
  }
}
