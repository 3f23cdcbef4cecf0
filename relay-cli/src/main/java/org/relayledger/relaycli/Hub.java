package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
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

  /** Connections beside those whose exchanges are open; more wait until one is closed. */
  private static final int SPARE_CONNECTIONS = 4_096;

  /** What of the files that this process may open is kept for the ledger and the JVM. */
  private static final int SPARE_FILES = 128;

  /** The part of the heap that bodies may fill. */
  private static final int BODIES_PART = 4;

  private static final int MAX_JETTY_THREADS = 16;
  private static final int SPARE_THREADS = 64;
  private static final int BACKLOG = 1_024;
  private static final long LAST_ANSWERS_MILLIS = 2_000;
  private static final String CALLED = "called";

  /**
   * What bounds a hub.
   *
   * @param maxInFlight how many exchanges may be open at once
   * @param idle how long a client may let the hub wait for its next bytes
   * @param turn how long a client may take for a whole head, body or answer
   */
  record Limits(int maxInFlight, Duration idle, Duration turn) {}

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
  private final HubPatience patience;
  private final HubRoom room = new HubRoom(Runtime.getRuntime().maxMemory() / BODIES_PART);

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
    // What two readers could understand differently is refused.
    http.setHttpCompliance(HttpCompliance.STRICT);
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setIdleTimeout(limits.idle.toMillis());
    connector.setAcceptQueueSize(BACKLOG);
    server.addConnector(connector);
    patience = new HubPatience(connector.getScheduler(), limits.turn);
    connector.addBean(patience);
    server.addBean(new NetworkConnectionLimit(maxConnections(limits.maxInFlight), server));
    server.setHandler(new Entrance());
    server.setErrorHandler(this::answerError);
  }

  /** Fewer where so many would leave no file to open for the exchanges and the ledger. */
  private static int maxConnections(int maxInFlight) {
    int most = maxInFlight + SPARE_CONNECTIONS;
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean host) {
      long files = Math.max(2, host.getMaxFileDescriptorCount() - SPARE_FILES);
      // A connection may need a second one, to the account system.
      return (int) Math.min(most, Math.max(files / 2, files - maxInFlight));
    }
    return most;
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
      Connection connection = request.getConnectionMetaData().getConnection();
      patience.end(connection);
      Request.addCompletionListener(request, failure -> patience.give(connection));
      String asked = request.getHttpURI().getPath();
      boolean get = HttpMethod.GET.is(request.getMethod());
      if (!isPlain(request)) {
        response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE.asString());
        answer(malformed(400, NOT_WHOLE), request, response, callback);
      } else if (path.equals(asked)) {
        if (HttpMethod.POST.is(request.getMethod())) {
          take(request, response, callback);
        } else {
          response.getHeaders().put(HttpHeader.ALLOW, HttpMethod.POST.asString());
          answer(
              malformed(405, "transfers are posted; nothing was sent"),
              request,
              response,
              callback);
        }
      } else if ("/healthz".equals(asked) && get) {
        boolean well = relay.isWell();
        text(well ? 200 : 503, well ? "ok\n" : "stopping\n", request, response, callback);
      } else if ("/metrics".equals(asked) && get) {
        text(200, metrics.text(), request, response, callback);
      } else {
        answer(malformed(404, "no such path here; nothing was sent"), request, response, callback);
      }
      return true;
    }
  }

  /**
   * Whether the body is as it looks. Jetty takes off no coding but chunks, and chunks even from
   * HTTP/1.0 clients, to whom they mean nothing.
   */
  private static boolean isPlain(Request request) {
    List<String> codings = request.getHeaders().getValuesList(HttpHeader.TRANSFER_ENCODING);
    return codings.isEmpty()
        || (codings.size() == 1
            && HttpHeaderValue.CHUNKED.is(codings.get(0))
            && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1);
  }

  /** What Jetty would answer by itself: to what is no HTTP request, or is not one to its end. */
  private boolean answerError(Request request, Response response, Callback callback) {
    int status = response.getStatus();
    Object failure = request.getAttribute(ErrorHandler.ERROR_EXCEPTION);
    Answer answer;
    if (request.getAttribute(CALLED) != null) {
      answer = Answer.Refused.of(Problem.E901, null, INTERNAL_FAILURE);
    } else if (status < 500 || failure instanceof HttpException || failure instanceof IOException) {
      answer = malformed(status < 500 ? status : 400, NOT_WHOLE);
    } else {
      answer = Answer.Refused.of(Problem.E907, null, "internal failure; nothing was claimed");
    }
    answer(answer, request, response, callback);
    return true;
  }

  private static Answer malformed(int status, String detail) {
    return new Answer.Refused(Problem.E905, null, status, Problem.Retry.NEVER, detail);
  }

  private void take(Request request, Response response, Callback callback) {
    if (request.getLength() > Intake.MAX_BODY) {
      answer(Intake.tooLarge(), request, response, callback);
      return;
    }
    HubBody body =
        new HubBody(
            request,
            Intake.MAX_BODY,
            room,
            end -> {
              patience.end(request.getConnectionMetaData().getConnection());
              if (end instanceof HubBody.End.Whole whole) {
                queue(request, whole.bytes(), response, callback);
              } else {
                answer(refusal(end), request, response, callback);
              }
            });
    Request.addCompletionListener(request, failure -> body.forget());
    patience.give(
        request.getConnectionMetaData().getConnection(), () -> body.end(HubBody.tooSlow()));
    body.run();
  }

  private static Answer refusal(HubBody.End end) {
    if (end instanceof HubBody.End.TooLarge) {
      return Intake.tooLarge();
    }
    if (end instanceof HubBody.End.NoRoom) {
      return Answer.Refused.of(
          Problem.E907,
          null,
          "too many large requests at once; nothing was claimed; send it again");
    }
    // The channel has gone, or was too slow; it is told if it still listens.
    boolean malformed =
        end instanceof HubBody.End.Broken broken
            && broken.failure() instanceof HttpException http
            && http.getCode() < 500;
    return malformed(
        malformed ? ((HttpException) ((HubBody.End.Broken) end).failure()).getCode() : 408,
        NOT_WHOLE);
  }

  private void queue(Request request, byte[] body, Response response, Callback callback) {
    try {
      request.setAttribute(CALLED, true);
      senders.execute(() -> answer(relay(request, body), request, response, callback));
    } catch (RejectedExecutionException e) {
      answer(
          Answer.Refused.of(
              Problem.E907, null, "too many requests at once; nothing was claimed; send it again"),
          request,
          response,
          callback);
    }
  }

  private Answer relay(Request request, byte[] body) {
    Guid guid = null;
    try {
      List<String> keys = request.getHeaders().getValuesList("Idempotency-Key");
      List<String> types = request.getHeaders().getValuesList(HttpHeader.CONTENT_TYPE);
      List<String> names =
          channels.header().map(request.getHeaders()::getValuesList).orElse(List.of());
      if (types.size() > 1 || names.size() > 1) {
        return malformed(400, "two content types, or two channels; nothing was sent");
      }
      if (request.getHeaders().contains(HttpHeader.CONTENT_ENCODING)) {
        // It is not handed on, and without it the body is another.
        return malformed(415, "a body with a content encoding; nothing was sent");
      }
      String channel = names.isEmpty() ? channels.fixed() : names.get(0);
      Intake.Arrival arrival =
          intake.read(keys, channel, types.isEmpty() ? null : types.get(0), body);
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

  private void answer(Answer answer, Request request, Response response, Callback callback) {
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
    write(reply.body(), request, response, callback);
  }

  private void write(byte[] body, Request request, Response response, Callback callback) {
    Connection connection = request.getConnectionMetaData().getConnection();
    patience.give(connection);
    response.write(true, ByteBuffer.wrap(body), callback);
  }

  private void text(
      int status, String text, Request request, Response response, Callback callback) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain; charset=utf-8");
    write(text.getBytes(UTF_8), request, response, callback);
  }
}
