package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.account.AccountOptions;
import org.relayledger.account.AccountSystem;
import org.relayledger.bench.Bench;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.Steps;
import org.relayledger.relay.AskFirst;
import org.relayledger.relay.Inquirer;
import org.relayledger.relay.Intake;
import org.relayledger.relay.Relay;
import tools.jackson.core.JsonPointer;

/** The hub over loopback, against the same hub with a ledger that remembers nothing. */
@Tag("bench")
class HubBenchmarkTest {
  private static final int CHANNELS = 64;
  private static final int IN_FLIGHT = 256;
  private static final Duration ROUND = Duration.ofSeconds(Integer.getInteger("seconds", 5));
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @TempDir Path folder;

  /** Transfers a second, and how long one took, in microseconds. */
  private record Figures(double perSecond, long p50, long p99) {
    static Figures of(long[] nanos, double seconds) {
      Arrays.sort(nanos);
      return new Figures(
          nanos.length / seconds,
          nanos[nanos.length / 2] / 1_000,
          nanos[(int) (nanos.length * 0.99)] / 1_000);
    }
  }

  private Stage stage() throws IOException {
    return new Stage(Files.createTempDirectory(folder, "bench"));
  }

  private static Hub hub(Ledger ledger, Stage stage) throws IOException {
    AccountSystem account =
        new AccountSystem(AccountOptions.at(stage.account().toString()), TIMEOUT, Steps.NONE);
    AskFirst nobodyAsks =
        new AskFirst(
            new Inquirer(ledger.view(), account, java.util.Set.of(), code -> true, null),
            TIMEOUT,
            HostClock.system(),
            Steps.NONE);
    Relay relay =
        new Relay(
            ledger,
            account,
            nobodyAsks,
            new Relay.Limits(TIMEOUT, TIMEOUT, IN_FLIGHT),
            new Actor(Actor.Role.RELAY, "bench", null),
            Steps.NONE);
    Hub hub =
        new Hub(
            relay,
            new Intake(JsonPointer.compile("/guid"), List.of()),
            new Hub.Channels(null, Optional.empty()),
            stage.account().getRawPath(),
            new Hub.Limits(IN_FLIGHT, TIMEOUT, TIMEOUT));
    hub.start(Stage.loopback());
    return hub;
  }

  /** One after the other on a connection that stays open, for the time of a round. */
  private static Callable<long[]> channel(URI url, Supplier<String> guids, String code) {
    return () -> {
      long end = System.nanoTime() + ROUND.toNanos();
      long[] nanos = new long[1 << 20];
      int count = 0;
      try (Socket socket = Channel.connect(url)) {
        InputStream in = new BufferedInputStream(socket.getInputStream());
        while (System.nanoTime() - end < 0 && count < nanos.length) {
          String body = Channel.body(guids.get());
          String head =
              "POST "
                  + url.getRawPath()
                  + " HTTP/1.1\r\nHost: relay\r\nContent-Type: application/json\r\nContent-Length: "
                  + body.length()
                  + "\r\n\r\n";
          long start = System.nanoTime();
          ByteArrayOutputStream out = new ByteArrayOutputStream();
          out.writeBytes((head + body).getBytes(ISO_8859_1));
          socket.getOutputStream().write(out.toByteArray());
          Channel.Heard heard = Channel.hear(in);
          nanos[count++] = System.nanoTime() - start;
          assertThat(heard.code()).isEqualTo(code);
        }
      }
      return Arrays.copyOf(nanos, count);
    };
  }

  private static Figures run(List<Callable<long[]>> channels) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(channels.size());
    try {
      long start = System.nanoTime();
      List<long[]> all = new ArrayList<>();
      for (Future<long[]> one : threads.invokeAll(channels)) {
        all.add(one.get());
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      return Figures.of(all.stream().flatMapToLong(Arrays::stream).toArray(), seconds);
    } finally {
      threads.shutdownNow();
    }
  }

  private Figures transfers(boolean remembering) throws Exception {
    try (Stage stage = stage();
        Ledger real = Ledger.open(stage.ledger.toString(), HostClock.system(), Steps.NONE)) {
      Hub hub = hub(remembering ? real : new Forgetful(real.view()), stage);
      AtomicInteger number = new AtomicInteger();
      List<Callable<long[]>> channels = new ArrayList<>();
      for (int i = 0; i < CHANNELS; i++) {
        channels.add(channel(URI.create(hub.url()), () -> "b-" + number.incrementAndGet(), "0000"));
      }
      Figures figures = run(channels);
      hub.stop();
      return figures;
    }
  }

  @Test
  void transfersASecondAndHowLongTheyTake() throws Exception {
    double[] p50 = new double[2];
    Bench.compare(
        "transfers/s",
        new Bench.Case(
            "a ledger that remembers nothing",
            () -> {
              Figures figures = transfers(false);
              p50[0] = figures.p50;
              System.out.println("nothing " + figures);
              return figures.perSecond;
            }),
        new Bench.Case(
            "the ledger",
            () -> {
              Figures figures = transfers(true);
              p50[1] = figures.p50;
              System.out.println("ledger " + figures);
              return figures.perSecond;
            }));
    System.out.printf("p50 of the last round: %.2f x%n", p50[1] / p50[0]);
  }
}
