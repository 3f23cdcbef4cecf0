package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.testing.Child;
import org.relayledger.testing.SteppedClock;

final class InitTest {
  @TempDir Path dir;

  private Settings init() {
    return Ledger.init(dir.resolve("ledger.db").toString(), Samples.SETTINGS, new SteppedClock());
  }

  private Ledger open() {
    return Ledger.open(dir.resolve("ledger.db").toString(), new SteppedClock(), Steps.NONE);
  }

  @Test
  void aNewLedgerIsTwoFilesForTheirOwnerOnlyAndHoldsWhatWasFixed() throws IOException {
    assertThat(init()).isEqualTo(Samples.SETTINGS);
    assertThat(Snapshot.of(dir).keySet()).containsExactly("", "ledger.db", "ledger.db.claims");
    for (String name : List.of("ledger.db", "ledger.db.claims")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve(name))))
          .isEqualTo("rw-------");
    }
    try (Ledger ledger = open()) {
      assertThat(ledger.view().settings()).isEqualTo(Samples.SETTINGS);
      assertThat(ledger.view().page(Filter.ALL, 0, 10)).isEmpty();
    }
    try (ByHand hand = ByHand.sqlite(dir.resolve("ledger.db"))) {
      assertThat(hand.value("PRAGMA integrity_check")).isEqualTo("'ok'");
      assertThat(hand.value("PRAGMA journal_mode")).isEqualTo("'wal'");
      assertThat(hand.value("PRAGMA page_size")).isEqualTo("4096");
      assertThat(hand.value("SELECT value FROM settings WHERE key = 'created_at'"))
          .isEqualTo("'" + new SteppedClock().millis() + "'");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-wal", "-shm", "-journal", ".claims", ".init"})
  void whateverIsThereAlreadyIsRefusedAndUntouched(String end) throws IOException {
    Path there = dir.resolve("ledger.db" + end);
    Files.writeString(there, "precious");
    refused(there);
    Files.delete(there);
    Files.createDirectory(there);
    refused(there);
    Files.delete(there);
    Files.createSymbolicLink(there, dir.resolve("nowhere"));
    refused(there);
    assertThat(Files.exists(there, LinkOption.NOFOLLOW_LINKS)).isTrue();
  }

  private void refused(Path there) {
    Map<String, String> before = Snapshot.of(dir);
    LedgerException e = catchThrowableOfType(LedgerException.class, this::init);
    assertThat(e.kind()).isEqualTo(LedgerException.Kind.UNAVAILABLE);
    assertThat(e).hasMessage(there + " is there already; nothing was created");
    assertThat(Snapshot.of(dir)).isEqualTo(before);
  }

  @Test
  void aSecondInitLeavesTheFirstLedgerAsItIs() {
    init();
    refused(dir.resolve("ledger.db"));
  }

  @Test
  void withoutItsDirectoryThereIsNoLedger() {
    LedgerException e =
        catchThrowableOfType(
            LedgerException.class,
            () ->
                Ledger.init(
                    dir.resolve("none/ledger.db").toString(),
                    Samples.SETTINGS,
                    new SteppedClock()));
    assertThat(e.kind()).isEqualTo(LedgerException.Kind.UNAVAILABLE);
    assertThat(e).hasMessageEndingWith("; nothing was created");
    assertThat(Snapshot.of(dir)).hasSize(1);
  }

  @Test
  void ofManyInitsAtOnceOneMakesTheLedger() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      CountDownLatch go = new CountDownLatch(1);
      List<Future<String>> all =
          IntStream.range(0, 8)
              .mapToObj(
                  i ->
                      threads.submit(
                          () -> {
                            go.await();
                            try {
                              Settings mine =
                                  new Settings(
                                      "id-" + i,
                                      Settings.Mode.NORMAL,
                                      Samples.SETTINGS.maxProcessing(),
                                      Samples.SETTINGS.resendWindow());
                              return Ledger.init(
                                      dir.resolve("ledger.db").toString(), mine, new SteppedClock())
                                  .id();
                            } catch (LedgerException e) {
                              return e.kind() + "";
                            }
                          }))
              .toList();
      go.countDown();
      List<String> made = new ArrayList<>();
      for (Future<String> each : all) {
        made.add(each.get());
      }
      assertThat(made).filteredOn("UNAVAILABLE"::equals).hasSize(7);
      made.removeIf("UNAVAILABLE"::equals);
      try (Ledger ledger = open()) {
        assertThat(ledger.view().settings().id()).isEqualTo(made.get(0));
      }
      assertThat(Snapshot.of(dir)).hasSize(3);
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".claims", ".init", ".init-wal", "", "any"})
  void aKillWhileItIsMadeLeavesAWholeLedgerOrNone(String when) throws IOException {
    int killed = 5; // the first few warm the JVM up, so that the kill comes at a random moment
    try (Child child = Child.java(LedgerChild.class, "none")) {
      child.await("ready");
      for (int i = 0; i <= killed; i++) {
        child.say("init " + dir.resolve("ledger-" + i + ".db"));
      }
      for (int i = 0; i < killed; i++) {
        child.await("ok");
      }
      Path last = dir.resolve("ledger-" + killed + ".db" + when);
      long deadline = System.nanoTime() + 1_000_000_000L * Child.DEADLINE_SECONDS;
      while (!when.equals("any") && !Files.exists(last) && notThereYet(killed)) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        Thread.onSpinWait();
      }
      child.kill();
    }

    List<List<String>> schema;
    try (ByHand hand = ByHand.sqlite(dir.resolve("ledger-0.db"))) {
      schema = hand.rows("SELECT sql FROM sqlite_schema");
    }
    assertThat(schema).hasSizeGreaterThan(15);
    for (int i = 0; i <= killed; i++) {
      Path ledger = dir.resolve("ledger-" + i + ".db");
      if (i < killed || Files.exists(ledger)) {
        try (Ledger open = Ledger.open(ledger.toString(), new SteppedClock(), Steps.NONE);
            ByHand hand = ByHand.sqlite(ledger)) {
          assertThat(open.view().settings()).isEqualTo(Samples.SETTINGS);
          assertThat(hand.value("PRAGMA integrity_check")).isEqualTo("'ok'");
          assertThat(hand.rows("SELECT sql FROM sqlite_schema")).isEqualTo(schema);
          ((Taken.Won) open.claim(Samples.request("p"), Samples.ACCOUNT, Samples.RELAY))
              .claim()
              .close();
        }
      } else {
        Map<String, String> left = Snapshot.of(dir);
        assertThat(
                catchThrowableOfType(
                    LedgerException.class,
                    () -> Ledger.open(ledger.toString(), new SteppedClock(), Steps.NONE)))
            .hasMessageContaining("no ledger at");
        assertThat(Snapshot.of(dir)).isEqualTo(left);
      }
    }
  }

  /**
   * Whether the ledger of this number is not there yet: a file beside it may have come and gone.
   */
  private boolean notThereYet(int number) throws IOException {
    try (Stream<Path> files = Files.list(dir)) {
      return files.noneMatch(file -> file.endsWith("ledger-" + number + ".db"));
    }
  }
}
