package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.ledger.Filter;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.report.Plain;
import org.relayledger.testing.Mutations;
import org.relayledger.testing.StrictJson;

/** Spoilt requests on the hub's raw socket: what it sends on is a request by anybody's rules. */
class FuzzHubTest {
  private static final String HEAD = "POST /transfers HTTP/1.1\r\nHost: r\r\n";
  private static final String JSON = "Content-Type: application/json\r\n";
  private static final List<byte[]> SEEDS =
      Stream.of(
              HEAD + JSON + "Content-Length: 26\r\n\r\n{\"guid\":\"f-1\",\"amount\":1}\n",
              HEAD
                  + JSON
                  + "Idempotency-Key: \"f-2\"\r\nContent-Length: 26\r\n\r\n"
                  + "{\"guid\":\"f-2\",\"amount\":1}\n",
              HEAD
                  + "Content-Type: text/plain\r\nIdempotency-Key: f-3\r\nContent-Length: 5\r\n\r\n"
                  + "hello",
              HEAD
                  + JSON
                  + "Transfer-Encoding: chunked\r\n\r\n1a\r\n{\"guid\":\"f-4\",\"amount\":1}\n\r\n"
                  + "0\r\n\r\n",
              (HEAD + JSON + "Content-Length: 26\r\n\r\n{\"guid\":\"f-5\",\"amount\":1}\n")
                  .repeat(2),
              "GET /healthz HTTP/1.1\r\nHost: r\r\n\r\n")
          .map(text -> text.getBytes(UTF_8))
          .toList();
  private static final List<String> WORDS =
      List.of(
          "Content-Length: 26\r\n",
          "Content-Length: 0\r\n",
          "Transfer-Encoding: chunked\r\n",
          "Idempotency-Key: f-9\r\n",
          "Idempotency-Key: ../../etc\r\n",
          "\"guid\":\"f-9\"",
          "\"guid\":\"a b\"",
          "Expect: 100-continue\r\n",
          "Connection: close\r\n",
          "HTTP/1.0",
          "0\r\n\r\n",
          "1a\r\n",
          HEAD);

  @TempDir Path folder;

  @Test
  void aHundredAndFiftySpoiltRequestsLeaveTheHubAliveAndNothingInvalidIsSent() throws Exception {
    fuzz(20260407, 150);
  }

  @Test
  @Tag("long")
  void eightThousandSpoiltRequestsLeaveTheHubAliveAndNothingInvalidIsSent() throws Exception {
    fuzz(20260408, 8_000);
  }

  private void fuzz(long seed, int rounds) throws Exception {
    Mutations requests = new Mutations(new Random(seed), SEEDS, WORDS);
    ConcurrentLinkedQueue<Teller.Asked> asked = new ConcurrentLinkedQueue<>();
    int answered = 0;
    try (Stage stage = new Stage(folder);
        Teller teller =
            new Teller(
                request -> {
                  asked.add(request);
                  return Teller.reply(
                      200, "application/json", "{\"code\":\"0000\"}".getBytes(UTF_8));
                });
        Serving hub = stage.serve("--account-url", teller.url())) {
      for (int round = 1; round <= rounds; round++) {
        byte[] request = requests.next();
        String where =
            "seed "
                + seed
                + ", round "
                + round
                + ": "
                + Plain.text(new String(request, ISO_8859_1));
        String heard = tell(hub.url(), request);
        answered += heard.isEmpty() ? 0 : 1;
        assertThat(heard).as(where).doesNotContain("E901", "E908", "HTTP/1.1 5", "Exception");
        for (Teller.Asked sent = asked.poll(); sent != null; sent = asked.poll()) {
          assertValid(where, sent);
        }
        if (round % 50 == 0) {
          assertThat(Channel.transfer(hub.url(), "honest-" + round).status())
              .as(where)
              .isEqualTo(200);
        }
      }
      assertThat(answered).isGreaterThan(rounds / 2);
      try (LedgerView view = LedgerView.open(stage.ledger.toString())) {
        List<Row> rows = view.page(Filter.ALL, 0, LedgerView.MAX_PAGE);
        assertThat(rows).hasSizeGreaterThan(rounds / 50 + 2);
        assertThat(rows)
            .allSatisfy(
                row -> assertThat(teller.asked(row.guid().value())).as("" + row.guid()).hasSize(1));
      }
    }
  }

  /** All that is heard until the hub closes, which it does once it has answered the last. */
  private static String tell(URI url, byte[] request) throws IOException {
    StringBuilder heard = new StringBuilder();
    try (Socket socket = Channel.connect(url)) {
      try {
        socket.getOutputStream().write(request);
        socket.shutdownOutput();
        InputStream in = socket.getInputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
          heard.append((char) b);
        }
      } catch (SocketException e) {
        // Closed before it was read to its end.
      }
    }
    return heard.toString();
  }

  private static void assertValid(String where, Teller.Asked sent) {
    String guid = sent.guid();
    assertThat(guid).as(where).matches("[A-Za-z0-9._:-]{1,128}").matches(".*[A-Za-z0-9].*");
    assertThat(sent.body()).as(where).isNotEmpty();
    String type = sent.header("Content-Type");
    Object json = StrictJson.read(sent.body()).orElse(null);
    if (type != null && type.toLowerCase(java.util.Locale.ROOT).startsWith("application/json")) {
      assertThat(json).as(where).isNotNull();
    }
    if (json instanceof Map<?, ?> members && members.containsKey("guid")) {
      assertThat(members.get("guid")).as(where).isEqualTo(guid);
    }
  }
}
