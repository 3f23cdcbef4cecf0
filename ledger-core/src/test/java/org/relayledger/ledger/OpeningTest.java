package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.relayledger.ledger.Samples.ACCOUNT;
import static org.relayledger.ledger.Samples.RELAY;
import static org.relayledger.ledger.Samples.request;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.relayledger.testing.Child;
import org.relayledger.testing.SteppedClock;
import org.relayledger.testing.Threads;

@DisplayName("Claim 11: what is not the ledger, whole and alone, is refused and stays as it was")
final class OpeningTest {
  @TempDir Path dir;
  private Path file;

  @BeforeEach
  void init() {
    file = dir.resolve("ledger.db");
    Ledger.init(file.toString(), Samples.SETTINGS, new SteppedClock());
    try (Ledger ledger = open(file)) {
      Taken.Won won = (Taken.Won) ledger.claim(request("p"), ACCOUNT, RELAY);
      won.claim().settle(Samples.done("p"), null, null);
      won.claim().close();
    }
  }

  private static Ledger open(Path at) {
    return Ledger.open(at.toString(), new SteppedClock(), Steps.NONE);
  }

  private static String refusal(Runnable opening) {
    LedgerException e = catchThrowableOfType(LedgerException.class, opening::run);
    assertThat(e).isNotNull();
    assertThat(e.kind()).isEqualTo(LedgerException.Kind.UNAVAILABLE);
    assertThat(e.getMessage())
        .doesNotContain("\n")
        .doesNotContainPattern("Exception|java|sqlite\\.|\\bnull\\b|%");
    return e.getMessage();
  }

  /** How a ledger is spoilt, and what is said of it. */
  private record Spoilt(String name, Spoiler spoiler, boolean toRead, String said) {
    @Override
    public String toString() {
      return name;
    }
  }

  private interface Spoiler {
    void spoil(Path ledger) throws IOException;
  }

  private static Spoilt ledger(String name, String said, Spoiler spoiler) {
    return new Spoilt(name, spoiler, true, said);
  }

  private static Spoilt claims(String name, String said, Spoiler spoiler) {
    return new Spoilt(name, l -> spoiler.spoil(ClaimBytes.fileOf(l)), false, said);
  }

  private static void sql(Path file, String... statements) {
    try (ByHand hand = ByHand.sqlite(file)) {
      hand.exec(statements);
    }
  }

  static List<Spoilt> spoilt() {
    return List.of(
        ledger("missing", "'relay init' creates one", Files::delete),
        ledger(
            "a dangling symlink",
            "no ledger at",
            l -> {
              Files.delete(l);
              Files.createSymbolicLink(l, l.resolveSibling("nowhere"));
            }),
        ledger(
            "a directory",
            "no regular file",
            l -> {
              Files.delete(l);
              Files.createDirectory(l);
            }),
        ledger("an empty file", "is not a relay-ledger", l -> Files.write(l, new byte[0])),
        ledger(
            "a text file",
            "is not a relay-ledger",
            l -> Files.writeString(l, "hello ".repeat(999))),
        ledger(
            "another program's SQLite file",
            "is not a relay-ledger",
            l -> {
              Files.delete(l);
              sql(l, "CREATE TABLE settings (key, value)", "PRAGMA user_version = 1");
            }),
        ledger(
            "another program's SQLite file in WAL mode",
            "is not a relay-ledger",
            l -> {
              Files.delete(l);
              sql(l, "PRAGMA journal_mode = WAL", "CREATE TABLE a (b)");
            }),
        ledger(
            "of a newer schema",
            "schema version 2, this program knows 1; use the newer program",
            l -> sql(l, "PRAGMA user_version = 2")),
        ledger("cut short", "", l -> Files.write(l, Arrays.copyOf(Files.readAllBytes(l), 100))),
        ledger(
            "hard-linked", "2 hard links", l -> Files.createLink(l.resolveSibling("other.db"), l)),
        claims("without its claims file", "is missing or cannot be opened", Files::delete),
        claims("with an empty claims file", "belongs to another", c -> Files.write(c, new byte[0])),
        claims(
            "with another ledger's claims file",
            "belongs to another ledger",
            c -> Files.writeString(c, "relay-ledger claims 1 6f1d\n")),
        claims(
            "with a claims file that goes on",
            "belongs to another ledger",
            c -> Files.writeString(c, "relay-ledger claims 1 6f1c\nx")),
        claims(
            "with a directory for a claims file",
            "is missing or cannot be opened",
            c -> {
              Files.delete(c);
              Files.createDirectory(c);
            }),
        claims(
            "with a claims file that leads nowhere",
            "is missing or cannot be opened",
            c -> {
              Files.delete(c);
              Files.createSymbolicLink(c, c.resolveSibling("nowhere"));
            }));
  }

  @ParameterizedTest
  @MethodSource("spoilt")
  void aLedgerThatIs(Spoilt spoilt) throws IOException {
    spoilt.spoiler.spoil(file);
    Map<String, String> before = Snapshot.of(dir);

    assertThat(refusal(() -> open(file))).contains(spoilt.said);
    assertThat(Snapshot.of(dir)).isEqualTo(before);
    if (spoilt.toRead) {
      assertThat(refusal(() -> LedgerView.open(file.toString()))).contains(spoilt.said);
      assertThat(Snapshot.of(dir)).isEqualTo(before);
    } else {
      try (LedgerView view = LedgerView.open(file.toString())) {
        assertThat(view.find(new Guid("p"), false)).isPresent();
      }
    }
  }

  @Test
  void whatCanBeNoLedgerAtAllIsRefused() {
    Map<String, String> before = Snapshot.of(dir);
    for (String location :
        List.of(
            dir.resolve("no/such/dir/ledger.db").toString(),
            dir.toString(),
            "/dev/zero",
            file + "/ledger.db",
            "",
            "jdbc:postgresql://db.invalid/ledger",
            ClaimBytes.fileOf(file).toString())) {
      refusal(() -> Ledger.open(location, new SteppedClock(), Steps.NONE));
      refusal(() -> LedgerView.open(location));
    }
    assertThat(Snapshot.of(dir)).isEqualTo(before);
  }

  @Test
  void aNewerSchemaThatOnlyTheWalHoldsIsRefused() {
    try (Ledger mine = open(file);
        ByHand newer = ByHand.sqlite(file)) {
      newer.exec("PRAGMA user_version = 2");
      assertThat(refusal(() -> LedgerView.open(file.toString()))).contains("schema version 2");
      refusal(() -> open(file));
      assertThatThrownBy(() -> mine.claim(request("q"), ACCOUNT, RELAY))
          .isInstanceOfSatisfying(
              LedgerException.class,
              e -> assertThat(e.kind()).isEqualTo(LedgerException.Kind.HALTED))
          .hasMessageContaining("schema version 2");
      assertThat(newer.value("SELECT count(*) FROM ledger")).isEqualTo("1");
    }
  }

  @Test
  void aSymlinkLeadsToTheLedgerAndItsOwnClaimsFile() throws IOException {
    Path elsewhere = Files.createDirectory(dir.resolve("else where"));
    Path link = Files.createSymbolicLink(elsewhere.resolve("link.db"), file);
    try (Ledger direct = open(file);
        Ledger linked = open(link);
        Child child = Child.java(LedgerChild.class, link.toString())) {
      child.await("ready");
      assertThat(child.ask("open")).isEqualTo("ok");
      Taken.Won won = (Taken.Won) linked.claim(request("q"), ACCOUNT, RELAY);
      assertThat(direct.claim(request("q"), ACCOUNT, RELAY)).isInstanceOf(Taken.Held.class);
      assertThat(child.ask("claim q")).isEqualTo("Held");
      won.claim().close();
      assertThat(child.ask("claim r")).isEqualTo("Won");
      assertThat(direct.claim(request("r"), ACCOUNT, RELAY)).isInstanceOf(Taken.Held.class);
    }
    try (Stream<Path> files = Files.list(elsewhere)) {
      assertThat(files).containsExactly(link);
    }
  }

  @Test
  void aPathIsTakenLiterally() throws IOException {
    Path odd = Files.createDirectory(dir.resolve("a b%20?c#d&e='f'")).resolve("l?mode=ro#%41.db");
    Ledger.init(odd.toString(), Samples.SETTINGS, new SteppedClock());
    try (Ledger ledger = open(odd)) {
      ((Taken.Won) ledger.claim(request("q"), ACCOUNT, RELAY)).claim().close();
      assertThat(Files.exists(Path.of(odd + "-wal"))).isTrue();
    }
    try (Stream<Path> files = Files.list(odd.getParent())) {
      assertThat(files).containsExactlyInAnyOrder(odd, Path.of(odd + ".claims"));
    }
  }

  @Test
  void everyFileIsForItsOwnerOnly() throws IOException {
    try (Ledger ledger = open(file)) {
      ((Taken.Won) ledger.claim(request("q"), ACCOUNT, RELAY)).claim().close();
      for (String end : List.of("", "-wal", "-shm", ".claims")) {
        assertThat(
                PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(file + end))))
            .as(end)
            .isEqualTo("rw-------");
      }
    }
  }

  @Test
  void aClaimsFileThatIsReplacedHaltsWhoeverHasItOpen() throws IOException {
    Path claims = ClaimBytes.fileOf(file);
    Ledger ledger = open(file);
    try (Claim held = ((Taken.Won) ledger.claim(request("q"), ACCOUNT, RELAY)).claim()) {
      Row row = ledger.view().find(new Guid("q"), false).orElseThrow();
      assertThat(held.stillMine()).isTrue();
      Files.copy(claims, dir.resolve("copy"));
      Files.move(dir.resolve("copy"), claims, StandardCopyOption.REPLACE_EXISTING);

      assertThat(held.stillMine()).isFalse();
      halted(() -> ledger.claim(request("r"), ACCOUNT, RELAY));
      assertThat(ledger.halted().orElseThrow()).contains("the claims file was replaced");
      halted(() -> ledger.claim(request("r"), ACCOUNT, RELAY));
      halted(() -> ledger.look(request("r")));
      halted(() -> ledger.adopt(row, RELAY));
      halted(() -> held.settle(Samples.done("q"), null, null));
    }
    assertThat(Threads.run(ledger::close))
        .succeedsWithin(Duration.ofSeconds(Child.DEADLINE_SECONDS));
    try (ByHand hand = ByHand.sqlite(file)) {
      assertThat(hand.rows("SELECT guid, state FROM ledger WHERE seq > 1"))
          .containsExactly(List.of("'q'", "'SENT'"));
    }
  }

  @Test
  void withItsClaimsFileReplacedNobodyAdopts() throws IOException {
    Path claims = ClaimBytes.fileOf(file);
    try (Child child = Child.java(LedgerChild.class, file.toString());
        Ledger ledger = open(file)) {
      child.await("ready");
      child.ask("open");
      child.ask("claim q");
      child.kill();
      Row row = ledger.view().find(new Guid("q"), false).orElseThrow();
      Files.copy(claims, dir.resolve("copy"));
      Files.move(dir.resolve("copy"), claims, StandardCopyOption.REPLACE_EXISTING);
      halted(() -> ledger.adopt(row, RELAY));
    }
    try (ByHand hand = ByHand.sqlite(file)) {
      assertThat(hand.value("SELECT state FROM ledger WHERE guid = 'q'")).isEqualTo("'SENT'");
    }
  }

  private static void halted(Runnable call) {
    assertThat(catchThrowableOfType(LedgerException.class, call::run).kind())
        .isEqualTo(LedgerException.Kind.HALTED);
  }

  @Test
  void openingAgainInOneProcessDropsNoLockOfTheFirst() throws IOException {
    try (Ledger first = open(file);
        Child child = Child.java(LedgerChild.class, file.toString())) {
      child.await("ready");
      Claim held = ((Taken.Won) first.claim(request("q"), ACCOUNT, RELAY)).claim();
      open(file).close();
      LedgerView.open(file.toString()).close();
      Sqlite.existing(file.toString());

      // A process that took itself for the only one would delete the -wal on closing.
      assertThat(child.ask("open")).isEqualTo("ok");
      assertThat(child.ask("claim q")).isEqualTo("Held");
      assertThat(child.ask("shut")).isEqualTo("ok");
      assertThat(Files.exists(Path.of(file + "-wal"))).isTrue();
      held.settle(Samples.done("q"), null, null);
      held.close();
      assertThat(child.ask("open")).isEqualTo("ok");
      assertThat(child.ask("claim q")).isEqualTo("Standing DONE");
    }
    try (ByHand hand = ByHand.sqlite(file)) {
      assertThat(hand.value("PRAGMA integrity_check")).isEqualTo("'ok'");
      assertThat(hand.value("SELECT count(*) FROM ledger WHERE state = 'DONE'")).isEqualTo("2");
    }
  }

  @Test
  void manyRowsThatCannotBeUnderstoodCostNoConnection() throws IOException {
    sql(
        file,
        "INSERT INTO ledger SELECT 9, 'later', channel, account, 'SENT', NULL, 1, content_type,"
            + " fingerprint, '2', request_sha256, NULL, NULL, NULL, received_at, sent_at, NULL, NULL,"
            + " updated_at, NULL, NULL, NULL, NULL, NULL, request, NULL FROM ledger");
    try (Ledger ledger = open(file)) {
      long before = openFiles();
      for (int i = 0; i < 50; i++) {
        assertThatThrownBy(() -> ledger.look(request("later")))
            .isInstanceOf(LedgerException.class)
            .hasMessageContaining("newer version");
      }
      assertThat(openFiles()).isLessThan(before + 25);
      assertThat(ledger.look(request("p"))).isPresent();
    }
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  @Test
  void aLedgerThatCannotBeWrittenIsRefused() throws Exception {
    assumeTrue(Child.start(List.of("unshare", "-rm", "true")).exit() == 0, "no mount namespaces");
    Map<String, String> before = Snapshot.of(dir);
    // Also root cannot write to what is mounted read-only.
    String script = "mount -o bind,ro \"$0\" \"$0\" && exec \"$@\"";
    List<String> command = new ArrayList<>(List.of("unshare", "-rm", "sh", "-c", script));
    command.add(dir.toString());
    command.addAll(Child.javaCommand(LedgerChild.class, file.toString()));
    try (Child child = Child.start(command)) {
      child.await("ready");
      assertThat(child.ask("open"))
          .startsWith("! UNAVAILABLE ")
          .contains("cannot be written by this user");
      assertThat(child.ask("init " + dir.resolve("new.db")))
          .startsWith("! UNAVAILABLE ")
          .contains("cannot create");
    }
    assertThat(Snapshot.of(dir)).isEqualTo(before);
  }

  @Test
  void aFileSystemWhoseLocksAreNotKnownToHoldIsRefused() throws Exception {
    assumeTrue(Child.start(List.of("unshare", "-rm", "true")).exit() == 0, "no mount namespaces");
    Path ramfs = Files.createDirectory(dir.resolve("ramfs"));
    String script =
        "mount -t ramfs ramfs \"$0\" && cp \"$1\" \"$1.claims\" \"$0\" && shift && exec \"$@\"";
    List<String> command = new ArrayList<>(List.of("unshare", "-rm", "sh", "-c", script));
    command.add(ramfs.toString());
    command.add(file.toString());
    command.addAll(Child.javaCommand(LedgerChild.class, ramfs.resolve("ledger.db").toString()));
    try (Child child = Child.start(command)) {
      child.await("ready");
      assertThat(child.ask("open")).startsWith("! UNAVAILABLE ").contains("is on ramfs");
      assertThat(child.ask("init " + ramfs.resolve("new.db")))
          .startsWith("! UNAVAILABLE ")
          .contains("is on ramfs");
    }
  }
}
