package org.relayledger.cli;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The options of all tools, by their long names without the dashes: what a config file that all of
 * them share may set. A test in each module sees to it that its options are listed.
 */
final class Known {
  /** One run's own: they never come from the environment or a file. */
  static final Set<String> FLAG_ONLY =
      Set.of(
          "clock-ok",
          "dry-run",
          "force",
          "guid",
          "help",
          "in-place",
          "override",
          "reason",
          "reply",
          "settle",
          "version");

  private static final String COMMON = "by config dry-run help ledger quiet ticket verbose version";
  private static final String REPORT = "force format limit output";
  private static final String ACCOUNT =
      "absent-code account-url code-pointer connect-timeout final-codes guid-pointer header-file"
          + " inquiry-final-codes inquiry-url max-reply not-sent-codes success-codes timeout";
  private static final String RELAY =
      "balance bodies channel channel-header code concurrency content-type excel fingerprint-ignore"
          + " guid guid-column in-place journal listen mask max-attempts max-in-flight max-processing"
          + " metrics-file min-age mode older-than rate reason resend-window since skew state"
          + " stop-after time-column until untold where";
  private static final String RESOLVE =
      "also-account concurrency min-age override reason reply settle stop-after";
  private static final String REPROCESS =
      "concurrency max-age max-attempts min-age rate received stop-after";
  private static final String PURGE = "archive clock-ok remember retention vacuum";

  /** The options of each tool, its subcommands' included. */
  static final Map<String, Set<String>> BY_TOOL =
      Map.of(
          "relay", names(COMMON, REPORT, ACCOUNT, RELAY),
          "resolve", names(COMMON, REPORT, ACCOUNT, RESOLVE),
          "reprocess", names(COMMON, REPORT, ACCOUNT, REPROCESS),
          "purge", names(COMMON, REPORT, PURGE));

  private Known() {}

  private static Set<String> names(String... lists) {
    Set<String> names = new TreeSet<>();
    for (String list : lists) {
      names.addAll(Set.of(list.split(" ")));
    }
    return names;
  }
}
