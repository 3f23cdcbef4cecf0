package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.relayledger.cli.Exit;
import org.relayledger.ledger.Json;

/**
 * What {@code bin/demo} plays: mishaps between a channel and an account system, each first direct
 * and then through the relay, and what the account system executed. It uses the tools as they were
 * built, on loopback, and leaves nothing behind.
 */
final class DemoMain {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration SHORT_PATIENCE = Duration.ofMillis(500);
  private static final Duration LATER = Duration.ofSeconds(1);
  private static final int MOST_TIMES = 10;

  /** What the hub waits for a reply; longer than the delays below, shorter than all patience. */
  private static final String TIMEOUT = "2s";

  /** After this long a row is older than {@link #TIMEOUT}, which is max-processing here. */
  private static final Duration OLD_ENOUGH = Duration.ofMillis(2200);

  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final String STOCK = "100";

  private final DemoTools tools;
  private final PrintStream out;
  private final List<URI> sandboxes = new ArrayList<>();
  private final List<Side> sides = new ArrayList<>();
  private String ledger;
  private URI hub;
  private int stories;

  private DemoMain(DemoTools tools, PrintStream out) {
    this.tools = tools;
    this.out = out;
  }

  /** Plays all stories with the tools in the directory that the only argument names. */
  public static void main(String[] arguments) throws InterruptedException {
    Exit exit;
    PrintStream out = new PrintStream(System.out, true, UTF_8);
    try (DemoTools tools = new DemoTools(Path.of(arguments[0]))) {
      Runtime.getRuntime().addShutdownHook(new Thread(tools::close, "demo-stop"));
      exit = play(new DemoMain(tools, out));
    } catch (IOException e) {
      System.err.println("demo: no temporary directory: " + e.getMessage());
      exit = Exit.INTERNAL;
    }
    System.exit(exit.code());
  }

  private static Exit play(DemoMain demo) throws InterruptedException {
    try {
      demo.open();
      demo.stock();
      demo.finished();
      demo.inFlight();
      demo.timeout();
      demo.refused();
      demo.business();
      demo.twenty();
      demo.cleared();
      demo.purged();
      return demo.sum();
    } catch (IOException e) {
      if (!demo.tools.closed()) {
        System.err.println("demo: " + e.getMessage());
      }
      return Exit.INTERNAL;
    }
  }

  private void open() throws IOException, InterruptedException {
    ledger = tools.file("ledger.db");
    DemoTools.Ran init =
        tools.run(
            "",
            "relay",
            "init",
            "--ledger=" + ledger,
            "--max-processing=" + TIMEOUT,
            "--resend-window=1s");
    if (init.exit() != 0) {
      throw new IOException(init.said());
    }
    URI sandbox = tools.listen("relay", "sandbox", "--listen=127.0.0.1:0", "--balance=" + STOCK);
    sandboxes.add(sandbox);
    hub =
        tools.listen(
            "relay",
            "serve",
            "--listen=127.0.0.1:0",
            "--ledger=" + ledger,
            "--account-url=" + sandbox,
            "--timeout=" + TIMEOUT);
    out.println(
        """
        Mishaps are played twice: direct, without a relay, and relayed. The account system is a
        sandbox that executes whatever it is asked to; asked and executed are its own counts.
        0000 executed, B201 refused by the account system; from the relay: E901 outcome unknown,
        E902 not sent, E903 in progress, E906 finished earlier and purged, replayed: the stored
        reply, without asking again.""");
  }

  private void stock() throws IOException, InterruptedException {
    title("An order takes 1 off the stock num; its reply is lost, the call is retried three times");
    for (Side side : both("order", "drop")) {
      String before = num();
      for (int i = 0; i < 4; i++) {
        side.call(PATIENCE);
      }
      side.print(", num " + before + " -> " + num());
    }
  }

  private void finished() throws IOException, InterruptedException {
    title("Finished, and sent again");
    for (Side side : both("finished", "")) {
      side.call(PATIENCE);
      side.call(PATIENCE);
      side.print("");
    }
  }

  private void inFlight() throws IOException, InterruptedException {
    title("Sent again while the first is still in flight");
    for (Side side : both("inflight", "delay:1200ms")) {
      side.call(SHORT_PATIENCE);
      boolean again = side.call(SHORT_PATIENCE).again();
      for (int i = 0; again && i < MOST_TIMES; i++) {
        tools.pause(LATER);
        again = side.call(PATIENCE).again();
      }
      side.print("");
    }
  }

  private void timeout() throws IOException, InterruptedException {
    title("Executed, but no reply ever comes; sent again");
    for (Side side : both("timeout", "silent")) {
      // The relay has a time-out of its own, and says so.
      Duration patience = side.relayed ? PATIENCE : SHORT_PATIENCE;
      side.call(patience);
      side.call(patience);
      side.print("");
    }
  }

  private void refused() throws IOException, InterruptedException {
    title("The account system is down, then up again (here the relay is 'relay send')");
    try (Socket port = refusingPort()) {
      URI down = down(port);
      Side direct = new Side("down-direct", "", http(down), false);
      Side relayed = new Side("down-relayed", "", send(down), true);
      direct.call(PATIENCE);
      relayed.call(PATIENCE);
      sandboxes.add(tools.listen("relay", "sandbox", "--listen=" + down.getAuthority()));
      direct.call(PATIENCE);
      relayed.call(PATIENCE);
      direct.print("");
      relayed.print("");
    }
  }

  private void business() throws IOException, InterruptedException {
    title("Refused by the account system, and sent again");
    for (Side side : both("business", "code:B201")) {
      side.call(PATIENCE);
      side.call(PATIENCE);
      side.print("");
    }
  }

  private void twenty() throws IOException, InterruptedException {
    title("Twenty at once");
    for (Side side : both("twenty", "delay:500ms")) {
      side.callAtOnce(20);
      side.print("");
    }
  }

  /** A port that is ours and refuses all connections: bound, but not listening. */
  private static Socket refusingPort() throws IOException {
    Socket port = new Socket();
    port.setReuseAddress(true);
    port.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), 0));
    return port;
  }

  private static URI down(Socket port) {
    return URI.create("http://127.0.0.1:" + port.getLocalPort() + "/transfers");
  }

  private void cleared() throws IOException, InterruptedException {
    title("A reply is lost, a request is lost, a third is not sent at all; then all is cleared up");
    try (Socket port = refusingPort()) {
      List<Side> three =
          List.of(
              new Side("reply-lost", "drop", http(hub), true),
              new Side("request-lost", "lost", http(hub), true),
              new Side("not-sent", "", send(down(port)), true));
      for (Side side : three) {
        side.call(PATIENCE);
      }
      tools.pause(OLD_ENOUGH);
      cleanUp("resolve", "--account-url=" + sandboxes.get(0), "--min-age=" + TIMEOUT);
      // What was lost on its way is sent as it was; this time let it arrive.
      cleanUp("reprocess", "--account-url=" + sandboxes.get(0));
      for (Side side : three) {
        side.way = http(hub);
        side.call(PATIENCE);
        side.print("");
      }
    }
  }

  private void purged() throws IOException, InterruptedException {
    title("Finished, purged, and sent again much later");
    Side side = new Side("late-relayed", "", http(hub), true);
    side.call(PATIENCE);
    tools.pause(OLD_ENOUGH);
    cleanUp("purge", "--retention=" + TIMEOUT);
    side.call(PATIENCE);
    side.print("");
  }

  /** Runs a tool that cleans up, and tells what it says of that. */
  private void cleanUp(String tool, String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(tool, "--ledger=" + ledger));
    command.addAll(List.of(options));
    out.println("   " + tools.run("", command.toArray(String[]::new)).said());
  }

  /** The last line, and the exit that it means. */
  private Exit sum() throws IOException {
    int relayed = duplicates(true);
    for (Side side : sides) {
      if (relayed == 0 && side.relayed && side.books && side.count("executed") == 0) {
        throw new IOException(side.guid + " was not executed at all, which no story tells");
      }
    }
    out.printf("%n%d duplicate executions direct%n", duplicates(false));
    out.printf("%d duplicate executions through the relay%n", relayed);
    return relayed == 0 ? Exit.OK : Exit.DISAGREEMENT;
  }

  private int duplicates(boolean relayed) throws IOException {
    int duplicates = 0;
    for (Side side : sides) {
      if (side.relayed == relayed) {
        duplicates += Math.max(0, side.count("executed") - 1);
      }
    }
    return duplicates;
  }

  private void title(String what) {
    stories++;
    out.printf("%n%d. %s%n", stories, what);
  }

  /** One GUID that goes direct and one that goes through the hub, with the same fault. */
  private List<Side> both(String stem, String fault) {
    return List.of(
        new Side(stem + "-direct", fault, http(sandboxes.get(0)), false),
        new Side(stem + "-relayed", fault, http(hub), true));
  }

  private String num() throws IOException {
    return DemoChannel.value(stats(sandboxes.get(0)), "/balance").text();
  }

  private static String stats(URI sandbox) throws IOException {
    return DemoChannel.get(sandbox.resolve("/stats"), PATIENCE);
  }

  /** A way to the account system. */
  private interface Way {
    DemoChannel.Answer call(String json, Duration patience)
        throws IOException, InterruptedException;
  }

  private static Way http(URI to) {
    return (json, patience) -> DemoChannel.post(to, json, patience);
  }

  private Way send(URI accountUrl) {
    return (json, patience) -> {
      DemoTools.Ran ran =
          tools.run(
              json,
              "relay",
              "send",
              "--ledger=" + ledger,
              "--account-url=" + accountUrl,
              "--timeout=" + TIMEOUT);
      return new DemoChannel.Answer(
          DemoChannel.code(ran.out()) + " (exit " + ran.exit() + ")", false);
    };
  }

  /** The calls of one GUID, and what came of them. */
  private final class Side {
    private final String guid;
    private final String json;
    private Way way;
    private final boolean relayed;
    private final boolean books;
    private final List<String> answers = new ArrayList<>();

    Side(String guid, String fault, Way way, boolean relayed) {
      this.guid = guid;
      this.json =
          "{\"guid\":\"%s\",\"amount\":1%s}"
              .formatted(guid, fault.isEmpty() ? "" : ",\"fault\":\"" + fault + "\"");
      this.way = way;
      this.relayed = relayed;
      this.books = !fault.startsWith("code:");
      sides.add(this);
    }

    DemoChannel.Answer call(Duration patience) throws IOException, InterruptedException {
      DemoChannel.Answer answer = way.call(json, patience);
      answers.add(answer.text());
      return answer;
    }

    void callAtOnce(int times) throws IOException, InterruptedException {
      CyclicBarrier together = new CyclicBarrier(times);
      Callable<String> call =
          () -> {
            together.await();
            return way.call(json, PATIENCE).text();
          };
      ExecutorService threads =
          Executors.newFixedThreadPool(times, work -> DemoTools.daemon("demo-channel", work));
      List<String> came = new ArrayList<>();
      try {
        for (Future<String> answer : threads.invokeAll(Collections.nCopies(times, call))) {
          came.add(answer.get());
        }
      } catch (ExecutionException e) {
        throw new IOException(e.getCause().getMessage(), e);
      } finally {
        threads.shutdownNow();
      }
      Collections.sort(came);
      answers.addAll(came);
    }

    /** How often the sandboxes have {@code what} this GUID: received or executed. */
    int count(String what) throws IOException {
      int count = 0;
      for (URI sandbox : sandboxes) {
        Json.Value value = DemoChannel.value(stats(sandbox), "/" + what + "/" + guid);
        count += value == null ? 0 : Integer.parseInt(value.text());
      }
      return count;
    }

    void print(String more) throws IOException {
      out.printf(
          "   %-17s asked %2d, executed %2d   %s%s%n",
          guid, count("received"), count("executed"), came(), more);
    }

    /** The answers in a row, equal ones taken together. */
    private String came() {
      StringBuilder text = new StringBuilder();
      for (int i = 0, same = 1; i < answers.size(); i++, same++) {
        if (i + 1 == answers.size() || !answers.get(i).equals(answers.get(i + 1))) {
          text.append(text.isEmpty() ? "" : ", ")
              .append(same == 1 ? "" : same + " x ")
              .append(answers.get(i));
          same = 0;
        }
      }
      return text.toString();
    }
  }
}
