package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.relaycli.Channel.Heard;

/**
 * Claim 9: channels that mean harm, on raw sockets, to a hub with little memory in a JVM of its
 * own. After each of them the next honest channel is served.
 */
class HostileChannelTest {
  private static final String SMUGGLED = "smuggled-";
  private static final int BODY_LIMIT = 1 << 20;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  @TempDir static Path folder;
  private static Stage stage;
  private static Child hub;
  private static URI url;

  @BeforeAll
  static void open() throws Exception {
    stage = new Stage(folder);
    hub = Child.start(stage.command("serve", Stage.hub("--channel-header", "X-Channel")));
    url = hub.url();
  }

  @AfterAll
  static void theHubHasSaidOnlyPlainLines() throws Exception {
    hub.signal("TERM");
    assertThat(hub.exit()).isZero();
    String said = hub.err().text();
    hub.close();
    stage.close();
    assertThat(said.lines().skip(1))
        .isNotEmpty()
        .allMatch(line -> line.matches("\\[[-\\w]+] (INFO|WARN) org.relayledger[.\\w]* - [ -~]+"));
  }

  @AfterEach
  void theNextHonestChannelIsServedAndNothingSmuggledWasSent() throws Exception {
    String guid = "honest-" + NUMBER.incrementAndGet();
    assertThat(Channel.transfer(url, guid).status()).isEqualTo(200);
    assertThat(stage.received(guid)).isEqualTo(1);
    assertThat(stage.sandbox.received().keySet()).noneMatch(sent -> sent.startsWith(SMUGGLED));
  }

  /** What one channel writes in one go. */
  private record Shape(String name, String text) {}

  private static String post(String guid, String... headers) {
    String body = Channel.body(guid);
    return head(headers) + body;
  }

  /** A head without a length. */
  private static String head(String... headers) {
    return "POST /transfers HTTP/1.1\r\nHost: r\r\nContent-Type: application/json\r\n"
        + String.join("", Stream.of(headers).map(header -> header + "\r\n").toList())
        + "\r\n";
  }

  private static String length(String body) {
    return "Content-Length: " + body.length();
  }

  /** A whole transfer that would be executed if any reader took it for a request. */
  private static String smuggled() {
    String guid = SMUGGLED + NUMBER.incrementAndGet();
    return post(guid, length(Channel.body(guid)));
  }

  private static String chunk(String body) {
    return Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n";
  }

  private static final String BODY = Channel.body(SMUGGLED + "outer");
  private static final String LENGTH = length(BODY);
  private static final String CHUNKED = "Transfer-Encoding: chunked";

  private static Stream<Shape> lengths() {
    return Stream.of(
            "Content-Length: " + BODY.length() + "\r\nContent-Length: " + BODY.length(),
            "Content-Length: " + BODY.length() + "\r\nContent-Length: 0",
            "Content-Length: 0\r\nContent-Length: " + BODY.length(),
            "Content-Length: " + BODY.length() + ", " + BODY.length(),
            "Content-Length: +" + BODY.length(),
            "Content-Length: -1",
            "Content-Length: 0x20",
            "Content-Length: " + "9".repeat(30),
            "Content-Length: 184467440737095516" + (16 + BODY.length()),
            "Content-Length:",
            "Content-Length: 3 2",
            "Content-Length: 3_2",
            "Content-Length : " + BODY.length(),
            " Content-Length: " + BODY.length(),
            "Content-Length\u0000: " + BODY.length(),
            "X: a\r\n b\r\nContent-Length: " + BODY.length(),
            "X: a\u0000b\r\nContent-Length: " + BODY.length(),
            "X: a\rContent-Length: 0\r\nContent-Length: " + BODY.length(),
            ": a\r\nContent-Length: " + BODY.length(),
            "Foo\r\nContent-Length: " + BODY.length(),
            "Host: other\r\nContent-Length: " + BODY.length(),
            "Expect: 200-magic\r\nContent-Length: " + BODY.length())
        .map(header -> new Shape(header, head(header) + BODY + smuggled()));
  }

  private static Stream<Shape> codings() {
    return Stream.of(
            CHUNKED + "\r\n" + LENGTH,
            LENGTH + "\r\n" + CHUNKED,
            CHUNKED + "\r\n" + CHUNKED,
            CHUNKED + "\r\nTransfer-Encoding: identity",
            "Transfer-Encoding: xchunked",
            "Transfer-Encoding : chunked",
            "Transfer-Encoding: \u000bchunked",
            "Transfer-Encoding: \"chunked\"",
            "Transfer-Encoding: identity",
            "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: identity, chunked",
            "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: chunked, chunked",
            "Transfer-Encoding: chunked;q=1",
            "Transfer-Encoding: chunked\u0000",
            "Transfer-Encoding: chunked\u00a0",
            "Transfer-Encoding:\r\n chunked",
            "Transfer-Encoding:",
            " Transfer-Encoding: chunked",
            "Transfer\u0000-Encoding: chunked",
            "X: y\rTransfer-Encoding: chunked",
            "X: y\nTransfer-Encoding: chunked")
        .flatMap(
            header ->
                Stream.of(
                    new Shape(header, head(header) + chunk(BODY) + smuggled()),
                    new Shape(
                        header + " and a length",
                        head(header, LENGTH) + "0\r\n\r\n" + smuggled())));
  }

  private static Stream<Shape> chunks() {
    String size = Integer.toHexString(BODY.length());
    return Stream.of(
            "-" + size,
            "+" + size,
            "0x" + size,
            " " + size,
            size + " ",
            size + "\t",
            size + "g",
            "",
            "10000000000000" + size,
            "1000000000000000" + size,
            size + ";a=\"\r\n\"",
            size + ";a\nb",
            size + ";" + "a".repeat(100_000),
            "0".repeat(100_000) + size)
        .map(
            line ->
                new Shape(
                    "a chunk of " + line.substring(0, Math.min(30, line.length())),
                    head(CHUNKED) + line + "\r\n" + BODY + "\r\n0\r\n\r\n" + smuggled()));
  }

  private static Stream<Shape> lines() {
    String smuggled = smuggled();
    return Stream.of(
        new Shape("no length at all", head() + BODY),
        new Shape("a length of none", head("Content-Length: 0") + BODY),
        new Shape("bare line feeds", head(LENGTH).replace("\r\n", "\n") + BODY),
        new Shape("bare carriage returns", head(LENGTH).replace("\r\n", "\r") + BODY),
        new Shape(
            "chunks with bare line feeds",
            head(CHUNKED) + chunk(BODY).replace("\r\n", "\n") + smuggled),
        new Shape(
            "a chunk longer than it says",
            head(CHUNKED) + "5\r\n" + BODY + "\r\n0\r\n\r\n" + smuggled),
        new Shape(
            "a bad trailer",
            head(CHUNKED) + chunk(BODY).replace("0\r\n\r\n", "0\r\nfoo bar\r\n\r\n") + smuggled),
        new Shape("HTTP/0.9", "POST /transfers\r\n" + smuggled),
        new Shape("HTTP/0.9, GET", "GET /transfers\r\n"),
        new Shape(
            "HTTP/1.0 in chunks", head(CHUNKED).replace("/1.1", "/1.0") + chunk(BODY) + smuggled),
        new Shape("HTTP/1.2", head(LENGTH).replace("/1.1", "/1.2") + BODY),
        new Shape("HTTP/2.0", head(LENGTH).replace("/1.1", "/2.0") + BODY),
        new Shape("HTTP/9.9", head(LENGTH).replace("/1.1", "/9.9") + BODY),
        new Shape("HTTP/11", head(LENGTH).replace("/1.1", "/11") + BODY),
        new Shape("HTP/1.1", head(LENGTH).replace("HTTP", "HTP") + BODY),
        new Shape("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\0".repeat(9)),
        new Shape("TLS", "\u0016\u0003\u0001\u0002\u0000\u0001" + "\u0000".repeat(500)),
        new Shape("no target", "POST  HTTP/1.1\r\nHost: r\r\n\r\n"),
        new Shape(
            "tabs", head(LENGTH).replaceFirst("POST /transfers ", "POST\t/transfers\t") + BODY),
        new Shape("no host", head(LENGTH).replace("Host: r\r\n", "") + BODY),
        new Shape("a host that is none", head(LENGTH).replace("Host: r", "Host: \u009b31m") + BODY),
        new Shape("an odd method", "P()ST /transfers HTTP/1.1\r\nHost: r\r\n\r\n"),
        new Shape("a body that ends early", head("Content-Length: 100") + BODY),
        new Shape("chunks that end early", head(CHUNKED) + chunk(BODY).replace("0\r\n\r\n", "")));
  }

  private static Stream<Shape> targets() {
    return Stream.of(
            "http://evil/transfers",
            "http://u:p@r/transfers",
            "file:///transfers",
            "evil:443",
            "*",
            "//transfers",
            "/transfers;x",
            "/./transfers",
            "/x/../transfers",
            "/%74ransfers",
            "/transfers%00",
            "/transfers%0d%0aX:1",
            "/transfers%2f",
            "/transfers#x",
            "/transfers\\",
            "/\u00fftransfers",
            "/%zz",
            "/%u0041",
            "/..",
            "/..;/transfers",
            "transfers",
            "?")
        .map(
            target ->
                new Shape(
                    target, head(LENGTH).replace("POST /transfers", "POST " + target) + BODY));
  }

  static Stream<Arguments> ambiguous() {
    return Stream.of(
        Arguments.of("lengths", lengths()),
        Arguments.of("codings", codings()),
        Arguments.of("chunks", chunks()),
        Arguments.of("lines", lines()),
        Arguments.of("targets", targets()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ambiguous")
  void whatCouldBeReadInTwoWaysIsRefusedAndNothingAfterItIsARequest(
      String kind, Stream<Shape> shapes) throws Exception {
    for (Shape shape : shapes.toList()) {
      List<Heard> heard = new ArrayList<>();
      try (Socket socket = Channel.connect(url)) {
        socket.getOutputStream().write(shape.text.getBytes(ISO_8859_1));
        socket.shutdownOutput();
        InputStream in = new BufferedInputStream(socket.getInputStream());
        while (more(in)) {
          heard.add(Channel.hear(in));
        }
      }

      assertThat(heard)
          .as(kind + ": " + shape.name)
          .isNotEmpty()
          .allSatisfy(
              answer -> {
                assertThat(answer.status()).isBetween(400, 499);
                assertThat(answer.text()).contains("\"code\":\"E905\"", "nothing was sent");
              });
      assertThat(stage.row(SMUGGLED + "outer")).as(shape.name).isNull();
    }
  }

  @Test
  void aHeadThatEndsEarlyIsNoReasonToSayThatItMayHaveBeenSent() throws Exception {
    for (int round = 1; round <= 50; round++) {
      try (Socket socket = Channel.connect(url)) {
        socket.getOutputStream().write("POST /transfers HTTP/1.1\r\nHo".getBytes(UTF_8));
        socket.shutdownOutput();
        InputStream in = new BufferedInputStream(socket.getInputStream());
        if (more(in)) {
          assertThat(Channel.hear(in).status()).isEqualTo(400);
        }
      }
    }
  }

  private static boolean more(InputStream in) throws IOException {
    in.mark(1);
    try {
      int first = in.read();
      in.reset();
      return first >= 0;
    } catch (SocketException e) {
      return false; // closed upon what it had not read
    }
  }

  @Test
  void whatIsUnusualButClearIsServed() throws Exception {
    for (String one :
        List.of(
            "Transfer-Encoding:\tchunked",
            "tRANSFER-eNCODING: CHUNKED",
            CHUNKED + "\r\nTrailer: Idempotency-Key",
            CHUNKED + "\r\nX-HTTP-Method-Override: DELETE",
            CHUNKED + "\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings")) {
      String guid = "clear-" + NUMBER.incrementAndGet();
      String body = Channel.body(guid);
      String ends = "0;ext=1\r\nIdempotency-Key: other\r\nContent-Length: 5\r\n\r\n";
      String chunks = chunk(body).replace("0\r\n\r\n", ends);

      Heard heard = Channel.exchange(url, "\r\n" + head(one), chunks.getBytes(UTF_8));

      assertThat(heard.status()).as(one).isEqualTo(200);
      assertThat(stage.received(guid)).as(one).isEqualTo(1);
    }
  }

  @Test
  void aBodyOfWhatIsNotServedIsNoRequest() throws Exception {
    for (String line : List.of("GET /healthz", "POST /nope", "PUT /transfers", "GET /metrics")) {
      String body = smuggled();
      try (Socket socket = Channel.connect(url)) {
        String text = line + " HTTP/1.1\r\nHost: r\r\n" + length(body) + "\r\n\r\n" + body;
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
        socket.shutdownOutput();
        InputStream in = new BufferedInputStream(socket.getInputStream());
        assertThat(Channel.hear(in).status()).as(line).isIn(200, 404, 405);
        assertThat(more(in)).as(line).isFalse();
      }
    }
  }

  @Test
  void twoContentTypesOrTwoChannelsAreRefused() throws Exception {
    for (String twice : List.of("Content-Type", "X-Channel")) {
      String guid = SMUGGLED + "twice";
      Heard heard = Channel.transfer(url, guid, twice + ": text/plain", twice + ": text/html");
      assertThat(heard.status()).isEqualTo(400);
      assertThat(heard.text()).contains("\"code\":\"E905\"", "nothing was sent");
    }
  }

  @Test
  void theBodyMayWaitForTheInterimAnswer() throws Exception {
    String body = Channel.body("expects-1");
    try (Socket socket = Channel.connect(url)) {
      String head = head("Expect: 100-continue", length(body));
      socket.getOutputStream().write(head.getBytes(UTF_8));
      assertThat(Channel.hear(socket).status()).isEqualTo(100);
      socket.getOutputStream().write(body.getBytes(UTF_8));
      assertThat(Channel.hear(socket).status()).isEqualTo(200);
    }
    assertThat(stage.received("expects-1")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"many", "large", "endless", "blank lines", "method", "target"})
  void aFloodOfHeadersIsCut(String flood) throws Exception {
    String text =
        switch (flood) {
          case "many" -> head("X: a\r\n".repeat(5_000) + LENGTH);
          case "large" -> head("X: " + "a".repeat(20_000), LENGTH);
          case "endless" -> "POST /transfers HTTP/1.1\r\nX: " + "a".repeat(3_000_000);
          case "blank lines" -> "\r\n".repeat(100_000);
          case "method" -> "A".repeat(20_000) + " /transfers HTTP/1.1\r\n\r\n";
          default -> "GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: r\r\n\r\n";
        };
    try (Socket socket = Channel.connect(url)) {
      try {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
      } catch (SocketException e) {
        // It is closed while it still writes.
      }
      try {
        assertThat(Channel.hear(socket).status()).isEqualTo(flood.equals("target") ? 414 : 431);
      } catch (IOException e) {
        // The answer may be lost with what was not read.
        assertThat(flood).isEqualTo("endless");
      }
    }
  }

  @Test
  void aBodyWithoutEndIsCutSoonAfterItsMost() throws Exception {
    byte[] chunk = ("10000\r\n" + "a".repeat(0x10000) + "\r\n").getBytes(UTF_8);
    long written = 0;
    try (Socket socket = Channel.connect(url)) {
      socket.getOutputStream().write(head(CHUNKED).getBytes(UTF_8));
      while (written < 1L << 30) {
        socket.getOutputStream().write(chunk);
        written += chunk.length;
      }
    } catch (SocketException e) {
      // Cut.
    }
    // What the two kernels have in their buffers was never read.
    assertThat(written).isBetween((long) BODY_LIMIT, 32L << 20);
  }

  @Test
  void whoEverElseDribblesOthersAreServed() throws Exception {
    List<Socket> slow = new ArrayList<>();
    try {
      String[] starts = {
        "P", "\r\n", "POST /transfers HTTP/1.1\r\nX: ", head("Content-Length: 99")
      };
      for (int i = 0; i < 200; i++) {
        Socket socket = Channel.connect(url);
        slow.add(socket);
        socket.getOutputStream().write(starts[i % starts.length].getBytes(UTF_8));
      }
      for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < slow.size(); i++) {
          slow.get(i).getOutputStream().write((i % 4 == 1 ? "\r\n" : "x").getBytes(UTF_8));
        }
        String guid = "beside-slow-" + round;
        assertThat(Channel.transfer(url, guid).status()).isEqualTo(200);
        assertThat(Channel.get(url, "/healthz").status()).isEqualTo(200);
      }
    } finally {
      close(slow);
    }
  }

  private static void close(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  @Test
  void aHalfClosedChannelIsAnswered() throws Exception {
    String body = Channel.body("half-closed");
    try (Socket socket = Channel.connect(url)) {
      socket.getOutputStream().write((head(length(body)) + body).getBytes(UTF_8));
      socket.shutdownOutput();
      assertThat(Channel.hear(socket).status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aChannelThatHasGoneFindsItsReplyWhenItComesBack(boolean reset) throws Exception {
    String guid = "held-gone-" + reset;
    String body = Channel.body(guid);
    try (Socket socket = Channel.connect(url)) {
      socket.getOutputStream().write((head(length(body)) + body).getBytes(UTF_8));
      stage.sandbox.awaitReceived(guid, 1, Stage.PATIENCE);
      if (reset) {
        socket.setSoLinger(true, 0);
      }
    }
    stage.sandbox.release(guid);

    Heard heard = Channel.transfer(url, guid);
    while (heard.status() == 409) {
      heard = Channel.transfer(url, guid);
    }

    assertThat(heard.status()).isEqualTo(200);
    assertThat(heard.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(stage.row(guid)).returns(State.DONE, Row::state);
    assertThat(stage.received(guid)).isEqualTo(1);
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrderAndEachIsSentOnce() throws Exception {
    List<String> guids = IntStream.range(0, 60).mapToObj(i -> "piped-" + (i % 40)).toList();
    StringBuilder all = new StringBuilder();
    guids.forEach(guid -> all.append(post(guid, length(Channel.body(guid)))));
    List<Heard> heard = new ArrayList<>();
    try (Socket socket = Channel.connect(url)) {
      socket.getOutputStream().write(all.toString().getBytes(UTF_8));
      InputStream in = new BufferedInputStream(socket.getInputStream());
      for (int i = 0; i < guids.size(); i++) {
        heard.add(Channel.hear(in));
      }
    }

    for (int i = 0; i < guids.size(); i++) {
      assertThat(heard.get(i).text()).contains("\"guid\":\"" + guids.get(i) + "\"");
      assertThat(heard.get(i).header("Idempotent-Replayed")).isEqualTo(i < 40 ? null : "true");
      assertThat(heard.get(i).reply()).isEqualTo(heard.get(i % 40).reply());
      assertThat(stage.received(guids.get(i))).isEqualTo(1);
    }
  }

  @Test
  void aChannelThatAsksForEverAndReadsNothingIsLeftToWaitAlone() throws Exception {
    ByteBuffer gets =
        ByteBuffer.wrap("GET /metrics HTTP/1.1\r\nHost: r\r\n\r\n".repeat(1_000).getBytes(UTF_8));
    try (SocketChannel deaf = SocketChannel.open(address())) {
      deaf.configureBlocking(false);
      long written = 0;
      for (int full = 0; full < 1_000 && written < 1L << 30; full++) {
        int more = deaf.write(gets);
        written += more;
        full = more == 0 ? full : 0;
        if (!gets.hasRemaining()) {
          gets.rewind();
        }
        if (more == 0) {
          assertThat(Channel.get(url, "/healthz").status()).isEqualTo(200);
        }
      }
      assertThat(written).as("what the kernels have taken").isLessThan(64L << 20);
    }
  }

  private static InetSocketAddress address() {
    return new InetSocketAddress(url.getHost(), url.getPort());
  }

  /** More than all the memory that the hub has, all of it but the last byte of each. */
  @Test
  void manyLargeBodiesAtOnceTakeNobodysMemory() throws Exception {
    String body = "{\"guid\":\"large-1\",\"x\":\"" + "a".repeat(BODY_LIMIT - 40) + "\"}";
    byte[] most = (head(length(body)) + body.substring(0, body.length() - 1)).getBytes(UTF_8);
    List<Socket> large = new ArrayList<>();
    List<Integer> statuses = new ArrayList<>();
    try {
      for (int i = 0; i < 160; i++) {
        Socket socket = Channel.connect(url);
        large.add(socket);
        socket.getOutputStream().write(most);
        if (i % 40 == 39) {
          assertThat(Channel.transfer(url, "beside-large-" + i).status()).isEqualTo(200);
        }
      }
      assertThat(stage.received("large-1")).isZero();
      for (Socket socket : large) {
        socket.getOutputStream().write('}');
        Heard heard = Channel.hear(socket);
        statuses.add(heard.status());
        if (heard.status() == 503) {
          assertThat(heard.text()).contains("\"code\":\"E907\"", "\"retry\":\"same-guid\"");
          assertThat(heard.header("Retry-After")).isEqualTo("5");
        }
      }
    } finally {
      close(large);
    }
    assertThat(statuses).contains(200, 503).containsOnly(200, 503);
    assertThat(Channel.post(url, body, "Content-Type: application/json").status()).isEqualTo(200);
    assertThat(stage.received("large-1")).isEqualTo(1);
  }

  /** A hub that may open few files; each connection is one. */
  @Test
  void sixHundredConnectionsDoNotTakeTheFilesOfAHubThatMayOpenThreeHundred() throws Exception {
    Path home = Files.createDirectory(folder.resolve("few"));
    try (Stage few = new Stage(home);
        Child narrow =
            Child.start(
                List.of("sh", "-c", "ulimit -n 300; exec \"$0\" \"$@\""),
                few.command("serve", Stage.hub()))) {
      assertServedBeside(600, few, narrow.url());
      narrow.signal("TERM");
      assertThat(narrow.exit()).isZero();
      assertThat(narrow.err().text()).doesNotContain("Exception", "\tat ", "ERROR");
    }
  }

  @Test
  @Tag("long")
  void tenThousandConnectionsHurtNobodyWhoWasThereAndNobodyOnceTheyAreGone() throws Exception {
    long files =
        ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getMaxFileDescriptorCount();
    assumeThat(files).as("files that a process may open here").isGreaterThan(11_000);
    assertServedBeside(10_000, stage, url);
  }

  private static void assertServedBeside(int count, Stage stage, URI url) throws Exception {
    List<SocketChannel> many = new ArrayList<>();
    InetSocketAddress address = new InetSocketAddress(url.getHost(), url.getPort());
    String guid = "first-" + count;
    String body = Channel.body(guid);
    try (Socket first = Channel.connect(url)) {
      first.getOutputStream().write("POST ".getBytes(UTF_8));
      for (int i = 0; i < count; i++) {
        SocketChannel one = SocketChannel.open();
        many.add(one);
        one.configureBlocking(false);
        boolean open = one.connect(address);
        // What finds no room waits in the kernel, or is not even heard.
        if (open || one.finishConnect()) {
          int unused = one.write(ByteBuffer.wrap("POST /tra".getBytes(UTF_8)));
        }
      }
      first
          .getOutputStream()
          .write((head(length(body)) + body).substring("POST ".length()).getBytes(UTF_8));
      assertThat(Channel.hear(first).status()).isEqualTo(200);
    } finally {
      for (SocketChannel one : many) {
        one.close();
      }
    }
    assertThat(Channel.get(url, "/healthz").status()).isEqualTo(200);
    assertThat(Channel.transfer(url, "last-" + count).status()).isEqualTo(200);
    assertThat(stage.received(guid)).isEqualTo(1);
    assertThat(stage.received("last-" + count)).isEqualTo(1);
  }
}
