package org.relayledger.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.ledger.Actor;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

class DefaultsTest {
  /** Everything an option can be: a value, a flag, a list, required, never but a flag. */
  @Command(name = "purge")
  static final class Purge implements Action {
    @Mixin CommonOptions common;
    @Mixin LedgerOptions ledger;
    @Mixin DryRunOption dryRun;

    @Option(names = "--retention", paramLabel = "D", defaultValue = "6h")
    Duration retention;

    @Option(names = "--state", split = ",", defaultValue = "DONE")
    List<String> states;

    @Option(names = "--archive", required = true, paramLabel = "FILE")
    Path archive;

    @Option(names = "--reason")
    String reason;

    @Option(names = "--guid")
    String guid;

    @Parameters(paramLabel = "GUID", arity = "0..*")
    List<String> guids = new ArrayList<>();

    boolean ran;

    @Override
    public Exit run(Streams streams) {
      ran = true;
      return Exit.OK;
    }
  }

  /** The places that an option's value can come from, the strongest first. */
  enum Place {
    FLAG("1h"),
    TOOL_VARIABLE("2h"),
    VARIABLE("3h"),
    TOOL_KEY("4h"),
    KEY("5h"),
    BUILT_IN("6h");

    private final String value;

    Place(String value) {
      this.value = value;
    }
  }

  @TempDir Path folder;

  static Stream<Arguments> pairs() {
    return Stream.of(Place.values())
        .flatMap(
            one ->
                Stream.of(Place.values())
                    .filter(other -> one.compareTo(other) <= 0)
                    .map(other -> Arguments.of(one, other)));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aStrongerPlaceBeatsEveryWeakerOne(Place stronger, Place weaker) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("--archive=a"));
    Map<String, String> environment = new HashMap<>();
    StringBuilder file = new StringBuilder();
    for (Place place : List.of(weaker, stronger)) {
      switch (place) {
        case FLAG -> arguments.add("--retention=" + place.value);
        case TOOL_VARIABLE -> environment.put("RELAY_PURGE_RETENTION", place.value);
        case VARIABLE -> environment.put("RELAY_RETENTION", place.value);
        case TOOL_KEY -> file.append("purge.retention=").append(place.value).append('\n');
        case KEY -> file.append("retention=").append(place.value).append('\n');
        case BUILT_IN -> {}
      }
      if (stronger == weaker) {
        break;
      }
    }
    arguments.add("--config=" + config(file.toString()));
    Purge purge = good(environment, arguments.toArray(String[]::new));
    assertThat(Durations.text(purge.retention)).isEqualTo(stronger.value);
  }

  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true", "false, false"})
  void aGivenFlagIsOnWhateverTheEnvironmentAndTheFileSay(String variable, String key)
      throws IOException {
    Map<String, String> environment = Map.of("RELAY_QUIET", variable);
    String config = "--config=" + config("quiet=" + key);
    Purge purge = good(environment, "--archive=a", config, "-q");
    assertThat(purge.common.quiet()).isTrue();
    purge = good(environment, "--archive=a", config);
    assertThat(purge.common.quiet()).isEqualTo(variable.equals("true"));
    purge = good("--archive=a", config);
    assertThat(purge.common.quiet()).isEqualTo(key.equals("true"));
  }

  @Test
  void aListFromTheEnvironmentIsSplitAndReplacesTheBuiltInOne() {
    Map<String, String> environment = Map.of("RELAY_STATE", "SENT,FAILED");
    Purge purge = good(environment, "--archive=a");
    assertThat(purge.states).containsExactly("SENT", "FAILED");
    purge = good(environment, "--archive=a", "--state=UNKNOWN");
    assertThat(purge.states).containsExactly("UNKNOWN");
  }

  @Test
  void aRequiredOptionMayComeFromTheEnvironmentOrTheFile() throws IOException {
    Purge purge = good(Map.of("RELAY_ARCHIVE", "v"));
    assertThat(purge.archive).hasToString("v");
    purge = good("--config=" + config("archive=k"));
    assertThat(purge.archive).hasToString("k");
    assertThat(Ran.of(new Purge(), Map.of("RELAY_ARCHIVE", "")))
        .returns(2, Ran::exit)
        .returns(
            "purge: missing required option: '--archive=FILE'; see 'purge --help'\n", Ran::err);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void theFileCountsWhereverItIsNamedOnTheLine(int place) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("G1", "-v", "--by=me"));
    arguments.add(place, "--config=" + config("archive=k\nretention=5h"));
    Purge purge = good(arguments.toArray(String[]::new));
    assertThat(purge.retention).isEqualTo(Duration.ofHours(5));
    assertThat(purge.guids).containsExactly("G1");
  }

  @Test
  void theFileItselfIsNamedByFlagThenByTheToolsVariableThenByTheCommonOne() throws IOException {
    String flag = config("archive=flag");
    String tools = config("archive=tools");
    String common = config("archive=common");
    Map<String, String> both = Map.of("RELAY_PURGE_CONFIG", tools, "RELAY_CONFIG", common);
    Purge purge = good(both, "--config", flag);
    assertThat(purge.archive).hasToString("flag");
    purge = good(both);
    assertThat(purge.archive).hasToString("tools");
    assertThat(purge.common.config()).hasValue(Path.of(tools));
    purge = good(Map.of("RELAY_CONFIG", common));
    assertThat(purge.archive).hasToString("common");
    purge = good(Map.of("RELAY_CONFIG", ""), "--archive=a");
    assertThat(purge.common.config()).isEmpty();
  }

  @Test
  void anEmptyVariableOrKeyIsNotSetAndLetsTheNextPlaceSpeak() throws IOException {
    Map<String, String> environment = Map.of("RELAY_PURGE_RETENTION", "", "RELAY_RETENTION", "");
    String config = "--config=" + config("purge.retention=\nretention=5h\narchive=a");
    Purge purge = good(environment, config);
    assertThat(purge.retention).isEqualTo(Duration.ofHours(5));
  }

  @Test
  void anotherToolsVariablesAndKeysMeanNothingHere() throws IOException {
    Map<String, String> environment =
        Map.of("RELAY_RESOLVE_RETENTION", "9h", "RELAY_RELAY_LEDGER", "x", "RETENTION", "8h");
    String config = "--config=" + config("relay.ledger=x\nresolve.min-age=1h\nmin-age=2h");
    Purge purge = good(environment, config, "--archive=a");
    assertThat(purge.retention).isEqualTo(Duration.ofHours(6));
    assertThat(purge.ledger.location()).isEqualTo("relay-ledger.db");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "${user.name}",
        "${sys:user.name}",
        "${env:PATH}",
        "$${user.name}",
        "$",
        "$$",
        "a$$$b",
        "${",
        "Zürich 雪 \\\\u2603",
        "it's \"x\""
      })
  void aValueIsTakenAsItStands(String text) throws IOException {
    Purge purge = good(Map.of("RELAY_BY", text), "--archive=a");
    assertThat(actor(purge)).isEqualTo(text);
    String config = "--config=" + config("by=" + text.replace("\\", "\\\\"));
    purge = good(config, "--archive=a");
    assertThat(actor(purge)).isEqualTo(text);
    purge = good("--archive=a", "--by=" + text);
    assertThat(actor(purge)).isEqualTo(text);
  }

  @Test
  void theFileIsPropertiesSyntaxAndBlanksAtTheEndOfAValueAreDropped() throws IOException {
    String file =
        "# all tools\n! and this\nretention : 5h \t\nby=\\u0041\\\n   nna\nledger = a b.db  \narchive a\n";
    Purge purge = good("--config=" + config(file));
    assertThat(purge.retention).isEqualTo(Duration.ofHours(5));
    assertThat(actor(purge)).isEqualTo("Anna");
    assertThat(purge.ledger.location()).isEqualTo("a b.db");
  }

  @Test
  void theFileMayBeAPipe() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    new ProcessBuilder("sh", "-c", "echo by=Anna > \"$0\"", pipe.toString()).start();
    assertThat(actor(good("--archive=a", "--config=" + pipe))).isEqualTo("Anna");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "timout=3s            | unknown key 'timout': no tool has such an option",
        "Retention=3d         | unknown key 'Retention': no tool has such an option",
        "n=true               | unknown key 'n': no tool has such an option",
        "account.url=x        | unknown key 'account.url': no tool 'account'",
        ".ledger=x            | unknown key '.ledger': no tool ''",
        "purge.=x             | unknown key 'purge.': purge has no such option",
        "purge.min-age=3s     | unknown key 'purge.min-age': purge has no such option",
        "relay.send.timeout=1s| unknown key 'relay.send.timeout': relay has no such option",
        "ledger=a\\nledger=b  | the key 'ledger' is there twice",
        "ledger=a\\nledger=a  | the key 'ledger' is there twice",
        "ledger=a\\n\\u006cedger=b | the key 'ledger' is there twice",
        "by=\\u00zz           | it has a malformed \\u escape",
        "dry-run=true         | 'dry-run' is never set by a file",
        "purge.dry-run=true   | 'purge.dry-run' is never set by a file",
        "settle=done          | 'settle' is never set by a file",
        "reason=x             | 'reason' is never set by a file",
        "reply=x              | 'reply' is never set by a file",
        "override=true        | 'override' is never set by a file",
        "config=x             | 'config' is never set by a file",
        "help=true            | 'help' is never set by a file",
        "version=true         | 'version' is never set by a file",
        "guid=G1              | 'guid' is never set by a file",
        "clock-ok=true        | 'clock-ok' is never set by a file",
        "force=true           | 'force' is never set by a file",
        "in-place=true        | 'in-place' is never set by a file",
      })
  void aFileThatSetsWhatItCannotIsAUsageErrorThatNamesTheKey(String lines, String why)
      throws IOException {
    String path = config(lines.replace("\\n", "\n"));
    Purge purge = new Purge();
    assertThat(Ran.of(purge, "--archive=a", "--config", path))
        .returns(2, Ran::exit)
        .returns("", Ran::out)
        .returns("purge: config file " + path + ": " + why + "; see 'purge --help'\n", Ran::err);
    assertThat(purge.ran).isFalse();
  }

  @Test
  void aFileThatCannotBeReadIsAUsageErrorThatSaysWhoNamedIt() throws IOException {
    String missing = folder.resolve("missing").toString();
    assertUnusable(missing, "no such file or directory");
    assertUnusable(folder.toString(), "Is a directory");
    byte[] latin1 = "by=Zürich".getBytes(StandardCharsets.ISO_8859_1);
    assertUnusable(Files.write(folder.resolve("latin1"), latin1).toString(), "it is not UTF-8");
    Path large = Files.write(folder.resolve("large"), new byte[Defaults.LARGEST_FILE + 1]);
    assertUnusable(large.toString(), "it is larger than 1048576 bytes");
    assertUnusable("/dev/zero", "it is larger than 1048576 bytes");
  }

  private static void assertUnusable(String path, String why) {
    assertThat(Ran.of(new Purge(), "--archive=a", "--config", path))
        .returns(2, Ran::exit)
        .returns("purge: config file " + path + ": " + why + "; see 'purge --help'\n", Ran::err);
    assertThat(Ran.of(new Purge(), Map.of("RELAY_CONFIG", path), "--archive=a"))
        .returns(2, Ran::exit)
        .returns(
            "purge: config file "
                + path
                + " (from RELAY_CONFIG): "
                + why
                + "; see 'purge --help'\n",
            Ran::err);
  }

  @Test
  void whatBelongsToOneRunNeverComesFromTheEnvironment() {
    Map<String, String> environment = new HashMap<>();
    for (String name : Known.FLAG_ONLY) {
      String variable = name.toUpperCase(Locale.ROOT).replace('-', '_');
      environment.put("RELAY_" + variable, "true");
      environment.put("RELAY_PURGE_" + variable, "true");
    }
    Purge purge = good(environment, "--archive=a");
    assertThat(purge.ran).isTrue();
    assertThat(purge.dryRun.dryRun()).isFalse();
    assertThat(purge.reason).isNull();
    assertThat(purge.guid).isNull();
    purge = good(environment, "--archive=a", "-n", "--reason=r", "--guid=g");
    assertThat(purge.dryRun.dryRun()).isTrue();
    assertThat(purge.reason).isEqualTo("r");
    assertThat(purge.guid).isEqualTo("g");
  }

  @Test
  void positionalParametersNeverComeFromTheEnvironment() {
    Map<String, String> environment = Map.of("RELAY_GUIDS", "G1", "RELAY_", "G2");
    Purge purge = good(environment, "--archive=a");
    assertThat(purge.guids).isEmpty();
  }

  @Test
  void aBadValueIsTracedToTheVariableOrTheKeyThatItComesFrom() throws IOException {
    assertThat(Ran.of(new Purge(), Map.of("RELAY_RETENTION", "30"), "--archive=a"))
        .returns(2, Ran::exit)
        .extracting(Ran::err)
        .asString()
        .startsWith(
            "purge: invalid value for option '--retention' (from RELAY_RETENTION): '30' has no"
                + " unit");
    String path = config("purge.retention=0d");
    assertThat(Ran.of(new Purge(), "--archive=a", "--config", path))
        .returns(2, Ran::exit)
        .returns(
            "purge: invalid value for option '--retention' (from purge.retention in "
                + path
                + "): '0d' is zero; see 'purge --help'\n",
            Ran::err);
    assertThat(Ran.of(new Purge(), Map.of("RELAY_QUIET", "yes"), "--archive=a"))
        .returns(2, Ran::exit)
        .returns(
            "purge: invalid value for option '--quiet' (from RELAY_QUIET): 'yes' is neither true"
                + " nor false; see 'purge --help'\n",
            Ran::err);
  }

  @Test
  void helpAndVersionAnswerWhateverIsWrongWithTheConfiguration() {
    Map<String, String> broken = Map.of("RELAY_CONFIG", "/nowhere", "RELAY_RETENTION", "x");
    for (String ask : List.of("-h", "--help", "-V", "--version")) {
      assertThat(Ran.of(new Purge(), broken, ask)).returns(0, Ran::exit).returns("", Ran::err);
    }
  }

  @Test
  void helpShowsTheBuiltInDefaultsAndNoneOfTheEnvironments() {
    assertThat(Ran.of(new Purge(), Map.of("RELAY_LEDGER", "secret-place"), "--help").out())
        .contains("The ledger (default: relay-ledger.db).")
        .doesNotContain("secret-place");
  }

  @Test
  void noOptionsNameCouldBeTakenForATools() {
    for (String tool : Known.BY_TOOL.keySet()) {
      assertThat(Known.BY_TOOL.values())
          .allSatisfy(names -> assertThat(names).noneMatch(name -> name.startsWith(tool + "-")));
    }
  }

  private static Purge good(String... arguments) {
    return good(Map.of(), arguments);
  }

  private static Purge good(Map<String, String> environment, String... arguments) {
    Purge purge = new Purge();
    assertThat(Ran.of(purge, environment, arguments))
        .returns(0, Ran::exit)
        .returns("", Ran::out)
        .returns("", Ran::err);
    assertThat(purge.ran).isTrue();
    return purge;
  }

  private static String actor(Purge purge) {
    return purge.common.actor(Actor.Role.PURGE, Map.of()).by();
  }

  private String config(String text) throws IOException {
    return Files.writeString(Files.createTempFile(folder, "relay", ".properties"), text).toString();
  }
}
