package org.relayledger.account;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * One request and its answer, on a connection that serves nothing else: it is closed with the last
 * byte of the answer, so that nothing left over on it can pass for the answer to another request.
 */
final class Connection
    implements HttpResponse.BodyHandler<Void>, HttpResponse.BodySubscriber<Void> {
  private static final int MAX_WORDS = 200;
  private static final long CHUNKED = -1;

  private final int maxReply;
  private final Consumer<Answer> taker;
  private final AtomicBoolean taken = new AtomicBoolean();
  private final CompletableFuture<Void> read = new CompletableFuture<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  // Read by whatever thread brings the end.
  private volatile int status;
  private volatile HttpHeaders headers = Answer.NO_HEADERS;
  private volatile long length = CHUNKED;
  private boolean closed;
  private CompletableFuture<?> cutter;

  /**
   * @param taker gets the answer, whole or broken, once, when the connection is closed; must not
   *     block
   */
  Connection(int maxReply, Consumer<Answer> taker) {
    this.maxReply = maxReply;
    this.taker = taker;
  }

  /** Begins, unless it was closed before; waits for the name service, not for the network. */
  void open(HttpClient client, HttpRequest request) {
    try {
      // The client would look it up on its wire thread, and so hold up all the others.
      InetAddress.getAllByName(request.uri().getHost());
      start(client, request);
    } catch (IOException | RuntimeException e) {
      over(e);
    }
  }

  private synchronized void start(HttpClient client, HttpRequest request) {
    if (closed) {
      return;
    }
    CompletableFuture<HttpResponse<Void>> call = client.sendAsync(request, this);
    // Cancelling a future of the client closes its connection, but not once that future is done:
    // then bytes may still be waiting to go out, or the connection be on its way into the pool.
    // This one depends on the call and is never done.
    cutter = call.handle((done, failed) -> done).thenCompose(done -> new CompletableFuture<Void>());
    CompletableFuture<?> unused = call.whenComplete((done, failed) -> over(failed));
  }

  private void over(Throwable failed) {
    take(failed == null ? "the connection ended" : words(failed));
  }

  /**
   * When this returns the connection is closed or will never be opened: not one more byte of the
   * request is written.
   */
  synchronized void close() {
    closed = true;
    if (cutter != null) {
      cutter.cancel(true);
    }
  }

  @Override
  public HttpResponse.BodySubscriber<Void> apply(HttpResponse.ResponseInfo head) {
    status = head.statusCode();
    headers = head.headers();
    Optional<String> defect = Reading.defect(status, headers, maxReply);
    if (defect.isPresent()) {
      take(defect.get());
    } else {
      length = headers.firstValueAsLong("content-length").orElse(CHUNKED);
    }
    return this;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      if (body.size() + buffer.remaining() > maxReply) {
        take("HTTP " + status + " with more than " + maxReply + " bytes");
        return;
      }
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      body.writeBytes(bytes);
    }
    // Not left to onComplete: by then the client has put the connection into its pool, which only
    // the AccountSystem's single wire thread makes harmless.
    if (body.size() == length) {
      take(null);
    }
  }

  @Override
  public void onError(Throwable failed) {
    over(failed);
  }

  @Override
  public void onComplete() {
    take(length == CHUNKED ? null : "HTTP " + status + ", cut off");
  }

  @Override
  public CompletionStage<Void> getBody() {
    return read;
  }

  private void take(String broken) {
    if (taken.compareAndSet(false, true)) {
      Answer answer = new Answer(status, headers, body.toByteArray(), broken);
      close();
      read.complete(null);
      taker.accept(answer);
    }
  }

  /** In plain words how a call failed. They say nothing about what was sent: only the gate does. */
  static String words(Throwable failed) {
    List<Throwable> causes = Stream.iterate(failed, t -> t != null, Throwable::getCause).toList();
    for (Throwable cause : causes) {
      if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
        return "its host name was not resolved";
      }
      if (cause instanceof HttpConnectTimeoutException) {
        return "connecting timed out";
      }
      if (cause instanceof SSLException) {
        return "TLS failed" + detail(cause);
      }
      if (cause instanceof EOFException) {
        return "it closed the connection without a whole reply";
      }
      if (cause instanceof ProtocolException) {
        return "it answered with malformed HTTP" + detail(cause);
      }
    }
    for (Throwable cause : causes) {
      if (cause instanceof ConnectException) {
        return "no connection" + detail(cause);
      }
    }
    return "the connection broke" + detail(causes.get(causes.size() - 1));
  }

  /** The first line of what the JDK says, without the names of its classes. */
  private static String detail(Throwable cause) {
    String text = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    text = text.replaceAll("\\b([a-z]\\w*\\.)+[A-Z]\\w*(: )?", "");
    text = text.replaceAll("[^ -~]", "?").strip();
    if (cause.getMessage() == null || text.isEmpty()) {
      return "";
    }
    return ": " + (text.length() > MAX_WORDS ? text.substring(0, MAX_WORDS) : text);
  }
}
