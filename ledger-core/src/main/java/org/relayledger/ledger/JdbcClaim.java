package org.relayledger.ledger;

import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The claim on one row, while its byte is held. */
final class JdbcClaim implements Claim {
  private static final Logger LOG = LoggerFactory.getLogger(JdbcClaim.class);

  private final JdbcLedger ledger;
  private final Row row;
  private final Request request;
  private final Actor actor;
  private final Moment asksSince;
  private State state;
  private boolean endRecorded;
  private boolean closed;

  JdbcClaim(JdbcLedger ledger, Row row, Request request, Actor actor, Moment asksSince) {
    this.ledger = ledger;
    this.row = row;
    this.request = request;
    this.actor = actor;
    this.asksSince = asksSince;
    this.state = row.state();
    this.endRecorded = row.endedAt() != null;
  }

  @Override
  public Row row() {
    return row;
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public int attempt() {
    return row.attempt();
  }

  @Override
  public Optional<Moment> asksSince() {
    return Optional.ofNullable(asksSince);
  }

  Actor actor() {
    return actor;
  }

  @Override
  public boolean stillMine() {
    return ledger.stillSent(row.guid(), attempt());
  }

  @Override
  public synchronized boolean settle(Outcome outcome, String told, String note) {
    if (closed || !state.canBecome(outcome.state())) {
      throw new IllegalStateException(
          row.guid() + " cannot go from " + state + " to " + outcome.state());
    }
    if (!ledger.settle(this, state, outcome, told, note)) {
      return false;
    }
    state = outcome.state();
    endRecorded |= !(outcome instanceof Outcome.InDoubt doubt && doubt.exchangeOpen());
    return true;
  }

  @Override
  public void asked(State conclusion, String evidence) {
    ledger.asked(this, conclusion, evidence);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (state == State.SENT) {
        ledger.settle(this, state, new Outcome.InDoubt("given up", false), null, "given up");
      } else if (!endRecorded) {
        ledger.writeEnd(this);
      }
    } catch (LedgerException e) {
      // The byte stays held as long as this process lives: it no longer knows what is written.
      LOG.error("{} stays in doubt and its claim held: {}", row.guid(), e.getMessage());
      return;
    }
    ledger.free(row.guid());
  }
}
