package org.relayledger.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.relayledger.account.AccountOptions;
import org.relayledger.account.AccountSystem;
import org.relayledger.cli.Ran;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Claim;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Request;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Settings;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Steps;
import org.relayledger.ledger.Taken;
import org.relayledger.relay.Answer;
import org.relayledger.relay.AskFirst;
import org.relayledger.relay.Inquirer;
import org.relayledger.relay.Intake;
import org.relayledger.relay.Relay;
import org.relayledger.sandbox.Sandbox;
import picocli.CommandLine;
import tools.jackson.core.JsonPointer;

/** A ledger with rows in any state, an account system that really books, and clocks to step. */
public final class Scene implements AutoCloseable {
  /** The account system's longest time, as {@code init} was told. */
  public static final Duration MAX_PROCESSING = Duration.ofMinutes(1);

  /** The age from which "no record" counts, if nothing else is said. */
  public static final Duration MIN_AGE = Duration.ofMinutes(3);

  /** How long channels send again, as {@code init} was told. */
  public static final Duration RESEND_WINDOW = Duration.ofDays(1);

  private static final Actor CHANNEL = new Actor(Actor.Role.RELAY, "test", null);
  private static final Duration LONG = Duration.ofSeconds(100);

  private final Path path;
  private final SteppedClock clock = new SteppedClock();
  private final Sandbox sandbox;

  /** Begins a ledger in {@code folder}, and a sandbox. */
  public Scene(Path folder) throws IOException {
    path = folder.resolve("ledger.db");
    Settings settings = new Settings("scene", Settings.Mode.NORMAL, MAX_PROCESSING, RESEND_WINDOW);
    var unused = Ledger.init(path.toString(), settings, clock);
    sandbox =
        Sandbox.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Sandbox.BALANCE);
  }

  /** Where the ledger is. */
  public Path path() {
    return path;
  }

  /** The clocks by which rows age. */
  public SteppedClock clock() {
    return clock;
  }

  /** The account system. */
  public Sandbox sandbox() {
    return sandbox;
  }

  /** Its URL for transfers. */
  public String url() {
    return sandbox.transfers().toString();
  }

  /** The body of a transfer of one. */
  public static byte[] body(String guid) {
    return ("{\"guid\":\"" + guid + "\",\"amount\":1}").getBytes(UTF_8);
  }

  /** The request of a channel that sends such a transfer. */
  public static Request request(String guid) {
    Intake intake = new Intake(JsonPointer.compile("/guid"), List.of());
    Intake.Arrival arrival = intake.read(List.of(), null, "application/json", body(guid));
    return ((Intake.Arrival.Accepted) arrival).request();
  }

  /** The ledger, opened to write. */
  public Ledger open() {
    return Ledger.open(path.toString(), clock, Steps.NONE);
  }

  /**
   * Sends a transfer as a channel would; its GUID says what goes wrong: {@code ok-1} is DONE,
   * {@code drop-1} UNKNOWN and executed, {@code dropbefore-1} UNKNOWN and not executed.
   */
  public Answer send(String guid) {
    return send(guid, AccountOptions.at(url()));
  }

  /** The same, to another account system. */
  public Answer send(String guid, AccountOptions options) {
    try (Ledger ledger = open()) {
      AccountSystem account = new AccountSystem(options, LONG, Steps.NONE);
      Relay relay =
          new Relay(
              ledger,
              account,
              askFirst(ledger, account, clock),
              new Relay.Limits(LONG, LONG, 1),
              CHANNEL,
              Steps.NONE);
      return relay.relay(request(guid));
    }
  }

  /** Has the account system execute a transfer of which the ledger knows nothing. */
  public void execute(String guid) {
    AccountSystem account = new AccountSystem(AccountOptions.at(url()), LONG, Steps.NONE);
    Optional<Outcome> outcome =
        account.send(new Guid(guid), 1, "application/json", body(guid), () -> true).await(LONG);
    if (!(outcome.orElseThrow() instanceof Outcome.Done)) {
      throw new IllegalStateException(guid + " was not executed: " + outcome);
    }
  }

  /** What asks first where a ledger wants it, with the least patience of this scene. */
  public static AskFirst askFirst(Ledger ledger, AccountSystem account, HostClock clock) {
    Inquirer inquirer =
        new Inquirer(ledger.view(), account, Set.of(account.url()), "0000"::equals, null);
    return new AskFirst(inquirer, MIN_AGE, clock, Steps.NONE);
  }

  /** Leaves rows FAILED, of which no byte was sent. */
  public void fail(String... guids) {
    try (Ledger ledger = open()) {
      for (String guid : guids) {
        Taken taken = ledger.claim(request(guid), url(), CHANNEL);
        try (Claim claim = ((Taken.Won) taken).claim()) {
          claim.settle(new Outcome.NotSent("connection refused"), "E902", "connection refused");
        }
      }
    }
  }

  /** The row of {@code guid} with its bodies, or null. */
  public Row row(String guid) {
    try (LedgerView view = LedgerView.open(path.toString())) {
      return view.find(new Guid(guid), true).orElse(null);
    }
  }

  /** Where the row of {@code guid} stands, or null if there is none. */
  public State state(String guid) {
    Row row = row(guid);
    return row == null ? null : row.state();
  }

  /** The journal of {@code guid}. */
  public List<Entry> journal(String guid) {
    try (LedgerView view = LedgerView.open(path.toString())) {
      return view.journal(view.find(new Guid(guid), false).orElseThrow());
    }
  }

  /** How often the account system has received {@code guid}. */
  public int received(String guid) {
    return sandbox.received().getOrDefault(guid, 0);
  }

  /** How often the account system has executed {@code guid}. */
  public int executed(String guid) {
    return sandbox.executed().getOrDefault(guid, 0);
  }

  /** Runs {@code tool} on the ledger and the account system; later options win. */
  public Ran run(CommandLine tool, String... arguments) {
    tool.setOverwrittenOptionsAllowed(true);
    return Ran.of(tool, Map.of(), command(arguments));
  }

  /** The arguments of such a run. */
  public String[] command(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--ledger", path.toString()));
    all.addAll(List.of(arguments));
    return all.toArray(String[]::new);
  }

  @Override
  public void close() {
    sandbox.close();
  }
}
