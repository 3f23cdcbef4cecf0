package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A channel: one request on a connection of its own, and what it heard, byte for byte. */
final class Channel {
  /** How long a channel waits for bytes, in milliseconds. */
  static final int PATIENCE = 60_000;

  /**
   * An answer.
   *
   * @param headers by name in lower case
   */
  record Heard(int status, Map<String, String> headers, byte[] body) {
    String header(String name) {
      return headers.get(name.toLowerCase(Locale.ROOT));
    }

    String text() {
      return new String(body, UTF_8);
    }

    /** The relay's own code, or the account system's. */
    String code() {
      return text().replaceAll("(?s).*\"code\":\"(\\w+)\".*", "$1");
    }

    /** Status, type and bytes: all of a reply that has to be the same each time. */
    String reply() {
      return status + " " + header("Content-Type") + " " + new String(body, ISO_8859_1);
    }
  }

  private Channel() {}

  /** Posts a transfer of one with its GUID in the body. */
  static Heard transfer(URI url, String guid, String... headers) throws IOException {
    return post(url, body(guid), withJson(headers));
  }

  /** The same, on a thread of its own. */
  static CompletableFuture<Heard> begin(URI url, String guid) {
    CompletableFuture<Heard> heard = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                heard.complete(transfer(url, guid));
              } catch (IOException | RuntimeException e) {
                heard.completeExceptionally(e);
              }
            },
            "channel");
    thread.setDaemon(true);
    thread.start();
    return heard.orTimeout(PATIENCE, TimeUnit.MILLISECONDS);
  }

  static String body(String guid) {
    return "{\"guid\":\"" + guid + "\",\"amount\":1}";
  }

  private static String[] withJson(String... headers) {
    String[] all = new String[headers.length + 1];
    System.arraycopy(headers, 0, all, 1, headers.length);
    all[0] = "Content-Type: application/json";
    return all;
  }

  static Heard post(URI url, String body, String... headers) throws IOException {
    return post(url, body.getBytes(UTF_8), headers);
  }

  static Heard post(URI url, byte[] body, String... headers) throws IOException {
    return exchange(url, post(url.getRawPath(), body.length, headers), body);
  }

  static Heard get(URI url, String path) throws IOException {
    return exchange(url, request("GET", path), new byte[0]);
  }

  /** The head of a POST. */
  static String post(String path, long length, String... headers) {
    String[] all = new String[headers.length + 1];
    System.arraycopy(headers, 0, all, 1, headers.length);
    all[0] = "Content-Length: " + length;
    return request("POST", path, all);
  }

  static String request(String method, String path, String... headers) {
    String lines = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    return method
        + " "
        + path
        + " HTTP/1.1\r\nHost: relay\r\nConnection: close\r\n"
        + lines
        + "\r\n";
  }

  /** Sends {@code head} and {@code body} as they are, and hears the answer. */
  static Heard exchange(URI url, String head, byte[] body) throws IOException {
    try (Socket socket = connect(url)) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.writeBytes(head.getBytes(ISO_8859_1));
      out.writeBytes(body);
      socket.getOutputStream().write(out.toByteArray());
      return hear(socket);
    }
  }

  static Socket connect(URI url) throws IOException {
    Socket socket = new Socket(url.getHost(), url.getPort());
    socket.setSoTimeout(PATIENCE);
    socket.setTcpNoDelay(true);
    return socket;
  }

  /** The next answer on {@code socket}. */
  static Heard hear(Socket socket) throws IOException {
    return hear(socket.getInputStream());
  }

  static Heard hear(InputStream in) throws IOException {
    int status = Integer.parseInt(line(in).split(" ", 3)[1]);
    Map<String, String> headers = new TreeMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    String length = headers.get("content-length");
    if (status < 200) {
      return new Heard(status, headers, new byte[0]);
    }
    byte[] body = length == null ? in.readAllBytes() : in.readNBytes(Integer.parseInt(length));
    return new Heard(status, headers, body);
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new IOException("the connection ended after: " + line.toString(ISO_8859_1));
      }
      line.write(b);
    }
    return line.toString(ISO_8859_1).stripTrailing();
  }
}
