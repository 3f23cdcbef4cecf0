package org.relayledger.relaycli;

import java.util.List;
import java.util.Optional;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Claim;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Moment;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Request;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Taken;

/** A ledger that remembers nothing: what a hub without one would cost. */
final class Forgetful implements Ledger {
  private final LedgerView view;

  /**
   * @param view of a ledger that stays empty
   */
  Forgetful(LedgerView view) {
    this.view = view;
  }

  @Override
  public LedgerView view() {
    return view;
  }

  @Override
  public Optional<Taken> look(Request arrival) {
    return Optional.empty();
  }

  @Override
  public Taken claim(Request arrival, String account, Actor actor) {
    return new Taken.Won(new Nothing(arrival, account));
  }

  @Override
  public List<Taken> receive(List<Request> arrivals, Actor actor) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Taken claim(Row known, State from, String account, Actor actor) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<Claim> adopt(Row sentOrUnknown, Actor actor) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<Claim> hold(Row unfinished, Actor operator) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void changeMode(Settings.Mode mode, Actor operator, String reason) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean ack(Guid guid, Actor operator, String reason) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void runLock(Actor.Role role) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int purge(List<Row> rows, long doneBefore) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int forget(long finishedBefore, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void checkpoint() {}

  @Override
  public void vacuum() {}

  @Override
  public void told(Guid guid, String code) {}

  @Override
  public Optional<String> halted() {
    return Optional.empty();
  }

  @Override
  public void close() {}

  /** The right to send, which nobody checks. */
  private record Nothing(Request request, String account) implements Claim {
    @Override
    public Row row() {
      return new Row(
          1,
          request.guid(),
          request.channel(),
          account,
          State.SENT,
          null,
          1,
          request.contentType(),
          request.fingerprint(),
          null,
          null,
          null,
          null,
          0,
          0L,
          null,
          null,
          0,
          null,
          null,
          null,
          null,
          null,
          null,
          null);
    }

    @Override
    public int attempt() {
      return 1;
    }

    @Override
    public Optional<Moment> asksSince() {
      return Optional.empty();
    }

    @Override
    public boolean stillMine() {
      return true;
    }

    @Override
    public boolean settle(Outcome outcome, String told, String note) {
      return true;
    }

    @Override
    public void asked(State conclusion, String evidence) {}

    @Override
    public void close() {}
  }
}
