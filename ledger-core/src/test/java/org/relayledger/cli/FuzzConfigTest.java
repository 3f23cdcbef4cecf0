package org.relayledger.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.ledger.Steps;
import org.relayledger.testing.Mutations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Spoilt config files, header files and environments: values, or exit 2 on one plain line. */
class FuzzConfigTest {
  /** Options of each kind: words, durations, counts, sizes, codes, pointers, URLs, files. */
  @Command(name = "resolve")
  static final class Everything implements Action {
    @Mixin CommonOptions common;
    @Mixin LedgerOptions ledger;
    @Mixin OutputOptions output;
    @Mixin MinAgeOption minAge;
    @Mixin AccountOptionsMixin account;
    private String url;

    @Override
    public Exit run(Streams streams) {
      url = account.accountSystem(Duration.ofSeconds(1), Steps.NONE).url();
      return Exit.OK;
    }
  }

  private static final List<byte[]> FILES =
      Stream.of(
              "account-url=http://bank.example/transfers\ntimeout=10s\nfinal-codes=0000,B2??\n",
              "# a comment\naccount-url = https://[::1]:8443/t\nconnect-timeout: 500ms\nquiet=true\n",
              "account-url=http://h/t\ncode-pointer=/a~1b/0\nmax-reply=64k\nticket=CHG-1\\u0041\n",
              "resolve.account-url=http://h/t\nmin-age=2m\nformat=json\nlimit=5\nby=J\\\n  Doe\n",
              "account-url=http://h/t\ninquiry-url=http://h/q?id={guid}\nabsent-code=E404\n")
          .map(text -> text.getBytes(UTF_8))
          .toList();
  private static final List<String> WORDS =
      List.of(
          "account-url=",
          "resolve.",
          "purge.",
          "timeout=",
          "limit=",
          "format=",
          "verbose=true\n",
          "99999999999999999999d",
          "0s",
          "http://",
          "{guid}",
          "\\u000a",
          "\\u0000",
          "\\\n",
          "config=x\n",
          "reason=x\n",
          "help=true\n",
          "@file",
          "--",
          "${env:HOME}",
          "$$");
  private static final List<String> VARIABLES =
      List.of(
          "RELAY_ACCOUNT_URL",
          "RELAY_RESOLVE_TIMEOUT",
          "RELAY_TIMEOUT",
          "RELAY_FINAL_CODES",
          "RELAY_LIMIT",
          "RELAY_FORMAT",
          "RELAY_CODE_POINTER",
          "RELAY_MAX_REPLY",
          "RELAY_MIN_AGE",
          "RELAY_BY",
          "RELAY_LEDGER",
          "RELAY_HEADER_FILE",
          "RELAY_CONFIG",
          "RELAY_QUIET",
          "RELAY_OUTPUT");
  private static final List<byte[]> VALUES =
      Stream.of("http://h/t", "10s", "0000,B2??", "5", "json", "/a~1b", "64k", "true", "J. Doe")
          .map(text -> text.getBytes(UTF_8))
          .toList();

  @TempDir Path folder;

  @Test
  void sixHundredSpoiltConfigurationsAreValuesOrExit2() throws Exception {
    fuzz(20260405, 600);
  }

  @Test
  @Tag("long")
  void sixThousandSpoiltConfigurationsAreValuesOrExit2() throws Exception {
    fuzz(20260406, 6_000);
  }

  private void fuzz(long seed, int rounds) throws Exception {
    Random random = new Random(seed);
    Mutations files = new Mutations(random, FILES, WORDS);
    Mutations values = new Mutations(random, VALUES, WORDS);
    Path file = folder.resolve("relay.properties");
    int good = 0;
    int bad = 0;
    for (int round = 1; round <= rounds; round++) {
      Files.write(file, files.next());
      Map<String, String> environment = new HashMap<>();
      for (int n = random.nextInt(3); n > 0; n--) {
        environment.put(
            VARIABLES.get(random.nextInt(VARIABLES.size())),
            new String(values.next(), ISO_8859_1).replace("\0", ""));
      }
      Everything everything = new Everything();
      Ran ran = Ran.of(everything, environment, "--config", file.toString());
      String where = "seed " + seed + ", round " + round + ": " + environment + " " + ran.err();
      assertThat(ran.exit()).as(where).isIn(0, 2);
      if (ran.exit() == 0) {
        good++;
        assertThat(everything.url).as(where).isNotNull();
      } else {
        bad++;
        assertThat(ran.err()).as(where).hasLineCount(1).doesNotContain("Exception", "\tat ");
        assertThat(ran.err().strip().codePoints()).as(where).noneMatch(FuzzConfigTest::steers);
      }
    }
    assertThat(good).isGreaterThan(rounds / 20);
    assertThat(bad).isGreaterThan(rounds / 3);
  }

  private static boolean steers(int c) {
    return Character.isISOControl(c) || Character.getType(c) == Character.FORMAT;
  }
}
