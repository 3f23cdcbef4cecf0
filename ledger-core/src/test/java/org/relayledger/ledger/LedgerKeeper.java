package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.relayledger.testing.SteppedClock;

/** The real ledger in a real file. */
final class LedgerKeeper implements Keeper, AutoCloseable {
  private final SteppedClock clock = new SteppedClock();
  private final Path path;
  private final List<Guid> guids;
  private final Ledger[] instances;
  private final ByHand hand;
  private final ClaimBytes bytes;
  private final Map<Guid, Row> read = new HashMap<>();
  private final Map<Guid, Claim> claims = new HashMap<>();
  private final Map<Guid, Claim> closed = new HashMap<>();
  private final Map<Guid, Integer> owners = new HashMap<>();
  private final Set<Guid> settled = new HashSet<>();

  /** Opens the ledger at {@code path} twice; {@code guids} are all that it will hear of. */
  LedgerKeeper(Path path, List<Guid> guids) {
    this.path = path;
    this.guids = guids;
    this.instances = new Ledger[] {open(), open()};
    this.hand = ByHand.sqlite(path);
    this.bytes = ClaimBytes.beside(path).orElseThrow();
  }

  private Ledger open() {
    return Ledger.open(path.toString(), clock, Steps.NONE);
  }

  @Override
  public SteppedClock clock() {
    return clock;
  }

  private static Request request(Arrival arrival) {
    return Samples.request(arrival.guid(), arrival.channel(), arrival.body(), Samples.SCHEME);
  }

  private static String text(byte[] body) {
    return body == null ? null : new String(body, UTF_8);
  }

  private String text(Row row) {
    String known =
        Keeper.line(
            row.seq(),
            row.guid(),
            row.channel(),
            row.state(),
            row.code(),
            row.attempt(),
            row.account(),
            text(row.request()));
    String reply = Keeper.line(row.httpStatus(), row.replyType(), text(row.reply()));
    String times =
        Keeper.line(
            row.receivedAt(),
            row.sentAt(),
            row.doneAt(),
            row.updatedAt(),
            row.askedAt(),
            row.toldCode(),
            row.toldAt());
    String ended = Keeper.line(row.endedAt(), row.endedBoot(), row.endedUptime(), row.age(clock));
    return String.join(" | ", known, reply, times, ended);
  }

  private static String text(Tombstone tombstone) {
    return Keeper.line(tombstone.guid(), tombstone.code(), tombstone.finishedAt());
  }

  private String text(int instance, Taken taken) {
    if (taken instanceof Taken.Won won) {
      Claim claim = won.claim();
      keep(instance, claim);
      Request request = claim.request();
      return Keeper.line(
          "Won",
          claim.attempt(),
          request.guid(),
          request.channel(),
          text(request.body()),
          claim.asksSince().orElse(null));
    }
    if (taken instanceof Taken.Standing standing) {
      return "Standing " + text(standing.row());
    }
    if (taken instanceof Taken.Forgotten forgotten) {
      Tombstone tombstone = forgotten.tombstone();
      return "Forgotten " + (tombstone == null ? "altogether" : text(tombstone));
    }
    return taken.getClass().getSimpleName();
  }

  private void keep(int instance, Claim claim) {
    Guid guid = claim.row().guid();
    claims.put(guid, claim);
    closed.remove(guid);
    settled.remove(guid);
    owners.put(guid, instance);
  }

  @Override
  public String look(int instance, Arrival arrival) {
    return instances[instance]
        .look(request(arrival))
        .map(taken -> text(instance, taken))
        .orElse("nothing");
  }

  @Override
  public String claim(int instance, Arrival arrival) {
    return text(
        instance, instances[instance].claim(request(arrival), Samples.ACCOUNT, Samples.RELAY));
  }

  @Override
  public String receive(int instance, List<Arrival> arrivals) {
    List<Request> requests = arrivals.stream().map(LedgerKeeper::request).toList();
    return instances[instance].receive(requests, Samples.RELAY).stream()
        .map(taken -> text(instance, taken))
        .toList()
        .toString();
  }

  @Override
  public String read(String guid) {
    Guid named = new Guid(guid);
    read.remove(named);
    instances[0].view().find(named, false).ifPresent(row -> read.put(named, row));
    return read.containsKey(named) ? "read" : "none";
  }

  /** The row as it was last read, or now if it never was; null if there is none. */
  private Row known(String guid) {
    Guid named = new Guid(guid);
    if (!read.containsKey(named)) {
      var unused = read(guid);
    }
    return read.get(named);
  }

  @Override
  public String claimRead(int instance, String guid, State from) {
    Row row = known(guid);
    return row == null
        ? "none"
        : text(instance, instances[instance].claim(row, from, Samples.ACCOUNT, Samples.RELAY));
  }

  private String taken(int instance, Optional<Claim> claim) {
    claim.ifPresent(taken -> keep(instance, taken));
    return claim
        .map(taken -> Keeper.line("taken over", taken.request(), text(taken.row())))
        .orElse("left");
  }

  @Override
  public String adopt(int instance, String guid) {
    Row row = known(guid);
    return row == null ? "none" : taken(instance, instances[instance].adopt(row, Samples.RESOLVE));
  }

  @Override
  public String hold(int instance, String guid) {
    Row row = known(guid);
    return row == null ? "none" : taken(instance, instances[instance].hold(row, Samples.RESOLVE));
  }

  @Override
  public String settle(String guid, Ending ending, String told) {
    Guid named = new Guid(guid);
    Claim claim = claims.getOrDefault(named, closed.get(named));
    if (claim == null) {
      return "nobody's";
    }
    try {
      if (!claim.settle(ending.outcome(claim.row().guid()), told, "a note")) {
        return "too late";
      }
      settled.add(named);
      return "moved";
    } catch (IllegalStateException e) {
      return "illegal";
    }
  }

  @Override
  public String asked(String guid, State conclusion) {
    Guid named = new Guid(guid);
    Claim claim = claims.get(named);
    if (claim == null || claim.row().state() != State.UNKNOWN || settled.contains(named)) {
      return "nobody's";
    }
    claim.asked(conclusion, "asked");
    return "asked";
  }

  @Override
  public String close(String guid) {
    Guid named = new Guid(guid);
    Claim claim = claims.remove(named);
    if (claim == null) {
      return "nobody's";
    }
    claim.close();
    closed.put(named, claim);
    return "closed";
  }

  @Override
  public String die(String guid) {
    Guid named = new Guid(guid);
    if (claims.remove(named) == null) {
      return "nobody's";
    }
    bytes.free(named);
    return "dead";
  }

  @Override
  public String reopen(int instance) {
    for (Guid guid : List.copyOf(claims.keySet())) {
      if (owners.get(guid) == instance) {
        var unused = die(guid.value());
      }
    }
    instances[instance].close();
    instances[instance] = open();
    return "opened";
  }

  @Override
  public String purge(int instance, long doneBefore) {
    Ledger ledger = instances[instance];
    List<Row> rows = ledger.view().finished(null, doneBefore, LedgerView.MAX_PAGE, false);
    return "purged " + ledger.purge(rows, doneBefore);
  }

  @Override
  public String purgeRead(int instance, String guid, long doneBefore) {
    Row row = known(guid);
    return row == null ? "none" : "purged " + instances[instance].purge(List.of(row), doneBefore);
  }

  @Override
  public String forget(int instance, long finishedBefore) {
    return "forgot " + instances[instance].forget(finishedBefore, LedgerView.MAX_PAGE);
  }

  @Override
  public String changeMode(int instance, Settings.Mode mode) {
    instances[instance].changeMode(mode, Samples.RESOLVE, "a reason");
    return "changed";
  }

  @Override
  public String told(int instance, String guid, String code) {
    instances[instance].told(new Guid(guid), code);
    // It returns at once; what comes after it in the queue of this instance does not.
    int unused = instances[instance].forget(Long.MIN_VALUE, 1);
    return "told";
  }

  /** Whether somebody holds the byte of {@code guid}, as everybody can find out. */
  private boolean held(Guid guid) {
    if (bytes.take(guid)) {
      bytes.free(guid);
      return false;
    }
    return true;
  }

  @Override
  public List<String> everything() {
    List<String> all = new ArrayList<>();
    LedgerView view = instances[1].view();
    Settings settings = view.settings();
    all.add(Keeper.line(settings.mode(), settings.asksSince()));
    for (Guid guid : guids) {
      view.find(guid, true).ifPresent(row -> all.add(text(row)));
      view.tombstone(guid).ifPresent(stone -> all.add(text(stone)));
      if (held(guid)) {
        Claim claim = claims.get(guid);
        String by = claim == null ? " by nobody" : claim.stillMine() ? ", still to be sent" : "";
        all.add(guid.folded() + " held" + by);
      }
    }
    hand.rows(
            "SELECT seq, guid, attempt, event, from_state, to_state, code, actor, at, note"
                + " FROM journal ORDER BY id")
        .forEach(entry -> all.add(String.join(" ", entry).replace("'", "").replace("null", "-")));
    return all;
  }

  @Override
  public void close() {
    for (Guid guid : List.copyOf(claims.keySet())) {
      var unused = die(guid.value());
    }
    hand.close();
    for (Ledger ledger : instances) {
      ledger.close();
    }
  }
}
