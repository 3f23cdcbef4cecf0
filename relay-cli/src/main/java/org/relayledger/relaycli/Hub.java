package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.MinimumDataRateHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Reply;
import org.relayledger.relay.Answer;
import org.relayledger.relay.Intake;
import org.relayledger.relay.Problem;
import org.relayledger.relay.Relay;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The relay over HTTP. Bodies are read without a thread; a request whose body is whole gets a
 * thread of its own, of which there are as many as exchanges may be open and some more, so that
 * replays never wait for a sender.
 */
final class Hub {
  private static final Logger LOG = LoggerFactory.getLogger("org.relayledger.hub");

  private static final String INTERNAL_FAILURE =
      "internal failure; whether it was sent is unknown; ask again later";
  private static final String NOT_WHOLE = "no whole HTTP request; nothing was sent";
  private static final int MAX_HEADER_BYTES = 16 * 1024;
  private static final int MAX_CONNECTIONS = 4_096;
  private static final int MAX_JETTY_THREADS = 16;
  private static final int SPARE_THREADS = 64;
  private static final int BACKLOG = 1_024;
  private static final long LAST_ANSWERS_MILLIS = 2_000;
  private static final long MIN_BYTES_PER_SECOND = 64;

  /**
   * What bounds a hub.
   *
   * @param maxInFlight how many exchanges may be open at once
   * @param idle how long a client may let the hub wait for its next bytes
   */
  record Limits(int maxInFlight, Duration idle) {}

  /**
   * How channels are told apart.
   *
   * @param fixed the channel of all requests, or null
   * @param header the header that names it, which goes first
   */
  record Channels(String fixed, Optional<String> header) {}

  private final Relay relay;
  private final Intake intake;
  private final Channels channels;
  private final String path;
  private final Metrics metrics;
  private final Server server;
  private final ServerConnector connector;
  private final ThreadPoolExecutor senders;

  Hub(Relay relay, Intake intake, Channels channels, String path, Limits limits) {
    this.relay = relay;
    this.intake = intake;
    this.channels = channels;
    this.path = path;
    this.metrics = new Metrics(relay);
    this.senders =
        new ThreadPoolExecutor(
            0,
            limits.maxInFlight + SPARE_THREADS,
            1,
            TimeUnit.MINUTES,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "relay");
              thread.setDaemon(true);
              return thread;
            });
    QueuedThreadPool pool = new QueuedThreadPool(MAX_JETTY_THREADS);
    pool.setName("hub");
    pool.setDaemon(true);
    server = new Server(pool);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(true);
    http.setRequestHeaderSize(MAX_HEADER_BYTES);
    http.setIdleTimeout(limits.idle.toMillis());
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setIdleTimeout(limits.idle.toMillis());
    connector.setAcceptQueueSize(BACKLOG);
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(MAX_CONNECTIONS, server));
    server.setHandler(new MinimumDataRateHandler(new Entrance(), MIN_BYTES_PER_SECOND, 0));
    server.setErrorHandler(this::answerError);
  }

  void start(InetSocketAddress listen) {
    connector.setHost(listen.getHostString());
    connector.setPort(listen.getPort());
    try {
      server.start();
    } catch (Exception e) {
      throw new Failure(
          Exit.USAGE, "cannot listen on " + listen.getHostString() + ":" + listen.getPort(), e);
    }
  }

  String url() {
    String host = connector.getHost();
    return "http://"
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + connector.getLocalPort()
        + path;
  }

  /** No new connection is taken; those that are open are still answered. */
  void stopAccepting() {
    connector.close();
  }

  /** Lets the last answers out, then closes every connection. */
  void stop() {
    senders.shutdown();
    try {
      if (!senders.awaitTermination(LAST_ANSWERS_MILLIS, TimeUnit.MILLISECONDS)) {
        LOG.warn("the hub stops before all requests are answered");
      }
      server.stop();
    } catch (Exception e) {
      LOG.warn("the hub did not stop cleanly: {}", e.getMessage());
    }
  }

  private final class Entrance extends Handler.Abstract.NonBlocking {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      String asked = request.getHttpURI().getPath();
      boolean get = HttpMethod.GET.is(request.getMethod());
      if (asked.equals(path)) {
        if (HttpMethod.POST.is(request.getMethod())) {
          take(request, response, callback);
        } else {
          response.getHeaders().put(HttpHeader.ALLOW, HttpMethod.POST.asString());
          answer(malformed(405, "transfers are posted; nothing was sent"), response, callback);
        }
      } else if (asked.equals("/healthz") && get) {
        boolean well = relay.isWell();
        text(well ? 200 : 503, well ? "ok\n" : "stopping\n", response, callback);
      } else if (asked.equals("/metrics") && get) {
        text(200, metrics.text(), response, callback);
      } else {
        answer(malformed(404, "no such path here; nothing was sent"), response, callback);
      }
      return true;
    }
  }

  /** What Jetty would answer by itself: to what is no HTTP request, or is not one to its end. */
  private boolean answerError(Request request, Response response, Callback callback) {
    int status = response.getStatus();
    Answer answer =
        status < 500
            ? malformed(status, NOT_WHOLE)
            : Answer.Refused.of(Problem.E901, null, INTERNAL_FAILURE);
    answer(answer, response, callback);
    return true;
  }

  private static Answer malformed(int status, String detail) {
    return new Answer.Refused(Problem.E905, null, status, Problem.Retry.NEVER, detail);
  }

  private void take(Request request, Response response, Callback callback) {
    if (request.getLength() > Intake.MAX_BODY) {
      answer(Intake.tooLarge(), response, callback);
      return;
    }
    Content.Source.asByteArrayAsync(
        request,
        Intake.MAX_BODY,
        Promise.Invocable.from(
            InvocationType.NON_BLOCKING,
            (body, failure) -> {
              if (failure == null) {
                queue(request, body, response, callback);
              } else if (failure instanceof IllegalStateException) {
                answer(Intake.tooLarge(), response, callback);
              } else {
                // The channel has gone, or was too slow; it is told if it still listens.
                int status = failure instanceof HttpException http ? http.getCode() : 408;
                answer(malformed(status, NOT_WHOLE), response, callback);
              }
            }));
  }

  private void queue(Request request, byte[] body, Response response, Callback callback) {
    try {
      senders.execute(() -> answer(relay(request, body), response, callback));
    } catch (RejectedExecutionException e) {
      answer(
          Answer.Refused.of(
              Problem.E907, null, "too many requests at once; nothing was claimed; send it again"),
          response,
          callback);
    }
  }

  private Answer relay(Request request, byte[] body) {
    Guid guid = null;
    try {
      List<String> keys = request.getHeaders().getValuesList("Idempotency-Key");
      String channel =
          channels.header().map(name -> request.getHeaders().get(name)).orElse(channels.fixed());
      Intake.Arrival arrival =
          intake.read(keys, channel, request.getHeaders().get(HttpHeader.CONTENT_TYPE), body);
      if (!(arrival instanceof Intake.Arrival.Accepted accepted)) {
        return ((Intake.Arrival.Rejected) arrival).answer();
      }
      guid = accepted.request().guid();
      return relay.relay(accepted.request());
    } catch (RuntimeException | Error e) {
      LOG.error("{}: internal failure; it counts as sent (-v shows where)", guid);
      LOG.debug("where it happened", e);
      return Answer.Refused.of(Problem.E901, guid, INTERNAL_FAILURE);
    }
  }

  private void answer(Answer answer, Response response, Callback callback) {
    metrics.count(answer);
    Reply reply = answer.reply();
    response.setStatus(reply.httpStatus());
    if (reply.contentType() != null) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.contentType());
    }
    if (answer instanceof Answer.Definite definite) {
      LOG.info("{} DONE {}", definite.guid(), definite.code());
      if (definite.replayed()) {
        response.getHeaders().put(new HttpField("Idempotent-Replayed", "true"));
      }
    } else if (answer instanceof Answer.Refused refused) {
      LOG.warn("{}: {}", refused.problem(), refused.detail());
      int seconds = refused.problem().retryAfterSeconds();
      if (seconds > 0) {
        response.getHeaders().put(HttpHeader.RETRY_AFTER, seconds);
      }
    }
    response.write(true, ByteBuffer.wrap(reply.body()), callback);
  }

  private static void text(int status, String text, Response response, Callback callback) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain; charset=utf-8");
    response.write(true, ByteBuffer.wrap(text.getBytes(UTF_8)), callback);
  }
}
