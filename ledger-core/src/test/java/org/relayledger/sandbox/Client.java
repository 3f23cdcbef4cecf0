package org.relayledger.sandbox;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/** One raw connection to a sandbox; a read that gets nothing fails after {@value #PATIENCE} ms. */
final class Client implements Closeable {
  static final int PATIENCE = 30_000;

  private final Socket socket;

  Client(Sandbox sandbox) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), sandbox.port());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE);
  }

  static String post(String body, String... headers) {
    return "POST /transfers HTTP/1.1\r\nHost: sandbox\r\nContent-Length: %d\r\n%s\r\n%s"
        .formatted(body.length(), lines(headers), body);
  }

  static String get(String path, String... headers) {
    return "GET %s HTTP/1.1\r\nHost: sandbox\r\n%s\r\n".formatted(path, lines(headers));
  }

  private static String lines(String... headers) {
    return headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
  }

  /** All that comes back for one request on a connection of its own, until its end. */
  static String exchange(Sandbox sandbox, String request) throws IOException {
    try (Client client = new Client(sandbox)) {
      return client.send(request).rest();
    }
  }

  Client send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    return this;
  }

  /** The next reply, up to the end of its Content-Length, without its headers. */
  String body() throws IOException {
    String head = until("\r\n\r\n");
    int length =
        head.lines()
            .filter(line -> line.startsWith("Content-Length: "))
            .mapToInt(line -> Integer.parseInt(line.substring("Content-Length: ".length())))
            .findFirst()
            .orElseThrow();
    return new String(socket.getInputStream().readNBytes(length), ISO_8859_1);
  }

  /** What comes up to and with {@code mark}. */
  String until(String mark) throws IOException {
    StringBuilder out = new StringBuilder();
    while (out.indexOf(mark) < 0) {
      int c = socket.getInputStream().read();
      if (c < 0) {
        throw new IOException("ended after: " + out);
      }
      out.append((char) c);
    }
    return out.toString();
  }

  /** What comes until the other side closes. */
  String rest() throws IOException {
    return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
