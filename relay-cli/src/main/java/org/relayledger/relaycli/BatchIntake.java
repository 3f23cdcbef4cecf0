package org.relayledger.relaycli;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.ledger.Ledger;
import org.relayledger.relay.Intake;

/**
 * Makes requests of a batch's lines, in a thread of its own: a little ahead of whoever takes them,
 * who is not stuck when the stream is.
 */
final class BatchIntake {
  /** The most bytes of bodies in one chunk, give or take one body. */
  private static final long MAX_CHUNK = 4 << 20;

  private static final int CHUNKS_AHEAD = 2;
  private static final long POLL_MILLIS = 100;
  private static final String CONTENT_TYPE = "application/json";

  /** What became of one line; blank ones are left out. */
  record Arrived(long line, Intake.Arrival arrival) {}

  /**
   * Up to {@link Ledger#MAX_INTAKE} lines.
   *
   * @param last why no more follow, or null if some may
   */
  private record Chunk(List<Arrived> lines, End last) {}

  /**
   * The end of the stream.
   *
   * @param failure null if it was whole
   */
  private record End(IOException failure) {}

  private final InputStream in;
  private final Lines lines;
  private final Intake intake;
  private final String channel;
  private final BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(CHUNKS_AHEAD);
  private final Thread reader = new Thread(this::read, "batch-reader");
  private End end;
  private volatile boolean stopped;

  /**
   * Begins to read {@code in}, which it closes at its end.
   *
   * @param channel the channel of all its requests, or null
   */
  BatchIntake(InputStream in, Intake intake, String channel) {
    this.in = in;
    this.lines = new Lines(in, Intake.MAX_BODY);
    this.intake = intake;
    this.channel = channel;
    reader.setDaemon(true);
    reader.start();
  }

  /** From now on {@link #next} gives nothing; from any thread. */
  void stop() {
    stopped = true;
  }

  /** Whether the end of the stream has not been seen. */
  boolean mayHaveMore() {
    return end == null;
  }

  /**
   * The next lines, at most {@link Ledger#MAX_INTAKE}, or none after the last.
   *
   * @throws Failure if the stream broke
   */
  List<Arrived> next() throws InterruptedException {
    if (end != null) {
      return List.of();
    }
    Chunk chunk = null;
    while (chunk == null) {
      if (stopped) {
        return List.of();
      }
      chunk = chunks.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
    }
    end = chunk.last;
    if (end != null && end.failure != null) {
      throw new Failure(
          Exit.INTERNAL,
          "the requests could not be read to their end: "
              + Failure.reason(end.failure)
              + "; what was taken in stays, nothing was sent; run the same batch again",
          end.failure);
    }
    return chunk.lines.isEmpty() && end == null ? next() : chunk.lines;
  }

  private void read() {
    End last = null;
    try (in) {
      while (last == null && !stopped) {
        List<Arrived> chunk = new ArrayList<>();
        long bytes = 0;
        while (last == null && chunk.size() < Ledger.MAX_INTAKE && bytes < MAX_CHUNK) {
          Lines.Line line = lines.next();
          if (line == null) {
            last = new End(null);
          } else if (!line.isBlank()) {
            chunk.add(new Arrived(line.number(), arrival(line)));
            bytes += line.bytes() == null ? 0 : line.bytes().length;
          }
        }
        chunks.put(new Chunk(chunk, last));
      }
    } catch (IOException e) {
      putLast(new End(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      putLast(new End(new IOException(e)));
      throw e;
    }
  }

  private void putLast(End last) {
    try {
      chunks.put(new Chunk(List.of(), last));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Intake.Arrival arrival(Lines.Line line) {
    return line.bytes() == null
        ? new Intake.Arrival.Rejected(Intake.tooLarge())
        : intake.read(List.of(), channel, CONTENT_TYPE, line.bytes());
  }
}
