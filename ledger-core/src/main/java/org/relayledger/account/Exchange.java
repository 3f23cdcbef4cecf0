package org.relayledger.account;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Outcome;

/**
 * One transfer on its way to the account system. It ends by itself, with a reply, a failure or its
 * total deadline, or because its owner ends it.
 *
 * <p>Once it has ended its connection is closed: not one more byte of the body is written. (What
 * the kernel has already taken may still arrive.)
 */
public final class Exchange {
  private final Gate gate;
  private final Executor threads;
  private final Connection connection;
  private final AtomicBoolean over = new AtomicBoolean();
  private final CompletableFuture<Outcome> ended = new CompletableFuture<>();

  /**
   * @param threads for what may block: the gate's check, and whoever waits for the end
   */
  Exchange(Guid guid, AccountOptions options, Gate gate, Executor threads) {
    this.gate = gate;
    this.threads = threads;
    this.connection =
        new Connection(
            options.maxReply(),
            answer -> threads.execute(() -> conclude(() -> Reading.reply(answer, guid, options))));
  }

  void open(HttpClient client, HttpRequest request) {
    connection.open(client, request);
  }

  /**
   * The request body, as the client asks for it: through the gate.
   *
   * @param wire the client's own thread, on which the bytes are handed out
   */
  HttpRequest.BodyPublisher body(int length, Executor wire) {
    return new HttpRequest.BodyPublisher() {
      @Override
      public long contentLength() {
        return length;
      }

      @Override
      public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        threads.execute(
            () -> {
              try {
                gate.open()
                    .map(HttpRequest.BodyPublishers::ofByteArray)
                    .ifPresentOrElse(
                        bytes -> wire.execute(() -> bytes.subscribe(subscriber)),
                        () -> end("right before it was sent, the claim was no longer certain"));
              } catch (RuntimeException e) {
                // Nobody else would hear of it, and wait until the exchange's deadline.
                end("internal failure at the gate");
              }
            });
      }
    };
  }

  /**
   * Waits for the end, at most so long; an interrupt ends the wait and stays set.
   *
   * @return what became of it, or empty if it has not ended
   */
  public Optional<Outcome> await(Duration atMost) {
    try {
      return Optional.of(ended.get(atMost.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * The channel waits no longer. If no byte of the body was handed out, none ever will be, and the
   * exchange ends. Otherwise it stays open for a late reply.
   *
   * @return what became of it, or empty if it stays open
   */
  public Optional<Outcome> giveUp(String why) {
    if (!gate.abort() && !over.get()) {
      return Optional.empty();
    }
    return Optional.of(end(why));
  }

  /**
   * Ends it for good: not sent if no byte of the body was handed out, else in doubt, unless it has
   * ended before.
   *
   * @param why what the outcome says, for example {@code no reply within 10s}
   */
  public Outcome end(String why) {
    conclude(() -> new Outcome.InDoubt(why, false));
    return ended.join();
  }

  /**
   * Completes when it has ended. What depends on it without an executor runs on a thread that
   * carries other exchanges, too, and must not block.
   */
  public CompletionStage<Outcome> ended() {
    return ended.minimalCompletionStage();
  }

  /** The first reason to end is the one that counts. */
  private void conclude(Supplier<Outcome> reading) {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    boolean neverOpened = gate.abort();
    connection.close();
    Outcome outcome = new Outcome.InDoubt("the reply could not be read", false);
    try {
      outcome = reading.get();
    } finally {
      if (neverOpened && outcome instanceof Outcome.InDoubt doubt) {
        outcome = new Outcome.NotSent(doubt.note());
      }
      ended.complete(outcome);
    }
  }
}
