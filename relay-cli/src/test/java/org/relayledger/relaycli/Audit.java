package org.relayledger.relaycli;

import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Tombstone;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * What must hold of a ledger after everything, compared with what the account system has counted
 * and with what the channels have heard.
 */
final class Audit {
  private static final JsonFactory JSON = new JsonFactory();
  private static final Set<String> SENDERS = Set.of("relay", "batch", "reprocess");

  /** One entry of a journal, of the ledger or of an archive. */
  record Step(String event, State from, State to, int attempt, String actor, long at) {
    static Step of(Entry entry) {
      return new Step(
          entry.event(), entry.from(), entry.to(), entry.attempt(), entry.actor(), entry.at());
    }

    private boolean isMove() {
      return event.equals("move");
    }
  }

  /** A time in which nothing may have been claimed, in epoch milliseconds, both ends excluded. */
  record Held(long from, long to) {}

  /**
   * What the account system has counted, by folded GUID.
   *
   * @param at when each was executed first, in epoch milliseconds
   */
  record Books(
      Map<String, Integer> received, Map<String, Integer> executed, Map<String, Long> at) {}

  private final Witness witness;
  private final Duration minAge;
  private final List<Held> holds;
  private final BiConsumer<String, Integer> violation;

  /**
   * @param violation hears what must not be, and of which GUID
   */
  Audit(Witness witness, Duration minAge, List<Held> holds, BiConsumer<String, Integer> violation) {
    this.witness = witness;
    this.minAge = minAge;
    this.holds = holds;
    this.violation = violation;
  }

  /** The members of a flat JSON object; those that are null are not there. */
  static Map<String, String> members(String json) {
    Map<String, String> members = new LinkedHashMap<>();
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), new StringReader(json))) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = parser.currentName();
        if (parser.nextToken() != JsonToken.VALUE_NULL) {
          members.put(name, parser.getString());
        }
      }
    }
    return members;
  }

  /** The numbers in the object that is the member {@code name}, by folded name. */
  static Map<String, Integer> numbers(String json, String name) {
    Map<String, Integer> numbers = new HashMap<>();
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), new StringReader(json))) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean wanted = parser.currentName().equals(name);
        parser.nextToken();
        if (!wanted) {
          parser.skipChildren();
          continue;
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
          String key = parser.currentName().toLowerCase(Locale.ROOT);
          parser.nextToken();
          numbers.merge(key, parser.getIntValue(), Integer::sum);
        }
      }
    }
    return numbers;
  }

  /** What is wrong with a journal that has led to {@code state}, if anything is. */
  Optional<String> illegal(List<Step> journal, State state, int attempt) {
    State now = null;
    int attempts = 0;
    for (Step step : journal) {
      if (step.event.equals("double_suspect")) {
        return Optional.of("DOUBLE_SUSPECT");
      }
      if (!step.isMove()) {
        continue;
      }
      boolean claims = step.to == State.SENT;
      boolean legal =
          now == null
              ? step.from == null && (claims || step.to == State.RECEIVED)
              : step.from == now && now.canBecome(step.to) && isBy(step);
      int expected = claims ? attempts + 1 : attempts;
      if (!legal || step.attempt != expected) {
        return Optional.of("illegal move " + step + " after " + now + "/" + attempts);
      }
      if (claims && holds.stream().anyMatch(held -> step.at > held.from && step.at < held.to)) {
        return Optional.of("claimed on hold: " + step);
      }
      now = step.to;
      attempts = expected;
    }
    return now == state && attempts == attempt
        ? Optional.empty()
        : Optional.of(
            "it is " + state + "/" + attempt + ", by its journal " + now + "/" + attempts);
  }

  /** Whether the move is one that its actor may make; no operator is at work here. */
  private static boolean isBy(Step step) {
    return switch (step.to) {
      case SENT -> SENDERS.contains(step.actor);
      case FAILED ->
          step.from == State.SENT ? SENDERS.contains(step.actor) : step.actor.equals("resolve");
      case DONE -> step.from == State.SENT || step.from == State.UNKNOWN;
      case UNKNOWN -> true;
      case RECEIVED -> false;
    };
  }

  /**
   * Judges what purge has archived, a line of JSON a row or entry.
   *
   * @param cut whether purge was killed, so that its end may be missing
   */
  int archive(String text, boolean cut) {
    int rows = 0;
    Map<String, String> row = null;
    List<Step> journal = new ArrayList<>();
    String whole = cut ? text.substring(0, text.lastIndexOf('\n') + 1) : text;
    for (String line : whole.lines().toList()) {
      Map<String, String> members = members(line);
      String type = members.getOrDefault("type", "");
      if (type.equals("row")) {
        archived(row, journal);
        rows++;
        row = members;
        journal.clear();
      } else if (type.equals("journal")) {
        journal.add(
            new Step(
                members.get("event"),
                state(members.get("from")),
                state(members.get("to")),
                Integer.parseInt(members.get("attempt")),
                members.get("actor"),
                Instant.parse(members.get("at")).toEpochMilli()));
      }
    }
    boolean half = cut && row != null && illegal(journal, State.DONE, attempt(row)).isPresent();
    if (!half) {
      archived(row, journal);
    }
    return rows;
  }

  private static State state(String name) {
    return name == null ? null : State.valueOf(name);
  }

  private static int attempt(Map<String, String> row) {
    return Integer.parseInt(row.get("attempt"));
  }

  private void archived(Map<String, String> row, List<Step> journal) {
    if (row == null) {
      return;
    }
    int index = witness.index(row.get("guid"));
    if (index < 0) {
      violation.accept("purge has archived what nobody has sent: " + row.get("guid"), -1);
      return;
    }
    if (!row.get("state").equals("DONE")) {
      violation.accept("purge has archived a row that is " + row.get("state"), index);
    }
    illegal(journal, State.DONE, attempt(row))
        .ifPresent(what -> violation.accept("in the archive: " + what, index));
    witness.isReply(index, Witness.hash(row.get("reply_sha256")), "the archive");
    witness.archived(index);
  }

  /** Whether all replies that were heard before are in this copy of the ledger. */
  void backup(LedgerView backup, List<Integer> done) {
    for (int index : done) {
      Guid guid = new Guid(witness.guid(index));
      Optional<Row> row = backup.find(guid, false);
      if (row.isPresent()) {
        isDone(row.get(), index, "the backup");
      } else if (backup.tombstone(guid).isEmpty()) {
        violation.accept("the backup has lost a reply that was heard before", index);
      }
    }
  }

  private void isDone(Row row, int index, String who) {
    if (row.state() != State.DONE) {
      violation.accept(who + " has it as " + row.state() + " after a definite reply", index);
    } else {
      witness.isReply(index, Witness.hash(row.replySha256()), who);
    }
  }

  /** Judges a ledger that nobody works with any more; how many rows are in which state. */
  Map<String, Long> all(LedgerView view, Books books) {
    Map<String, Long> counts = new LinkedHashMap<>();
    boolean[] seen = new boolean[witness.count()];
    long after = 0;
    for (List<Row> page = view.page(Filter.ALL, after, LedgerView.MAX_PAGE);
        !page.isEmpty();
        page = view.page(Filter.ALL, after, LedgerView.MAX_PAGE)) {
      for (Row row : page) {
        counts.merge("rows " + row.state(), 1L, Long::sum);
        int index = witness.index(row.guid().value());
        if (index < 0) {
          violation.accept("a row that nobody has sent: " + row.guid(), -1);
        } else if (seen[index]) {
          violation.accept("two rows", index);
        } else {
          seen[index] = true;
          row(view, row, index, books);
        }
      }
      after = page.get(page.size() - 1).seq();
    }
    for (int index = 0; index < seen.length; index++) {
      String guid = witness.guid(index).toLowerCase(Locale.ROOT);
      int executed = books.executed.getOrDefault(guid, 0);
      if (executed > 1) {
        counts.merge("doubled", 1L, Long::sum);
        violation.accept("executed " + executed + " times", index);
      }
      boolean early =
          witness.knows(index, Witness.NOT_SENT)
              && books.at.containsKey(guid)
              && books.at.get(guid) < witness.wall(witness.lastNotSent(index));
      if (early) {
        violation.accept("executed, and E902 was heard of it afterwards", index);
      }
      if (!seen[index]) {
        Optional<Tombstone> stone = view.tombstone(new Guid(guid));
        if (stone.isPresent()) {
          counts.merge("tombstones", 1L, Long::sum);
          tombstone(stone.get(), index, executed);
        } else if (witness.knows(index, Witness.ROW) || books.received.containsKey(guid)) {
          counts.merge("lost", 1L, Long::sum);
          violation.accept("neither a row nor a tombstone is left", index);
        } else {
          counts.merge("never taken in", 1L, Long::sum);
        }
      }
    }
    for (String guid : books.received.keySet()) {
      if (witness.index(guid) < 0) {
        violation.accept("received by the account system, and sent by nobody: " + guid, -1);
      }
    }
    counts.putIfAbsent("lost", 0L);
    counts.putIfAbsent("doubled", 0L);
    return counts;
  }

  private void row(LedgerView view, Row row, int index, Books books) {
    String guid = row.guid().folded();
    int executed = books.executed.getOrDefault(guid, 0);
    int received = books.received.getOrDefault(guid, 0);
    List<Entry> journal = view.journal(row);
    illegal(journal.stream().map(Step::of).toList(), row.state(), row.attempt())
        .ifPresent(what -> violation.accept(what, index));
    if (witness.knows(index, Witness.FORGOTTEN)) {
      violation.accept("E906 was heard, and its row is there", index);
    }
    if (witness.knows(index, Witness.DONE)) {
      isDone(row, index, "the ledger");
    }
    if (received > row.attempt()) {
      violation.accept("received " + received + " times by " + row.attempt() + " attempts", index);
    }
    boolean books0000 = row.state() == State.DONE && row.code().equals("0000");
    if (executed != (books0000 ? 1 : 0)) {
      violation.accept(
          "executed " + executed + " times and " + row.state() + " " + row.code(), index);
    }
    if (row.state() == State.FAILED) {
      Entry last = journal.get(journal.size() - 1);
      if (last.from() == State.UNKNOWN && last.at() - row.endedAt() < minAge.toMillis()) {
        violation.accept("asked about before min-age", index);
      }
    } else if (row.state() != State.DONE) {
      violation.accept("still " + row.state() + " when all has settled", index);
    }
  }

  private void tombstone(Tombstone stone, int index, int executed) {
    if (executed != (stone.code().equals("0000") ? 1 : 0)) {
      violation.accept("executed " + executed + " times, purged as " + stone.code(), index);
    }
    if (!witness.knows(index, Witness.ARCHIVED)) {
      violation.accept("purged, and in no archive", index);
    }
  }
}
