package org.relayledger.schedule;

import java.util.List;
import java.util.Optional;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Taken;
import org.relayledger.relay.Relay;
import org.relayledger.testing.Scene;

/** What a program does about one GUID, as its tool does it. */
enum Deed {
  /** A channel's request at a hub, which stays open for a late reply. */
  SERVE {
    @Override
    Object of(Program program, Guid guid) {
      return program.patient().relay(Scene.request(guid.value()));
    }
  },
  /** {@code relay send}, which ends its exchange at its time-out. */
  SEND {
    @Override
    Object of(Program program, Guid guid) {
      return program.impatient().relay(Scene.request(guid.value()));
    }
  },
  /** A batch of one line. */
  BATCH {
    @Override
    Object of(Program program, Guid guid) throws InterruptedException {
      Taken taken =
          program
              .ledger()
              .receive(List.of(Scene.request(guid.value())), actor(Actor.Role.BATCH))
              .get(0);
      if (!(taken instanceof Taken.Standing)) {
        return Relay.refusal(guid, taken);
      }
      Optional<Row> row = program.ledger().view().find(guid, true);
      program.standBeforeTaking();
      return row.isPresent() ? program.patient().resume(row.get()) : "purged";
    }
  },
  /** {@code reprocess --received}. */
  REPROCESS {
    @Override
    Object of(Program program, Guid guid) throws InterruptedException {
      Optional<Row> row = program.ledger().view().find(guid, false);
      program.standBeforeTaking();
      if (row.isEmpty()
          || (row.get().state() != State.FAILED && row.get().state() != State.RECEIVED)) {
        return "not its row";
      }
      // What comes later than this returns is the late settler's.
      return program.patient().again(row.get()).isPresent() ? "sent" : "taken by somebody else";
    }
  },
  /** {@code resolve GUID}. */
  RESOLVE {
    @Override
    Object of(Program program, Guid guid) {
      Optional<Row> row = program.ledger().view().find(guid, false);
      program.standBeforeTaking();
      return row.isEmpty()
          ? "no such row"
          : program.resolution().resolve(program.ledger(), actor(Actor.Role.RESOLVE), row.get());
    }
  },
  /** {@code resolve --settle failed GUID}, by somebody who believes that it was not executed. */
  SETTLE {
    @Override
    Object of(Program program, Guid guid) {
      Optional<Row> row = program.ledger().view().find(guid, false);
      program.standBeforeTaking();
      return row.isEmpty()
          ? "no such row"
          : program
              .resolution()
              .settleFailed(
                  program.ledger(), actor(Actor.Role.OPERATOR), row.get(), "not in the books");
    }
  },
  /** {@code purge} of what is DONE long enough. */
  PURGE {
    @Override
    Object of(Program program, Guid guid) {
      Optional<Row> row = program.ledger().view().find(guid, false);
      program.standBeforeTaking();
      long before = program.clock().millis() - Schedules.RETENTION.toMillis();
      return row.isEmpty() ? 0 : program.ledger().purge(List.of(row.get()), before);
    }
  };

  private static Actor actor(Actor.Role role) {
    return new Actor(role, "test", null);
  }

  /** Does it and returns what came of it. */
  abstract Object of(Program program, Guid guid) throws InterruptedException;

  /** Whether its exchange stays open when its caller has given up. */
  boolean isPatient() {
    return this != SEND;
  }
}
