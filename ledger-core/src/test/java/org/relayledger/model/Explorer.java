package org.relayledger.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Visits every world that can be reached, the nearest first: a counter-example is a shortest one.
 */
final class Explorer {
  /**
   * What was found.
   *
   * @param worlds how many different worlds were visited
   * @param wrong what is wrong in the last of them, or null
   * @param path the steps to it
   */
  record Result(int worlds, String wrong, List<String> path) {
    @Override
    public String toString() {
      return wrong == null
          ? worlds + " worlds, all of them safe"
          : wrong + " after " + path.size() + " steps:\n  " + String.join("\n  ", path);
    }
  }

  /** Hears of every step that is taken. */
  interface Listener {
    void taken(World before, World after);
  }

  private final Protocol protocol;
  private final boolean alike;
  private final Worlds worlds = new Worlds();

  /**
   * @param alike whether worlds that differ only in which GUID or which sender is called the first
   *     count as one: there are fewer of them, and a path tells less
   */
  Explorer(Protocol protocol, boolean alike) {
    this.protocol = protocol;
    this.alike = alike;
  }

  /** Explores until something is wrong, or to the end. */
  Result explore(Listener listener) {
    add(new World(protocol.size()), -1);
    for (int at = 0; at < worlds.count(); at++) {
      World world = world(at);
      for (Protocol.Step step : protocol.steps(world)) {
        listener.taken(world, step.next());
        if (add(step.next(), at)) {
          String wrong = Protocol.wrong(step.next());
          if (wrong != null) {
            return new Result(worlds.count(), wrong, path());
          }
        }
      }
    }
    return new Result(worlds.count(), null, List.of());
  }

  private long[] numbers(World world) {
    return alike ? world.canonical() : world.packed();
  }

  private boolean add(World world, int from) {
    long[] numbers = numbers(world);
    return worlds.add(numbers[0], numbers[1], from);
  }

  private World world(int index) {
    return World.of(protocol.size(), worlds.first(index), worlds.second(index));
  }

  /** The steps to the world that was added last. */
  private List<String> path() {
    List<String> path = new ArrayList<>();
    for (int at = worlds.count() - 1; worlds.before(at) >= 0; at = worlds.before(at)) {
      path.add(0, step(worlds.before(at), at));
    }
    return path;
  }

  private String step(int from, int to) {
    for (Protocol.Step step : protocol.steps(world(from))) {
      long[] numbers = numbers(step.next());
      if (numbers[0] == worlds.first(to) && numbers[1] == worlds.second(to)) {
        return step.what();
      }
    }
    throw new IllegalStateException("a world that cannot be reached");
  }
}
