package org.relayledger.relaycli;

import java.io.IOException;
import java.util.Arrays;
import java.util.function.Consumer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;

/**
 * The body of one request, read without a thread as it comes: it takes about as much memory as has
 * come of it, and beyond its first bytes only where there is room.
 */
final class HubBody implements Invocable.Task {
  /** What each body may take, however little room there is; most transfers are smaller. */
  static final int ALWAYS = 4_096;

  /** What became of it; told once. */
  sealed interface End {
    /** It is there. */
    record Whole(byte[] bytes) implements End {}

    /** It has more bytes than the most. */
    record TooLarge() implements End {}

    /** There is no room for it. */
    record NoRoom() implements End {}

    /** It did not come to its end. */
    record Broken(Throwable failure) implements End {}
  }

  private final Request request;
  private final int most;
  private final HubRoom room;
  private final Consumer<End> taker;
  private byte[] bytes;
  private int count;
  private long taken;
  private boolean noRoom;
  private boolean over;

  /**
   * Reads nothing yet.
   *
   * @param most the largest body, in bytes
   * @param taker gets the end of it; what was taken of the room is freed by {@link #forget}
   */
  HubBody(Request request, int most, HubRoom room, Consumer<End> taker) {
    this.request = request;
    this.most = most;
    this.room = room;
    this.taker = taker;
    this.bytes = new byte[(int) Math.max(0, Math.min(ALWAYS, request.getLength()))];
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  /** Reads what is there, and again when there is more. */
  @Override
  public void run() {
    End end = read();
    if (end != null) {
      end(end);
    }
  }

  /** Ends it, unless it has ended. */
  void end(End end) {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
    }
    taker.accept(end);
  }

  private synchronized End read() {
    while (!over) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this);
        return null;
      }
      if (Content.Chunk.isFailure(chunk)) {
        return new End.Broken(chunk.getFailure());
      }
      count += chunk.remaining();
      boolean tooLarge = count > most;
      noRoom = noRoom || tooLarge || !grow();
      if (noRoom) {
        // What nobody keeps is read all the same: a client that still sends would not hear why.
        free();
      } else {
        chunk.getByteBuffer().get(bytes, count - chunk.remaining(), chunk.remaining());
      }
      boolean last = chunk.isLast();
      chunk.release();
      if (tooLarge) {
        return new End.TooLarge();
      }
      if (last) {
        return noRoom
            ? new End.NoRoom()
            : new End.Whole(count == bytes.length ? bytes : Arrays.copyOf(bytes, count));
      }
    }
    return null;
  }

  /** Makes room for as many bytes as have come, if there is any. */
  private boolean grow() {
    if (count <= bytes.length) {
      return true;
    }
    int length = Math.min(most, Math.max(count, Math.max(ALWAYS, 2 * bytes.length)));
    long more = Math.max(0, length - ALWAYS) - taken;
    if (!room.take(more)) {
      return false;
    }
    taken += more;
    bytes = Arrays.copyOf(bytes, length);
    return true;
  }

  /** Nobody needs it any more. */
  synchronized void forget() {
    over = true;
    free();
  }

  private void free() {
    room.free(taken);
    taken = 0;
    bytes = new byte[0];
  }

  /** The end of a client that took too long. */
  static End tooSlow() {
    return new End.Broken(new IOException("too slow"));
  }
}
