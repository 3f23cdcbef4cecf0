package org.relayledger.relaycli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.purgecli.PurgeMain;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.resolvecli.ResolveMain;
import org.relayledger.testing.Journals;

/**
 * A short run of each tool, on rows of its own: to be cut off anywhere, after which no harm is done
 * and another run comes to the same end.
 */
enum Tool {
  SEND {
    @Override
    List<String> prepare(Stage stage, String name) {
      return List.of(name);
    }

    @Override
    String[] command(Stage stage, List<String> guids) throws IOException {
      Path body = Files.writeString(besideLedger(stage, guids.get(0)), Channel.body(guids.get(0)));
      return stage.command("send", body.toString());
    }

    @Override
    Set<Step> steps() {
      return OF_A_SEND;
    }
  },

  BATCH {
    @Override
    List<String> prepare(Stage stage, String name) {
      return numbered(name);
    }

    @Override
    String[] command(Stage stage, List<String> guids) throws IOException {
      List<String> lines = guids.stream().map(Channel::body).toList();
      Path file = Files.write(besideLedger(stage, guids.get(0)), lines);
      return stage.command("batch", "--concurrency", "1", file.toString());
    }

    @Override
    Set<Step> steps() {
      return and(OF_A_SEND, Step.INTAKE_WRITTEN, Step.INTAKE_COMMITTED);
    }
  },

  /** One row was executed, the other was not. */
  RESOLVE {
    @Override
    List<String> prepare(Stage stage, String name) {
      List<String> guids = List.of("drop-" + name, "lost-" + name);
      guids.forEach(guid -> assertThat(stage.transfer(guid)).returns(5, Ran::exit));
      return guids;
    }

    @Override
    String[] command(Stage stage, List<String> guids) {
      return named("resolve", stage, guids, "--min-age", MIN_AGE, "--concurrency", "1");
    }

    @Override
    Set<Step> steps() {
      return Set.of(
          Step.ADOPTED,
          Step.INQUIRY_READ,
          Step.OUTCOME_WRITTEN,
          Step.OUTCOME_COMMITTED,
          Step.BYTE_FREED);
    }
  },

  REPROCESS {
    @Override
    List<String> prepare(Stage stage, String name) {
      List<String> guids = numbered(name);
      guids.forEach(guid -> refused(stage, guid));
      return guids;
    }

    @Override
    String[] command(Stage stage, List<String> guids) {
      return named("reprocess", stage, guids, "--rate", "1000/s");
    }

    @Override
    Set<Step> steps() {
      return OF_A_SEND;
    }
  },

  /** Of four rows two are DONE; the others must not go. */
  PURGE {
    @Override
    List<String> prepare(Stage stage, String name) {
      List<String> guids = List.of(name + "-1", name + "-2", "drop-" + name, name + "-3");
      assertThat(stage.transfer(guids.get(0))).returns(0, Ran::exit);
      assertThat(stage.transfer(guids.get(1))).returns(0, Ran::exit);
      assertThat(stage.transfer(guids.get(2))).returns(5, Ran::exit);
      refused(stage, guids.get(3));
      return guids;
    }

    @Override
    String[] command(Stage stage, List<String> guids) {
      String archive = besideLedger(stage, guids.get(0)) + ".ndjson";
      return new String[] {
        "purge", "--ledger", stage.ledger.toString(), "--retention", RETENTION, "--archive", archive
      };
    }

    @Override
    Set<Step> steps() {
      return Set.of(Step.ARCHIVED, Step.PURGE_WRITTEN, Step.PURGE_COMMITTED);
    }

    @Override
    List<String> sentMeanwhile(List<String> guids) {
      return guids.subList(0, 3); // the last is FAILED, and would be sent
    }

    @Override
    void checkCutOff(Stage stage, List<String> guids) {
      super.checkCutOff(stage, guids);
      assertThat(stage.row(guids.get(2))).returns(State.UNKNOWN, Row::state);
      assertThat(stage.row(guids.get(3))).returns(State.FAILED, Row::state);
    }
  };

  /** Of {@code init}: so short that nothing has to be waited for. */
  static final String MAX_PROCESSING = "1ms";

  /** The same. */
  static final String RESEND_WINDOW = "1ms";

  private static final String MIN_AGE = "5ms";
  private static final String RETENTION = "5ms";
  private static final String NOBODY = "http://127.0.0.1:1/transfers";
  private static final int MOST_ROUNDS = 100;

  /** What a run may exit with that was cut off by nothing but the ledger, or not at all. */
  private static final Set<Integer> EXITS = Set.of(0, 5, 6, 7, 10, 12);

  private static final Set<Step> OF_A_SEND =
      Set.of(
          Step.BYTE_TAKEN,
          Step.CLAIM_WRITTEN,
          Step.CLAIM_COMMITTED,
          Step.GATE_CHECKED,
          Step.GATE_OPENED,
          Step.REPLY_READ,
          Step.OUTCOME_WRITTEN,
          Step.OUTCOME_COMMITTED,
          Step.BYTE_FREED);

  /** Makes the rows of a run, and returns its GUIDs. */
  abstract List<String> prepare(Stage stage, String name);

  /** The command line of a run, for {@link Child}. */
  abstract String[] command(Stage stage, List<String> guids) throws IOException;

  /** Those of {@code guids} that channels may send while it runs, which changes nothing for it. */
  List<String> sentMeanwhile(List<String> guids) {
    return guids;
  }

  /** The steps that it comes to. */
  abstract Set<Step> steps();

  private static Path besideLedger(Stage stage, String name) {
    return stage.ledger.resolveSibling(name + ".run");
  }

  private static List<String> numbered(String name) {
    return IntStream.rangeClosed(1, 2).mapToObj(i -> name + "-" + i).toList();
  }

  private static void refused(Stage stage, String guid) {
    assertThat(stage.transfer(guid, "--account-url", NOBODY)).returns(4, Ran::exit);
  }

  private static Set<Step> and(Set<Step> some, Step... more) {
    Set<Step> all = EnumSet.copyOf(some);
    all.addAll(List.of(more));
    return all;
  }

  private static String[] named(String tool, Stage stage, List<String> guids, String... more) {
    List<String> all = new ArrayList<>(List.of(tool, "--ledger", stage.ledger.toString()));
    all.addAll(List.of("--account-url", stage.account().toString()));
    all.addAll(List.of(more));
    all.addAll(guids);
    return all.toArray(String[]::new);
  }

  /**
   * Checks that a run on {@code guids} which may have been cut off has done no harm.
   *
   * @param exit what it exited with
   * @param out what it said on stdout
   * @param err what it said on stderr
   */
  void checkRun(Stage stage, List<String> guids, int exit, String out, String err) {
    assertThat(exit).as(err).isIn(EXITS);
    assertThat(err).doesNotContain("\tat ");
    for (String guid : guids) {
      Row row = stage.row(guid);
      // What the channel has heard is there.
      if (this == SEND && out.contains("\"code\":\"0000\"")) {
        assertThat(row).as(out).returns(State.DONE, Row::state);
      }
      if (this == SEND && out.contains("E908")) {
        assertThat(stage.received(guid)).as(out).isZero();
      }
      if (this == BATCH && out.contains("\"guid\":\"" + guid + "\",\"state\":\"DONE\"")) {
        assertThat(row).as(out).returns(State.DONE, Row::state);
      }
      if (exit == 0 && this == PURGE) {
        assertThat(row == null || row.state() != State.DONE).as(guid).isTrue();
      } else if (exit == 0) {
        assertThat(row.state()).as(guid + ": " + err).isIn(State.DONE, State.FAILED);
      }
    }
    checkCutOff(stage, guids);
  }

  /** Checks what must hold wherever a run on {@code guids} was cut off. */
  void checkCutOff(Stage stage, List<String> guids) {
    check(stage, guids);
  }

  /** Checks what must hold at any time. */
  void check(Stage stage, List<String> guids) {
    for (String guid : guids) {
      assertThat(stage.executed(guid)).as(guid).isLessThan(2);
      Row row = stage.row(guid);
      if (row != null) {
        Journals.assertLegal(row, stage.journal(guid));
      }
    }
  }

  /** Tidies up, as operators and channels do, and checks that all comes to its good end. */
  void finish(Stage stage, List<String> guids) throws IOException {
    for (int round = 0; round < MOST_ROUNDS && !isOver(stage, guids); round++) {
      Ran unused =
          Ran.of(
              ResolveMain.commandLine(HostClock.system(), Steps.NONE),
              Map.of(),
              arguments(named("resolve", stage, guids, "--min-age", MIN_AGE)));
      if (this == BATCH) {
        Ran again = again(stage, guids);
        assertThat(again.err()).doesNotContain("\tat ");
      }
      guids.forEach(stage::transfer);
    }
    check(stage, guids);
    for (String guid : guids) {
      assertThat(stage.executed(guid)).as(guid).isEqualTo(1);
      Row row = stage.row(guid);
      Ran again = stage.transfer(guid);
      assertThat(again.exit()).as(again.err()).isEqualTo(row == null ? 8 : 0);
      if (row != null) {
        assertThat(again.stdout()).isEqualTo(row.reply());
      }
      assertThat(stage.executed(guid)).as(guid).isEqualTo(1);
    }
  }

  private static String[] arguments(String[] command) {
    return List.of(command).subList(1, command.length).toArray(String[]::new);
  }

  private static boolean isOver(Stage stage, List<String> guids) {
    try (LedgerView view = LedgerView.open(stage.ledger.toString())) {
      return guids.stream()
          .allMatch(
              guid ->
                  view.find(new Guid(guid), false)
                      .map(row -> row.state() == State.DONE)
                      .orElseGet(() -> view.tombstone(new Guid(guid)).isPresent()));
    }
  }

  /** Runs it undisturbed, from where it was cut off. */
  Ran again(Stage stage, List<String> guids) throws IOException {
    String[] command = command(stage, guids);
    return switch (this) {
      case SEND, BATCH -> Stage.run(command);
      case RESOLVE ->
          Ran.of(
              ResolveMain.commandLine(HostClock.system(), Steps.NONE),
              Map.of(),
              arguments(command));
      case REPROCESS ->
          Ran.of(
              ReprocessMain.commandLine(HostClock.system(), Steps.NONE),
              Map.of(),
              arguments(command));
      case PURGE ->
          Ran.of(
              PurgeMain.commandLine(HostClock.system(), Steps.NONE), Map.of(), arguments(command));
    };
  }
}
