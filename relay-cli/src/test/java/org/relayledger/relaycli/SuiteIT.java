package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.sandbox.Sandbox;

/** The suite as it was built, used from a copy in a folder whose name has a space. */
@Timeout(120)
final class SuiteIT {
  private static final String NOTHING = "http://127.0.0.1:1/transfers";

  @TempDir private static Path all;
  private static Path bin;

  private Path temp;

  @BeforeAll
  static void copyTheSuite() throws IOException {
    Path suite = Path.of(System.getProperty("suite.dir"));
    Path copy = all.resolve("a copy of the suite");
    try (Stream<Path> paths = Files.walk(suite)) {
      for (Path path : paths.toList()) {
        Files.copy(
            path,
            copy.resolve(suite.relativize(path).toString()),
            StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    bin = copy.resolve("bin");
  }

  @BeforeEach
  void makeRoom() throws IOException {
    temp = Files.createTempDirectory(all.toRealPath(), "a test ");
  }

  /** What a program left. */
  private record Ended(int exit, String out, String err) {}

  private Ended run(Object... command) throws Exception {
    return run(Map.of(), "", command);
  }

  private Ended run(Map<String, String> environment, String in, Object... command)
      throws Exception {
    Path out = temp.resolve("stdout");
    Path err = temp.resolve("stderr");
    Process program =
        program(environment, command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try (OutputStream stdin = program.getOutputStream()) {
      stdin.write(in.getBytes(UTF_8));
    }
    try {
      assertThat(program.waitFor(60, SECONDS)).isTrue();
      return new Ended(program.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      program.destroyForcibly();
      Files.delete(out);
      Files.delete(err);
    }
  }

  /** A program in an environment in which nobody has set anything for the suite or for Java. */
  private static ProcessBuilder program(Map<String, String> environment, Object... command) {
    ProcessBuilder program = new ProcessBuilder(Stream.of(command).map(Object::toString).toList());
    program.environment().keySet().removeIf(name -> name.matches("RELAY_.*|.*JAVA.*_OPTIONS"));
    program.environment().put("JAVA_HOME", System.getProperty("java.home"));
    program.environment().putAll(environment);
    return program;
  }

  private static Path found(String name) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  private static void script(Path file, String line) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  /** A JAVA_HOME whose java only says how it was called. */
  private Path sayingJava() throws IOException {
    Path home = temp.resolve("a jdk");
    Files.createDirectories(home.resolve("bin"));
    script(home.resolve("bin/java"), "printf '<%s>' \"$@\"");
    return home;
  }

  /** A directory for the PATH that has only {@code names} and this JVM's java. */
  private Path path(String... names) throws IOException {
    Path path = Files.createDirectory(temp.resolve("path"));
    for (String name : names) {
      script(path.resolve(name), "exec " + found(name) + " \"$@\"");
    }
    script(path.resolve("java"), "exec '" + System.getProperty("java.home") + "/bin/java' \"$@\"");
    return path;
  }

  @ParameterizedTest
  @ValueSource(strings = {"relay", "resolve", "reprocess", "purge"})
  void everyToolAnswersHelpAndVersion(String tool) throws Exception {
    Ended help = run(bin.resolve(tool), "--help");
    assertThat(help.exit).isZero();
    assertThat(help.out).startsWith("Usage: " + tool + " ");
    assertThat(help.err).isEmpty();
    assertThat(run(bin.resolve(tool), "--version"))
        .isEqualTo(new Ended(0, "relay-ledger 0.1.0\n", ""));
  }

  @Test
  void theToolsThatCleanUpWorkFromTheSuiteAndSayNothingWhenThereIsNothingToDo() throws Exception {
    String ledger = temp.resolve("a ledger.db").toString();
    assertThat(init(ledger).exit).isZero();
    Map<String, String> set =
        Map.of(
            "RELAY_LEDGER", ledger,
            "RELAY_ACCOUNT_URL", NOTHING,
            "RELAY_PURGE_RETENTION", "90d");
    for (String tool : List.of("resolve", "reprocess", "purge")) {
      assertThat(run(set, "", bin.resolve(tool), "-q")).isEqualTo(new Ended(0, "", ""));
      Ended told = run(set, "", bin.resolve(tool), "--format", "json");
      assertThat(told.exit).isZero();
      assertThat(told.out).contains("\"type\":\"summary\"").hasLineCount(1);
      assertThat(told.err).startsWith(tool + ": nothing to do: ").hasLineCount(1);
    }
  }

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
    assertThat(init(ledger).exit).isZero();
    try (Sandbox sandbox = Sandbox.start(Stage.loopback(), Sandbox.BALANCE)) {
      Map<String, String> set =
          Map.of(
              "RELAY_LEDGER",
              ledger,
              "RELAY_ACCOUNT_URL",
              sandbox.transfers().toString(),
              "RELAY_REPROCESS_RECEIVED",
              "true");
      assertThat(send(set, "done").exit).isZero();
      assertThat(send(set, "drop-unknown").exit).isEqualTo(5);
      Map<String, String> down = new HashMap<>(set);
      down.put("RELAY_ACCOUNT_URL", NOTHING);
      assertThat(send(down, "failed").exit).isEqualTo(4);
      assertThat(batch(down, Channel.body("received")).exit).isEqualTo(12);
      Process hub = hub(set);
      var unused = Channel.begin(listening(hub), "held-sent");
      sandbox.awaitReceived("held-sent", 1, Stage.PATIENCE);
      hub.destroyForcibly().waitFor();
      assertThat(run(set, "", bin.resolve("relay"), "backup", backup).exit).isZero();
      // What the backup does not know.
      assertThat(run(set, "", bin.resolve("reprocess")).exit).isZero();
      assertThat(send(set, "later").exit).isZero();
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
          assertThat(run(set, "", bin.resolve("reprocess")).exit).isZero();
        } else {
          assertThat(command).startsWith("relay ");
          String line = command.replaceAll("/backup/\\S+", "'" + backup + "'");
          Ended ended = run(set, "", "sh", "-c", "'" + bin + "'/" + line);
          assertThat(ended.exit).as(command + ended.err + ended.out).isZero();
        }
        for (String guid : List.of("done", "failed", "received", "later")) {
          if (hub.isAlive()) {
            assertThat(Channel.transfer(url, guid).code()).as(guid + command).isEqualTo("0000");
          }
        }
      }
      assertThat(run(set, "", bin.resolve("relay"), "mode").out).contains("normal", "restored");
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
    assertThat(init(ledger, "1s").exit).isZero();
    try (Sandbox sandbox = Sandbox.start(Stage.loopback(), Sandbox.BALANCE)) {
      Map<String, String> set = new HashMap<>();
      set.put("RELAY_LEDGER", ledger);
      set.put("RELAY_ACCOUNT_URL", sandbox.transfers().toString());
      set.put("RELAY_MIN_AGE", "1s");
      Map<String, String> down = new HashMap<>(set);
      down.put("RELAY_ACCOUNT_URL", NOTHING);
      assertThat(send(down, "failed").exit).isEqualTo(4);
      String lines = String.join("\n", Channel.body("ok-1"), Channel.body("drop-2"));
      assertThat(batch(set, lines).exit).isEqualTo(5);
      Instant now = Instant.now();

      for (String command : runbook("## Month-end audit", "## Incident review")) {
        String line =
            command
                .replace("2026-11-01", now.minus(Duration.ofDays(2)).toString())
                .replace("2026-12-01", now.plus(Duration.ofDays(1)).toString());
        Ended ended = shell(set, line);
        while (command.equals("resolve") && ended.exit == 0 && ended.err.contains("too young")) {
          ended = shell(set, line); // until the row is as old as it has to be
        }
        assertThat(ended.exit).as(command + ended.err + ended.out).isZero();
        if (command.equals("relay stats")) {
          assertThat(ended.out).contains("UNKNOWN         0", "FAILED          0");
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

      Files.writeString(temp.resolve("statement.csv"), "guid\nok-1\nok-1\n");
      Files.delete(temp.resolve("findings.csv"));
      String reconcile = runbook("2. Compare.", "3. What the channels").get(0);
      assertThat(shell(set, reconcile.replaceAll("--since .* --format", "--format")).exit)
          .isEqualTo(13);
      assertThat(temp.resolve("findings.csv"))
          .content()
          .contains("duplicate,ok-1,2,DONE,", "missing,drop-2,0,DONE,", "missing,failed,0,DONE,");
    }
  }

  @Test
  void theIncidentReviewOfTheRunbookIsFollowedToTheLetter() throws Exception {
    String ledger = temp.resolve("ledger.db").toString();
    assertThat(init(ledger, "1s").exit).isZero();
    try (Sandbox sandbox = Sandbox.start(Stage.loopback(), Sandbox.BALANCE)) {
      Map<String, String> set = new HashMap<>();
      set.put("RELAY_LEDGER", ledger);
      set.put("RELAY_ACCOUNT_URL", sandbox.transfers().toString());
      String iban = "DE89370400440532013000";
      String body = "{\"guid\":\"G77\",\"iban\":\"" + iban + "\",\"fault\":\"drop\"}";
      assertThat(run(set, body, bin.resolve("relay"), "send").exit).isEqualTo(5);
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
        assertThat(ended.exit).as(command + ended.err + ended.out).isEqualTo(expected);
        shown.append(ended.out).append(ended.err);
      }
      shown.append(Files.readString(temp.resolve("incident.csv")));
      shown.append(Files.readString(temp.resolve("incident.ndjson")));
      assertThat(shown.toString())
          .contains("****3000", "relay ack G77 --reason", "G77 is seen to")
          .doesNotContain(iban);
      assertThat(shell(set, "relay stats -q").exit).isZero();
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

  @Test
  void everySystemdUnitStartsAToolWithOptionsThatItHas() throws Exception {
    Path units = bin.resolveSibling("share").resolve("systemd");
    List<String> tools = new ArrayList<>();
    try (Stream<Path> files = Files.list(units)) {
      for (Path unit : files.filter(file -> file.toString().endsWith(".service")).toList()) {
        String start =
            Files.readAllLines(unit).stream()
                .filter(line -> line.startsWith("ExecStart=/opt/relay-ledger/bin/"))
                .findFirst()
                .orElseThrow();
        List<Object> command = new ArrayList<>(List.of(start.split("/bin/", -1)[1].split(" ", -1)));
        command.set(0, bin.resolve(command.get(0).toString()));
        tools.add(bin.relativize((Path) command.get(0)).toString());
        command.add("--help");
        assertThat(run(command.toArray())).returns(0, Ended::exit).returns("", Ended::err);
        if (!unit.endsWith("relay.service")) {
          assertThat(units.resolve(unit.getFileName().toString().replace(".service", ".timer")))
              .content()
              .contains("OnCalendar=", "WantedBy=timers.target");
        }
      }
    }
    assertThat(tools).containsExactlyInAnyOrder("relay", "resolve", "reprocess", "purge");
  }

  @Test
  void aLauncherIsFoundThroughEverySymlink() throws Exception {
    Path links = Files.createDirectories(temp.resolve("some links/here"));
    Path relay = bin.resolve("relay");
    Path absolute = Files.createSymbolicLink(links.resolve("absolute"), relay);
    Path relative =
        Files.createSymbolicLink(links.resolve("relative"), links.toRealPath().relativize(relay));
    Path chain = Files.createSymbolicLink(links.resolve("chain"), Path.of("../here/relative"));
    Path namesake = Files.createSymbolicLink(links.resolve("relay"), relay);
    Path beside = Files.createSymbolicLink(links.resolve("beside"), Path.of("relay"));
    Path folder = Files.createSymbolicLink(temp.resolve("folder"), bin);
    String jar = "<-jar><" + bin.resolveSibling("lib").toRealPath() + "/relay-cli-0.1.0.jar><-V>";
    Map<String, String> java = Map.of("JAVA_HOME", sayingJava().toString());
    for (Path link :
        List.of(relay, absolute, relative, chain, namesake, beside, folder.resolve("relay"))) {
      assertThat(run(java, "", link, "-V").out).as("%s", link).endsWith(jar);
    }
  }

  @Test
  void javaIsTheOneInJavaHomeElseTheOneOnThePath() throws Exception {
    Path home = sayingJava();
    Map<String, String> byHome = Map.of("JAVA_HOME", home.toString());
    assertThat(run(byHome, "", bin.resolve("relay"), "a b").out).endsWith("<a b>");
    String path = home.resolve("bin") + File.pathSeparator + System.getenv("PATH");
    Map<String, String> byPath = Map.of("PATH", path, "JAVA_HOME", "");
    assertThat(run(byPath, "", bin.resolve("relay"), "a b").out).endsWith("<a b>");
  }

  @Test
  void exitCodeStdoutAndStderrComeThrough() throws Exception {
    String ledger = temp.resolve("a ledger.db").toString();
    Ended missing = run(bin.resolve("relay"), "list", "--ledger", ledger);
    assertThat(missing.exit).isEqualTo(10);
    assertThat(missing.out).isEmpty();
    assertThat(missing.err).contains(ledger, "relay init").hasLineCount(1);
    assertThat(init(ledger).exit).isZero();
    Ended refused =
        run(
            Map.of("RELAY_LEDGER", ledger, "RELAY_ACCOUNT_URL", NOTHING),
            "{\"guid\":\"one\"}",
            bin.resolve("relay"),
            "send");
    assertThat(refused.exit).isEqualTo(4);
    assertThat(refused.out).startsWith("{").contains("\"code\":\"E902\"", "\"guid\":\"one\"");
    assertThat(refused.err).startsWith("relay send: ").contains("one").hasLineCount(1);
  }

  private Ended init(String ledger) throws Exception {
    return init(ledger, "30s");
  }

  private Ended init(String ledger, String maxProcessing) throws Exception {
    return run(
        "sh",
        "-c",
        "umask 0; exec \"$0\" \"$@\"",
        bin.resolve("relay"),
        "init",
        "--ledger",
        ledger,
        "--max-processing=" + maxProcessing,
        "--resend-window=1d");
  }

  @Test
  void everyFileOfALedgerIsItsOwnersAloneWhateverTheUmask() throws Exception {
    Path directory = Files.createDirectory(temp.resolve("ledgers"));
    String ledger = directory.resolve("l.db").toString();
    assertThat(init(ledger).exit).isZero();
    Process hub =
        program(
                Map.of("RELAY_LEDGER", ledger, "RELAY_ACCOUNT_URL", NOTHING),
                "sh",
                "-c",
                "umask 0; exec \"$0\" \"$@\"",
                bin.resolve("relay"),
                "serve",
                "--listen=127.0.0.1:0")
            .start();
    try (BufferedReader stderr = hub.errorReader(UTF_8)) {
      assertThat(stderr.readLine()).contains("listening on");
      run(
          Map.of("RELAY_LEDGER", ledger, "RELAY_ACCOUNT_URL", NOTHING),
          "{\"guid\":\"one\"}",
          bin.resolve("relay"),
          "send");
      assertThat(modes(directory))
          .isEqualTo(
              Map.of(
                  "l.db", "rw-------",
                  "l.db-wal", "rw-------",
                  "l.db-shm", "rw-------",
                  "l.db.claims", "rw-------"));
      hub.destroy();
      assertThat(hub.waitFor(30, SECONDS)).isTrue();
      assertThat(hub.exitValue()).isZero();
    } finally {
      hub.destroyForcibly();
    }
  }

  private static Map<String, String> modes(Path directory) throws IOException {
    Map<String, String> modes = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        modes.put(
            file.getFileName().toString(),
            PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
      }
    }
    return modes;
  }

  @Test
  void theDemoNeedsOnlyAShellAndJavaAndLeavesNothingBehind() throws Exception {
    Path play = Files.createDirectory(temp.resolve("to play in"));
    Path link = Files.createSymbolicLink(temp.resolve("try it"), bin.resolve("demo"));
    Map<String, String> environment =
        Map.of(
            "PATH", path("sh", "dirname", "basename", "readlink").toString(),
            "JAVA_HOME", "",
            "TMPDIR", play.toString(),
            "RELAY_LEDGER", "not-for-the-demo.db",
            "RELAY_TIMEOUT", "1ms");
    Ended demo = run(environment, "", link);
    assertThat(demo.err).isEmpty();
    assertThat(demo.exit).isZero();
    assertThat(demo.out.lines().reduce((one, next) -> next))
        .hasValue("0 duplicate executions through the relay");
    assertThat(demo.out)
        .contains("num 100 -> 96", "num 96 -> 95")
        .containsPattern("finished-direct +asked +2, executed +2 ")
        .containsPattern("finished-relayed +asked +1, executed +1 ")
        .containsPattern("inflight-relayed +asked +1, executed +1 ")
        .containsPattern("timeout-relayed +asked +1, executed +1 +2 x E901")
        .containsPattern("down-relayed +asked +1, executed +1 +E902 .*0000")
        .containsPattern("business-relayed +asked +1, executed +0 +B201, B201 replayed")
        .containsPattern("twenty-direct +asked 20, executed 20 ")
        .containsPattern("twenty-relayed +asked +1, executed +1 ")
        .contains("resolve: 3 done, 1 failed\n", "reprocess: 2 done\n")
        .containsPattern("reply-lost +asked +1, executed +1 +E901, 0000 replayed")
        .containsPattern("request-lost +asked +2, executed +1 +E901, 0000 replayed")
        .containsPattern("not-sent +asked +1, executed +1 +E902 .*, 0000 replayed")
        .containsPattern("purge: \\d+ purged\n +late-relayed +asked +1, executed +1 +0000, E906");
    assertThat(play).isEmptyDirectory();
    assertThat(ofTheCopy()).isEmpty();
  }

  @Test
  void aDemoThatIsInterruptedStopsWhatItStartedAndLeavesNothingBehind() throws Exception {
    Path play = Files.createDirectory(temp.resolve("to play in"));
    Process demo =
        program(Map.of("TMPDIR", play.toString()), bin.resolve("demo"))
            .redirectErrorStream(true)
            .start();
    try (BufferedReader out = demo.inputReader(UTF_8)) {
      String line = out.readLine();
      while (!line.contains("order-direct")) {
        line = out.readLine();
      }
      assertThat(ofTheCopy()).hasSizeGreaterThan(2);
      assertThat(run("sh", "-c", "kill -INT " + demo.pid()).exit).isZero();
      assertThat(demo.waitFor(30, SECONDS)).isTrue();
      assertThat(demo.exitValue()).isEqualTo(130);
      assertThat(out.lines()).noneMatch(left -> left.startsWith("demo:"));
    } finally {
      demo.destroy();
    }
    assertThat(play).isEmptyDirectory();
    assertThat(ofTheCopy()).isEmpty();
  }

  /** The command lines of all that runs out of the copy. */
  private static List<String> ofTheCopy() {
    return ProcessHandle.allProcesses()
        .filter(ProcessHandle::isAlive)
        .map(each -> String.join(" ", each.info().arguments().orElse(new String[0])))
        .filter(line -> line.contains(bin.getParent().toString()))
        .toList();
  }
}
