package org.relayledger.ledger;

import java.util.Map;
import java.util.Set;
import tools.jackson.core.JsonPointer;

/**
 * Which rows a scan yields: all that match every part that is set.
 *
 * @param states any of these; empty means all
 * @param codes any of these; empty means all
 * @param channel this channel, or null
 * @param since received at or after, epoch milliseconds, or null
 * @param until received before, epoch milliseconds, or null
 * @param untold only rows that are DONE while the channel last heard E901, E902 or E903
 * @param where only rows whose request is JSON and has all these values: a string by its
 *     characters, a number or literal as written
 * @param bodies whether the rows come with request and reply
 */
public record Filter(
    Set<State> states,
    Set<String> codes,
    String channel,
    Long since,
    Long until,
    boolean untold,
    Map<JsonPointer, String> where,
    boolean bodies) {
  /** Every row, without bodies. */
  public static final Filter ALL =
      new Filter(Set.of(), Set.of(), null, null, null, false, Map.of(), false);

  /** Every row in {@code state}, without bodies. */
  public static Filter in(State state) {
    return new Filter(Set.of(state), Set.of(), null, null, null, false, Map.of(), false);
  }

  /** The same rows, with bodies if {@code wanted}. */
  public Filter withBodies(boolean wanted) {
    return new Filter(states, codes, channel, since, until, untold, where, wanted);
  }

  /** Whether every row matches. */
  public boolean isAll() {
    return withBodies(false).equals(ALL);
  }

  /** Whether the request of {@code row}, which was read with its bodies, has the values. */
  boolean matches(Row row) {
    if (where.isEmpty()) {
      return true;
    }
    try {
      Json json = Json.read(row.request(), where.keySet(), Set.of());
      return where.entrySet().stream()
          .allMatch(
              wanted -> {
                Json.Value value = json.at(wanted.getKey());
                return value != null && value.text().equals(wanted.getValue());
              });
    } catch (Json.Malformed e) {
      return false;
    }
  }
}
