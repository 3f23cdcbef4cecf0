package org.relayledger.ledger;

import java.util.Locale;

/**
 * Who makes a move, for the journal.
 *
 * @param role in which role
 * @param by the OS user, or who the operator says is acting
 * @param ticket the operator's ticket, or null
 */
public record Actor(Role role, String by, String ticket) {
  /** The roles in which rows are moved. */
  public enum Role {
    RELAY,
    BATCH,
    RESOLVE,
    REPROCESS,
    PURGE,
    OPERATOR;

    /** As the journal spells it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
