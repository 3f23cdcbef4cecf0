package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.testing.Child;
import org.relayledger.testing.SteppedClock;

/**
 * Claim 7, rule 6: when the disk fails a commit, the instance acknowledges nothing more; a fresh
 * start finds all that was acknowledged, and the move that was not, whole or not at all.
 */
@DisplayName("Claim 7: a disk that fails a commit stops everything")
final class DiskFailureTest {
  private static final int ENOUGH = 2_000;

  @TempDir Path dir;
  private Path file;

  @BeforeEach
  void place() {
    file = dir.resolve("ledger.db");
  }

  private static boolean works(String... command) {
    try (Child child = Child.start(List.of(command))) {
      return child.exit() == 0;
    }
  }

  private Child under(List<String> before) {
    List<String> command = new ArrayList<>(before);
    command.addAll(Child.javaCommand(LedgerChild.class, file.toString()));
    return Child.start(command);
  }

  /** Fills the ledger until it fails; what was acknowledged, "STATE guid" each, in order. */
  private static List<String> fill(Child child) {
    child.say("open");
    child.await("ok");
    child.say("fill " + ENOUGH);
    List<String> acknowledged = new ArrayList<>();
    String line = child.await("");
    while (line.startsWith("SENT ") || line.startsWith("DONE ")) {
      acknowledged.add(line);
      line = child.await("");
    }
    assertThat(line).as(child.seen()).startsWith("tried g-");
    String failed = child.await("");
    assertThat(failed)
        .startsWith("! HALTED the ledger stopped: SQLITE_")
        .contains("check the disk");
    assertThat(acknowledged).hasSizeGreaterThan(4);

    String open = line.substring("tried ".length());
    for (String call : List.of("claim other", "claim g-1", "find g-1", "claim " + open)) {
      assertThat(child.ask(call)).as(call).startsWith("! HALTED the ledger stopped: SQLITE_");
    }
    String last = acknowledged.get(acknowledged.size() - 1);
    if (last.startsWith("SENT ")) {
      assertThat(child.ask("done " + open)).startsWith("! HALTED the ledger stopped: SQLITE_");
      assertThat(child.ask("close " + open)).isEqualTo("ok");
    }
    return acknowledged;
  }

  /** What a fresh process finds. */
  private void check(List<String> acknowledged) {
    String last = acknowledged.get(acknowledged.size() - 1);
    int number = Integer.parseInt(last.substring("SENT g-".length()));
    // The move that was tried and not acknowledged.
    String tried = last.startsWith("SENT ") ? "DONE g-" + number : "SENT g-" + (number + 1);
    try (ByHand hand = ByHand.sqlite(file)) {
      assertThat(hand.value("PRAGMA integrity_check")).isEqualTo("'ok'");
      List<String> found =
          hand.rows("SELECT to_state || ' ' || guid FROM journal ORDER BY id").stream()
              .map(row -> row.get(0).replace("'", ""))
              .toList();
      List<String> more = new ArrayList<>(acknowledged);
      more.add(tried);
      assertThat(found).isIn(acknowledged, more);
      assertThat(hand.value("SELECT count(*) FROM ledger WHERE state NOT IN ('SENT', 'DONE')"))
          .isEqualTo("0");
      assertThat(
              hand.value(
                  "SELECT count(*) FROM ledger l WHERE state <> (SELECT to_state FROM journal j"
                      + " WHERE j.seq = l.seq ORDER BY id DESC LIMIT 1)"))
          .isEqualTo("0");
    }
    try (Ledger ledger = Ledger.open(file.toString(), new SteppedClock(), Steps.NONE)) {
      for (Row row : ledger.view().page(Filter.ALL, 0, 1000)) {
        Row whole = ledger.view().find(row.guid(), true).orElseThrow();
        assertThat(whole.storedRequest().body()).isNotEmpty();
        if (whole.state() == State.DONE) {
          assertThat(whole.storedReply().body())
              .isEqualTo(Samples.reply(row.guid().value()).body());
        } else {
          assertThat(ledger.adopt(whole, Samples.RESOLVE)).isPresent();
        }
      }
      assertThat(ledger.claim(Samples.request("after"), Samples.ACCOUNT, Samples.RELAY))
          .isInstanceOf(Taken.Won.class);
    }
  }

  @Test
  void aFileSizeLimitThatAWriteHits() {
    assumeTrue(works("sh", "-c", "ulimit -f 8000"), "no ulimit -f");
    Ledger.init(file.toString(), Samples.SETTINGS, new SteppedClock());
    List<String> acknowledged;
    // In blocks of 512 bytes; more than the driver's own library, which it unpacks.
    try (Child child = under(List.of("sh", "-c", "ulimit -f 8000; exec \"$0\" \"$@\""))) {
      acknowledged = fill(child);
      child.say("die");
      assertThat(child.exit()).isEqualTo(9);
    }
    check(acknowledged);
  }

  @Test
  void anFsyncThatFails() {
    assumeTrue(
        works("strace", "-f", "-e", "trace=fsync", "-e", "inject=fsync:error=EIO", "true"),
        "no strace");
    Ledger.init(file.toString(), Samples.SETTINGS, new SteppedClock());
    List<String> acknowledged;
    try (Child child =
        under(
            List.of(
                "strace",
                "-f",
                "-qq",
                "-o",
                dir.resolve("strace").toString(),
                "-e",
                "trace=fsync,fdatasync",
                "-e",
                "inject=fsync,fdatasync:error=EIO:when=20+"))) {
      acknowledged = fill(child);
      child.say("die");
      assertThat(child.exit()).isEqualTo(9);
    }
    check(acknowledged);
  }

  @Test
  void aFullFileSystem() throws Exception {
    assumeTrue(works("unshare", "-rm", "true"), "no mount namespaces");
    Path small = Files.createDirectory(dir.resolve("small"));
    file = small.resolve("ledger.db");
    Path copy = dir.resolve("copy");
    // What is mounted goes with the last process that sees it: it is copied when all is over.
    String script =
        "mount -t tmpfs -o size=2m tmpfs \"$0\" && copy=$1 && shift && \"$@\";"
            + " cp -r \"$0\" \"$copy\" && echo copied";
    List<String> acknowledged;
    try (Child child =
        under(List.of("unshare", "-rm", "sh", "-c", script, small.toString(), copy.toString()))) {
      child.await("ready");
      assertThat(child.ask("init " + file)).isEqualTo("ok");
      acknowledged = fill(child);
      child.say("die");
      child.await("copied");
    }
    file = copy.resolve("ledger.db");
    check(acknowledged);
  }
}
