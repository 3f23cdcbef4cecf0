package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;
import org.relayledger.ledger.Fingerprint;
import org.relayledger.relay.Intake;
import tools.jackson.core.JsonPointer;

/**
 * Fills an empty ledger with rows that are DONE, much faster than a relay would: with a statement a
 * row, in transactions of many rows. For benchmarks.
 */
final class ManyRows {
  private static final int COMMIT = 50_000;
  private static final long GAP_MILLIS = 10;

  private ManyRows() {}

  /** The GUID of the row of that number: in order of time, as many channels make them. */
  static String guid(long number) {
    return String.format("01938f2a-%04x-7%03x-8000-%012x", number >> 12, number & 0xfff, number);
  }

  /** The request of that row. */
  static String body(long number) {
    return "{\"guid\":\""
        + guid(number)
        + "\",\"from\":\"DE89370400440532013000\",\"to\":\"FR7630006000011234567890189\","
        + "\"amount\":"
        + number % 10_000
        + ".50,\"currency\":\"EUR\",\"text\":\"invoice "
        + number
        + "\"}";
  }

  /** Writes a batch of all the rows, a request a line. */
  static void batch(Path file, long rows) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (long i = 1; i <= rows; i++) {
        out.write(body(i));
        out.write('\n');
      }
    }
  }

  /** Writes the account system's list of all the rows. */
  static void statement(Path file, long rows) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write("guid,at\r\n");
      for (long i = 1; i <= rows; i++) {
        // Not in the ledger's order.
        out.write(guid((i * 7_919) % rows + 1) + ",2026-01-31T03:00:00Z\r\n");
      }
    }
  }

  /** Fills {@code ledger}, which nobody else may have open. */
  static void fill(Path ledger, long rows, long first) throws SQLException {
    Intake intake = new Intake(JsonPointer.compile("/guid"), List.of());
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + ledger);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA cache_size=-262144");
      PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO ledger (seq, guid, account, state, attempt, content_type, fingerprint,"
                  + " scheme, request_sha256, received_at, sent_at, updated_at, request) VALUES (?,"
                  + " ?, 'http://bank.invalid/transfers', 'SENT', 1, 'application/json', ?, ?, ?, ?,"
                  + " ?, ?, ?)");
      PreparedStatement update =
          connection.prepareStatement(
              "UPDATE ledger SET state = 'DONE', code = '0000', http_status = 200, reply_type ="
                  + " 'application/json', reply_sha256 = ?, reply = ?, done_at = ?, ended_at = ?,"
                  + " ended_boot = 'boot', ended_uptime = 1, updated_at = ?, told_code = '0000',"
                  + " told_at = ? WHERE seq = ?");
      PreparedStatement journal =
          connection.prepareStatement(
              "INSERT INTO journal (seq, guid, attempt, event, from_state, to_state, code, actor,"
                  + " \"by\", at, note) VALUES (?, ?, 1, 'move', ?, ?, ?, 'relay', 'hub', ?, ?)");
      connection.setAutoCommit(false);
      for (long i = 1; i <= rows; i++) {
        long at = first + i * GAP_MILLIS;
        byte[] body = body(i).getBytes(UTF_8);
        Fingerprint fingerprint =
            ((Intake.Arrival.Accepted) intake.read(List.of(), null, "application/json", body))
                .request()
                .fingerprint();
        byte[] reply =
            ("{\"code\":\"0000\",\"guid\":\"" + guid(i) + "\",\"balance\":" + i + "}")
                .getBytes(UTF_8);
        bind(
            insert,
            i,
            guid(i),
            HexFormat.of().parseHex(fingerprint.sha256()),
            "1\n/guid",
            HexFormat.of().parseHex(Fingerprint.sha256(body)),
            at,
            at,
            at,
            body);
        bind(journal, i, guid(i), null, "SENT", null, at, null);
        byte[] sha256 = HexFormat.of().parseHex(Fingerprint.sha256(reply));
        long done = at + 3;
        bind(update, sha256, reply, done, done, done, done, i);
        bind(journal, i, guid(i), "SENT", "DONE", "0000", done, "HTTP 200");
        if (i % COMMIT == 0) {
          connection.commit();
        }
      }
      connection.commit();
    }
  }

  private static void bind(PreparedStatement statement, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    statement.executeUpdate();
  }
}
