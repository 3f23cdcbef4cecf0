package org.relayledger.ledger;

import java.util.Set;

/**
 * Which rows a scan yields: all that match every part that is set.
 *
 * @param states any of these; empty means all
 * @param codes any of these; empty means all
 * @param channel this channel, or null
 * @param since received at or after, epoch milliseconds, or null
 * @param until received before, epoch milliseconds, or null
 * @param untold only rows that are DONE while the channel last heard E901, E902 or E903
 * @param bodies whether the rows come with request and reply
 */
public record Filter(
    Set<State> states,
    Set<String> codes,
    String channel,
    Long since,
    Long until,
    boolean untold,
    boolean bodies) {
  /** Every row, without bodies. */
  public static final Filter ALL = new Filter(Set.of(), Set.of(), null, null, null, false, false);
}
