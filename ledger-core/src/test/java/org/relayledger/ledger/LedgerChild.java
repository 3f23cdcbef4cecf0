package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * Another process on a ledger: it obeys the lines of its standard input and answers each with one
 * line. A refusal is {@code ! KIND message}.
 */
public final class LedgerChild {
  private final String location;
  private final Map<String, Claim> claims = new HashMap<>();
  private Ledger ledger;
  private volatile String stopAt = "";

  private LedgerChild(String location) {
    this.location = location;
  }

  /** The location of the ledger is the only argument. */
  public static void main(String[] args) throws IOException {
    LedgerChild child = new LedgerChild(args[0]);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    System.out.println("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", 2);
      String answer;
      try {
        answer = child.obey(words[0], words.length > 1 ? words[1] : "");
      } catch (LedgerException e) {
        answer = "! " + e.kind() + " " + e.getMessage();
      }
      System.out.println(answer);
    }
  }

  private String obey(String word, String guid) {
    switch (word) {
      case "init" -> Ledger.init(guid, Samples.SETTINGS, HostClock.system());
      case "open" -> ledger = Ledger.open(location, HostClock.system(), this::reached);
      case "shut" -> ledger.close();
      case "stop-at" -> stopAt = guid;
      case "claim" -> {
        Taken taken = ledger.claim(Samples.request(guid), Samples.ACCOUNT, Samples.RELAY);
        if (taken instanceof Taken.Won won) {
          claims.put(guid, won.claim());
        }
        return taken instanceof Taken.Standing standing
            ? "Standing " + standing.row().state()
            : taken.getClass().getSimpleName();
      }
      case "adopt" -> {
        Row row = ledger.view().find(new Guid(guid), false).orElseThrow();
        Optional<Claim> adopted = ledger.adopt(row, Samples.RESOLVE);
        adopted.ifPresent(claim -> claims.put(guid, claim));
        return adopted.isPresent() ? "adopted" : "none";
      }
      case "done" -> {
        return "" + claims.get(guid).settle(Samples.done(guid), null, null);
      }
      case "doubt" -> {
        return "" + claims.get(guid).settle(Samples.inDoubt(true), "E901", null);
      }
      case "run-lock" -> ledger.runLock(Actor.Role.valueOf(guid));
      case "close" -> claims.remove(guid).close();
      case "find" -> {
        return ledger.view().find(new Guid(guid), false).map(row -> row.state().name()).orElse("-");
      }
      case "die" -> Runtime.getRuntime().halt(9); // no end of the program tidies up after it
      case "fill" -> {
        return fill(Integer.parseInt(guid));
      }
      default -> throw new IllegalArgumentException(word);
    }
    return "ok";
  }

  /** Claims and settles, telling each as soon as it is acknowledged, until the ledger fails. */
  private String fill(int limit) {
    for (int i = 1; i <= limit; i++) {
      String guid = "g-" + i;
      String big = "{\"guid\":\"" + guid + "\",\"amount\":\"" + "9".repeat(40_000) + "\"}";
      Request request = Samples.request(guid, null, big, Samples.SCHEME);
      try {
        Claim claim = ((Taken.Won) ledger.claim(request, Samples.ACCOUNT, Samples.RELAY)).claim();
        System.out.println("SENT " + guid);
        claims.put(guid, claim);
        claim.settle(Samples.done(guid), null, null);
        System.out.println("DONE " + guid);
        claim.close();
      } catch (LedgerException e) {
        System.out.println("tried " + guid);
        return "! " + e.kind() + " " + e.getMessage();
      }
    }
    return "filled";
  }

  private void reached(Step step, Guid guid) {
    if (stopAt.equals(step.name())) {
      System.out.println("at " + step);
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
