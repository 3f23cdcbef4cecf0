package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.relaycli.Channel.Heard;

/** What happens to the ledger's files and clocks from outside. */
class MishapTest {
  private static final int QUICK_FLIPS = 30;
  private static final int ALL_FLIPS = 600;

  @TempDir Path folder;
  private Stage stage;

  @BeforeEach
  void open() throws IOException {
    stage = new Stage(folder, Tool.MAX_PROCESSING, Tool.RESEND_WINDOW);
    assertThat(stage.transfer("canary")).returns(0, Ran::exit);
  }

  @AfterEach
  void close() {
    stage.close();
  }

  private static boolean works(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void onAFileSystemThatHasBecomeReadOnlyNothingIsSent() throws Exception {
    onAFileSystemThatHasBecomeReadOnlyEachToolSaysSoAndDoesNothing(Tool.SEND);
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource
  void onAFileSystemThatHasBecomeReadOnlyEachToolSaysSoAndDoesNothing(Tool tool) throws Exception {
    assumeTrue(works("unshare", "-rm", "true"), "no mount namespaces");
    List<String> guids = tool.prepare(stage, "read.only");
    String[] command = tool.command(stage, guids);
    List<State> before = states(guids);
    String remount = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"";
    try (Child child =
        Child.start(
            List.of("unshare", "-rm", "sh", "-c", remount, folder.toRealPath().toString()),
            command)) {
      var unused = child.rest();
      assertThat(child.exit()).as(child.err().text()).isEqualTo(10);
      assertThat(child.err().text()).contains(stage.ledger.toString()).doesNotContain("\tat ");
    }
    assertThat(states(guids)).isEqualTo(before);
    tool.finish(stage, guids);
  }

  private List<State> states(List<String> guids) {
    List<State> states = new ArrayList<>();
    for (String guid : guids) {
      Row row = stage.row(guid);
      states.add(row == null ? null : row.state());
    }
    return states;
  }

  @Test
  void aCopyOfTheLedgerMadeWhileItIsWrittenSendsNothingThatTheLedgerHasSent() throws Exception {
    Path copy = Files.createDirectory(folder.resolve("copy"));
    try (Serving hub = stage.serve()) {
      List<CompletableFuture<Heard>> heard = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        heard.add(Channel.begin(hub.url(), "copied-" + i));
      }
      heard.get(0).join();
      for (String ends : List.of("", "-wal", ".claims")) {
        Files.copy(Path.of(stage.ledger + ends), copy.resolve("ledger.db" + ends));
      }
      heard.forEach(CompletableFuture::join);
    }
    String there = copy.resolve("ledger.db").toString();
    // It is torn, or has forgotten what came after; or nothing came in between.
    for (int i : List.of(0, 50, 199)) {
      Ran ran = stage.transfer("copied-" + i, "--ledger", there);
      assertThat(ran.exit()).as(ran.err()).isIn(0, 5, 10);
    }
    Files.delete(copy.resolve("ledger.db.claims"));
    assertThat(stage.transfer("copied-199", "--ledger", there)).returns(10, Ran::exit);
    for (int i = 0; i < 200; i++) {
      assertThat(stage.transfer("copied-" + i)).returns(0, Ran::exit);
    }
  }

  @Test
  void whatAnOlderSuiteFindsChangedByANewerOneItLeavesAloneAndSendsNothing() throws Exception {
    Map<Tool, List<String>> guids = new EnumMap<>(Tool.class);
    for (Tool tool : Tool.values()) {
      guids.put(tool, tool.prepare(stage, "newer-" + tool.name().toLowerCase(Locale.ROOT)));
    }
    try (Child hub = Child.start(stage.command("serve", Stage.hub()))) {
      CompletableFuture<Heard> inFlight = Channel.begin(hub.url(), "held-newer");
      stage.sandbox.awaitReceived("held-newer", 1, Stage.PATIENCE);
      schemaVersion(2);
      assertThat(Channel.transfer(hub.url(), "newer").code()).isEqualTo("E908");
      stage.sandbox.release("held-newer");
      assertThat(inFlight.join().code()).isEqualTo("E901");
      assertThat(hub.exit()).as(hub.err().text()).isEqualTo(10);
      assertThat(hub.err().text()).contains("schema version 2");
    }
    for (Tool tool : Tool.values()) {
      Ran ran = tool.again(stage, guids.get(tool));
      assertThat(ran.exit()).as(tool + ran.err()).isEqualTo(10);
      assertThat(ran.err()).contains("schema version 2");
    }
    assertThat(stage.sandbox.received()).doesNotContainKey("newer");
    schemaVersion(1);
    for (Tool tool : Tool.values()) {
      tool.finish(stage, guids.get(tool));
    }
    Ran again = stage.transfer("held-newer");
    assertThat(again.exit()).as(again.err() + again.out()).isIn(0, 5);
    assertThat(stage.executed("held-newer")).isEqualTo(1);
  }

  private void schemaVersion(int version) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + stage.ledger);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA user_version = " + version);
    }
  }

  @Test
  void aClockThatIsAYearAheadMakesNothingOldAndTakesNothingAway() throws Exception {
    aClockThatJumpsMakesNothingOldAndTakesNothingAway("+400d");
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"-400d", "+1h", "-1h"})
  void aClockThatJumpsMakesNothingOldAndTakesNothingAway(String jump) throws Exception {
    assumeTrue(works("faketime", "-f", "+1h", "true"), "no faketime");
    List<String> fake = List.of("faketime", "-f", jump);
    assertThat(stage.transfer("drop-jump")).returns(5, Ran::exit);
    assertThat(stage.transfer("done-jump")).returns(0, Ran::exit);
    String ledger = stage.ledger.toString();
    String account = stage.account().toString();
    // Young by the uptime, whatever the calendar says.
    try (Child resolve =
        Child.start(
            fake, "resolve", "--ledger", ledger, "--account-url", account, "--min-age", "1h")) {
      assertThat(resolve.exit()).as(resolve.err().text()).isIn(0, 5);
    }
    assertThat(stage.row("drop-jump")).returns(State.UNKNOWN, Row::state);
    boolean far = jump.endsWith("400d");
    try (Child purge = Child.start(fake, "purge", "--ledger", ledger, "--retention", "30d")) {
      // A day or two may be the host's own doing; more than that is asked about.
      assertThat(purge.exit())
          .as(purge.err().text())
          .isEqualTo(far || jump.startsWith("-") ? 2 : 0);
    }
    assertThat(stage.row("done-jump")).returns(State.DONE, Row::state);
    Path body = Files.writeString(folder.resolve("body"), Channel.body("jump-new"));
    try (Child send = Child.start(fake, stage.command("send", body.toString()))) {
      assertThat(send.exit()).as(send.err().text()).isZero();
    }
    assertThat(stage.transfer("jump-new")).returns(0, Ran::exit);
    assertThat(stage.executed("jump-new")).isEqualTo(1);
  }

  @Test
  void aBitThatFlipsInTheLedgerIsNoReasonToSendAgain() throws Exception {
    flip(1, QUICK_FLIPS);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(longs = {2, 3, 4})
  void noneOfManyBitsThatFlipIsAReasonToSendAgain(long seed) throws Exception {
    flip(seed, ALL_FLIPS);
  }

  /** Flips bits of the closed ledger, one at a time, and sends again what it has sent before. */
  private void flip(long seed, int rounds) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> guids = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      guids.add("flip-" + i);
      assertThat(stage.transfer("flip-" + i)).returns(0, Ran::exit);
    }
    byte[] whole = Files.readAllBytes(stage.ledger);
    Path claims = Path.of(stage.ledger + ".claims");
    byte[] claimed = Files.readAllBytes(claims);
    int refused = 0;
    for (int round = 0; round < rounds; round++) {
      long bit = random.nextLong(whole.length * 8L);
      byte[] spoilt = whole.clone();
      spoilt[(int) (bit / 8)] ^= (byte) (1 << (bit % 8));
      overwrite(stage.ledger, spoilt);
      overwrite(claims, claimed);
      Files.deleteIfExists(Path.of(stage.ledger + "-wal"));
      Files.deleteIfExists(Path.of(stage.ledger + "-shm"));
      String guid = guids.get(random.nextInt(guids.size()));
      Ran ran = stage.transfer(guid);
      String what = "seed %d, bit %d, %s: %s".formatted(seed, bit, guid, ran.err());
      assertThat(stage.received(guid)).as(what).isEqualTo(1);
      assertThat(ran.err()).as(what).doesNotContain("\tat ");
      if (ran.exit() == 0) {
        assertThat(new String(ran.stdout(), UTF_8)).as(what).contains("\"0000\"", guid);
      } else {
        refused++;
        assertThat(ran.exit()).as(what).isIn(5, 6, 7, 8, 10, 12);
      }
    }
    System.out.println(rounds + " bits flipped, " + refused + " refusals");
    overwrite(stage.ledger, whole);
  }

  /** In place: the inode stays, as it does when a disk goes bad. */
  private static void overwrite(Path file, byte[] content) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      var unused = channel.write(ByteBuffer.wrap(content), 0);
    }
  }
}
