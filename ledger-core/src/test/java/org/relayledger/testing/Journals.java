package org.relayledger.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;

/** What the journal of a row may tell. */
public final class Journals {
  private Journals() {}

  /**
   * Checks that {@code entries}, all that there are of {@code row}, are one chain of legal moves
   * from nothing to where it stands, and that each claim is an attempt of its own.
   */
  public static void assertLegal(Row row, List<Entry> entries) {
    State state = null;
    int attempt = 0;
    for (Entry entry : entries) {
      if (!entry.isMove()) {
        continue;
      }
      assertThat(entry.from()).as(entry.toString()).isEqualTo(state);
      boolean legal =
          state == null
              ? entry.to() == State.SENT || entry.to() == State.RECEIVED
              : state.canBecome(entry.to());
      assertThat(legal).as(entry.toString()).isTrue();
      attempt += entry.to() == State.SENT ? 1 : 0;
      assertThat(entry.attempt()).as(entry.toString()).isEqualTo(attempt);
      state = entry.to();
    }
    assertThat(row.state()).isEqualTo(state);
    assertThat(row.attempt()).isEqualTo(attempt);
  }
}
