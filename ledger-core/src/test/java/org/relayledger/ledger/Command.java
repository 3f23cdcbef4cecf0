package org.relayledger.ledger;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;
import org.relayledger.testing.SteppedClock;

/** One act at a ledger, which any keeper can do; its text shows it in a sequence that fails. */
record Command(String text, Function<Keeper, String> act) {
  private static final Duration MOMENT = Duration.ofMillis(1);
  private static final Arbitrary<Integer> INSTANCES = Arbitraries.of(0, 1);
  private static final Arbitrary<String> GUIDS =
      Arbitraries.frequency(
          Tuple.of(8, "abc"),
          Tuple.of(4, "ABC"),
          Tuple.of(1, "x-i"),
          Tuple.of(1, "X-I"),
          Tuple.of(1, "q"));
  private static final Arbitrary<Keeper.Ending> ENDINGS =
      Arbitraries.frequency(
          Tuple.of(4, Keeper.Ending.DONE),
          Tuple.of(2, Keeper.Ending.OPEN),
          Tuple.of(1, Keeper.Ending.DOUBT),
          Tuple.of(3, Keeper.Ending.NOT_SENT));
  private static final Arbitrary<State> VERDICTS =
      Arbitraries.of(State.UNKNOWN, State.DONE, State.FAILED);
  private static final Arbitrary<Boolean> KILLS =
      Arbitraries.frequency(Tuple.of(2, false), Tuple.of(1, true));
  private static final Arbitrary<Duration> SPANS =
      Arbitraries.of(1, 60_000, 600_000, 86_400_000).map(Duration::ofMillis);

  /** All GUIDs of these commands. */
  static final List<Guid> ALL_GUIDS = List.of(new Guid("abc"), new Guid("x-i"), new Guid("q"));

  /** Any sequence. */
  static Arbitrary<List<Command>> sequences() {
    return Arbitraries.frequencyOf(
            Tuple.of(6, claims()),
            Tuple.of(8, relays()),
            Tuple.of(2, looks()),
            Tuple.of(3, intakes()),
            Tuple.of(2, reads()),
            Tuple.of(6, claimsOfRead()),
            Tuple.of(4, takeOvers()),
            Tuple.of(5, resolutions()),
            Tuple.of(8, settlements()),
            Tuple.of(2, inquiries()),
            Tuple.of(5, ends()),
            Tuple.of(1, reopenings()),
            Tuple.of(5, purges()),
            Tuple.of(2, modes()),
            Tuple.of(1, tellings()),
            Tuple.of(2, times()))
        .list()
        .ofMinSize(1)
        .ofMaxSize(60)
        .withSizeDistribution(RandomDistribution.uniform());
  }

  private static Arbitrary<Keeper.Arrival> arrivals() {
    Arbitrary<String> channels =
        Arbitraries.frequency(Tuple.of(12, ""), Tuple.of(2, "atm"), Tuple.of(1, "web"))
            .map(channel -> channel.isEmpty() ? null : channel);
    Arbitrary<Keeper.Wish> wishes =
        Arbitraries.frequency(
            Tuple.of(8, Keeper.Wish.ONE),
            Tuple.of(3, Keeper.Wish.ONE_RESPELLED),
            Tuple.of(1, Keeper.Wish.ANOTHER));
    return Combinators.combine(GUIDS, channels, wishes).as(Keeper.Arrival::new);
  }

  private static Arbitrary<Command> claims() {
    return Combinators.combine(INSTANCES, arrivals())
        .as((i, a) -> new Command("claim " + a + " in " + i, keeper -> keeper.claim(i, a)));
  }

  private static Arbitrary<Command> relays() {
    return Combinators.combine(INSTANCES, arrivals(), ENDINGS, KILLS)
        .as(
            (i, a, ending, killed) ->
                new Command(
                    "claim, settle " + ending + end(killed) + a + " in " + i,
                    keeper -> {
                      String taken = keeper.claim(i, a);
                      return taken.startsWith("Won")
                          ? taken
                              + keeper.settle(a.guid(), ending, null)
                              + end(keeper, a.guid(), killed)
                          : taken;
                    }));
  }

  private static String end(boolean killed) {
    return killed ? " and kill the owner of " : " and close ";
  }

  private static String end(Keeper keeper, String guid, boolean killed) {
    return killed ? keeper.die(guid) : keeper.close(guid);
  }

  private static Arbitrary<Command> looks() {
    return Combinators.combine(INSTANCES, arrivals())
        .as((i, a) -> new Command("look " + a + " in " + i, keeper -> keeper.look(i, a)));
  }

  private static Arbitrary<Command> intakes() {
    return Combinators.combine(INSTANCES, arrivals().list().ofMinSize(1).ofMaxSize(3))
        .as((i, a) -> new Command("receive " + a + " in " + i, keeper -> keeper.receive(i, a)));
  }

  private static Arbitrary<Command> reads() {
    return GUIDS.map(guid -> new Command("read " + guid, keeper -> keeper.read(guid)));
  }

  private static Arbitrary<Command> claimsOfRead() {
    return Combinators.combine(INSTANCES, GUIDS, Arbitraries.of(State.FAILED, State.RECEIVED))
        .as(
            (i, guid, from) ->
                new Command(
                    "claim " + guid + " as read, " + from + ", in " + i,
                    keeper -> keeper.claimRead(i, guid, from)));
  }

  private static Arbitrary<Command> takeOvers() {
    return Combinators.combine(INSTANCES, GUIDS, Arbitraries.of(true, false))
        .as(
            (i, guid, adopt) ->
                new Command(
                    (adopt ? "adopt " : "hold ") + guid + " in " + i,
                    keeper -> adopt ? keeper.adopt(i, guid) : keeper.hold(i, guid)));
  }

  private static Arbitrary<Command> resolutions() {
    Arbitrary<Command> asking =
        Combinators.combine(INSTANCES, GUIDS, VERDICTS, ENDINGS)
            .as(
                (i, guid, verdict, ending) ->
                    new Command(
                        "adopt, asked: "
                            + verdict
                            + ", settle "
                            + ending
                            + " and close "
                            + guid
                            + " in "
                            + i,
                        keeper -> {
                          String taken = keeper.adopt(i, guid);
                          return taken.startsWith("taken")
                              ? taken
                                  + asked(keeper, guid, verdict)
                                  + keeper.settle(guid, ending, null)
                                  + keeper.close(guid)
                              : taken;
                        }));
    Arbitrary<Command> byHand =
        Combinators.combine(INSTANCES, GUIDS, ENDINGS)
            .as(
                (i, guid, ending) ->
                    new Command(
                        "hold, settle " + ending + " and close " + guid + " in " + i,
                        keeper -> {
                          String taken = keeper.hold(i, guid);
                          return taken.startsWith("taken")
                              ? taken + keeper.settle(guid, ending, null) + keeper.close(guid)
                              : taken;
                        }));
    return Arbitraries.oneOf(asking, byHand);
  }

  /** Notes an inquiry; a verdict of UNKNOWN is none. */
  private static String asked(Keeper keeper, String guid, State verdict) {
    return keeper.asked(guid, verdict == State.UNKNOWN ? null : verdict);
  }

  private static Arbitrary<Command> settlements() {
    return Combinators.combine(GUIDS, ENDINGS, Arbitraries.of("E901", "0000", "none"))
        .as(
            (guid, ending, told) ->
                new Command(
                    "settle " + guid + " " + ending + ", told " + told,
                    keeper -> keeper.settle(guid, ending, told.equals("none") ? null : told)));
  }

  private static Arbitrary<Command> inquiries() {
    return Combinators.combine(GUIDS, VERDICTS)
        .as(
            (guid, verdict) ->
                new Command(
                    "asked about " + guid + ": " + verdict,
                    keeper -> asked(keeper, guid, verdict)));
  }

  private static Arbitrary<Command> ends() {
    return Combinators.combine(GUIDS, KILLS)
        .as(
            (guid, killed) ->
                new Command(
                    killed ? "kill the owner of " + guid : "close " + guid,
                    keeper -> end(keeper, guid, killed)));
  }

  private static Arbitrary<Command> reopenings() {
    return INSTANCES.map(i -> new Command("reopen " + i, keeper -> keeper.reopen(i)));
  }

  private static Arbitrary<Command> purges() {
    Arbitrary<Duration> ages = Arbitraries.of(1, 1, 60_000, -1).map(Duration::ofMillis);
    Arbitrary<Command> all =
        Combinators.combine(INSTANCES, ages)
            .as(
                (i, age) ->
                    new Command(
                        "purge before " + age + " in " + i,
                        keeper -> keeper.purge(i, before(keeper, age))));
    Arbitrary<Command> read =
        Combinators.combine(INSTANCES, GUIDS, ages)
            .as(
                (i, guid, age) ->
                    new Command(
                        "purge " + guid + " as read, before " + age + " in " + i,
                        keeper -> keeper.purgeRead(i, guid, before(keeper, age))));
    Arbitrary<Command> forgotten =
        Combinators.combine(INSTANCES, ages)
            .as(
                (i, age) ->
                    new Command(
                        "forget before " + age + " in " + i,
                        keeper -> keeper.forget(i, before(keeper, age))));
    return Arbitraries.oneOf(all, read, forgotten);
  }

  private static long before(Keeper keeper, Duration age) {
    return keeper.clock().millis() - age.toMillis();
  }

  private static Arbitrary<Command> modes() {
    Arbitrary<Settings.Mode> modes =
        Arbitraries.frequency(
            Tuple.of(4, Settings.Mode.NORMAL),
            Tuple.of(2, Settings.Mode.ASK_FIRST),
            Tuple.of(1, Settings.Mode.HOLD));
    return Combinators.combine(INSTANCES, modes)
        .as((i, m) -> new Command("mode " + m + " in " + i, keeper -> keeper.changeMode(i, m)));
  }

  private static Arbitrary<Command> tellings() {
    return Combinators.combine(INSTANCES, GUIDS, Arbitraries.of("E901", "E903", "0000"))
        .as(
            (i, guid, code) ->
                new Command(
                    "told " + guid + " " + code + " in " + i,
                    keeper -> keeper.told(i, guid, code)));
  }

  private static Arbitrary<Command> times() {
    Arbitrary<Command> passing =
        SPANS.map(span -> clock("pass " + span, clock -> clock.advance(span)));
    Arbitrary<Command> stepping =
        Combinators.combine(SPANS, Arbitraries.of(1, -1))
            .as((span, sign) -> span.multipliedBy(sign))
            .map(by -> clock("step the clock by " + by, clock -> clock.step(by)));
    Arbitrary<Command> reboots =
        SPANS.map(
            span ->
                new Command(
                    "host down for " + span,
                    keeper -> {
                      keeper.clock().reboot(span);
                      return keeper.reopen(0) + keeper.reopen(1);
                    }));
    return Arbitraries.frequencyOf(
        Tuple.of(4, passing), Tuple.of(1, stepping), Tuple.of(1, reboots));
  }

  private static Command clock(String text, Consumer<SteppedClock> change) {
    return new Command(
        text,
        keeper -> {
          change.accept(keeper.clock());
          return "";
        });
  }

  /** What {@code keeper} says to it, a moment after the act before. */
  String at(Keeper keeper) {
    keeper.clock().advance(MOMENT);
    return act.apply(keeper);
  }

  @Override
  public String toString() {
    return text;
  }
}
