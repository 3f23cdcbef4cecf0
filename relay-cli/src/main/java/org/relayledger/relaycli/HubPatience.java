package org.relayledger.relaycli;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * How long a client may take for what is its turn, in all: to bring a request's head, then its
 * body, then to take the answer. A byte now and then does not win it more time.
 */
final class HubPatience implements Connection.Listener {
  private final Scheduler scheduler;
  private final Duration turn;
  private final Map<Connection, Scheduler.Task> turns = new ConcurrentHashMap<>();

  /** Gives each client {@code turn} at a time. */
  HubPatience(Scheduler scheduler, Duration turn) {
    this.scheduler = scheduler;
    this.turn = turn;
  }

  @Override
  public void onOpened(Connection connection) {
    give(connection);
  }

  @Override
  public void onClosed(Connection connection) {
    end(connection);
  }

  /** The client's turn begins; if it does not end in time, the connection is closed. */
  void give(Connection connection) {
    give(connection, () -> connection.getEndPoint().close());
  }

  /** The client's turn begins; if it does not end in time, {@code late} is done. */
  void give(Connection connection, Runnable late) {
    Scheduler.Task task = scheduler.schedule(late, turn);
    Scheduler.Task before = turns.put(connection, task);
    if (before != null) {
      before.cancel();
    }
    if (!connection.getEndPoint().isOpen()) {
      end(connection); // it was closed meanwhile, and nobody will say so again
    }
  }

  /** It is ours. */
  void end(Connection connection) {
    Scheduler.Task task = turns.remove(connection);
    if (task != null) {
      task.cancel();
    }
  }
}
