package org.relayledger.schedule;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.relayledger.schedule.Schedules.GiveUp;
import org.relayledger.schedule.Schedules.Go;
import org.relayledger.schedule.Schedules.Leap;
import org.relayledger.schedule.Schedules.Move;
import org.relayledger.schedule.Schedules.Tidy;

/** Every two deeds, at every beginning: one stops at each of its steps while the other is done. */
final class Pairs {
  /**
   * Two deeds and where they begin.
   *
   * @param tidied whether then, while the first one still stands, much time goes by and the tools
   *     do all they can
   */
  private record Pair(Beginning beginning, boolean aged, boolean tidied, Deed first, Deed second) {}

  private static final List<Pair> ALL = every();

  /** How many there are. */
  static final int COUNT = ALL.size();

  private Pairs() {}

  private static List<Pair> every() {
    List<Pair> all = new ArrayList<>();
    for (Beginning beginning : Beginning.values()) {
      for (Deed first : Deed.values()) {
        for (Deed second : Deed.values()) {
          all.add(new Pair(beginning, false, false, first, second));
          all.add(new Pair(beginning, false, true, first, second));
          if (beginning.sent) {
            all.add(new Pair(beginning, true, false, first, second));
          }
        }
      }
    }
    // So that some of them are some of everything.
    Collections.shuffle(all, new Random(1));
    return all;
  }

  /**
   * Runs the pairs from number {@code from} up to {@code to}, once for each of the first one's
   * steps.
   *
   * @return how many schedules that was
   */
  static int run(Schedules schedules, int from, int to) {
    int count = 0;
    for (int i = from; i < to; i++) {
      Pair pair = ALL.get(i);
      Schedules.Plan plan =
          new Schedules.Plan(pair.beginning, pair.aged, false, List.of(pair.first, pair.second));
      boolean more = true;
      for (int stops = 1; more; stops++) {
        Interruption choice = new Interruption(stops, pair.tidied);
        schedules.run("pair-" + i + "-" + stops, plan, choice);
        more = choice.left == 0;
        count++;
      }
    }
    return count;
  }

  /** The first goes so many moves, then the second goes as far as it can. */
  private static final class Interruption implements Schedules.Choice {
    private int left;
    private boolean interrupted;
    private final Deque<Class<? extends Move>> then = new ArrayDeque<>();

    Interruption(int moves, boolean tidied) {
      this.left = moves;
      if (tidied) {
        then.addAll(List.of(Leap.class, Tidy.class));
      }
    }

    @Override
    public Optional<Move> next(List<Move> possible) {
      if (!interrupted && left > 0) {
        Optional<Move> first = of("A", possible);
        if (first.isPresent()) {
          left--;
          return first;
        }
      }
      interrupted = true;
      Optional<Move> second = of("B", possible);
      return second.isPresent() || then.isEmpty()
          ? second
          : possible.stream().filter(then.remove()::isInstance).findFirst();
    }

    /** A move of the program of that name; its caller gives up only when nothing else is left. */
    private static Optional<Move> of(String name, List<Move> possible) {
      return possible.stream()
          .filter(
              move ->
                  (move instanceof Go go && go.program().toString().equals(name))
                      || (move instanceof GiveUp giveUp
                          && giveUp.program().toString().equals(name)))
          .findFirst();
    }
  }
}
