package org.relayledger.sandbox;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One connection, as the account system has it: HTTP/1.1 requests come off it, bytes go onto it.
 * Whatever the other side does or leaves undone, memory and waiting have a limit.
 */
final class Wire implements Closeable {
  /** The most bytes of a request's line and headers, and of its trailers. */
  static final int MAX_HEAD = 16 * 1024;

  /** The most bytes of a request's body. */
  static final int MAX_BODY = 1024 * 1024;

  /** The longest that a connection is left without an answer. */
  static final Duration MAX_STALL = Duration.ofHours(1);

  static final String CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

  /** The longest line that says how long a chunk is, in bytes. */
  private static final int MAX_CHUNK_LINE = 256;

  /** How long, and how many bytes, a refused client may go on sending before it is cut off. */
  private static final Duration LINGER = Duration.ofSeconds(10);

  private static final int MAX_LINGER = 4 * MAX_BODY;

  /**
   * @param connections the most connections at once
   * @param idle the longest wait for a request to begin
   * @param request the longest time from the first to the last byte of a request
   * @param write the longest time in which a client must take what is written at once
   */
  record Limits(int connections, Duration idle, Duration request, Duration write) {}

  /**
   * @param headers by name in lower case; the values of one name joined by commas
   * @param isLast whether the client wants the connection closed after it
   */
  record Request(
      String method, String target, Map<String, String> headers, byte[] body, boolean isLast) {}

  /** A request that gets nothing but an HTTP status and a reason. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    Refused(int status, String message) {
      super(message);
      this.status = status;
    }

    int status() {
      return status;
    }
  }

  private final Socket socket;
  private final Limits limits;
  private final byte[] buffer = new byte[8192];
  private int next;
  private int end;
  private int lineBytesLeft;
  private long readDeadline;
  private volatile long writeDeadline;
  private volatile boolean writing;

  Wire(Socket socket, Limits limits) {
    this.socket = socket;
    this.limits = limits;
  }

  /** Before all else: every write goes out at once. */
  void begin() throws IOException {
    socket.setTcpNoDelay(true);
  }

  /** The next request, whole; null if the client has gone, or sends none. */
  Request read() throws IOException, Refused {
    try {
      readWithin(limits.idle);
      if (next == end && !fill()) {
        return null;
      }
    } catch (SocketTimeoutException e) {
      return null;
    }
    try {
      readWithin(limits.request);
      return request();
    } catch (SocketTimeoutException e) {
      throw new Refused(408, "the request took too long to come");
    } catch (EOFException e) {
      return null;
    }
  }

  private Request request() throws IOException, Refused {
    lineBytesLeft = MAX_HEAD;
    String[] start = line().split(" ", -1);
    if (start.length != 3 || !(start[2].equals("HTTP/1.1") || start[2].equals("HTTP/1.0"))) {
      throw new Refused(400, "not an HTTP/1.1 request");
    }
    Map<String, String> headers = headers();
    if (headers.getOrDefault("expect", "").equalsIgnoreCase("100-continue")) {
      declaredLength(headers);
      write(CONTINUE);
    }
    byte[] body = headers.containsKey("transfer-encoding") ? chunks(headers) : body(headers);
    String connection = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
    boolean last = connection.contains("close") || start[2].equals("HTTP/1.0");
    return new Request(start[0], start[1], headers, body, last);
  }

  private Map<String, String> headers() throws IOException, Refused {
    Map<String, String> headers = new HashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      String name = line.substring(0, Math.max(colon, 0)).toLowerCase(Locale.ROOT);
      if (name.isEmpty() || name.chars().anyMatch(c -> c <= ' ')) {
        throw new Refused(400, "a header without a name");
      }
      headers.merge(name, line.substring(colon + 1).strip(), (one, other) -> one + "," + other);
    }
    return headers;
  }

  /** The Content-Length, 0 if there is none. */
  private static int declaredLength(Map<String, String> headers) throws Refused {
    String length = headers.getOrDefault("content-length", "0");
    if (!length.matches("[0-9]+")) {
      throw new Refused(400, "no single Content-Length");
    }
    if (length.length() > 9 || Integer.parseInt(length) > MAX_BODY) {
      throw tooLarge();
    }
    return Integer.parseInt(length);
  }

  private static Refused tooLarge() {
    return new Refused(413, "the body has more than " + MAX_BODY + " bytes");
  }

  private byte[] body(Map<String, String> headers) throws IOException, Refused {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    copy(declaredLength(headers), body);
    return body.toByteArray();
  }

  private byte[] chunks(Map<String, String> headers) throws IOException, Refused {
    if (headers.containsKey("content-length")
        || !headers.get("transfer-encoding").equalsIgnoreCase("chunked")) {
      throw new Refused(400, "not framed by exactly one of Content-Length and chunked");
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      lineBytesLeft = MAX_CHUNK_LINE;
      String size = line().split(";", 2)[0].strip();
      if (!size.matches("[0-9A-Fa-f]{1,7}")) {
        throw new Refused(400, "a chunk without a length");
      }
      int bytes = Integer.parseInt(size, 16);
      if (bytes == 0) {
        lineBytesLeft = MAX_HEAD;
        headers();
        return body.toByteArray();
      }
      if (bytes > MAX_BODY - body.size()) {
        throw tooLarge();
      }
      copy(bytes, body);
      if (!line().isEmpty()) {
        throw new Refused(400, "a chunk longer than its length");
      }
    }
  }

  private void copy(int bytes, ByteArrayOutputStream to) throws IOException {
    for (int left = bytes; left > 0; ) {
      if (next == end && !fill()) {
        throw new EOFException();
      }
      int part = Math.min(left, end - next);
      to.write(buffer, next, part);
      next += part;
      left -= part;
    }
  }

  private String line() throws IOException, Refused {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      if (next == end && !fill()) {
        throw new EOFException();
      }
      if (--lineBytesLeft < 0) {
        throw new Refused(431, "the headers have more than " + MAX_HEAD + " bytes");
      }
      byte b = buffer[next++];
      if (b == '\n') {
        String text = line.toString(ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
      }
      line.write(b);
    }
  }

  private void readWithin(Duration time) {
    readDeadline = System.nanoTime() + time.toNanos();
  }

  /** Waits for bytes; false at the end of the stream. */
  private boolean fill() throws IOException {
    long left = Duration.ofNanos(readDeadline - System.nanoTime()).toMillis();
    if (left <= 0) {
      throw new SocketTimeoutException();
    }
    socket.setSoTimeout((int) left);
    next = 0;
    end = Math.max(0, socket.getInputStream().read(buffer));
    return end > 0;
  }

  void write(String text) throws IOException {
    write(text.getBytes(UTF_8));
  }

  void write(byte... bytes) throws IOException {
    writeDeadline = System.nanoTime() + limits.write.toNanos();
    writing = true;
    socket.getOutputStream().write(bytes);
    writing = false;
  }

  /** Whether a client does not take what is written. No read time-out ends such a write. */
  boolean isStuck() {
    return writing && System.nanoTime() - writeDeadline > 0;
  }

  /** Says nothing until the client has gone. */
  void stall() throws IOException {
    readWithin(MAX_STALL);
    while (fill()) {
      next = end;
    }
  }

  /** Closes so that a client that is still sending gets to read what was written. */
  void finish() throws IOException {
    socket.shutdownOutput();
    readWithin(LINGER);
    for (int left = MAX_LINGER; left > 0 && fill(); left -= end) {
      next = end;
    }
    close();
  }

  /** Closes with a reset. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
