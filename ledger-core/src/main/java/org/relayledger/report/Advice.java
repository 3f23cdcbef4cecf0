package org.relayledger.report;

import java.util.OptionalLong;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;

/**
 * What is certain about a row, and what to do about it.
 *
 * @param next the next safe command, or null if there is nothing to do
 * @param notBefore the earliest time at which {@code next} can settle the row, in epoch
 *     milliseconds, or null if that is now or not known
 * @param remark what else to know, or null
 */
public record Advice(String certain, String next, Long notBefore, String remark) {
  /** How often reprocess sends a row, unless told otherwise. */
  private static final int MAX_ATTEMPTS = 5;

  /**
   * The advice on {@code row} in a ledger with {@code settings}.
   *
   * @param suspect whether it may have been executed twice, and nobody has seen to that
   */
  public static Advice on(Row row, Settings settings, boolean suspect) {
    String guid = row.guid().value();
    if (suspect) {
      return new Advice(
          "it may have been executed twice: a reply to an earlier attempt came after a later one"
              + " was claimed",
          "relay ack " + guid + " --reason REASON",
          null,
          "first compare with the account system's statement, and have all but one reversed");
    }
    return switch (row.state()) {
      case RECEIVED ->
          new Advice(
              "taken in by a batch and never sent",
              claimed(settings, "reprocess --received " + guid),
              whenAsked(row, settings),
              claiming(
                  settings, "the same batch again sends it too", "reprocess --received " + guid));
      case SENT ->
          new Advice(
              "claimed for a send; it is being sent now, or its sender has died",
              "resolve " + guid,
              null,
              "while its sender lives, resolve changes nothing and exits 6");
      case UNKNOWN ->
          new Advice(
              "sent or maybe sent, no definite reply; it is never sent again unasked",
              "resolve " + guid,
              whenOld(row, settings),
              row.endedAt() == null
                  ? "its exchange has no recorded end: a late reply may settle it by itself; if its"
                      + " sender is gone, resolve has its age begin, and settles it min-age later"
                  : null);
      case FAILED -> failed(row, settings);
      case DONE ->
          new Advice(
              "finished with code " + row.code() + "; its reply is stored and replayed",
              null,
              null,
              row.isUntold()
                  ? "its channel last heard "
                      + row.toldCode()
                      + "; it hears the reply when it sends the same request again"
                  : null);
    };
  }

  /**
   * The same for a row that was read in a backup, if it was.
   *
   * @param backupAt when the backup was made, in epoch milliseconds
   */
  public Advice in(OptionalLong backupAt) {
    return backupAt.isEmpty()
        ? this
        : new Advice(
            certain,
            next,
            notBefore,
            "this is a backup of "
                + Times.format(backupAt.getAsLong())
                + ": look in the ledger itself before you do anything");
  }

  private static Advice failed(Row row, Settings settings) {
    boolean usedUp = row.attempt() >= MAX_ATTEMPTS;
    String command =
        "reprocess "
            + (usedUp ? "--max-attempts " + (row.attempt() + 1) + " " : "")
            + row.guid().value();
    return new Advice(
        "certainly not processed by the account system",
        claimed(settings, command),
        whenAsked(row, settings),
        claiming(
            settings,
            usedUp
                ? "it has had " + row.attempt() + " attempts: find out why before another one"
                : "its channel may send it again too",
            command));
  }

  /** The command that claims a row, where that is possible; else the one that says why not. */
  private static String claimed(Settings settings, String command) {
    return settings.mode() == Settings.Mode.HOLD ? "relay mode" : command;
  }

  private static String claiming(Settings settings, String otherwise, String command) {
    return settings.mode() == Settings.Mode.HOLD
        ? "the ledger is on hold, by whom and why says 'relay mode'; once that is over: " + command
        : otherwise;
  }

  /** From when on "no record" settles an UNKNOWN row. */
  private static Long whenOld(Row row, Settings settings) {
    if (row.endedAt() == null) {
      return null;
    }
    long least = settings.defaultMinAge().toMillis();
    long begun = settings.asksSince() == null ? row.endedAt() : settings.asksSince().at();
    return Math.max(row.endedAt(), begun) + least;
  }

  /** From when on "no record" lets a row be sent, where the ledger asks first. */
  private static Long whenAsked(Row row, Settings settings) {
    boolean asks =
        settings.asksSince() != null
            && (settings.mode() == Settings.Mode.ASK_FIRST
                || row.updatedAt() <= settings.asksSince().at());
    return asks ? settings.asksSince().at() + settings.defaultMinAge().toMillis() : null;
  }

  /** The next command on one line. */
  public String text() {
    return next == null
        ? "nothing to do"
        : notBefore == null ? next : "not before " + Times.format(notBefore) + ": " + next;
  }
}
