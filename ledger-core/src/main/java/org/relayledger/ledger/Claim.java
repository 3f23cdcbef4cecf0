package org.relayledger.ledger;

import java.util.Optional;

/**
 * The right to move one row, which only the holder of the GUID's claim byte has. Whoever wins a
 * claim sends; whoever adopts one asks.
 */
public interface Claim extends AutoCloseable {
  /** The row as it stood when the claim was won or adopted, with its request, without its reply. */
  Row row();

  /** The request to send, the stored bytes; null if the claim was adopted, which never sends. */
  Request request();

  /** The attempt that this claim is; an outcome of another attempt is refused. */
  int attempt();

  /**
   * When the mode ask-first began, if the account system is to be asked about the row before it is
   * sent: the ledger was in that mode when this was claimed, or the row is older than it.
   */
  Optional<Moment> asksSince();

  /**
   * Reads the row again: still SENT, still this attempt. To be asked right before the body is
   * handed out; never throws, a ledger that cannot be read means no.
   */
  boolean stillMine();

  /**
   * Moves the row to the state of {@code outcome}, durably when this returns; a lock held by
   * somebody else is waited for. If the exchange has ended its end is recorded with the move.
   *
   * @param told the code that the channel hears with this move, or null if it hears nothing now
   * @param note evidence for the journal, or null
   * @return false if the row was no longer this claim's to move: nothing changed
   * @throws LedgerException of kind HALTED if it is unknown whether the move is there
   */
  boolean settle(Outcome outcome, String told, String note);

  /**
   * Notes that the account system was asked about the row, durably when this returns. Of the
   * inquiries without a conclusion the journal keeps the newest only.
   *
   * @param conclusion the state that follows from the answer, or null if none does; the move itself
   *     is made by {@link #settle}
   * @param evidence what was asked and answered
   */
  void asked(State conclusion, String evidence);

  /**
   * Ends the exchange: records its end unless a settle has, then frees the claim byte. A ledger
   * that has halted keeps the byte until this process is gone.
   */
  @Override
  void close();
}
