package org.relayledger.account;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Steps;

/**
 * The account system: takes transfers and questions over HTTP/1.1, each on a connection of its own.
 *
 * <p>A request is sent once or not at all: there is no retry, no redirect, no proxy, no
 * authentication dialogue and no reuse of a connection. All methods may be called from any thread.
 */
public final class AccountSystem {
  /** Threads for what may block, for all exchanges together; none of them waits for a reply. */
  private static final int THREADS = 16;

  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final String RETRY = "jdk.httpclient.enableAllMethodRetry";

  static {
    // Read when the client first sends: with them it tries nothing a second time by itself, not
    // even what would do no harm, and says why a connection failed.
    System.setProperty("jdk.httpclient.redirects.retrylimit", "1");
    System.setProperty("jdk.httpclient.disableRetryConnect", "true");
  }

  private final AccountOptions options;
  private final Duration openAtMost;
  private final Steps steps;
  private final SSLContext tls;
  private final Executor threads;
  private final Executor wire;
  private final ScheduledThreadPoolExecutor timer;
  private HttpClient client;

  /**
   * Sends nothing yet.
   *
   * @param openAtMost the total deadline of a transfer's exchange, from its first moment to the
   *     last byte of a late reply
   * @throws IllegalStateException in one line, if the JVM's options would let the client send twice
   *     or the JVM's TLS set-up is broken
   */
  public AccountSystem(AccountOptions options, Duration openAtMost, Steps steps) {
    this(options, openAtMost, steps, tlsFor(options));
  }

  AccountSystem(AccountOptions options, Duration openAtMost, Steps steps, SSLContext tls) {
    if (System.getProperty(RETRY) != null) {
      throw new IllegalStateException(
          "the JVM option " + RETRY + " would send transfers twice; remove it");
    }
    this.options = options;
    this.openAtMost = openAtMost;
    this.steps = steps;
    this.tls = tls;
    // Their queues need no limit of their own: an exchange has but a few tasks, and the relay
    // limits how many exchanges are open.
    threads = daemons("account", THREADS);
    // One thread, for safety. The client cannot be kept from putting the connection of a chunked
    // reply into its pool, right before it calls Connection.onComplete, which closes it. On a
    // second thread another exchange could take it in between (17 of 30,000 times, with 32 at once)
    // and read what a faulty account system had left on it. On one thread it cannot.
    wire = daemons("account-wire", 1);
    timer = new ScheduledThreadPoolExecutor(1, task -> daemon("account-deadline", task));
    timer.setKeepAliveTime(IDLE.toMillis(), TimeUnit.MILLISECONDS);
    timer.allowCoreThreadTimeOut(true);
    timer.setRemoveOnCancelPolicy(true);
  }

  /** The client, which is made when it is needed first: most runs of a timer have nothing to do. */
  private synchronized HttpClient client() {
    if (client == null) {
      client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .followRedirects(HttpClient.Redirect.NEVER)
              .proxy(HttpClient.Builder.NO_PROXY)
              .connectTimeout(options.connectTimeout())
              .sslContext(tls)
              .executor(wire)
              .build();
    }
    return client;
  }

  /** Where transfers are posted, as written. */
  public String url() {
    return options.accountUrl();
  }

  private static Executor daemons(String name, int count) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE.toMillis(),
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> daemon(name, task));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  private static SSLContext tlsFor(AccountOptions options) {
    String urls = options.accountUrl() + " " + options.inquiryUrl();
    try {
      return urls.toLowerCase(Locale.ROOT).contains("https://")
          ? SSLContext.getDefault()
          : NoTls.context();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("TLS cannot be set up with the JVM's options", e);
    }
  }

  private HttpRequest.Builder request(URI url) {
    HttpRequest.Builder request = HttpRequest.newBuilder(url);
    options.headers().forEach(header -> request.header(header.name(), header.value()));
    return request;
  }

  /**
   * Posts one transfer; returns at once.
   *
   * @param attempt its number, for the account system's logs
   * @param contentType the request's content type as received, or null if it had none
   * @param body the request's bytes, not empty; not copied and not to be changed
   * @param stillMine asked right before the body goes out, on another thread and perhaps even after
   *     the exchange has ended: whether the row is still this attempt's
   */
  public Exchange send(
      Guid guid, int attempt, String contentType, byte[] body, BooleanSupplier stillMine) {
    if (body.length == 0) {
      // The client sends an empty body without asking for it: the gate would know nothing.
      throw new IllegalArgumentException("a transfer without a body");
    }
    Exchange exchange =
        new Exchange(guid, options, new Gate(guid, body, stillMine, steps), threads);
    HttpRequest.Builder request =
        request(URI.create(options.accountUrl()))
            .header("Idempotency-Key", "\"" + guid + "\"")
            .header("Relay-Attempt", Integer.toString(attempt))
            .POST(exchange.body(body.length, wire));
    if (contentType != null) {
      // The client would send a question mark for any other character.
      if (!Header.isVisible(contentType)) {
        exchange.end("its content type cannot be sent");
        return exchange;
      }
      request.header("Content-Type", contentType);
    }
    HttpClient ready;
    try {
      ready = client();
    } catch (UncheckedIOException e) {
      exchange.end("no connection can be opened: " + e.getCause().getMessage());
      return exchange;
    }
    ScheduledFuture<?> deadline =
        timer.schedule(
            () -> threads.execute(() -> exchange.end("no reply within " + words(openAtMost))),
            openAtMost.toNanos(),
            TimeUnit.NANOSECONDS);
    exchange.ended().thenRun(() -> deadline.cancel(false));
    threads.execute(() -> exchange.open(ready, request.build()));
    return exchange;
  }

  /**
   * Asks about one transfer and waits for the answer, at most the options' time-out; an interrupt
   * ends the wait and stays set.
   */
  public Inquiry ask(Guid guid) {
    URI url = options.inquiryUrl(guid);
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    Connection connection = new Connection(options.maxReply(), answered::complete);
    Answer answer;
    try {
      HttpClient ready = client();
      threads.execute(() -> connection.open(ready, request(url).GET().build()));
      answer = answered.get(options.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (UncheckedIOException e) {
      answer = Answer.none("no connection can be opened: " + e.getCause().getMessage());
    } catch (TimeoutException e) {
      answer = Answer.none("no answer within " + words(options.timeout()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer = Answer.none("interrupted");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      connection.close();
    }
    byte[] body = answer.body();
    return new Inquiry(
        Reading.inquiry(answer, guid, options),
        url,
        answer.status(),
        new String(body, 0, Math.min(body.length, Inquiry.MAX_EVIDENCE), StandardCharsets.UTF_8),
        answer.status() == 0 || answer.status() >= 500);
  }

  /**
   * Opens one connection to the account URL, TLS handshake included, and closes it without a
   * request; may take up to two connect time-outs.
   *
   * @return why that was not possible, or empty if it was
   */
  public Optional<String> probe() {
    URI url = URI.create(options.accountUrl());
    boolean secure = "https".equalsIgnoreCase(url.getScheme());
    int port = url.getPort() > 0 ? url.getPort() : secure ? 443 : 80;
    int millis =
        (int) Math.min(Integer.MAX_VALUE, Math.max(1, options.connectTimeout().toMillis()));
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(url.getHost(), port), millis);
      if (secure) {
        plain.setSoTimeout(millis);
        try (SSLSocket socket =
            (SSLSocket) tls.getSocketFactory().createSocket(plain, url.getHost(), port, true)) {
          SSLParameters parameters = socket.getSSLParameters();
          parameters.setEndpointIdentificationAlgorithm("HTTPS");
          socket.setSSLParameters(parameters);
          socket.startHandshake();
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(Connection.words(e));
    }
  }

  /**
   * What {@code body} would have meant as the reply to the transfer of {@code guid}.
   *
   * @throws IllegalArgumentException in one line, if that is no definite reply which names the GUID
   */
  public static Outcome.Done definite(Guid guid, byte[] body, AccountOptions options) {
    return Reading.definite(body, guid, options);
  }

  private static String words(Duration time) {
    return time.toMillis() % 1000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
  }
}
