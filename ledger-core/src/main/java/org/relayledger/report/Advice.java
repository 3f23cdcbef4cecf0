package org.relayledger.report;

import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;

/**
 * What is certain about a row, and what to do about it.
 *
 * @param next the next safe command, or what happens by itself
 * @param notBefore the earliest time at which {@code next} can settle the row, in epoch
 *     milliseconds, or null if that is now or not known
 */
public record Advice(String certain, String next, Long notBefore) {
  /** The advice on {@code row} in a ledger with {@code settings}. */
  public static Advice on(Row row, Settings settings) {
    String guid = row.guid().value();
    return switch (row.state()) {
      case RECEIVED ->
          new Advice(
              "taken in by a batch and never sent",
              "run the batch again, or: reprocess --received " + guid,
              null);
      case SENT ->
          new Advice(
              "claimed for a send; it is being sent now, or its sender has died",
              "wait for its sender; if that is gone: resolve " + guid,
              null);
      case UNKNOWN ->
          new Advice(
              "sent or maybe sent, no definite reply; it is never sent again unasked",
              "resolve " + guid,
              row.endedAt() == null ? null : row.endedAt() + settings.defaultMinAge().toMillis());
      case FAILED ->
          new Advice(
              "certainly not processed by the account system",
              "reprocess " + guid + ", or the channel sends it again",
              null);
      case DONE ->
          new Advice(
              "finished with code " + row.code() + "; its reply is stored and replayed",
              "nothing to do",
              null);
    };
  }

  /** The next command on one line. */
  public String text() {
    return notBefore == null ? next : "not before " + Times.format(notBefore) + ": " + next;
  }
}
