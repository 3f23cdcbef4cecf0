package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The launchers, the demo and the files of the built suite. */
@Timeout(120)
final class SuiteIT extends BuiltSuite {
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
    assertThat(help.exit()).isZero();
    assertThat(help.out()).startsWith("Usage: " + tool + " ");
    assertThat(help.err()).isEmpty();
    assertThat(run(bin.resolve(tool), "--version"))
        .isEqualTo(new Ended(0, "relay-ledger 0.1.0\n", ""));
  }

  @Test
  void theToolsThatCleanUpWorkFromTheSuiteAndSayNothingWhenThereIsNothingToDo() throws Exception {
    String ledger = temp.resolve("a ledger.db").toString();
    assertThat(init(ledger).exit()).isZero();
    Map<String, String> set =
        Map.of(
            "RELAY_LEDGER", ledger,
            "RELAY_ACCOUNT_URL", NOTHING,
            "RELAY_PURGE_RETENTION", "90d");
    for (String tool : List.of("resolve", "reprocess", "purge")) {
      assertThat(run(set, "", bin.resolve(tool), "-q")).isEqualTo(new Ended(0, "", ""));
      Ended told = run(set, "", bin.resolve(tool), "--format", "json");
      assertThat(told.exit()).isZero();
      assertThat(told.out()).contains("\"type\":\"summary\"").hasLineCount(1);
      assertThat(told.err()).startsWith(tool + ": nothing to do: ").hasLineCount(1);
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
    String jar =
        "<-cp><"
            + bin.resolveSibling("lib").toRealPath()
            + "/relay-cli-0.1.0.jar><org.relayledger.relaycli.RelayMain><-V>";
    Map<String, String> java = Map.of("JAVA_HOME", sayingJava().toString());
    for (Path link :
        List.of(relay, absolute, relative, chain, namesake, beside, folder.resolve("relay"))) {
      assertThat(run(java, "", link, "-V").out()).as("%s", link).endsWith(jar);
    }
  }

  @Test
  void javaIsTheOneInJavaHomeElseTheOneOnThePath() throws Exception {
    Path home = sayingJava();
    Map<String, String> byHome = Map.of("JAVA_HOME", home.toString());
    assertThat(run(byHome, "", bin.resolve("relay"), "a b").out()).endsWith("<a b>");
    String path = home.resolve("bin") + File.pathSeparator + System.getenv("PATH");
    Map<String, String> byPath = Map.of("PATH", path, "JAVA_HOME", "");
    assertThat(run(byPath, "", bin.resolve("relay"), "a b").out()).endsWith("<a b>");
  }

  /** What the first start has left, in the one folder there is for this JVM and these jars. */
  private static List<Path> takenDown(Path cache) throws IOException {
    try (Stream<Path> all = Files.walk(cache)) {
      return all.filter(path -> path.getFileName().toString().startsWith("suite.")).toList();
    }
  }

  @Test
  void whatTheFirstStartTakesDownIsItsOwnersAloneAndNoStartNeedsIt() throws Exception {
    Path cache = temp.resolve("a cache");
    Map<String, String> set = Map.of("XDG_CACHE_HOME", cache.toString());
    Ended version = new Ended(0, "relay-ledger 0.1.0\n", "");
    assertThat(run(set, "", bin.resolve("relay"), "-V")).isEqualTo(version);
    List<Path> archives = takenDown(cache);
    assertThat(archives).hasSize(1);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(cache)))
        .isEqualTo("rwx------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archives.get(0))))
        .endsWith("------");
    for (String tool : List.of("relay", "resolve", "reprocess", "purge")) {
      assertThat(run(set, "", bin.resolve(tool), "-V")).isEqualTo(version);
    }
    assertThat(takenDown(cache)).isEqualTo(archives);

    Files.delete(archives.get(0));
    Files.writeString(archives.get(0), "no archive");
    assertThat(run(set, "", bin.resolve("relay"), "-V")).isEqualTo(version);
    Files.delete(archives.get(0));
    assertThat(run(set, "", bin.resolve("relay"), "-V")).isEqualTo(version);
    Map<String, String> nowhere = Map.of("XDG_CACHE_HOME", "/dev/null");
    assertThat(run(nowhere, "", bin.resolve("relay"), "-V")).isEqualTo(version);
  }

  @Test
  void noFileTakesThePlaceOfAClosedStream() throws Exception {
    String ledger = temp.resolve("l.db").toString();
    assertThat(init(ledger).exit()).isZero();
    Map<String, String> set =
        Map.of("RELAY_LEDGER", ledger, "RELAY_ACCOUNT_URL", NOTHING, "RELAY_TIMEOUT", "5s");
    String shell = "exec \"$0\" \"$@\" ";
    Ended in = run(set, "", "sh", "-c", shell + "<&-", bin.resolve("relay"), "send");
    assertThat(in).returns(9, Ended::exit);
    assertThat(in.err()).contains("the request body is empty");
    for (String closed : List.of(">&-", "<&- >&-", "<&- >&- 2>&-")) {
      Ended out = run(set, "", "sh", "-c", shell + closed, bin.resolve("relay"), "list");
      assertThat(out).as(closed).returns(1, Ended::exit);
    }
    Ended err = run(set, "", "sh", "-c", shell + "2>&-", bin.resolve("relay"), "list");
    assertThat(err).returns(0, Ended::exit);
  }

  @Test
  void exitCodeStdoutAndStderrComeThrough() throws Exception {
    String ledger = temp.resolve("a ledger.db").toString();
    Ended missing = run(bin.resolve("relay"), "list", "--ledger", ledger);
    assertThat(missing.exit()).isEqualTo(10);
    assertThat(missing.out()).isEmpty();
    assertThat(missing.err()).contains(ledger, "relay init").hasLineCount(1);
    assertThat(init(ledger).exit()).isZero();
    Ended refused =
        run(
            Map.of("RELAY_LEDGER", ledger, "RELAY_ACCOUNT_URL", NOTHING),
            "{\"guid\":\"one\"}",
            bin.resolve("relay"),
            "send");
    assertThat(refused.exit()).isEqualTo(4);
    assertThat(refused.out()).startsWith("{").contains("\"code\":\"E902\"", "\"guid\":\"one\"");
    assertThat(refused.err()).startsWith("relay send: ").contains("one").hasLineCount(1);
  }

  @Test
  void everyFileOfALedgerIsItsOwnersAloneWhateverTheUmask() throws Exception {
    Path directory = Files.createDirectory(temp.resolve("ledgers"));
    String ledger = directory.resolve("l.db").toString();
    assertThat(init(ledger).exit()).isZero();
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

  @Test
  void theLogOfAHubIsItsOwnPlainLinesWhateverItsClientsSay() throws Exception {
    String ledger = temp.resolve("l.db").toString();
    assertThat(init(ledger).exit()).isZero();
    Process hub =
        program(
                Map.of("RELAY_LEDGER", ledger, "RELAY_ACCOUNT_URL", NOTHING),
                bin.resolve("relay"),
                "serve",
                "--listen=127.0.0.1:0")
            .start();
    try (BufferedReader stderr = hub.errorReader(UTF_8)) {
      String listening = stderr.readLine();
      URI url = URI.create(listening.replaceAll(".*listening on ([^,]+),.*", "$1"));
      for (String host : List.of("\u009b31mforged", "a b", "x:99999999", "r\r\nHost: forged", "")) {
        String head = "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
        assertThat(Channel.exchange(url, head, new byte[0]).status()).as(host).isEqualTo(400);
      }
      for (int line = 1; line <= 5; line++) {
        assertThat(stderr.readLine())
            .matches("[-0-9T:.]+(Z|[-+][0-9:]+) WARN E905: no whole HTTP request; [ -~]+");
      }
      hub.destroy();
      assertThat(hub.waitFor(30, SECONDS)).isTrue();
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
    assertThat(demo.err()).isEmpty();
    assertThat(demo.exit()).isZero();
    assertThat(demo.out().lines().reduce((one, next) -> next))
        .hasValue("0 duplicate executions through the relay");
    assertThat(demo.out())
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
    // A build that runs in the background may ignore the signal, and all that it starts with it.
    Process demo =
        program(
                Map.of("TMPDIR", play.toString()),
                "env",
                "--default-signal=INT",
                bin.resolve("demo"))
            .redirectErrorStream(true)
            .start();
    try (BufferedReader out = demo.inputReader(UTF_8)) {
      String line = out.readLine();
      while (!line.contains("order-direct")) {
        line = out.readLine();
      }
      assertThat(ofTheCopy()).hasSizeGreaterThan(2);
      assertThat(run("sh", "-c", "kill -INT " + demo.pid()).exit()).isZero();
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
