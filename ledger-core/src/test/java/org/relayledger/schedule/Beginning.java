package org.relayledger.schedule;

import org.relayledger.ledger.State;

/** How a GUID stands, here and at the account system, before a schedule begins. */
enum Beginning {
  NEW("ok", null, false),
  /** To be executed, and never answered. */
  NEW_DROPPED("drop", null, false),
  /** Its first request is to be lost, the next are not. */
  NEW_LOST("lost", null, false),
  /** To be executed when the account system gets round to it. */
  NEW_HELD("held", null, false),
  RECEIVED("ok", State.RECEIVED, false),
  RECEIVED_LOST("lost", State.RECEIVED, false),
  FAILED("ok", State.FAILED, false),
  FAILED_DROPPED("drop", State.FAILED, false),
  FAILED_HELD("held", State.FAILED, false),
  UNKNOWN_EXECUTED("drop", State.UNKNOWN, true),
  UNKNOWN_LOST("lost", State.UNKNOWN, true),
  /** Its sender has given up; its request waits at the account system, to be executed yet. */
  UNKNOWN_HELD("held", State.UNKNOWN, true),
  /** Its sender was killed after its claim. */
  ORPHAN("ok", State.SENT, false),
  /** Its sender was killed before it could hear that it was executed. */
  ORPHAN_EXECUTED("ok", State.SENT, true),
  /** Its sender was killed; its request waits at the account system, to be executed yet. */
  ORPHAN_HELD("held", State.SENT, true),
  DONE("ok", State.DONE, true),
  /** A channel has sent it directly, before there was a ledger; it waits to be executed yet. */
  SENT_BEFORE("held", null, true);

  /** What the account system does with each of its requests, as its GUID says. */
  final String fault;

  /** The row's state, or null if there is no row. */
  final State state;

  /** Whether a request has reached the account system. */
  final boolean sent;

  Beginning(String fault, State state, boolean sent) {
    this.fault = fault;
    this.state = state;
    this.sent = sent;
  }
}
