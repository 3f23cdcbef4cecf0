package org.relayledger.ledger;

import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsCoverage;
import net.jqwik.api.statistics.StatisticsReport;
import org.relayledger.testing.SteppedClock;

/** Whatever is done at a ledger, in whatever order: it is what the model says. */
final class LedgerPropertyTest {
  /** How every kind of act can end, in the first words of what is said. */
  private static final List<String> SAID =
      List.of(
          "Won",
          "Standing",
          "Conflict",
          "Held",
          "OnHold",
          "Forgotten",
          "nothing",
          "taken",
          "left",
          "moved",
          "illegal",
          "closed",
          "dead",
          "purged");

  /** Every legal move, in the words of the journal. */
  private static final List<String> MOVES =
      List.of(
          "->SENT",
          "->RECEIVED",
          "RECEIVED>SENT",
          "RECEIVED>DONE",
          "FAILED>SENT",
          "FAILED>DONE",
          "SENT>DONE",
          "SENT>UNKNOWN",
          "SENT>FAILED",
          "UNKNOWN>DONE",
          "UNKNOWN>FAILED");

  private static Path folder;
  private static Path path;
  private static Path fresh;
  private static Ledger resends;
  private static int sent;

  @BeforeContainer
  static void init() throws IOException {
    // Hundreds of ledgers are closed again: in memory, where there is some, no disk has to wait.
    Path memory = Path.of("/dev/shm");
    folder =
        Files.isWritable(memory)
            ? Files.createTempDirectory(memory, "ledger-property")
            : Files.createTempDirectory("ledger-property");
    path = folder.resolve("ledger.db");
    fresh = folder.resolve("fresh.db");
    var unused = Ledger.init(path.toString(), Samples.SETTINGS, new SteppedClock());
    Files.copy(path, fresh);
    String other = folder.resolve("resends.db").toString();
    unused = Ledger.init(other, Samples.SETTINGS, new SteppedClock());
    resends = Ledger.open(other, new SteppedClock(), Steps.NONE);
  }

  @AfterContainer
  static void delete() throws IOException {
    resends.close();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  @Provide
  Arbitrary<List<Command>> sequences() {
    return Command.sequences();
  }

  @Property(seed = "7", tries = 90, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  void aLedgerIsWhatTheModelSaysWhateverIsDone(@ForAll("sequences") List<Command> commands) {
    check(commands);
  }

  @Property(seed = "8", tries = 1000, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  @Tag("long")
  void aLedgerIsWhatTheModelSaysInManyMoreSequences(@ForAll("sequences") List<Command> commands) {
    check(commands);
  }

  @Property(seed = "9", tries = 200, edgeCases = EdgeCasesMode.NONE)
  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  void aRequestIsTheSameIfItIsUnderTheSchemeBeforeOrUnderTheOneNow(
      @ForAll("objects") JsonTree tree,
      @ForAll("pointers") List<String> before,
      @ForAll("pointers") List<String> now,
      @ForAll Random random) {
    sent++;
    JsonTree again = random.nextInt(4) == 0 ? tree : tree.changed(random);
    boolean same =
        again.without(before).equals(tree.without(before))
            || again.without(now).equals(tree.without(now));
    resends.receive(List.of(request(tree, before, random)), Samples.RELAY);

    Optional<Taken> taken = resends.look(request(again, now, random));

    assertThat(taken.orElseThrow())
        .isInstanceOf(same ? Taken.Standing.class : Taken.Conflict.class);
    Statistics.label("same").collect(same && !again.equals(tree));
    Statistics.label("same").coverage(all -> all.check(true).count(times -> times > 0));
  }

  private static Request request(JsonTree tree, List<String> pointers, Random random) {
    byte[] body = tree.spelled(random);
    Fingerprint fingerprint = FingerprintPropertyTest.scheme(pointers).of(body);
    return new Request(new Guid("g-" + sent), null, "application/json", body, fingerprint);
  }

  @Provide
  Arbitrary<JsonTree> objects() {
    return JsonTree.objects();
  }

  @Provide
  Arbitrary<List<String>> pointers() {
    return JsonTree.pointers();
  }

  private static void check(List<Command> commands) {
    Optional<AssertionError> failure = failure(commands);
    if (failure.isEmpty()) {
      Statistics.label("said").coverage(said -> SAID.forEach(each -> happened(said, each)));
      Statistics.label("moves").coverage(moves -> MOVES.forEach(each -> happened(moves, each)));
    } else {
      throw failure(shortest(commands)).or(() -> failure).orElseThrow();
    }
  }

  private static void happened(StatisticsCoverage all, String each) {
    all.check(each).count(times -> times > 0);
  }

  /**
   * Leaves out of a sequence that fails what it fails without. jqwik would also make each act
   * simpler, and with a file a try it would not come to an end.
   */
  private static List<Command> shortest(List<Command> commands) {
    List<Command> rest = commands;
    for (int size = rest.size(); size > 0; size /= 2) {
      for (int from = 0; from < rest.size(); ) {
        List<Command> fewer = new ArrayList<>(rest);
        fewer.subList(from, Math.min(from + size, rest.size())).clear();
        if (failure(fewer).isPresent()) {
          rest = fewer;
        } else {
          from += size;
        }
      }
    }
    return rest;
  }

  /** What differs after some of {@code commands}, and after which. */
  private static Optional<AssertionError> failure(List<Command> commands) {
    List<String> story = new ArrayList<>();
    try {
      // The claims file stays: a process opens one for good. But it is not to miss anything.
      Files.copy(fresh, path, StandardCopyOption.REPLACE_EXISTING);
      try (FileChannel claims = FileChannel.open(ClaimBytes.fileOf(path), WRITE)) {
        int unused = claims.write(ByteBuffer.allocate(Long.BYTES), ClaimBytes.HIGH_WATER);
      }
      ModelKeeper model = new ModelKeeper(Command.ALL_GUIDS);
      try (LedgerKeeper ledger = new LedgerKeeper(path, Command.ALL_GUIDS)) {
        for (Command command : commands) {
          story.add(command.text());
          String expected = command.at(model);
          assertThat(command.at(ledger)).isEqualTo(expected);
          assertThat(ledger.everything()).isEqualTo(model.everything());
          Statistics.label("said").collect(expected.split(" ", 2)[0]);
        }
        model.moves().forEach(move -> Statistics.label("moves").collect(move));
      }
      return Optional.empty();
    } catch (AssertionError | RuntimeException | IOException e) {
      return Optional.of(new AssertionError(String.join("\n", story) + "\n" + e, e));
    }
  }
}
