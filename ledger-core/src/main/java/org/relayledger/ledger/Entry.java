package org.relayledger.ledger;

/**
 * One entry of the journal, which is only ever added to.
 *
 * @param id in which order it was written
 * @param guid null for a mode
 * @param event move, inquiry, double_suspect, ack or mode
 * @param from the state before, null if there was none
 * @param to the state after, null if the event is no move
 * @param code the row's code after it, or null
 * @param actor the role that acted
 * @param by the OS user or operator
 * @param ticket the operator's ticket, or null
 * @param at epoch milliseconds
 * @param note evidence, or null
 */
public record Entry(
    long id,
    Guid guid,
    int attempt,
    String event,
    State from,
    State to,
    String code,
    String actor,
    String by,
    String ticket,
    long at,
    String note) {
  /** Whether it tells of a move, and not of an inquiry or something else. */
  public boolean isMove() {
    return event.equals("move");
  }

  /** Whether it tells of a move to {@code state}. */
  public boolean isMove(State state) {
    return isMove() && to == state;
  }
}
