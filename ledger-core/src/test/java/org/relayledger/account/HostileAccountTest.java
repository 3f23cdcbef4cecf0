package org.relayledger.account;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Steps;

/** An account system that answers without end, too much, too deep, too slowly. */
@Timeout(120)
final class HostileAccountTest {
  private static final Guid HURT = new Guid("H-1");
  private static final String OK = "{\"code\":\"0000\",\"guid\":\"%s\"}";
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int TEST_SECONDS = 30;
  private static final int MAX_REPLY = 1 << 20;

  /** What a server would send at most, and what no client may take from it. */
  private static final long GIBIBYTE = 1L << 30;

  /** What two kernels, and one reader, may have in their buffers. */
  private static final long BUFFERS = 32L << 20;

  /**
   * An answer.
   *
   * @param start how it begins
   * @param rest what follows, again and again, up to a gibibyte
   */
  private record Hostile(String name, String start, String rest) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Hostile> answers() {
    String ok = "HTTP/1.1 200 OK\r\n";
    String json = ok + "Content-Type: application/json\r\n";
    String chunks = json + "Transfer-Encoding: chunked\r\n\r\n";
    String found = "{\"code\":\"0000\",\"guid\":\"H-1\"}";
    String k = "a".repeat(1 << 16);
    return Stream.of(
        new Hostile("a gibibyte", json + "Content-Length: 1073741824\r\n\r\n", k),
        new Hostile("a gibibyte in chunks", chunks, "10000\r\n" + k + "\r\n"),
        new Hostile("a gibibyte in one chunk", chunks + "40000000\r\n", k),
        new Hostile(
            "a reply, and a gibibyte",
            json + "Content-Length: " + found.length() + "\r\n\r\n" + found.replace("0000", "9999"),
            k),
        new Hostile("headers without end", ok, "X-a: b\r\n".repeat(1 << 12)),
        new Hostile("a header without end", ok + "X-a: ", k),
        new Hostile("a header's name without end", ok, k),
        new Hostile("a folded header without end", ok + "X: a\r\n", (" " + k + "\r\n")),
        new Hostile("a status line without end", "HTTP/1.1 200 ", k),
        new Hostile("a version without end", "HTTP/1.", "1".repeat(1 << 16)),
        new Hostile("no HTTP, without end", "", k),
        new Hostile("100 without end", "", "HTTP/1.1 100 Go\r\n\r\n".repeat(1 << 12)),
        new Hostile("102 without end", "", "HTTP/1.1 102 Go\r\n\r\n".repeat(1 << 12)),
        new Hostile(
            "103 with headers without end",
            "",
            ("HTTP/1.1 103 Go\r\n" + "X: a\r\n".repeat(50) + "\r\n").repeat(1 << 8)),
        new Hostile("a chunk's extension without end", chunks + "1;", k),
        new Hostile("a chunk's size without end", chunks, "0".repeat(1 << 16)),
        new Hostile("chunks of one byte without end", chunks, "1\r\na\r\n".repeat(1 << 12)),
        new Hostile("trailers without end", chunks + "0\r\n", "X-a: b\r\n".repeat(1 << 12)),
        new Hostile("blank lines without end", "", "\r\n".repeat(1 << 15)),
        new Hostile("NULs without end", "", "\0".repeat(1 << 16)));
  }

  private static AccountSystem account(String url, Duration openAtMost) {
    AccountOptions like = AccountOptions.at(url);
    return new AccountSystem(
        new AccountOptions(
            url,
            null,
            LONG,
            LONG,
            like.headers(),
            like.codePointer(),
            like.guidPointer(),
            like.finalCodes(),
            like.notSentCodes(),
            like.inquiryFinalCodes(),
            like.absentCode(),
            MAX_REPLY),
        openAtMost,
        Steps.NONE);
  }

  private static Exchange send(AccountSystem account, Guid guid) {
    return account.send(
        guid,
        1,
        "application/json",
        ("{\"guid\":\"" + guid + "\",\"amount\":1}").getBytes(ISO_8859_1),
        () -> true);
  }

  /** Answers H-1 by {@code hostile}, which counts itself in, and all others well. */
  private static ScriptedServer server(CountDownLatch begun, ScriptedServer.Script hostile)
      throws IOException {
    return new ScriptedServer(
        peer -> {
          String head = peer.request().head();
          if (head.contains(HURT.value())) {
            begun.countDown();
            hostile.play(peer);
          } else {
            peer.send(ScriptedServer.sized("200 OK", String.format(OK, "good")));
          }
          peer.untilClosed();
        });
  }

  private static void assertServed(AccountSystem account) {
    assertThat(send(account, new Guid("good")).await(LONG)).containsInstanceOf(Outcome.Done.class);
  }

  @ParameterizedTest
  @MethodSource("answers")
  void anAnswerWithoutEndIsDoubtAndEndsBeforeItFillsAnyMemory(Hostile hostile) throws Exception {
    AtomicLong written = new AtomicLong();
    CountDownLatch begun = new CountDownLatch(1);
    ScriptedServer.Script flood =
        peer -> {
          OutputStream out = peer.socket.getOutputStream();
          out.write(hostile.start.getBytes(ISO_8859_1));
          byte[] rest = hostile.rest.getBytes(ISO_8859_1);
          while (written.addAndGet(rest.length) < GIBIBYTE) {
            out.write(rest);
          }
        };
    try (ScriptedServer server = server(begun, flood)) {
      AccountSystem account = account(server.url(), LONG);

      Exchange exchange = send(account, HURT);
      assertThat(begun.await(TEST_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertServed(account);

      assertThat(exchange.await(LONG)).containsInstanceOf(Outcome.InDoubt.class);
      assertThat(server.surplus()).isZero();
      assertThat(written.getAndSet(0)).isLessThan(BUFFERS);
      assertThat(account.ask(HURT).verdict()).isInstanceOf(Verdict.Inconclusive.class);
      assertThat(server.surplus()).isZero();
      assertThat(written.get()).isLessThan(BUFFERS);
      assertServed(account);
    }
  }

  static Stream<String> bodies() {
    String named = "\"code\":\"0000\",\"guid\":\"H-1\"";
    return Stream.of(
        "[".repeat(100_000),
        "[".repeat(100_000) + "]".repeat(100_000),
        "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000),
        "{" + named + ",\"x\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}",
        "{\"x\":" + "[".repeat(100_000) + "]".repeat(100_000) + "," + named + "}",
        "{" + named + ",\"x\":\"" + "\\".repeat(200_001) + "\"}",
        "{" + named + ",\"" + "a\":1,\"".repeat(100_000) + "b\":1}",
        "{" + named + "}".repeat(500_000),
        "{" + named + ",\"code\":\"0000\"}",
        "{" + named + ",\"\\u0063ode\":\"0000\"}",
        "{" + named + "}{" + named + "}",
        "\ufeff{" + named + "}");
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("bodies")
  void aBodyThatIsTooDeepOrAmbiguousIsDoubtWhateverItsCode(String body) throws Exception {
    assertDoubt(
        peer -> {
          peer.send(ScriptedServer.sized("200 OK\r\nContent-Type: application/json", body));
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate"})
  void aBodyThatIsCompressedIsDoubt(String coding) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out =
        coding.equals("gzip") ? new GZIPOutputStream(bytes) : new DeflaterOutputStream(bytes)) {
      out.write(String.format(OK, HURT).getBytes(ISO_8859_1));
    }
    assertDoubt(
        peer -> {
          peer.send(
              "HTTP/1.1 200 OK\r\nContent-Encoding: "
                  + coding
                  + "\r\nContent-Length: "
                  + bytes.size()
                  + "\r\n\r\n");
          peer.socket.getOutputStream().write(bytes.toByteArray());
        });
  }

  private static void assertDoubt(ScriptedServer.Script hostile) throws Exception {
    try (ScriptedServer server = server(new CountDownLatch(1), hostile)) {
      AccountSystem account = account(server.url(), LONG);
      assertThat(send(account, HURT).await(LONG)).containsInstanceOf(Outcome.InDoubt.class);
      assertThat(account.ask(HURT).verdict()).isInstanceOf(Verdict.Inconclusive.class);
      assertServed(account);
    }
  }

  /** More than there are threads of any kind; each sends a byte whenever it may. */
  @Test
  void manyThatDribbleHoldUpNobodyAndEndAtTheirDeadline() throws Exception {
    CountDownLatch begun = new CountDownLatch(60);
    ScriptedServer.Script dribble =
        peer -> {
          peer.send("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n");
          while (!peer.closedSoon()) {
            peer.send(" ");
          }
        };
    try (ScriptedServer server = server(begun, dribble)) {
      AccountSystem account = account(server.url(), Duration.ofSeconds(3));
      List<Exchange> slow = new ArrayList<>();
      for (int i = 1; i <= 60; i++) {
        slow.add(send(account, new Guid(HURT + "-" + i)));
      }
      assertThat(begun.await(TEST_SECONDS, TimeUnit.SECONDS)).isTrue();
      for (int i = 1; i <= 20; i++) {
        assertServed(account);
      }
      for (Exchange exchange : slow) {
        assertThat(exchange.await(LONG)).contains(new Outcome.InDoubt("no reply within 3s", false));
      }
      assertThat(server.surplus()).isZero();
    }
  }
}
