package org.relayledger.ledger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.relayledger.testing.SteppedClock;

/**
 * What the states and legal moves of the design come to, in plain maps: no database, no lock, one
 * act after the other.
 */
final class ModelKeeper implements Keeper {
  /** The moves that whoever holds the byte may make, but for a claim. */
  private static final Set<String> LEGAL =
      Set.of(
          "SENT>DONE",
          "SENT>UNKNOWN",
          "SENT>FAILED",
          "UNKNOWN>DONE",
          "UNKNOWN>FAILED",
          "FAILED>DONE",
          "RECEIVED>DONE");

  private static final class Line {
    final long seq;
    final Arrival first;
    final long receivedAt;
    State state;
    String code;
    int attempt;
    String account;
    String reply;
    Long sentAt;
    Long doneAt;
    long updatedAt;
    Long askedAt;
    String toldCode;
    Long toldAt;
    Moment ended;

    Line(long seq, Arrival first, long now) {
      this.seq = seq;
      this.first = first;
      this.receivedAt = now;
      this.updatedAt = now;
    }
  }

  /** Who holds a byte, and where the row stands as far as the holder knows. */
  private static final class Holder {
    final int instance;
    final Actor actor;
    final boolean mayAsk;
    State state;

    Holder(int instance, Line line, Actor actor) {
      this.instance = instance;
      this.actor = actor;
      this.mayAsk = line.state == State.UNKNOWN;
      this.state = line.state;
    }
  }

  /** A row as it was read. */
  private record Known(long seq, int attempt) {}

  /**
   * An entry.
   *
   * @param line null for a mode
   * @param open whether it is an inquiry without a conclusion
   */
  private record Noted(Line line, boolean open, String text) {}

  private record Stone(Arrival first, String code, long finishedAt) {}

  private final SteppedClock clock = new SteppedClock();
  private final List<String> keys;
  private final Map<String, Line> lines = new HashMap<>();
  private final Map<String, Stone> stones = new HashMap<>();
  private final Map<String, Holder> holders = new HashMap<>();
  private final Set<String> closed = new HashSet<>();
  private final Map<String, Known> read = new HashMap<>();
  private final List<Noted> journal = new ArrayList<>();
  private final List<String> moves = new ArrayList<>();
  private Settings.Mode mode = Settings.Mode.NORMAL;
  private Moment asksSince;

  ModelKeeper(List<Guid> guids) {
    this.keys = guids.stream().map(guid -> key(guid.value())).toList();
  }

  private static String key(String guid) {
    return guid.toLowerCase(Locale.ROOT);
  }

  @Override
  public SteppedClock clock() {
    return clock;
  }

  private long now() {
    return clock.millis();
  }

  private Moment moment() {
    return new Moment(clock.millis(), clock.boot(), clock.uptimeMillis());
  }

  private String text(Line line, boolean bodies) {
    String known =
        Keeper.line(
            line.seq,
            line.first.guid(),
            line.first.channel(),
            line.state,
            line.code,
            line.attempt,
            line.account,
            bodies ? line.first.body() : null);
    Reply sample = Samples.reply(line.first.guid());
    String reply =
        line.reply == null
            ? "- - -"
            : Keeper.line(sample.httpStatus(), sample.contentType(), line.reply);
    String times =
        Keeper.line(
            line.receivedAt,
            line.sentAt,
            line.doneAt,
            line.updatedAt,
            line.askedAt,
            line.toldCode,
            line.toldAt);
    Moment end = line.ended;
    String ended =
        end == null
            ? Keeper.line(null, null, null, Duration.ZERO)
            : Keeper.line(end.at(), end.boot(), end.uptime(), age(end));
    return String.join(" | ", known, reply, times, ended);
  }

  /** The smallest of what the clocks say. */
  private Duration age(Moment end) {
    long wall = now() - end.at();
    long sinceBoot = clock.uptimeMillis();
    long sameBoot = end.boot().equals(clock.boot()) ? sinceBoot - end.uptime() : sinceBoot;
    return Duration.ofMillis(wall < sameBoot ? wall : sameBoot);
  }

  private static String text(Stone stone) {
    return Keeper.line(stone.first.guid(), stone.code, stone.finishedAt);
  }

  private void note(
      Line line, String event, State from, State to, String code, Actor by, String n) {
    boolean open = event.equals("inquiry") && to == null;
    journal.add(
        new Noted(
            line,
            open,
            Keeper.line(
                line.seq,
                line.first.guid(),
                line.attempt,
                event,
                from,
                to,
                code,
                by.role().word(),
                now(),
                n)));
  }

  private void move(Line line, State to, String code, Actor by, String note) {
    State from = line.state;
    line.state = to;
    line.code = code;
    line.updatedAt = now();
    moves.add((from == null ? "-" : from) + ">" + to);
    note(line, "move", from, to, code, by, note);
  }

  private boolean isConflict(Line line, Arrival arrival) {
    String one = line.first.channel();
    String two = arrival.channel();
    boolean otherChannel = one != null && two != null && !one.equals(two);
    boolean otherWish = (line.first.wish() == Wish.ANOTHER) != (arrival.wish() == Wish.ANOTHER);
    return otherChannel || otherWish;
  }

  private Line add(Arrival arrival) {
    long last = lines.values().stream().mapToLong(line -> line.seq).max().orElse(0);
    Line line = new Line(last + 1, arrival, now());
    lines.put(key(arrival.guid()), line);
    return line;
  }

  private String take(int instance, String key, Line line, Actor by) {
    holders.put(key, new Holder(instance, line, by));
    closed.remove(key);
    return "taken over - " + text(line, true);
  }

  private String won(int instance, Line line, boolean asks) {
    line.attempt++;
    line.account = Samples.ACCOUNT;
    line.sentAt = now();
    line.ended = null;
    move(line, State.SENT, null, Samples.RELAY, null);
    var unused = take(instance, key(line.first.guid()), line, Samples.RELAY);
    return Keeper.line(
        "Won",
        line.attempt,
        line.first.guid(),
        line.first.channel(),
        line.first.body(),
        asks ? asksSince : null);
  }

  /** The owner of a SENT row is gone. */
  private void orphan(Line line, Actor by) {
    line.ended = moment();
    move(line, State.UNKNOWN, "E901", by, "orphan: the sender is gone");
  }

  private String claimKnown(int instance, Line line, State from, boolean unchanged) {
    if (line.state == State.SENT) {
      orphan(line, Samples.RELAY);
    } else if (line.state == from && unchanged) {
      boolean old = asksSince != null && line.updatedAt <= asksSince.at();
      return won(instance, line, old || mode == Settings.Mode.ASK_FIRST);
    }
    return "Standing " + text(line, true);
  }

  @Override
  public String look(int instance, Arrival arrival) {
    String key = key(arrival.guid());
    Line line = lines.get(key);
    if (line == null) {
      return stones.containsKey(key) ? "Forgotten " + text(stones.get(key)) : "nothing";
    }
    if (isConflict(line, arrival)) {
      return "Conflict";
    }
    return line.state == State.FAILED ? "nothing" : "Standing " + text(line, true);
  }

  @Override
  public String claim(int instance, Arrival arrival) {
    String key = key(arrival.guid());
    if (holders.containsKey(key)) {
      return "Held";
    }
    if (mode == Settings.Mode.HOLD) {
      return "OnHold";
    }
    if (stones.containsKey(key)) {
      return "Forgotten " + text(stones.get(key));
    }
    Line line = lines.get(key);
    if (line == null) {
      return won(instance, add(arrival), mode == Settings.Mode.ASK_FIRST);
    }
    return isConflict(line, arrival) ? "Conflict" : claimKnown(instance, line, State.FAILED, true);
  }

  @Override
  public String receive(int instance, List<Arrival> arrivals) {
    return arrivals.stream().map(this::receive).toList().toString();
  }

  private String receive(Arrival arrival) {
    String key = key(arrival.guid());
    if (stones.containsKey(key)) {
      return "Forgotten " + text(stones.get(key));
    }
    Line line = lines.get(key);
    if (line == null) {
      Line added = add(arrival);
      move(added, State.RECEIVED, null, Samples.RELAY, null);
      return "Standing " + text(added, false);
    }
    return isConflict(line, arrival) ? "Conflict" : "Standing " + text(line, true);
  }

  @Override
  public String read(String guid) {
    String key = key(guid);
    Line line = lines.get(key);
    if (line == null) {
      read.remove(key);
      return "none";
    }
    read.put(key, new Known(line.seq, line.attempt));
    return "read";
  }

  /** The row as it was last read, or now if it never was; null if there is none. */
  private Known known(String guid) {
    if (!read.containsKey(key(guid))) {
      var unused = read(guid);
    }
    return read.get(key(guid));
  }

  @Override
  public String claimRead(int instance, String guid, State from) {
    String key = key(guid);
    Known known = known(guid);
    if (known == null) {
      return "none";
    }
    if (holders.containsKey(key)) {
      return "Held";
    }
    if (mode == Settings.Mode.HOLD) {
      return "OnHold";
    }
    Line line = lines.get(key);
    if (line == null) {
      return "Forgotten " + (stones.containsKey(key) ? text(stones.get(key)) : "altogether");
    }
    return claimKnown(instance, line, from, line.attempt == known.attempt);
  }

  @Override
  public String adopt(int instance, String guid) {
    return takeOver(instance, guid, Set.of(State.SENT, State.UNKNOWN));
  }

  @Override
  public String hold(int instance, String guid) {
    return takeOver(
        instance, guid, Set.of(State.SENT, State.UNKNOWN, State.RECEIVED, State.FAILED));
  }

  private String takeOver(int instance, String guid, Set<State> states) {
    String key = key(guid);
    if (known(guid) == null) {
      return "none";
    }
    Line line = lines.get(key);
    if (holders.containsKey(key) || line == null || !states.contains(line.state)) {
      return "left";
    }
    if (line.state == State.SENT) {
      orphan(line, Samples.RESOLVE);
    } else if (line.state == State.UNKNOWN) {
      end(line);
    }
    return take(instance, key, line, Samples.RESOLVE);
  }

  /** The exchange of an UNKNOWN row ends now, unless it has before. */
  private void end(Line line) {
    if (line.ended == null) {
      line.ended = moment();
      line.updatedAt = now();
    }
  }

  @Override
  public String settle(String guid, Ending ending, String told) {
    String key = key(guid);
    Holder holder = holders.get(key);
    if (holder == null) {
      return closed.contains(key) ? "illegal" : "nobody's";
    }
    State to =
        switch (ending) {
          case DONE -> State.DONE;
          case OPEN, DOUBT -> State.UNKNOWN;
          case NOT_SENT -> State.FAILED;
        };
    if (!LEGAL.contains(holder.state + ">" + to)) {
      return "illegal";
    }
    settle(holder, lines.get(key), to, ending != Ending.OPEN, "a note");
    if (told != null) {
      lines.get(key).toldCode = told;
      lines.get(key).toldAt = now();
    }
    return "moved";
  }

  private void settle(Holder holder, Line line, State to, boolean ended, String note) {
    String code = to == State.DONE ? "0000" : to == State.UNKNOWN ? "E901" : "E902";
    move(line, to, code, holder.actor, note);
    if (to == State.DONE) {
      line.reply = "{ \"guid\":\"" + line.first.guid() + "\", \"code\":\"0000\"}\r\n";
      line.doneAt = now();
    }
    if (ended) {
      line.ended = line.ended == null ? moment() : line.ended;
    }
    holder.state = to;
  }

  @Override
  public String asked(String guid, State conclusion) {
    Holder holder = holders.get(key(guid));
    if (holder == null || !holder.mayAsk || holder.state != State.UNKNOWN) {
      return "nobody's";
    }
    Line line = lines.get(key(guid));
    line.askedAt = now();
    journal.removeIf(noted -> noted.line == line && noted.open);
    note(line, "inquiry", null, conclusion, null, holder.actor, "asked");
    return "asked";
  }

  @Override
  public String close(String guid) {
    String key = key(guid);
    Holder holder = holders.remove(key);
    if (holder == null) {
      return "nobody's";
    }
    Line line = lines.get(key);
    if (holder.state == State.SENT) {
      settle(holder, line, State.UNKNOWN, true, "given up");
    } else if (holder.state == State.UNKNOWN) {
      end(line);
    }
    closed.add(key);
    return "closed";
  }

  @Override
  public String die(String guid) {
    return holders.remove(key(guid)) == null ? "nobody's" : "dead";
  }

  @Override
  public String reopen(int instance) {
    holders.values().removeIf(holder -> holder.instance == instance);
    return "opened";
  }

  @Override
  public String purge(int instance, long doneBefore) {
    long purged = keys.stream().filter(key -> purge(key, doneBefore)).count();
    return "purged " + purged;
  }

  private boolean purge(String key, long doneBefore) {
    Line line = lines.get(key);
    if (line == null || line.state != State.DONE || line.doneAt >= doneBefore) {
      return false;
    }
    lines.remove(key);
    journal.removeIf(noted -> noted.line == line);
    stones.put(key, new Stone(line.first, line.code, line.doneAt));
    return true;
  }

  @Override
  public String purgeRead(int instance, String guid, long doneBefore) {
    String key = key(guid);
    Known known = known(guid);
    if (known == null) {
      return "none";
    }
    Line line = lines.get(key);
    boolean purged = line != null && line.seq == known.seq && purge(key, doneBefore);
    return "purged " + (purged ? 1 : 0);
  }

  @Override
  public String forget(int instance, long finishedBefore) {
    int before = stones.size();
    stones.values().removeIf(stone -> stone.finishedAt < finishedBefore);
    return "forgot " + (before - stones.size());
  }

  @Override
  public String changeMode(int instance, Settings.Mode to) {
    if (to == Settings.Mode.ASK_FIRST && mode != to) {
      asksSince = moment();
    }
    mode = to;
    String by = Samples.RESOLVE.role().word();
    journal.add(
        new Noted(
            null,
            false,
            Keeper.line(null, null, null, "mode", null, null, to.word(), by, now(), "a reason")));
    return "changed";
  }

  @Override
  public String told(int instance, String guid, String code) {
    Line line = lines.get(key(guid));
    if (line != null && !Objects.equals(line.toldCode, code)) {
      line.toldCode = code;
      line.toldAt = now();
    }
    return "told";
  }

  /** Every move that was made, purged or not. */
  List<String> moves() {
    return moves;
  }

  @Override
  public List<String> everything() {
    List<String> all = new ArrayList<>();
    all.add(Keeper.line(mode, asksSince));
    for (String key : keys) {
      Line line = lines.get(key);
      if (line != null) {
        all.add(text(line, true));
      }
      if (stones.containsKey(key)) {
        all.add(text(stones.get(key)));
      }
      if (holders.containsKey(key)) {
        boolean toSend = line != null && line.state == State.SENT;
        all.add(key + " held" + (toSend ? ", still to be sent" : ""));
      }
    }
    journal.forEach(noted -> all.add(noted.text));
    return all;
  }
}
