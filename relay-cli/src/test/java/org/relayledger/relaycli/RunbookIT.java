package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.relayledger.sandbox.Sandbox;

/** The chapters of docs/operations.md that are lists of commands, followed to the letter. */
@Timeout(120)
final class RunbookIT extends BuiltSuite {
  /** The commands of the runbook between two of its lines, in their order. */
  private static List<String> runbook(String begin, String end) throws IOException {
    String text = Files.readString(Path.of("..", "docs", "operations.md"));
    int from = text.indexOf(begin);
    int to = text.indexOf(end, from);
    assertThat(from).isPositive().isLessThan(to);
    return text
        .substring(from, to)
        .lines()
        .filter(line -> line.startsWith("       "))
        .toList()
        .stream()
        .map(String::strip)
        .toList();
  }

  @Test
  void theRestoreChapterOfTheRunbookIsFollowedToTheLetterOnALedgerWithEveryState()
      throws Exception {
    String ledger = temp.resolve("ledger.db").toString();
    String backup = temp.resolve("ledger-2026-11-30.db").toString();
    assertThat(init(ledger).exit()).isZero();
    try (Sandbox sandbox = Sandbox.start(Stage.loopback(), Sandbox.BALANCE)) {
      Map<String, String> set =
          Map.of(
              "RELAY_LEDGER",
              ledger,
              "RELAY_ACCOUNT_URL",
              sandbox.transfers().toString(),
              "RELAY_REPROCESS_RECEIVED",
              "true");
      assertThat(send(set, "done").exit()).isZero();
      assertThat(send(set, "drop-unknown").exit()).isEqualTo(5);
      Map<String, String> down = new HashMap<>(set);
      down.put("RELAY_ACCOUNT_URL", NOTHING);
      assertThat(send(down, "failed").exit()).isEqualTo(4);
      assertThat(batch(down, Channel.body("received")).exit()).isEqualTo(12);
      Process hub = hub(set);
      var unused = Channel.begin(listening(hub), "held-sent");
      sandbox.awaitReceived("held-sent", 1, Stage.PATIENCE);
      hub.destroyForcibly().waitFor();
      assertThat(run(set, "", bin.resolve("relay"), "backup", backup).exit()).isZero();
      // What the backup does not know.
      assertThat(run(set, "", bin.resolve("reprocess")).exit()).isZero();
      assertThat(send(set, "later").exit()).isZero();
      hub = hub(set);
      URI url = listening(hub);

      for (String command : runbook("Restore, step by step:", "If only the claims file is lost")) {
        if (command.startsWith("systemctl stop ")) {
          hub.destroy();
          assertThat(hub.waitFor(60, SECONDS)).isTrue();
        } else if (command.startsWith("systemctl start ")) {
          hub = hub(set);
          url = listening(hub);
          // As its timer does.
          assertThat(run(set, "", bin.resolve("reprocess")).exit()).isZero();
        } else {
          assertThat(command).startsWith("relay ");
          String line = command.replaceAll("/backup/\\S+", "'" + backup + "'");
          Ended ended = run(set, "", "sh", "-c", "'" + bin + "'/" + line);
          assertThat(ended.exit()).as(command + ended.err() + ended.out()).isZero();
        }
        for (String guid : List.of("done", "failed", "received", "later")) {
          if (hub.isAlive()) {
            assertThat(Channel.transfer(url, guid).code()).as(guid + command).isEqualTo("0000");
          }
        }
      }
      assertThat(run(set, "", bin.resolve("relay"), "mode").out()).contains("normal", "restored");
      sandbox.release("held-sent");
      hub.destroy();
      assertThat(hub.waitFor(60, SECONDS)).isTrue();
      assertThat(sandbox.received().values()).containsOnly(1);
      assertThat(sandbox.received())
          .containsOnlyKeys("done", "drop-unknown", "failed", "received", "held-sent", "later");
    }
  }

  private Ended send(Map<String, String> set, String guid) throws Exception {
    return run(set, Channel.body(guid), bin.resolve("relay"), "send");
  }

  private static Process hub(Map<String, String> set) throws IOException {
    return program(set, bin.resolve("relay"), "serve", "--listen=127.0.0.1:0").start();
  }

  private static URI listening(Process hub) throws IOException {
    String line = hub.errorReader(UTF_8).readLine();
    return URI.create(line.replaceAll(".*listening on ([^ ,]+).*", "$1"));
  }

  private Ended batch(Map<String, String> set, String lines) throws Exception {
    return run(set, lines, bin.resolve("relay"), "batch", "-");
  }

  /** A command of the runbook, in this test's folder. */
  private Ended shell(Map<String, String> set, String command) throws Exception {
    return run(set, "", "sh", "-c", "cd '" + temp + "' && PATH='" + bin + "':$PATH && " + command);
  }

  @Test
  void theMonthEndAuditOfTheRunbookIsFollowedToTheLetter() throws Exception {
    String ledger = temp.resolve("ledger.db").toString();
    assertThat(init(ledger, "1s").exit()).isZero();
    try (Sandbox sandbox = Sandbox.start(Stage.loopback(), Sandbox.BALANCE)) {
      Map<String, String> set = new HashMap<>();
      set.put("RELAY_LEDGER", ledger);
      set.put("RELAY_ACCOUNT_URL", sandbox.transfers().toString());
      set.put("RELAY_MIN_AGE", "1s");
      Map<String, String> down = new HashMap<>(set);
      down.put("RELAY_ACCOUNT_URL", NOTHING);
      assertThat(send(down, "failed").exit()).isEqualTo(4);
      String lines = String.join("\n", Channel.body("ok-1"), Channel.body("drop-2"));
      assertThat(batch(set, lines).exit()).isEqualTo(5);
      Instant now = Instant.now();

      for (String command : runbook("## Month-end audit", "## Incident review")) {
        String line =
            command
                .replace("2026-11-01", now.minus(Duration.ofDays(2)).toString())
                .replace("2026-12-01", now.plus(Duration.ofDays(1)).toString());
        Ended ended = shell(set, line);
        while (command.equals("resolve")
            && ended.exit() == 0
            && ended.err().contains("too young")) {
          ended = shell(set, line); // until the row is as old as it has to be
        }
        assertThat(ended.exit()).as(command + ended.err() + ended.out()).isZero();
        if (command.equals("relay stats")) {
          assertThat(ended.out()).contains("UNKNOWN         0", "FAILED          0");
          Files.write(
              temp.resolve("statement.csv"), Channel.get(sandbox.transfers(), "/statement").body());
        }
      }
      assertThat(temp.resolve("findings.csv"))
          .hasContent("finding,guid,executions,state,code,detail");
      assertThat(temp.resolve("untold.csv")).content().contains("drop-2,", "failed,");
      assertThat(temp.resolve("journal.csv")).content().contains(",UNKNOWN,DONE,0000,resolve,");
      assertThat(temp.resolve("rows.csv")).content().hasLineCount(4);
      assertThat(sandbox.executed().values()).containsOnly(1).hasSize(3);

      Files.writeString(
          temp.resolve("statement.csv"), "guid,at\nok-1,%s\nok-1,%s\n".formatted(now, now));
      Files.delete(temp.resolve("findings.csv"));
      String reconcile = runbook("2. Compare.", "3. What the channels").get(0);
      assertThat(shell(set, reconcile.replaceAll("--since .* --format", "--format")).exit())
          .isEqualTo(13);
      assertThat(temp.resolve("findings.csv"))
          .content()
          .contains("duplicate,ok-1,2,DONE,", "missing,drop-2,0,DONE,", "missing,failed,0,DONE,");
    }
  }

  @Test
  void theIncidentReviewOfTheRunbookIsFollowedToTheLetter() throws Exception {
    String ledger = temp.resolve("ledger.db").toString();
    assertThat(init(ledger, "1s").exit()).isZero();
    try (Sandbox sandbox = Sandbox.start(Stage.loopback(), Sandbox.BALANCE)) {
      Map<String, String> set = new HashMap<>();
      set.put("RELAY_LEDGER", ledger);
      set.put("RELAY_ACCOUNT_URL", sandbox.transfers().toString());
      String iban = "DE89370400440532013000";
      String body = "{\"guid\":\"G77\",\"iban\":\"" + iban + "\",\"fault\":\"drop\"}";
      assertThat(run(set, body, bin.resolve("relay"), "send").exit()).isEqualTo(5);
      suspect(ledger, "G77");
      Map<String, String> copy = new HashMap<>(set);
      copy.put("RELAY_LEDGER", "incident.db");

      Map<String, String> used = set;
      StringBuilder shown = new StringBuilder();
      for (String command : runbook("## Incident review", "## Watching")) {
        if (command.equals("export RELAY_LEDGER=incident.db")) {
          used = copy;
          continue;
        }
        Ended ended = shell(command.startsWith("relay ack") ? set : used, command);
        int expected = command.startsWith("relay stats") ? 13 : 0;
        assertThat(ended.exit()).as(command + ended.err() + ended.out()).isEqualTo(expected);
        shown.append(ended.out()).append(ended.err());
      }
      shown.append(Files.readString(temp.resolve("incident.csv")));
      shown.append(Files.readString(temp.resolve("incident.ndjson")));
      assertThat(shown.toString())
          .contains("****3000", "relay ack G77 --reason", "G77 is seen to")
          .doesNotContain(iban);
      assertThat(shell(set, "relay stats -q").exit()).isZero();
    }
  }

  /** As a database where leases stand in for the claim byte would do it. */
  private static void suspect(String ledger, String guid) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + ledger);
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO journal (seq, guid, attempt, event, actor, \"by\", at) SELECT seq, guid,"
                    + " attempt, 'double_suspect', 'relay', 'hub', updated_at FROM ledger"
                    + " WHERE guid = ?")) {
      insert.setString(1, guid);
      assertThat(insert.executeUpdate()).isEqualTo(1);
    }
  }
}
