package org.relayledger.sandbox;

import java.io.Closeable;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A deliberately non-idempotent account system on HTTP/1.1: every transfer that it receives is
 * executed, also one whose GUID it has executed before, and it counts both. It fails on demand, by
 * the part of a GUID before the first dash ({@code drop-17}, {@code delay:5s-17}) or by the member
 * {@code fault} of a request, which wins.
 *
 * <ul>
 *   <li>{@code POST /transfers} takes {@code amount} (default 1) off the balance. The GUID is the
 *       member {@code guid}, else the header {@code Idempotency-Key}.
 *   <li>{@code GET /transfers/{guid}} is the inquiry: 200 with the code of what was executed or
 *       refused with a B2 code, else 404 with the code {@code E404}.
 *   <li>{@code GET /stats} has the counts and the balance as JSON.
 *   <li>{@code GET /statement} has one line an execution as CSV: {@code guid,at}.
 * </ul>
 *
 * <p>GUIDs are told apart exactly as spelled. A request counts as received once its body was read
 * whole.
 */
public final class Sandbox implements AutoCloseable {
  /** The most connections at once; one more is answered 503. */
  public static final int MAX_CONNECTIONS = 512;

  /** The balance to start with, if no other is wanted. */
  public static final long BALANCE = 1_000_000;

  static final String TRANSFERS = "/transfers";

  private static final Wire.Limits LIMITS =
      new Wire.Limits(
          MAX_CONNECTIONS, Duration.ofMinutes(5), Duration.ofSeconds(30), Duration.ofSeconds(30));

  /** How many connections may wait to be accepted. */
  private static final int BACKLOG = 512;

  /** How often clients that do not read are looked for, in milliseconds. */
  private static final int WATCH_MILLIS = 1000;

  /** How long accepting rests after it failed. */
  private static final Duration ACCEPT_REST = Duration.ofMillis(100);

  /** How long {@link #close} waits for each of acceptor and connections to notice. */
  private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

  /** The stack of a connection's thread, in bytes. */
  private static final int STACK = 256 * 1024;

  private final Books books;
  private final Wire.Limits limits;
  private final ServerSocket server;
  private final Thread acceptor = daemon("sandbox-acceptor", this::accept);
  private final Semaphore slots;
  private final Set<Wire> wires = ConcurrentHashMap.newKeySet();
  private volatile UnaryOperator<String> inquiryFaults = guid -> "honest";

  private Sandbox(ServerSocket server, long balance, Wire.Limits limits) {
    this.server = server;
    this.books = new Books(balance);
    this.limits = limits;
    this.slots = new Semaphore(limits.connections());
  }

  /**
   * A running sandbox with {@code balance}, on {@code listen}; port 0 takes a free one.
   *
   * @throws IOException if it cannot listen there
   */
  public static Sandbox start(InetSocketAddress listen, long balance) throws IOException {
    return start(listen, balance, LIMITS);
  }

  static Sandbox start(InetSocketAddress listen, long balance, Wire.Limits limits)
      throws IOException {
    ServerSocket server = new ServerSocket();
    try {
      server.bind(listen, BACKLOG);
      server.setSoTimeout(WATCH_MILLIS);
    } catch (IOException e) {
      server.close();
      throw e;
    }
    Sandbox sandbox = new Sandbox(server, balance, limits);
    sandbox.acceptor.start();
    return sandbox;
  }

  private void accept() {
    boolean full = false;
    try {
      while (!server.isClosed()) {
        wires.stream().filter(Wire::isStuck).forEach(Sandbox::cut);
        try {
          Socket socket = server.accept();
          if (!served(socket)) {
            if (!full) {
              System.err.println("sandbox: too many connections; one more is answered 503");
            }
            full = true;
            refuse(socket);
          }
        } catch (SocketTimeoutException e) {
          // Nobody came: time to look after the stuck ones.
        } catch (IOException e) {
          // Closed; or no descriptor is left, which may pass.
          books.pause(ACCEPT_REST);
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts the acceptor", e);
    }
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(null, work, name, STACK);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler(
        (t, failure) ->
            System.err.println(
                "sandbox: an internal failure ended a " + name + ": " + failure.getMessage()));
    return thread;
  }

  /** Gives {@code socket} a thread of its own; false if there is none left. */
  private boolean served(Socket socket) {
    if (!slots.tryAcquire()) {
      return false;
    }
    Wire wire = new Wire(socket, limits);
    wires.add(wire);
    try {
      daemon("sandbox-connection", () -> serve(wire)).start();
      return true;
    } catch (OutOfMemoryError e) {
      // The system has no thread left; those who have one go on.
      wires.remove(wire);
      slots.release();
      return false;
    }
  }

  private static void refuse(Socket socket) throws IOException {
    try (socket) {
      socket
          .getOutputStream()
          .write(
              refusal(new Wire.Refused(503, "too many connections"))
                  .getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void cut(Closeable line) {
    try {
      line.close();
    } catch (IOException e) {
      // It is closed all the same.
    }
  }

  private void serve(Wire wire) {
    try (wire) {
      wire.begin();
      boolean open = true;
      while (open) {
        open = serveOne(wire);
      }
    } catch (IOException e) {
      // The client has gone, or close() has cut it off: nobody is left to be told.
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts a connection", e);
    } finally {
      wires.remove(wire);
      slots.release();
    }
  }

  /** Reads and answers one request; false if it was the last. */
  private boolean serveOne(Wire wire) throws IOException, InterruptedException {
    try {
      Wire.Request request = wire.read();
      return request != null && route(request, wire);
    } catch (Wire.Refused e) {
      wire.write(refusal(e));
      wire.finish();
      return false;
    }
  }

  private static String refusal(Wire.Refused refused) {
    String json = "{\"code\":\"E%d\",\"detail\":\"%s\"}";
    return Answer.message(
        refused.status(),
        Answer.JSON,
        json.formatted(refused.status(), refused.getMessage()),
        true);
  }

  private boolean route(Wire.Request request, Wire wire)
      throws IOException, InterruptedException, Wire.Refused {
    String path = request.target().split("\\?", 2)[0];
    if (path.equals(TRANSFERS)) {
      allow("POST", request);
      return transfer(request, wire);
    }
    allow("GET", request);
    if (path.startsWith(TRANSFERS + "/")) {
      return inquiry(path.substring(TRANSFERS.length() + 1), request, wire);
    }
    boolean last = request.isLast();
    switch (path) {
      case "/stats" -> wire.write(Answer.message(200, Answer.JSON, books.stats(), last));
      case "/statement" -> wire.write(Answer.message(200, "text/csv", books.statement(), last));
      default -> throw new Wire.Refused(404, "no such path");
    }
    return !last;
  }

  private static void allow(String method, Wire.Request request) throws Wire.Refused {
    if (!request.method().equals(method)) {
      throw new Wire.Refused(405, "only " + method + " here");
    }
  }

  private boolean transfer(Wire.Request request, Wire wire)
      throws IOException, InterruptedException, Wire.Refused {
    Transfer transfer = Transfer.of(request);
    String guid = transfer.guid();
    int times = books.receive(guid);
    Fault fault = transfer.fault() == null ? Fault.ofPrefix(guid) : spelled(transfer.fault());
    if (fault.kind() == Fault.Kind.LOST) {
      fault = times == 1 ? new Fault(Fault.Kind.DROPBEFORE, "") : Fault.HONEST;
    }
    if (!transfer.isBookable()) {
      throw new Wire.Refused(400, "the amount has too many digits");
    }
    boolean executes =
        switch (fault.kind()) {
          case DROPBEFORE, VOID -> false;
          case CODE -> fault.argument().equals(Answer.SUCCESS);
          case SLOW -> books.pause(fault.time());
          case HELD -> books.awaitReleased(guid);
          default -> true;
        };
    if (executes) {
      BigDecimal balance = books.execute(guid, transfer.amount());
      return answer(new Answer(200, Answer.SUCCESS, guid, balance), fault, request, wire);
    }
    if (fault.kind() == Fault.Kind.CODE) {
      books.refuse(guid, fault.argument());
    }
    return answer(new Answer(200, Answer.SUCCESS, guid, books.balance()), fault, request, wire);
  }

  private boolean inquiry(String segment, Wire.Request request, Wire wire)
      throws IOException, InterruptedException, Wire.Refused {
    String guid;
    try {
      guid = Transfer.checked(URLDecoder.decode(segment, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      throw new Wire.Refused(400, "a broken percent-encoding");
    }
    Fault fault = spelled(inquiryFaults.apply(guid));
    String code = books.code(guid);
    Answer answer =
        code == null
            ? new Answer(404, Answer.ABSENT, guid, null)
            : new Answer(200, code, guid, null);
    return answer(answer, fault, request, wire);
  }

  private static Fault spelled(String fault) throws Wire.Refused {
    return Fault.parse(fault)
        .orElseThrow(() -> new Wire.Refused(400, "no such fault; there are: " + Fault.spellings()));
  }

  /** Answers as {@code fault} has it; false if the connection is to be closed. */
  private boolean answer(Answer answer, Fault fault, Wire.Request request, Wire wire)
      throws IOException, InterruptedException {
    boolean answers =
        switch (fault.kind()) {
          case DROP, DROPBEFORE -> false;
          case RST -> {
            wire.reset();
            yield false;
          }
          case SILENT, VOID, SLOW -> {
            wire.stall();
            yield false;
          }
          case DELAY -> books.pause(fault.time());
          case HELD -> books.awaitReleased(answer.guid());
          default -> true;
        };
    if (!answers) {
      return false;
    }
    boolean last = request.isLast() || fault.isLast();
    byte[] bytes = answer.spoiledBy(fault, last);
    if (fault.kind() == Fault.Kind.DRIP) {
      for (byte b : bytes) {
        wire.write(b);
        if (!books.pause(fault.time())) {
          return false;
        }
      }
    } else {
      wire.write(bytes);
    }
    return !last;
  }

  /** The port it listens on. */
  public int port() {
    return server.getLocalPort();
  }

  /** Where the transfers go; on the loopback address if it listens on all of them. */
  public URI transfers() {
    InetAddress address = server.getInetAddress();
    String host =
        (address.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : address).getHostAddress();
    return URI.create(
        "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port() + TRANSFERS);
  }

  /** How often each GUID was received; those never received are not there. */
  public Map<String, Integer> received() {
    return books.received();
  }

  /** How often each GUID was executed; those never executed are not there. */
  public Map<String, Integer> executed() {
    return books.executed();
  }

  /**
   * The balance.
   *
   * @throws ArithmeticException if it is not a whole number, or too large for a long
   */
  public long balance() {
    return books.balance().longValueExact();
  }

  /**
   * Waits until {@code guid} was received {@code times} times.
   *
   * @throws IllegalStateException if that did not happen within {@code limit}
   */
  public void awaitReceived(String guid, int times, Duration limit) throws InterruptedException {
    if (!books.awaitReceived(guid, times, limit)) {
      throw new IllegalStateException(
          "%s: not received %d times within %s".formatted(guid, times, limit));
    }
  }

  /**
   * Waits until so many different GUIDs were received.
   *
   * @throws IllegalStateException if that did not happen within {@code limit}
   */
  public void awaitReceived(int guids, Duration limit) throws InterruptedException {
    if (!books.awaitReceived(guids, limit)) {
      throw new IllegalStateException("not %d GUIDs within %s".formatted(guids, limit));
    }
  }

  /**
   * Waits until {@code guid} was executed {@code times} times.
   *
   * @throws IllegalStateException if that did not happen within {@code limit}
   */
  public void awaitExecuted(String guid, int times, Duration limit) throws InterruptedException {
    if (!books.awaitExecuted(guid, times, limit)) {
      throw new IllegalStateException(
          "%s: not executed %d times within %s".formatted(guid, times, limit));
    }
  }

  /** Lets every request with the fault {@code held} for {@code guid} go on, those to come too. */
  public void release(String guid) {
    books.release(guid);
  }

  /**
   * From now on each inquiry is answered with the fault that {@code faults} spells for its GUID:
   * {@code honest}, {@code nobody} (no record of any), {@code everybody} (all are executed), or any
   * that a transfer can have.
   */
  public void inquiryFaults(UnaryOperator<String> faults) {
    inquiryFaults = faults;
  }

  /** Cuts all connections and ends all waiting; what was not executed by then will not be. */
  @Override
  public void close() {
    books.close();
    cut(server);
    try {
      acceptor.join(CLOSE_WAIT.toMillis());
      wires.forEach(Sandbox::cut);
      boolean gone =
          slots.tryAcquire(limits.connections(), CLOSE_WAIT.toMillis(), TimeUnit.MILLISECONDS);
      if (!gone) {
        throw new IllegalStateException("sandbox: a connection does not end");
      }
      slots.release(limits.connections());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
