package org.relayledger.relaycli;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.Steps;

/** {@code relay serve}, running in this JVM. */
final class Serving implements AutoCloseable {
  private static final int SIGTERM = 15;

  private final Said err = new Said();
  private final Streams streams =
      new Streams(InputStream.nullInputStream(), OutputStream.nullOutputStream(), err, Map.of());
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();
  private URI url;
  private boolean terminated;

  private Serving() {}

  static Serving start(Steps steps, String... arguments) throws InterruptedException {
    Serving serving = new Serving();
    Thread thread =
        new Thread(
            () -> serving.exit.complete(RelayMain.run(arguments, serving.streams, steps)), "serve");
    thread.setDaemon(true);
    thread.start();
    serving.url = URI.create(serving.err.await("listening on ([^\\s,]+)"));
    return serving;
  }

  /** Where transfers go. */
  URI url() {
    return url;
  }

  String said() {
    return err.text();
  }

  /** What the first SIGTERM does; returns at once. */
  void terminate() {
    terminated = true;
    streams.signals().raise(SIGTERM);
  }

  int exit() {
    return exit.orTimeout(Stage.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    if (!terminated && !exit.isDone()) {
      terminate();
    }
    exit();
  }
}
