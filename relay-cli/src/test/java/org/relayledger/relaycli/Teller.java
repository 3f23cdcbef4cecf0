package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * An account system that answers with the very bytes it is told to, and keeps the requests as they
 * came; one a connection.
 */
final class Teller implements AutoCloseable {
  /** A request: its line and headers, and its body. */
  record Asked(String head, byte[] body) {
    /** The value of a header, null if it is not there. */
    String header(String name) {
      return head.lines()
          .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
          .map(line -> line.substring(name.length() + 1).strip())
          .findFirst()
          .orElse(null);
    }

    String guid() {
      return header("Idempotency-Key").replace("\"", "");
    }
  }

  private final ServerSocket server;
  private final Function<Asked, byte[]> answers;
  private final List<Asked> asked = new CopyOnWriteArrayList<>();

  /** Answers with what {@code answers} says, and closes without an answer where that is null. */
  Teller(Function<Asked, byte[]> answers) throws IOException {
    this.answers = answers;
    this.server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::serve, "teller");
    thread.setDaemon(true);
    thread.start();
  }

  /** A whole HTTP message; no Content-Type where {@code type} is null. */
  static byte[] reply(int status, String type, byte[] body) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String head = "HTTP/1.1 " + status + " Whatever\r\nContent-Length: " + body.length + "\r\n";
    out.writeBytes(
        (head + (type == null ? "" : "content-type: " + type + "\r\n")).getBytes(ISO_8859_1));
    out.writeBytes("\r\n".getBytes(ISO_8859_1));
    out.writeBytes(body);
    return out.toByteArray();
  }

  private void serve() {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        Asked request = read(new DataInputStream(socket.getInputStream()));
        asked.add(request);
        byte[] answer = answers.apply(request);
        if (answer != null) {
          socket.getOutputStream().write(answer);
        }
      } catch (IOException e) {
        // The relay has gone, or close() was called.
      }
    }
  }

  private static Asked read(DataInputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.readUnsignedByte());
    }
    Asked bare = new Asked(head.toString(), new byte[0]);
    return new Asked(bare.head, in.readNBytes(Integer.parseInt(bare.header("Content-Length"))));
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort() + "/transfers";
  }

  /** The requests for {@code guid}, in the order they came. */
  List<Asked> asked(String guid) {
    return asked.stream().filter(request -> request.guid().equals(guid)).toList();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
