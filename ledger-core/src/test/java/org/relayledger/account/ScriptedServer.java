package org.relayledger.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An account system on a raw socket that does to each connection just what its script says, and
 * closes it when the script is through.
 */
final class ScriptedServer implements AutoCloseable {
  /** What is done to one connection. */
  interface Script {
    void play(Peer peer) throws Exception;
  }

  /** One request received whole: its head and its body. */
  record Received(String head, byte[] body) {}

  private static final Pattern LENGTH = Pattern.compile("(?im)^content-length: *([0-9]+)\r?$");
  private static final int TEST_SECONDS = 30;

  private final ServerSocket listener;
  private final Script script;
  private final String scheme;
  private final CountDownLatch first = new CountDownLatch(1);
  private final List<Peer> peers = new CopyOnWriteArrayList<>();
  private final List<Received> requests = new CopyOnWriteArrayList<>();

  ScriptedServer(Script script) throws IOException {
    this(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), "http", script);
  }

  ScriptedServer(ServerSocket listener, String scheme, Script script) {
    this.listener = listener;
    this.scheme = scheme;
    this.script = script;
    start("scripted-server", this::acceptAll);
  }

  /** Answers one request, then waits for the client to close: it must, whatever the answer. */
  static Script answering(String answer) {
    return peer -> {
      peer.request();
      peer.send(answer);
      peer.untilClosed();
    };
  }

  /** An answer framed by its length. */
  static String sized(String status, String body) {
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + length + "\r\n\r\n" + body;
  }

  /** An answer in one chunk. */
  static String chunked(String status, String body) {
    String length = Integer.toHexString(body.getBytes(StandardCharsets.UTF_8).length);
    return "HTTP/1.1 "
        + status
        + "\r\nTransfer-Encoding: chunked\r\n\r\n"
        + length
        + "\r\n"
        + body
        + "\r\n0\r\n\r\n";
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        Peer peer = new Peer(listener.accept());
        peers.add(peer);
        first.countDown();
        start("scripted-connection", peer::play);
      } catch (IOException e) {
        return;
      }
    }
  }

  String url() {
    return scheme + "://localhost:" + listener.getLocalPort() + "/transfers";
  }

  int connections() {
    return peers.size();
  }

  /** The requests received whole, in the order of their arrival. */
  List<Received> requests() {
    return requests;
  }

  /**
   * Waits until one connection has come and every one is through with its script, for which most
   * need that the client has closed it.
   *
   * @return how many bytes came on them that the scripts had not asked for
   */
  int surplus() throws InterruptedException {
    assertThat(first.await(TEST_SECONDS, TimeUnit.SECONDS)).as("a connection came").isTrue();
    int surplus = 0;
    for (Peer peer : peers) {
      assertThat(peer.over.await(TEST_SECONDS, TimeUnit.SECONDS)).as("it is closed").isTrue();
      surplus += peer.surplus;
    }
    return surplus;
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  /** The server's end of one connection. */
  final class Peer {
    final Socket socket;
    private final CountDownLatch over = new CountDownLatch(1);
    private int surplus;

    Peer(Socket socket) {
      this.socket = socket;
    }

    private void play() {
      try (socket) {
        script.play(this);
      } catch (Exception e) {
        // The client broke the connection; what it got by then is counted.
      } finally {
        over.countDown();
      }
    }

    InputStream in() throws IOException {
      return socket.getInputStream();
    }

    /** Reads a whole request and counts it. */
    Received request() throws IOException {
      String head = head();
      Matcher length = LENGTH.matcher(head);
      byte[] body = in().readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0);
      Received received = new Received(head, body);
      requests.add(received);
      return received;
    }

    /** Reads up to the end of the head. */
    String head() throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      while (!bytes.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
        int b = in().read();
        if (b < 0) {
          throw new IOException("closed in the head");
        }
        bytes.write(b);
      }
      return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    void send(String text) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    }

    /** Reads until the client has closed or reset the connection; what comes is surplus. */
    int untilClosed() {
      byte[] buffer = new byte[8192];
      try {
        for (int n = in().read(buffer); n >= 0; n = in().read(buffer)) {
          surplus += n;
        }
      } catch (IOException e) {
        // A reset is an end, too.
      }
      return surplus;
    }

    /** Whether the client closes the connection within a moment. */
    boolean closedSoon() throws IOException {
      socket.setSoTimeout(20);
      try {
        return in().read() < 0;
      } catch (SocketTimeoutException e) {
        return false;
      }
    }

    /** Closes with a reset instead of an orderly end. */
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }
}
