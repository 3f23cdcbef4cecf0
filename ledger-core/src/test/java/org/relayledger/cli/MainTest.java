package org.relayledger.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.account.AccountOptions;
import org.relayledger.account.Codes;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.LedgerException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

class MainTest {
  @Command(name = "relay")
  static final class Relay {}

  /** Has every mixin, and does what the test says. */
  @Command(name = "send", description = "Sends.")
  static final class Send implements Action {
    @Mixin CommonOptions common;
    @Mixin LedgerOptions ledger;
    @Mixin OutputOptions output;
    @Mixin DryRunOption dryRun;
    @Mixin LimitOption limit;

    @Option(names = "--concurrency")
    int concurrency = 16;

    @Parameters(paramLabel = "GUID", arity = "0..*")
    List<String> guids = new ArrayList<>();

    private final Action action;

    Send(Action action) {
      this.action = action;
    }

    @Override
    public Exit run(Streams streams) throws Exception {
      return action.run(streams);
    }
  }

  @Command(name = "probe")
  static final class Probe implements Action {
    @Mixin CommonOptions common;
    @Mixin AccountOptionsMixin account;

    @Override
    public Exit run(Streams streams) {
      return Exit.OK;
    }
  }

  @TempDir Path folder;

  private static CommandLine relay(Action action) {
    return new CommandLine(new Relay()).addSubcommand(new Send(action));
  }

  private static Ran send(Action action, String... arguments) {
    List<String> line = new ArrayList<>(List.of("send"));
    line.addAll(List.of(arguments));
    return Ran.of(relay(action), line.toArray(String[]::new));
  }

  @ParameterizedTest
  @EnumSource(Exit.class)
  void theCommandsExitIsTheTools(Exit exit) {
    assertThat(send(streams -> exit))
        .returns(exit.code(), Ran::exit)
        .returns("", Ran::out)
        .returns("", Ran::err);
  }

  @ParameterizedTest
  @EnumSource(
      value = Exit.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"USAGE", "OK"})
  void aFailureIsItsLineAndItsCode(Exit exit) {
    assertThat(
            send(
                streams -> {
                  throw new Failure(exit, "G1: not sent; send it again");
                }))
        .returns(exit.code(), Ran::exit)
        .returns("relay send: G1: not sent; send it again\n", Ran::err);
  }

  @Test
  void aUsageFailurePointsAtTheHelp() {
    assertThat(
            send(
                streams -> {
                  throw new Failure(Exit.USAGE, "the inquiry URL has no {guid}");
                }))
        .returns(2, Ran::exit)
        .returns("relay send: the inquiry URL has no {guid}; see 'relay send --help'\n", Ran::err);
  }

  @ParameterizedTest
  @CsvSource({"UNAVAILABLE, 10", "HALTED, 10", "DAMAGED, 10", "BUSY, 12"})
  void troubleWithTheLedgerIsOneLineAndItsCode(LedgerException.Kind kind, int exit)
      throws ReflectiveOperationException {
    // Only the ledger makes them.
    var constructor =
        LedgerException.class.getDeclaredConstructor(LedgerException.Kind.class, String.class);
    constructor.setAccessible(true);
    LedgerException trouble = constructor.newInstance(kind, "x.db: nothing was begun");
    Action action =
        streams -> {
          throw trouble;
        };
    assertThat(send(action))
        .returns(exit, Ran::exit)
        .returns("relay send: x.db: nothing was begun\n", Ran::err);
    assertThat(send(action, "-v").err()).contains("\tat ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"checked", "unchecked", "error"})
  void anythingElseIsAnInternalFailureThatNamesNoClassAndTellsNoSecret(String kind) {
    Action action =
        streams -> {
          switch (kind) {
            case "checked" -> throw new IOException("password=hunter2");
            case "unchecked" -> throw new IllegalStateException("password=hunter2");
            default -> throw new AssertionError("password=hunter2");
          }
        };
    assertThat(send(action))
        .returns(1, Ran::exit)
        .returns("", Ran::out)
        .returns(
            "relay send: internal failure, a bug of this tool; only what the ledger says is"
                + " certain: look there before going on (-v shows where it happened)\n",
            Ran::err);
    assertThat(send(action, "-v").err()).contains("password=hunter2").contains("\tat ");
  }

  @Test
  void aCommandThatGivesNoExitIsAnInternalFailure() {
    assertThat(send(streams -> null)).returns(1, Ran::exit);
  }

  @Test
  void theCauseOfAFailureIsShownUnderVerboseOnly() {
    Action action =
        streams -> {
          throw new Failure(Exit.LEDGER, "no", new IOException("deep"));
        };
    assertThat(send(action).err()).isEqualTo("relay send: no\n");
    assertThat(send(action, "--verbose").err())
        .startsWith("relay send: no\njava.io.IOException: deep\n\tat ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                          | relay: a command is missing; see 'relay --help'",
        "snd                       | relay: unknown command 'snd'; see 'relay --help'",
        "--bogus                   | relay: unknown option '--bogus'; see 'relay --help'",
        "send --bogus              | relay send: unknown option '--bogus'",
        "send --password=hunter2   | relay send: unknown option '--password'; see",
        "send -x                   | relay send: unknown option '-x'",
        "send -qx                  | relay send: unknown option '-x'",
        "send --ledger             | relay send: missing required parameter for option '--ledger'",
        "send --ledger --config    | relay send: expected parameter for option '--ledger' but found"
            + " '--config'",
        "send --ledger a --ledger b| relay send: option '--ledger' (PATH) should be specified only"
            + " once",
        "send --quiet=maybe        | relay send: invalid value for option '--quiet': 'maybe' is"
            + " neither true nor false",
        "send --limit x            | relay send: invalid value for option '--limit': 'x' is not a"
            + " whole number from 1 to 2147483647; see",
        "send --concurrency 0      | relay send: invalid value for option '--concurrency': '0' is"
            + " not",
        "send --format xml         | relay send: invalid value for option '--format': 'xml' is none"
            + " of [text, json, csv]; see",
        "probe                     | probe: missing required option: '--account-url=URL'; see 'probe"
            + " --help'",
        "probe --accountt-url=x    | probe: unknown option '--accountt-url'",
        "probe x --account-url=u   | probe: unexpected argument 'x'",
        "probe --timeout=1 --x     | probe: invalid value for option '--timeout': '1' has no unit",
      })
  void aBadCommandLineIsOneLineThatSaysWhat(String line, String what) {
    String[] arguments = line == null ? new String[0] : line.split(" +");
    boolean probe = line != null && line.startsWith("probe");
    Ran ran =
        probe
            ? Ran.of(new Probe(), Arrays.copyOfRange(arguments, 1, arguments.length))
            : Ran.of(relay(streams -> Exit.OK), arguments);
    assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
    assertThat(ran.err())
        .startsWith(what)
        .endsWith(" --help'\n")
        .hasLineCount(1)
        .doesNotContain("java", "picocli", "Exception", "<", "hunter2");
  }

  @Test
  void whatIsEchoedStaysOneLineAndSteersNoTerminal() {
    String text = "1\n2\r\t\0\u001b[31m\u0085\u2028\u202e\ud800\udb40\udc01x";
    assertThat(send(streams -> Exit.OK, "--limit=" + text).err())
        .startsWith(
            "relay send: invalid value for option '--limit': '1\\n2\\r\\t\\u0000\\u001b[31m\\u0085"
                + "\\u2028\\u202e\\ud800\\udb40\\udc01x' is not")
        .hasLineCount(1);
  }

  @Test
  void whatIsEchoedIsShownAsItIsOtherwise() {
    assertThat(send(streams -> Exit.OK, "--limit=Zürich 雪 😀 \\n").err())
        .contains("'Zürich 雪 😀 \\n' is not");
  }

  @Test
  void aLineHasALongestLength() {
    assertThat(send(streams -> Exit.OK, "--limit=" + "x".repeat(1_000_000)).err())
        .hasSize(Streams.LONGEST_LINE + "...\n".length())
        .endsWith("x...\n");
  }

  @Test
  void anArgumentFileIsNotReadAndStandsForItself() throws IOException {
    Path file = Files.writeString(folder.resolve("arguments"), "--ledger=other.db");
    Send send = new Send(streams -> Exit.OK);
    assertThat(Ran.of(send, "@" + file)).returns(0, Ran::exit);
    assertThat(send.guids).containsExactly("@" + file);
    assertThat(send.ledger.location()).isEqualTo("relay-ledger.db");
  }

  @Test
  void guidsAndOptionsMayStandInAnyOrder() {
    Send send = new Send(streams -> Exit.OK);
    assertThat(Ran.of(send, "G1", "--ledger", "x.db", "G2", "-nq", "--limit=3", "--", "-G3"))
        .returns(0, Ran::exit);
    assertThat(send.guids).containsExactly("G1", "G2", "-G3");
    assertThat(send.ledger.location()).isEqualTo("x.db");
    assertThat(send.dryRun.dryRun()).isTrue();
    assertThat(send.common.quiet()).isTrue();
    assertThat(send.common.verbose()).isFalse();
    assertThat(send.limit.most()).isEqualTo(3);
  }

  @Test
  void withoutOptionsTheBuiltInDefaultsHold() {
    Send send = new Send(streams -> Exit.OK);
    assertThat(Ran.of(send)).returns(0, Ran::exit);
    assertThat(send.ledger.location()).isEqualTo("relay-ledger.db");
    assertThat(send.output.format()).isEqualTo(OutputOptions.Format.TEXT);
    assertThat(send.output.file()).isEmpty();
    assertThat(send.limit.most()).isEqualTo(Long.MAX_VALUE);
    assertThat(send.concurrency).isEqualTo(16);
    assertThat(send.common.config()).isEmpty();
    Probe probe = new Probe();
    assertThat(Ran.of(probe, "--account-url=http://x/")).returns(0, Ran::exit);
    assertThat(probe.account.options()).isEqualTo(AccountOptions.at("http://x/"));
    assertThat(probe.account.successCodes()).isEqualTo(Codes.parse("0000"));
  }

  @Test
  void anEmptyLedgerIsAUsageError() {
    Send[] send = new Send[1];
    send[0] =
        new Send(
            streams -> {
              send[0].ledger.location();
              return Exit.OK;
            });
    assertThat(Ran.of(send[0], "--ledger="))
        .returns(2, Ran::exit)
        .returns("send: --ledger is empty; see 'send --help'\n", Ran::err);
  }

  @Test
  void theOutputFileIsTheOneGivenAndADashIsStdout() {
    Send send = new Send(streams -> Exit.OK);
    assertThat(Ran.of(send, "-o", "rows.csv")).returns(0, Ran::exit);
    assertThat(send.output.file()).hasValue(Path.of("rows.csv"));
    assertThat(Ran.of(new Send(streams -> Exit.OK), "-o", "-")).returns(0, Ran::exit);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "-h", "send --help", "send -h", "send --limit=3 G1 --help"})
  void helpGoesToStdoutAndIsNoError(String line) {
    Ran ran = Ran.of(relay(streams -> Exit.INTERNAL), line.split(" "));
    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out())
        .startsWith(line.startsWith("send") ? "Usage: relay send [" : "Usage: relay [")
        .contains("13 ")
        .doesNotContain("\u001b", "${");
    for (Exit exit : Exit.values()) {
      assertThat(ran.out()).contains(" " + exit.code() + " ").contains(exit.meaning());
    }
  }

  @Test
  void helpFitsATerminal() {
    assertThat(Ran.of(new Probe(), "--help").out().lines()).allMatch(line -> line.length() <= 80);
    assertThat(Ran.of(relay(streams -> Exit.OK), "send", "--help").out().lines())
        .allMatch(line -> line.length() <= 80);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--version", "-V", "send --version", "send -V"})
  void theVersionGoesToStdout(String line) {
    Ran ran = Ran.of(relay(streams -> Exit.INTERNAL), line.split(" "));
    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out()).startsWith("relay-ledger ").hasLineCount(1);
  }

  @Test
  void stdoutIsByteForByte() {
    byte[] all = new byte[256];
    IntStream.range(0, 256).forEach(i -> all[i] = (byte) i);
    Ran ran =
        send(
            streams -> {
              streams.out().write(all);
              streams.out().write(255);
              return Exit.OK;
            });
    assertThat(ran.stdout()).startsWith(all).endsWith(new byte[] {(byte) 255}).hasSize(257);
  }

  @Test
  void aCommandReadsStdin() {
    Action echo =
        streams -> {
          streams.in().transferTo(streams.out());
          return Exit.OK;
        };
    byte[] bytes = {0, (byte) 200, 10};
    assertThat(Ran.of(relay(echo), Map.of(), bytes, "send").stdout()).isEqualTo(bytes);
  }

  @Test
  void unwritableStdoutIsAFailureOnOneLineAndTheWorkStillEnds() {
    List<Boolean> lost = new ArrayList<>();
    Action action =
        streams -> {
          for (int i = 0; i < 3; i++) {
            streams.out().write(new byte[100_000]);
            lost.add(streams.out().lost());
          }
          return Exit.UNKNOWN;
        };
    OutputStream full =
        new OutputStream() {
          private int room = 150_000;

          @Override
          public void write(int b) throws IOException {
            if (room-- == 0) {
              throw new IOException("No space left on device");
            }
          }
        };
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Streams streams = new Streams(new ByteArrayInputStream(new byte[0]), full, err, Map.of());
    assertThat(Main.run(relay(action), new String[] {"send"}, streams)).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("relay send: cannot write to stdout: No space left on device\n");
    assertThat(lost).containsExactly(false, true, true);
  }

  @Test
  void whoActsIsTheOneNamedElseTheUserBeforeSudoElseTheLoginUser() {
    Map<String, String> sudo = Map.of("SUDO_USER", "anna");
    assertThat(actor(Map.of())).isEqualTo(System.getProperty("user.name"));
    assertThat(actor(Map.of("SUDO_USER", ""))).isEqualTo(System.getProperty("user.name"));
    assertThat(actor(sudo)).isEqualTo("anna");
    assertThat(actor(sudo, "--by=eve")).isEqualTo("eve");
    assertThat(actor(sudo, "--by=")).isEqualTo("anna");
    assertThat(actor(Map.of("SUDO_USER", "anna", "RELAY_BY", "cron"))).isEqualTo("cron");
  }

  private static String actor(Map<String, String> environment, String... arguments) {
    Send send = new Send(streams -> Exit.OK);
    assertThat(Ran.of(send, environment, arguments)).returns(0, Ran::exit);
    Actor actor = send.common.actor(Actor.Role.RELAY, environment);
    assertThat(actor.role()).isEqualTo(Actor.Role.RELAY);
    return actor.by();
  }

  @Test
  void theTicketIsTheOneGivenOrNone() {
    Send send = new Send(streams -> Exit.OK);
    assertThat(Ran.of(send, "--ticket", "T-1")).returns(0, Ran::exit);
    assertThat(send.common.actor(Actor.Role.PURGE, Map.of()).ticket()).isEqualTo("T-1");
    Send without = new Send(streams -> Exit.OK);
    assertThat(Ran.of(without)).returns(0, Ran::exit);
    assertThat(without.common.actor(Actor.Role.PURGE, Map.of()).ticket()).isNull();
  }

  @Test
  void theOptionsThatAllToolsShareAreListed() {
    assertThat(Ran.unlistedOptions(relay(streams -> Exit.OK))).isEmpty();
    Probe probe = new Probe();
    assertThat(Ran.unlistedOptions(new CommandLine(probe).setCommandName("resolve"))).isEmpty();
    assertThat(Ran.unlistedOptions(new CommandLine(probe).setCommandName("purge")))
        .contains("account-url")
        .doesNotContain("ledger", "config");
  }

  @ParameterizedTest
  @CsvSource({"2, 0, 130", "15, 0, 143", "15, 5, 143", "2, 11, 130", "15, 1, 1", "15, 10, 10"})
  void aSignalIsTheExitUnlessTheToolOrItsLedgerFailed(int number, int result, int exit) {
    Exit own =
        List.of(Exit.values()).stream().filter(e -> e.code() == result).findFirst().orElseThrow();
    List<String> events = new ArrayList<>();
    Action action =
        streams -> {
          streams.signals().onFirst(() -> events.add("stop"));
          streams.signals().raise(number);
          events.add("wound up");
          return streams.signals().exit(own);
        };
    assertThat(send(action)).returns(exit, Ran::exit).returns("", Ran::err);
    assertThat(events).containsExactly("stop", "wound up");
    Action unhurt =
        streams -> {
          streams.signals().onFirst(() -> {});
          return streams.signals().exit(own);
        };
    assertThat(send(unhurt)).returns(result, Ran::exit);
  }
}
