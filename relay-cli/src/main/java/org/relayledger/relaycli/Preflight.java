package org.relayledger.relaycli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.relayledger.account.AccountSystem;
import org.relayledger.account.Inquiry;
import org.relayledger.account.Verdict;
import org.relayledger.cli.Configuration;
import org.relayledger.cli.Durations;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerException;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.ModeChange;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.Inquirer;
import org.relayledger.report.Table;
import org.relayledger.report.Times;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** The checks of {@code relay preflight}, in order; none keeps the others from being made. */
final class Preflight {
  private static final long LEAST_SPACE = 64L << 20;
  private static final long LITTLE_SPACE = 1L << 30;
  private static final int SYNCS = 20;
  private static final Duration SLOW_SYNC = Duration.ofMillis(20);
  private static final Duration QUICKEST_SYNC = Duration.ofNanos(20_000);
  private static final Duration LONG_QUIET = Duration.ofDays(7);
  private static final Duration CLOCK_SLACK = Duration.ofSeconds(1);
  private static final int LOCK_PATIENCE_SECONDS = 30;

  private final RelayOptions options;
  private final CommandSpec spec;
  private final Map<String, String> environment;
  private final List<Table.Check> checks = new ArrayList<>();
  private Exit worst = Exit.OK;
  private boolean usage;
  private String firstFailure = "";

  Preflight(RelayOptions options, CommandSpec spec, Map<String, String> environment) {
    this.options = options;
    this.spec = spec;
    this.environment = environment;
  }

  List<Table.Check> checks() {
    return checks;
  }

  Exit worst() {
    return worst == Exit.OK && usage ? Exit.USAGE : worst;
  }

  String firstFailure() {
    return firstFailure;
  }

  private void ok(String check, String detail) {
    checks.add(new Table.Check(check, "ok", detail));
  }

  private void warn(String check, String detail) {
    checks.add(new Table.Check(check, "warn", detail));
  }

  private void fail(Exit exit, String check, String detail) {
    checks.add(new Table.Check(check, "fail", detail));
    if (firstFailure.isEmpty()) {
      firstFailure = check + ": " + detail;
    }
    if (exit == Exit.USAGE) {
      usage = true;
    } else {
      worst = Exit.worst(worst, exit);
    }
  }

  /** Makes all checks. */
  void look() throws InterruptedException {
    Optional<LedgerView> ledger = ledger();
    try {
      account(ledger);
    } finally {
      ledger.ifPresent(LedgerView::close);
    }
    Configuration.of(spec)
        .forEach(
            value ->
                ok(
                    "option",
                    value.option() + " = " + open(value.value()) + ", from " + value.origin()));
  }

  /** {@code value} without what may be a secret in a URL: the user, and the query. */
  private static String open(String value) {
    return value.contains("://")
        ? value.replaceAll("//[^/]*@", "//...@").replaceFirst("[?].*", "?...")
        : value;
  }

  /** Looks at the ledger; it is open if it can be read. */
  private Optional<LedgerView> ledger() throws InterruptedException {
    String location = options.ledger.location();
    try {
      LedgerView view = LedgerView.open(location);
      Settings settings = view.settings();
      ok("ledger", location + ", id " + settings.id());
      files(Path.of(location).toAbsolutePath());
      locks(location);
      clock(view);
      mode(settings, view);
      numbers(settings);
      return Optional.of(view);
    } catch (LedgerException e) {
      fail(Exit.of(e), "ledger", e.getMessage());
      return Optional.empty();
    }
  }

  private void files(Path ledger) {
    try {
      FileStore store = Files.getFileStore(ledger);
      ok("file system", store.type());
      long space = store.getUsableSpace();
      String room = (space >> 20) + " MiB free";
      if (space < LEAST_SPACE) {
        fail(Exit.LEDGER, "space", room + ": the next claims may find no room");
      } else if (space < LITTLE_SPACE) {
        warn("space", room);
      } else {
        ok("space", room);
      }
    } catch (IOException e) {
      fail(Exit.LEDGER, "file system", Failure.reason(e));
    }
    sync(ledger);
    for (String end : List.of("", "-wal", "-shm", ".claims")) {
      permissions(ledger.resolveSibling(ledger.getFileName() + end));
    }
  }

  /** How long a write takes until it is on the disk: each claim waits for one, and each outcome. */
  private void sync(Path ledger) {
    Path probe = ledger.resolveSibling(ledger.getFileName() + ".preflight");
    long[] nanos = new long[SYNCS];
    try (FileChannel file =
        FileChannel.open(
            probe,
            Set.of(
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      for (int i = 0; i < SYNCS; i++) {
        long start = System.nanoTime();
        file.write(ByteBuffer.allocate(4096));
        file.force(false);
        nanos[i] = System.nanoTime() - start;
      }
    } catch (IOException e) {
      fail(Exit.LEDGER, "fsync", "cannot write beside the ledger: " + Failure.reason(e));
      return;
    }
    Arrays.sort(nanos);
    long median = nanos[SYNCS / 2];
    String took = "a write is on the disk in " + median / 1000 + " us (median of " + SYNCS + ")";
    if (median > SLOW_SYNC.toNanos()) {
      warn("fsync", took + ": every transfer waits for two of them");
    } else if (median < QUICKEST_SYNC.toNanos()) {
      warn("fsync", took + ": too fast for a disk; is it one, and does it keep what it reports?");
    } else {
      ok("fsync", took);
    }
  }

  private void permissions(Path file) {
    try {
      if (!Files.exists(file)) {
        return;
      }
      String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
      if (mode.equals("rw-------")) {
        ok("permissions", file.getFileName() + " is its owner's alone");
      } else {
        fail(
            Exit.LEDGER,
            "permissions",
            file + " is " + mode + ", others can use it: chmod 600, and ask who has");
      }
    } catch (IOException e) {
      fail(Exit.LEDGER, "permissions", file + ": " + Failure.reason(e));
    }
  }

  /** Whether a lock that this process holds keeps another process out. */
  private void locks(String location) throws InterruptedException {
    try (Ledger ledger = Ledger.open(location, HostClock.system(), Steps.NONE)) {
      ledger.runLock(Actor.Role.OPERATOR);
      int exit = otherProcess(location);
      if (exit == Exit.ALREADY_RUNNING.code()) {
        ok("locks", "another process cannot take what this one holds");
      } else {
        fail(
            Exit.LEDGER,
            "locks",
            exit == Exit.OK.code()
                ? "another process took a lock that this one holds: nobody is safe here"
                : "the other process that was to try a lock ended with " + exit);
      }
    } catch (LedgerException e) {
      fail(Exit.of(e) == Exit.ALREADY_RUNNING ? Exit.LEDGER : Exit.of(e), "locks", e.getMessage());
    } catch (IOException e) {
      fail(Exit.INTERNAL, "locks", "no other process can be started: " + Failure.reason(e));
    }
  }

  private static int otherProcess(String location) throws IOException, InterruptedException {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                LockMain.class.getName(),
                location)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!other.waitFor(LOCK_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      other.destroyForcibly();
      throw new IOException("it did not end within " + LOCK_PATIENCE_SECONDS + " s");
    }
    return other.exitValue();
  }

  private void clock(LedgerView view) {
    OptionalLong newest = view.newestEntryAt();
    long now = System.currentTimeMillis();
    if (newest.isEmpty()) {
      ok("clock", Times.format(now) + "; the journal is empty");
      return;
    }
    long quiet = now - newest.getAsLong();
    String both =
        Times.format(now) + ", the journal's newest entry " + Times.format(newest.getAsLong());
    if (quiet < -CLOCK_SLACK.toMillis()) {
      fail(Exit.LEDGER, "clock", both + ": the clock is behind the journal");
    } else if (quiet > LONG_QUIET.toMillis()) {
      warn("clock", both + ": not used for long, or the clock has jumped");
    } else {
      ok("clock", both);
    }
  }

  private void mode(Settings settings, LedgerView view) {
    String mode = settings.mode().word();
    Optional<ModeChange> change = view.lastModeChange();
    String since =
        change
            .map(c -> " since " + Times.format(c.at()) + " by " + c.by() + ": " + c.reason())
            .orElse("");
    if (settings.mode() == Settings.Mode.NORMAL) {
      ok("mode", mode + since);
    } else {
      warn("mode", mode + since);
    }
  }

  private void numbers(Settings settings) {
    Duration maxProcessing = settings.maxProcessing();
    String known = "max-processing " + Durations.text(maxProcessing);
    try {
      List<String> warnings = new ArrayList<>();
      Duration minAge = options.minAge.of(settings, warnings::add);
      if (warnings.isEmpty()) {
        ok("min-age", Durations.text(minAge) + ", " + known);
      } else {
        warn("min-age", warnings.get(0).replaceFirst("^warning: ", ""));
      }
    } catch (Failure e) {
      fail(e.exit(), "min-age", e.getMessage());
    }
    Duration timeout = options.account.timeout();
    String waits = "channels wait " + Durations.text(timeout) + ", " + known;
    if (timeout.compareTo(maxProcessing) > 0) {
      warn("timeout", waits + ": longer than the account system is said to need");
    } else {
      ok("timeout", waits);
    }
    String window = "resend-window " + Durations.text(settings.resendWindow());
    Optional<Configuration.Value> retention =
        Configuration.of("purge", "retention", options.common.config(), environment);
    if (retention.isEmpty()) {
      ok("retention", "not set here; " + window);
      return;
    }
    String kept = retention.get().value() + ", from " + retention.get().origin() + "; " + window;
    try {
      Duration time = new Durations().convert(retention.get().value());
      if (time.compareTo(settings.resendWindow()) > 0) {
        ok("retention", kept);
      } else {
        fail(Exit.USAGE, "retention", kept + ": purge would refuse it");
      }
    } catch (TypeConversionException e) {
      fail(Exit.USAGE, "retention", e.getMessage());
    }
  }

  private void account(Optional<LedgerView> ledger) {
    AccountSystem system;
    try {
      system = options.account.accountSystem(options.account.timeout(), Steps.NONE);
    } catch (Failure e) {
      fail(e.exit(), "account system", e.getMessage());
      return;
    }
    Optional<String> why = system.probe();
    if (why.isPresent()) {
      fail(Exit.UNAVAILABLE, "account system", system.url() + ": " + why.get());
      return;
    }
    ok("account system", system.url() + " takes connections");
    if (ledger.isEmpty()) {
      return;
    }
    Inquirer inquirer = options.inquirer(ledger.get(), system, null);
    canary(
        "inquiry, stranger",
        inquirer.aboutStranger(),
        Verdict.NoRecord.class,
        "a GUID that never existed");
    Optional<Inquiry> known = inquirer.aboutKnown();
    if (known.isPresent()) {
      canary("inquiry, known", known.get(), Verdict.Processed.class, "a transfer that is DONE");
    } else {
      warn("inquiry, known", "no transfer is DONE by a reply yet: 'no record' cannot be tried");
    }
  }

  private void canary(
      String check, Inquiry inquiry, Class<? extends Verdict> expected, String about) {
    String said = "asked about " + about + ": " + inquiry.verdict().word() + ", " + inquiry.url();
    if (expected.isInstance(inquiry.verdict())) {
      ok(check, said);
    } else {
      fail(Exit.UNTRUSTED, check, said + ": resolve would not believe it");
    }
  }
}
