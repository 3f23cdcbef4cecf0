package org.relayledger.account;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Steps;
import org.relayledger.report.Plain;
import org.relayledger.testing.Mutations;
import org.relayledger.testing.StrictJson;

/** Spoilt answers of an account system, on real sockets, against a second reader of HTTP. */
@Timeout(600)
final class FuzzReplyTest {
  private static final Guid GUID = new Guid("T-1");
  private static final byte[] REQUEST = "{\"guid\":\"T-1\",\"amount\":1}".getBytes(UTF_8);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String JSON = "Content-Type: application/json";
  private static final List<byte[]> SEEDS =
      Stream.of(
              ScriptedServer.sized("200 OK\r\n" + JSON, "{\"code\":\"0000\",\"guid\":\"T-1\"}"),
              ScriptedServer.chunked("200 OK\r\n" + JSON, "{\"code\":\"0000\",\"guid\":\"T-1\"}"),
              ScriptedServer.sized("400 Bad\r\n" + JSON, "{\"guid\":\"T-1\",\"code\":\"B201\"}"),
              ScriptedServer.sized("500 Bad", "{\"x\":[1,{}],\"code\":\"E500\"}"),
              ScriptedServer.sized("200 OK\r\n" + JSON, "{\"code\":\"E999\",\"guid\":\"T-1\"}"),
              ScriptedServer.sized("404 No\r\n" + JSON, "{\"code\":\"E404\",\"guid\":\"T-1\"}"),
              ScriptedServer.chunked("404 No\r\n" + JSON, "{\"code\":\"E404\",\"guid\":\"t-1\"}"),
              "HTTP/1.1 100 Go\r\n\r\n"
                  + ScriptedServer.sized("200 OK", "{\"code\":\"0000\",\"guid\":\"T-1\"}"))
          .map(text -> text.getBytes(UTF_8))
          .toList();
  private static final List<String> WORDS =
      List.of(
          "Content-Length: 28\r\n",
          "Transfer-Encoding: chunked\r\n",
          "HTTP/1.1 200 OK\r\n",
          "\"code\":\"0000\"",
          "\"guid\":\"T-2\"",
          "0000",
          "B299",
          "E404",
          "T-1",
          "1c\r\n",
          "0\r\n\r\n",
          "\r\n X: y\r\n");

  @Test
  void twoHundredAndFiftySpoiltAnswersAreNoMoreThanTheSecondReaderSaysAndNeverFailed()
      throws Exception {
    fuzz(20260403, 250);
  }

  @Test
  @Tag("long")
  void fifteenHundredSpoiltAnswersAreNoMoreThanTheSecondReaderSaysAndNeverFailed()
      throws Exception {
    fuzz(20260404, 1_500);
  }

  private static void fuzz(long seed, int rounds) throws Exception {
    Mutations answers = new Mutations(new Random(seed), SEEDS, WORDS);
    byte[][] answer = new byte[1][];
    int done = 0;
    int processed = 0;
    int absent = 0;
    try (ScriptedServer server =
        new ScriptedServer(
            peer -> {
              peer.request();
              peer.socket.getOutputStream().write(answer[0]);
              peer.socket.shutdownOutput();
              peer.untilClosed();
            })) {
      AccountSystem account = new AccountSystem(AccountOptions.at(server.url()), LONG, Steps.NONE);
      for (int round = 1; round <= rounds; round++) {
        answer[0] = answers.next();
        String where = "seed " + seed + ", round " + round + ": " + shown(answer[0]);
        Optional<Whole> whole = Whole.read(answer[0]);
        Outcome outcome =
            account
                .send(GUID, 1, "application/json", REQUEST, () -> true)
                .await(LONG)
                .orElseThrow();
        if (outcome instanceof Outcome.Done is) {
          done++;
          assertThat(whole).as(where).isPresent();
          assertThat(whole.get().code()).as(where).isEqualTo(is.code()).matches("0000|B2..|E500");
          assertThat(whole.get().guid()).as(where).isIn(null, "t-1");
          assertThat(is.reply().body()).as(where).isEqualTo(whole.get().body);
          assertThat(is.reply().httpStatus()).as(where).isEqualTo(whole.get().status);
        } else {
          assertThat(outcome).as(where).isInstanceOf(Outcome.InDoubt.class);
        }
        Verdict verdict = account.ask(GUID).verdict();
        if (verdict instanceof Verdict.Inconclusive) {
          continue;
        }
        assertThat(whole).as(where).isPresent();
        assertThat(whole.get().guid()).as(where).isEqualTo("t-1");
        if (verdict instanceof Verdict.Processed is) {
          processed++;
          assertThat(whole.get().status).as(where).isEqualTo(200);
          assertThat(whole.get().code()).as(where).isEqualTo(is.code()).matches("0000|B2..");
          assertThat(is.reply().body()).as(where).isEqualTo(whole.get().body);
        } else {
          absent++;
          assertThat(whole.get().status).as(where).isEqualTo(404);
          assertThat(whole.get().code()).as(where).isEqualTo("E404");
        }
      }
      assertThat(server.requests()).as("each was sent once").hasSize(2 * rounds);
    }
    // Otherwise nothing would have been compared.
    assertThat(done).isGreaterThan(rounds / 20);
    assertThat(processed).isGreaterThan(rounds / 40);
    assertThat(absent).isGreaterThan(rounds / 40);
  }

  private static String shown(byte[] bytes) {
    return Plain.text(new String(bytes, ISO_8859_1));
  }

  /** A whole final answer, as a simple reader reads it. */
  private record Whole(int status, byte[] body) {
    /** The first final answer in {@code bytes}, if its framing is sound. */
    static Optional<Whole> read(byte[] bytes) {
      try {
        In in = new In(bytes);
        while (true) {
          String line = in.line();
          if (!line.matches("HTTP/1\\.[01].[1-5][0-9][0-9].*")) {
            return Optional.empty();
          }
          int status = Integer.parseInt(line.substring(9, 12));
          Map<String, List<String>> headers = in.headers();
          if (status < 200) {
            continue;
          }
          List<String> lengths = headers.getOrDefault("content-length", List.of());
          List<String> codings = headers.getOrDefault("transfer-encoding", List.of());
          if (lengths.size() + codings.size() != 1 || status / 100 == 3) {
            return Optional.empty();
          }
          byte[] body =
              codings.isEmpty() ? in.bytes(Integer.parseInt(lengths.get(0))) : in.chunks();
          return codings.isEmpty() || codings.get(0).equalsIgnoreCase("chunked")
              ? Optional.of(new Whole(status, body))
              : Optional.empty();
        }
      } catch (IOException | NumberFormatException e) {
        return Optional.empty();
      }
    }

    /** What is at {@code /code}; null if nothing is, or this is no JSON object. */
    String code() {
      Object code = member("code");
      return code instanceof StrictJson.Bare bare ? bare.text() : (String) code;
    }

    /** What is at {@code /guid}, in lower case; null if nothing is. */
    String guid() {
      Object guid = member("guid");
      return guid == null ? null : guid.toString().toLowerCase(Locale.ROOT);
    }

    private Object member(String name) {
      return StrictJson.read(body).orElse(null) instanceof Map<?, ?> members
          ? members.get(name)
          : null;
    }
  }

  /** Bytes, read one after the other. */
  private static final class In {
    private final byte[] bytes;
    private int at;

    In(byte[] bytes) {
      this.bytes = bytes;
    }

    /** Up to a line feed; a carriage return before it does not count. */
    String line() throws IOException {
      int start = at;
      while (at < bytes.length && bytes[at] != '\n') {
        at++;
      }
      if (at == bytes.length) {
        throw new IOException("no end of line");
      }
      String line = new String(bytes, start, at++ - start, ISO_8859_1);
      return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }

    /** As the JDK's client, which forgets a header that ends in a carriage return alone. */
    Map<String, List<String>> headers() throws IOException {
      List<String> lines = new ArrayList<>();
      for (String line = line(); !line.isEmpty(); line = line()) {
        boolean folded = !lines.isEmpty() && (line.startsWith(" ") || line.startsWith("\t"));
        lines.add(folded ? lines.remove(lines.size() - 1) + line : line);
      }
      Map<String, List<String>> headers = new HashMap<>();
      for (String line : lines) {
        String header = line.substring(line.lastIndexOf('\r') + 1);
        int colon = header.indexOf(':');
        if (colon > 0) {
          String name = header.substring(0, colon).strip().toLowerCase(Locale.ROOT);
          headers
              .computeIfAbsent(name, n -> new ArrayList<>())
              .add(header.substring(colon + 1).strip());
        }
      }
      return headers;
    }

    byte[] bytes(int count) throws IOException {
      if (count < 0 || count > bytes.length - at) {
        throw new IOException("cut off");
      }
      at += count;
      return Arrays.copyOfRange(bytes, at - count, at);
    }

    /** As leniently as the JDK's client: what follows a size, or ends a chunk, may be anything. */
    byte[] chunks() throws IOException {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      while (true) {
        int size = Integer.parseInt(line().replaceFirst("(?s)[^0-9a-fA-F].*", ""), 16);
        body.writeBytes(bytes(size));
        if (size == 0) {
          return body.toByteArray();
        }
        bytes(2);
      }
    }
  }
}
