package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.relayledger.cli.Ran;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Entry;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.LedgerView;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.Steps;
import org.relayledger.sandbox.Sandbox;

/** A ledger made by {@code relay init}, and a sandbox to send to. */
final class Stage implements AutoCloseable {
  /** The longest wait for something that happens elsewhere. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  final Path ledger;
  final Sandbox sandbox;

  Stage(Path folder) throws IOException {
    this(folder, "1m");
  }

  /** The same with an account system that takes at most {@code maxProcessing}. */
  Stage(Path folder, String maxProcessing) throws IOException {
    this(folder, maxProcessing, "1d");
  }

  /** The same where what is done may be purged after {@code resendWindow}. */
  Stage(Path folder, String maxProcessing, String resendWindow) throws IOException {
    ledger = folder.resolve("ledger.db");
    Ran init =
        run(
            "init",
            "--ledger",
            ledger.toString(),
            "--max-processing",
            maxProcessing,
            "--resend-window",
            resendWindow);
    if (init.exit() != 0) {
      throw new IllegalStateException(init.err());
    }
    sandbox = Sandbox.start(loopback(), Sandbox.BALANCE);
  }

  static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /** Runs one command in this JVM. */
  static Ran run(String... arguments) {
    return run(Steps.NONE, new byte[0], arguments);
  }

  static Ran run(Steps steps, byte[] stdin, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Streams streams = new Streams(new ByteArrayInputStream(stdin), out, err, Map.of());
    int exit = RelayMain.run(arguments, streams, steps);
    return new Ran(exit, out.toByteArray(), err.toString(UTF_8));
  }

  /** Runs {@code relay send} with {@code body} as its stdin. */
  Ran send(String body, String... more) {
    return send(Steps.NONE, body.getBytes(UTF_8), more);
  }

  Ran send(Steps steps, byte[] body, String... more) {
    return run(steps, body, command("send", more));
  }

  /** Runs {@code relay send} with a transfer of one. */
  Ran transfer(String guid, String... more) {
    return send(Channel.body(guid), more);
  }

  Serving serve(String... more) throws InterruptedException {
    return serve(Steps.NONE, more);
  }

  Serving serve(Steps steps, String... more) throws InterruptedException {
    return Serving.start(steps, command("serve", hub(more)));
  }

  static String[] hub(String... more) {
    List<String> all = new ArrayList<>(List.of("--listen", "127.0.0.1:0"));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  /** The arguments of a command that sends; what {@code more} has goes before the stage's own. */
  String[] command(String name, String... more) {
    List<String> all = new ArrayList<>(List.of(name));
    List<String> given = List.of(more);
    if (!given.contains("--ledger")) {
      all.addAll(List.of("--ledger", ledger.toString()));
    }
    if (!given.contains("--account-url")) {
      all.addAll(List.of("--account-url", account().toString()));
    }
    if (!given.contains("--timeout")) {
      // Longer than any test waits: an outcome never depends on how fast the machine is.
      all.addAll(List.of("--timeout", "100s"));
    }
    all.addAll(given);
    return all.toArray(String[]::new);
  }

  URI account() {
    return sandbox.transfers();
  }

  /** The row of {@code guid}, with its bodies; null if there is none. */
  Row row(String guid) {
    try (LedgerView view = LedgerView.open(ledger.toString())) {
      return view.find(new Guid(guid), true).orElse(null);
    }
  }

  List<Entry> journal(String guid) {
    try (LedgerView view = LedgerView.open(ledger.toString())) {
      return view.journal(view.find(new Guid(guid), false).orElseThrow());
    }
  }

  int received(String guid) {
    return sandbox.received().getOrDefault(guid, 0);
  }

  int executed(String guid) {
    return sandbox.executed().getOrDefault(guid, 0);
  }

  @Override
  public void close() {
    sandbox.close();
  }
}
