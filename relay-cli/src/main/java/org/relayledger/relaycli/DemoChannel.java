package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.relayledger.ledger.Json;
import tools.jackson.core.JsonPointer;

/** A channel as simple as they come: a socket a call, and its own patience. */
final class DemoChannel {
  private static final int CONNECT_MILLIS = 5_000;
  private static final String END_OF_HEAD = "\r\n\r\n";

  /**
   * What a call came to.
   *
   * @param text its code, or what there was instead of one
   * @param again whether the relay has said to ask again later
   */
  record Answer(String text, boolean again) {}

  private static final Answer NONE = new Answer("no answer", false);

  private DemoChannel() {}

  /** Posts {@code json} and waits for the answer no longer than {@code patience}. */
  static Answer post(URI to, String json, Duration patience) {
    String head =
        "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
            .formatted(to.getPath(), to.getAuthority(), json.length());
    try {
      return answer(call(to, head, json, patience));
    } catch (ConnectException e) {
      return new Answer("refused", false);
    } catch (IOException e) {
      // Too late, closed or reset: to a channel it is all the same.
      return NONE;
    }
  }

  /** The body of what is at {@code from}. */
  static String get(URI from, Duration patience) throws IOException {
    String head = "GET %s HTTP/1.1\r\nHost: %s\r\n".formatted(from.getPath(), from.getAuthority());
    String message = call(from, head, "", patience);
    return message.substring(message.indexOf(END_OF_HEAD) + END_OF_HEAD.length());
  }

  private static String call(URI to, String head, String body, Duration patience)
      throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(to.getHost(), to.getPort()), CONNECT_MILLIS);
      socket.setSoTimeout((int) patience.toMillis());
      socket.getOutputStream().write((head + "Connection: close\r\n\r\n" + body).getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static Answer answer(String message) {
    int end = message.indexOf(END_OF_HEAD);
    if (end < 0) {
      return NONE;
    }
    String head = message.substring(0, end).toLowerCase(Locale.ROOT);
    return new Answer(
        code(message.substring(end + END_OF_HEAD.length()))
            + (head.contains("\r\nidempotent-replayed: true") ? " replayed" : ""),
        head.contains("\r\nretry-after:"));
  }

  /** The code in a reply's body. */
  static String code(String body) {
    Json.Value code = value(body, "/code");
    return code == null ? "no code" : code.text();
  }

  /** What is at {@code pointer} in {@code json}, or null. */
  static Json.Value value(String json, String pointer) {
    JsonPointer at = JsonPointer.compile(pointer);
    try {
      return Json.read(json.getBytes(UTF_8), List.of(at), List.of()).at(at);
    } catch (Json.Malformed e) {
      return null;
    }
  }
}
