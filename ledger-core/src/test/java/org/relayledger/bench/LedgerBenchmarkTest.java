package org.relayledger.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Claim;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Reply;
import org.relayledger.ledger.Request;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.Steps;
import org.relayledger.ledger.Taken;
import org.relayledger.testing.Scene;

/** Claims and settlements a second, against two autocommits by one thread in the same run. */
@Tag("bench")
class LedgerBenchmarkTest {
  private static final Duration ROUND = Duration.ofSeconds(Integer.getInteger("seconds", 3));
  private static final Actor CHANNEL = new Actor(Actor.Role.RELAY, "bench", null);
  private static final String ACCOUNT = "http://127.0.0.1:1/transfers";
  private static final byte[] REPLY = "{\"code\":\"0000\",\"description\":\"ok\"}".getBytes(UTF_8);
  private static final Outcome DONE =
      new Outcome.Done(new Reply(200, "application/json", REPLY), "0000");

  @TempDir Path folder;

  private Path ledger() throws Exception {
    Path path = Files.createTempDirectory(folder, "fresh").resolve("ledger.db");
    Settings settings =
        new Settings("bench", Settings.Mode.NORMAL, Duration.ofMinutes(1), Duration.ofDays(1));
    var unused = Ledger.init(path.toString(), settings, HostClock.system());
    return path;
  }

  @Test
  void relaysASecond() throws Exception {
    Bench.compare(
        "relays/s",
        new Bench.Case("two autocommits, one thread", this::naive),
        new Bench.Case("64 callers", () -> callers(64)),
        new Bench.Case("256 callers", () -> callers(256)));
  }

  /** Each relay is an INSERT and an UPDATE, each of them committed. */
  private double naive() throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + ledger())) {
      connection.createStatement().execute("PRAGMA synchronous=FULL");
      try (PreparedStatement insert =
              connection.prepareStatement(
                  "INSERT INTO ledger (guid, account, state, attempt, content_type, fingerprint,"
                      + " scheme, request_sha256, received_at, sent_at, updated_at, request)"
                      + " VALUES (?, ?, 'SENT', 1, 'application/json', ?, 'json/1', ?, 1, 1, 1, ?)");
          PreparedStatement update =
              connection.prepareStatement(
                  "UPDATE ledger SET state = 'DONE', code = '0000', http_status = 200,"
                      + " reply_type = 'application/json', reply_sha256 = ?, reply = ?,"
                      + " done_at = 2, updated_at = 2, ended_at = 2, ended_boot = 'b',"
                      + " ended_uptime = 2 WHERE lower(guid) = ? AND state = 'SENT'")) {
        AtomicInteger number = new AtomicInteger();
        return Bench.perSecond(1, ROUND, () -> naive(insert, update, number.incrementAndGet()));
      }
    }
  }

  private static void naive(PreparedStatement insert, PreparedStatement update, int number)
      throws SQLException {
    String guid = "naive-" + number;
    byte[] hash = new byte[32];
    insert.setString(1, guid);
    insert.setString(2, ACCOUNT);
    insert.setBytes(3, hash);
    insert.setBytes(4, hash);
    insert.setBytes(5, Scene.body(guid));
    insert.executeUpdate();
    update.setBytes(1, hash);
    update.setBytes(2, REPLY);
    update.setString(3, guid);
    update.executeUpdate();
  }

  private double callers(int callers) throws Exception {
    AtomicInteger number = new AtomicInteger();
    try (Ledger ledger = Ledger.open(ledger().toString(), HostClock.system(), Steps.NONE)) {
      return Bench.perSecond(
          callers, ROUND, () -> relay(ledger, Scene.request("bench-" + number.incrementAndGet())));
    }
  }

  private static void relay(Ledger ledger, Request request) {
    Taken taken = ledger.claim(request, ACCOUNT, CHANNEL);
    try (Claim claim = ((Taken.Won) taken).claim()) {
      if (!claim.stillMine() || !claim.settle(DONE, "0000", null)) {
        throw new IllegalStateException(request.guid() + " was moved by somebody else");
      }
    }
  }
}
