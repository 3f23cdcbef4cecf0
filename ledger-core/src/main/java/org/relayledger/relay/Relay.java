package org.relayledger.relay;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import org.relayledger.account.AccountSystem;
import org.relayledger.account.Exchange;
import org.relayledger.ledger.Actor;
import org.relayledger.ledger.Claim;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Ledger;
import org.relayledger.ledger.LedgerException;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Request;
import org.relayledger.ledger.Row;
import org.relayledger.ledger.State;
import org.relayledger.ledger.Step;
import org.relayledger.ledger.Steps;
import org.relayledger.ledger.Taken;
import org.relayledger.ledger.Tombstone;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt from claim to outcome. The account system is called only under a claim that is
 * durable; an answer leaves only after its outcome is. Safe for many threads.
 */
public final class Relay {
  /** How long writing the last outcomes may take. */
  static final Duration SETTLING = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

  /**
   * What bounds a relay.
   *
   * @param timeout how long a channel waits for the outcome
   * @param openFor how long an exchange may stay open for a late reply, counted from its start; not
   *     more than {@code timeout} means that it ends with it
   * @param maxInFlight how many exchanges may be open at once, late ones included
   */
  public record Limits(Duration timeout, Duration openFor, int maxInFlight) {}

  private final Ledger ledger;
  private final AccountSystem account;
  private final AskFirst askFirst;
  private final Limits limits;
  private final Actor actor;
  private final Steps steps;
  private final Semaphore places;
  // Its queue is bounded by the places: each late exchange holds one.
  private final ExecutorService lateSettler =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "late-settler");
            thread.setDaemon(true);
            return thread;
          });
  // Not more than there are places.
  private final Set<Exchange> open = ConcurrentHashMap.newKeySet();
  private final LongAdder lateReplies = new LongAdder();
  private volatile boolean stopping;

  /** A relay that claims in {@code ledger} as {@code actor} and sends to {@code account}. */
  public Relay(
      Ledger ledger,
      AccountSystem account,
      AskFirst askFirst,
      Limits limits,
      Actor actor,
      Steps steps) {
    this.ledger = ledger;
    this.account = account;
    this.askFirst = askFirst;
    this.limits = limits;
    this.actor = actor;
    this.steps = steps;
    this.places = new Semaphore(limits.maxInFlight());
  }

  /** From now on nothing new is claimed; what stands is still answered. */
  public void stop() {
    stopping = true;
  }

  /** Whether new transfers can be claimed. */
  public boolean isWell() {
    return !stopping && ledger.halted().isEmpty();
  }

  /** How many rows a late reply has settled. */
  public long lateReplies() {
    return lateReplies.sum();
  }

  /** How many exchanges are open, late ones included. */
  public int inFlight() {
    return limits.maxInFlight() - places.availablePermits();
  }

  /**
   * Claims nothing new and waits until no exchange is open, at most {@code patience}; then ends
   * those that are, late ones included, and waits until that is written, at most {@link #SETTLING}.
   */
  public void windUp(Duration patience) throws InterruptedException {
    stop();
    if (!awaitIdle(patience)) {
      open.forEach(exchange -> exchange.end("the relay stopped"));
      awaitIdle(SETTLING);
    }
  }

  /** Waits until no exchange is open; false if {@code patience} ended first. */
  boolean awaitIdle(Duration patience) throws InterruptedException {
    boolean idle =
        places.tryAcquire(limits.maxInFlight(), patience.toNanos(), TimeUnit.NANOSECONDS);
    if (idle) {
      places.release(limits.maxInFlight());
    }
    return idle;
  }

  /**
   * Answers {@code arrival}: by what stands in the ledger if anything does, else by sending it.
   * Waits for nobody but its own exchange, and for that no longer than the time-out.
   */
  public Answer relay(Request arrival) {
    try {
      Optional<Taken> standing = ledger.look(arrival);
      if (standing.isEmpty()) {
        return claimAndSend(arrival);
      }
      return standing.get() instanceof Taken.Standing known && known.row().state() == State.SENT
          ? inProgress(known.row())
          : stands(arrival.guid(), standing.get());
    } catch (LedgerException e) {
      return refusal(arrival.guid(), e);
    }
  }

  /** A SENT row is in progress only while somebody alive holds its byte. */
  private Answer inProgress(Row row) {
    Optional<Claim> orphan = ledger.adopt(row, actor);
    if (orphan.isPresent()) {
      try (Claim claim = orphan.get()) {
        return stands(claim.row());
      }
    }
    return stands(ledger.view().find(row.guid(), true).orElse(row));
  }

  private Answer claimAndSend(Request arrival) {
    Guid guid = arrival.guid();
    if (!places.tryAcquire()) {
      return Answer.Refused.of(
          Problem.E907,
          guid,
          limits.maxInFlight()
              + " exchanges are open; "
              + guid
              + " was not claimed; send it again");
    }
    return withPlace(
        guid,
        () -> ledger.claim(arrival, account.url(), actor),
        taken -> stands(guid, taken),
        Hearing.CHANNEL,
        new CompletableFuture<>());
  }

  /**
   * Answers the line of a batch whose request {@code known} holds, read with its bodies: sends it
   * if it is RECEIVED or FAILED, and waits for a place to do so; else by what stands. Waits for its
   * own exchange no longer than the time-out.
   */
  public Answer resume(Row known) throws InterruptedException {
    Guid guid = known.guid();
    try {
      return switch (known.state()) {
        case RECEIVED, FAILED -> {
          places.acquire();
          yield withPlace(
              guid,
              () -> ledger.claim(known, known.state(), account.url(), actor),
              taken -> stands(guid, taken),
              Hearing.CHANNEL,
              new CompletableFuture<>());
        }
        case SENT -> inProgress(known);
        case UNKNOWN, DONE -> stands(known);
      };
    } catch (LedgerException e) {
      return refusal(guid, e);
    }
  }

  /**
   * Sends the stored request of a FAILED or RECEIVED row again, with no channel to hear of it;
   * waits for a place, and for its exchange no longer than the time-out.
   *
   * @return what became of it, once its exchange has ended: later than this returns if that stays
   *     open for a late reply. Empty if somebody else has the row, or it has moved on.
   */
  public Optional<CompletionStage<Answer>> again(Row known) throws InterruptedException {
    Guid guid = known.guid();
    CompletableFuture<Answer> last = new CompletableFuture<>();
    places.acquire();
    try {
      Answer now =
          withPlace(
              guid,
              () -> ledger.claim(known, known.state(), account.url(), actor),
              taken ->
                  taken instanceof Taken.OnHold || taken instanceof Taken.Elsewhere
                      ? stands(guid, taken)
                      : null,
              Hearing.NOBODY,
              last);
      if (now == null) {
        return Optional.empty();
      }
      if (now instanceof Answer.Refused refused && refused.problem() == Problem.E907) {
        last.complete(now);
      }
    } catch (LedgerException e) {
      last.complete(refusal(guid, e));
    }
    return Optional.of(last);
  }

  /** Who hears of an outcome when it is written. */
  private enum Hearing {
    CHANNEL,
    NOBODY
  }

  /**
   * Claims and sends, with the place that the caller has taken, unless the relay is stopping.
   *
   * @param otherwise what to answer when the claim is not won
   * @param last hears what became of it when the exchange has ended
   */
  private Answer withPlace(
      Guid guid,
      Supplier<Taken> claiming,
      Function<Taken, Answer> otherwise,
      Hearing hearing,
      CompletableFuture<Answer> last) {
    boolean sending = false;
    try {
      // Looked at with a place in hand: whoever winds up either sees the place taken, or is seen.
      if (stopping) {
        return Answer.Refused.of(
            Problem.E907,
            guid,
            "the relay is stopping; " + guid + " was not claimed; send it again");
      }
      Taken taken = claiming.get();
      if (taken instanceof Taken.Won won) {
        sending = true;
        return send(won.claim(), hearing, last);
      }
      return otherwise.apply(taken);
    } finally {
      if (!sending) {
        places.release();
      }
    }
  }

  /** Sends what {@code claim} holds; claim and place are given back when its exchange has ended. */
  private Answer send(Claim claim, Hearing hearing, CompletableFuture<Answer> last) {
    Guid guid = claim.row().guid();
    Exchange exchange;
    try {
      Optional<Outcome> unsent = askFirst.outcome(claim);
      if (unsent.isPresent()) {
        Answer answer = settle(claim, unsent.get(), hearing);
        if (answer instanceof Answer.Definite found) {
          answer = new Answer.Definite(guid, found.reply(), found.code(), found.attempt(), true);
        }
        end(claim);
        last.complete(answer);
        return answer;
      }
      exchange =
          account.send(
              guid,
              claim.attempt(),
              claim.request().contentType(),
              claim.request().body(),
              claim::stillMine);
    } catch (RuntimeException e) {
      end(claim);
      throw e;
    }
    open.add(exchange);
    boolean stillOpen = false;
    Answer answer = unknown(guid, "the relay failed before its outcome was written");
    try {
      Optional<Outcome> outcome = exchange.await(limits.timeout()).or(() -> timedOut(exchange));
      if (outcome.isEmpty()) {
        try {
          answer = settle(claim, new Outcome.InDoubt(noReply(), true), hearing);
          return answer;
        } finally {
          Answer early = answer;
          exchange
              .ended()
              .thenAcceptAsync(
                  late -> {
                    try {
                      last.complete(settleLate(claim, late).orElse(early));
                    } finally {
                      end(claim, exchange);
                    }
                  },
                  lateSettler);
          stillOpen = true;
        }
      }
      steps.reached(Step.REPLY_READ, guid);
      answer = settle(claim, outcome.get(), hearing);
      return answer;
    } finally {
      if (!stillOpen) {
        end(claim, exchange);
        last.complete(answer);
      }
    }
  }

  /** What the time-out makes of {@code exchange}; empty if it stays open for a late reply. */
  private Optional<Outcome> timedOut(Exchange exchange) {
    return limits.openFor().compareTo(limits.timeout()) > 0 && !stopping
        ? exchange.giveUp(noReply())
        : Optional.of(exchange.end(noReply()));
  }

  private String noReply() {
    long millis = limits.timeout().toMillis();
    return "no reply within " + (millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms");
  }

  /** Settles what has ended after its time-out, if that has brought a reply. */
  private Optional<Answer> settleLate(Claim claim, Outcome late) {
    Guid guid = claim.row().guid();
    try {
      steps.reached(Step.REPLY_READ, guid);
      if (late instanceof Outcome.Done done && claim.settle(done, null, "late reply")) {
        lateReplies.increment();
        LOG.info("{} DONE {} by a late reply", guid, done.code());
        return Optional.of(
            new Answer.Definite(guid, done.reply(), done.code(), claim.attempt(), false));
      }
    } catch (RuntimeException e) {
      LOG.error("{} stays UNKNOWN though its reply came late: {}", guid, e.getMessage());
    }
    return Optional.empty();
  }

  /** Whatever went wrong before: the byte is not freed while the exchange is open. */
  private void end(Claim claim, Exchange exchange) {
    exchange.end("given up");
    open.remove(exchange);
    end(claim);
  }

  private void end(Claim claim) {
    try {
      claim.close();
    } catch (LedgerException e) {
      // What the channel is told does not depend on it.
      LOG.error("the claim on {} stays held: {}", claim.row().guid(), e.getMessage());
    } finally {
      places.release();
    }
  }

  /** Writes the outcome, and answers by it once it is durable; doubt about that is E901. */
  private Answer settle(Claim claim, Outcome outcome, Hearing hearing) {
    Guid guid = claim.row().guid();
    try {
      String told = hearing == Hearing.CHANNEL ? outcome.code() : null;
      if (claim.settle(outcome, told, outcome.note())) {
        if (outcome instanceof Outcome.Done done) {
          return new Answer.Definite(guid, done.reply(), done.code(), claim.attempt(), false);
        }
        return outcome.state() == State.FAILED
            ? Answer.Refused.of(
                Problem.E902,
                guid,
                guid + " was certainly not sent: " + outcome.note() + "; send it again")
            : unknown(guid, outcome.note());
      }
      LOG.error("{} was moved by somebody else while its claim was held; it counts as sent", guid);
    } catch (LedgerException e) {
      LOG.error("{} has an outcome that could not be written: {}", guid, e.getMessage());
    }
    return unknown(guid, "its outcome could not be written to the ledger");
  }

  private static Answer unknown(Guid guid, String why) {
    return Answer.Refused.of(
        Problem.E901,
        guid,
        "whether "
            + guid
            + " was processed is unknown: "
            + why
            + "; it is not sent again; ask later with the same GUID, or run resolve");
  }

  private Answer stands(Guid guid, Taken taken) {
    return taken instanceof Taken.Standing standing ? stands(standing.row()) : refusal(guid, taken);
  }

  /**
   * The answer to a request of which {@code taken} became.
   *
   * @throws IllegalStateException if it has a row to answer by
   */
  public static Answer.Refused refusal(Guid guid, Taken taken) {
    if (taken instanceof Taken.Held) {
      return inProgress(guid);
    }
    if (taken instanceof Taken.Conflict conflict) {
      return Answer.Refused.of(
          Problem.E904,
          guid,
          guid
              + " is another transaction here: "
              + conflict.what()
              + "; nothing was sent or changed");
    }
    if (taken instanceof Taken.Forgotten forgotten) {
      Tombstone tombstone = forgotten.tombstone();
      return Answer.Refused.of(
          Problem.E906,
          guid,
          guid
              + " finished earlier"
              + (tombstone == null ? "" : " with code " + tombstone.code())
              + "; its reply is no longer kept; nothing was sent");
    }
    if (taken instanceof Taken.OnHold onHold) {
      return Answer.Refused.of(
          Problem.E907,
          guid,
          "the ledger is in mode "
              + onHold.mode().word()
              + "; "
              + guid
              + " was not claimed; send it again later");
    }
    if (taken instanceof Taken.Elsewhere elsewhere) {
      return new Answer.Refused(
          Problem.E907,
          guid,
          503,
          Problem.Retry.NEVER,
          guid
              + " was last sent to "
              + elsewhere.row().account()
              + ", and has to be asked about there before it is sent again; it was not claimed; use"
              + " that account URL, or settle it by hand");
    }
    throw new IllegalStateException(guid + " has a row");
  }

  private Answer stands(Row row) {
    Answer answer =
        switch (row.state()) {
          case DONE ->
              new Answer.Definite(row.guid(), row.storedReply(), row.code(), row.attempt(), true);
          case UNKNOWN -> unknown(row.guid(), "it was sent and has no reply yet");
          case RECEIVED, SENT, FAILED -> inProgress(row.guid());
        };
    String told = row.code() == null ? Problem.E903.name() : row.code();
    if (!told.equals(row.toldCode())) {
      ledger.told(row.guid(), told);
    }
    return answer;
  }

  private static Answer.Refused inProgress(Guid guid) {
    return Answer.Refused.of(
        Problem.E903, guid, guid + " is in progress; nothing new was sent; ask again later");
  }

  /** The answer to a request that nothing became of, because the ledger failed. */
  public static Answer.Refused refusal(Guid guid, LedgerException e) {
    return switch (e.kind()) {
      case BUSY ->
          Answer.Refused.of(Problem.E907, guid, e.getMessage() + "; " + guid + " was not claimed");
      case DAMAGED ->
          new Answer.Refused(Problem.E908, guid, 503, Problem.Retry.NEVER, e.getMessage());
      case UNAVAILABLE, RUNNING, HALTED ->
          Answer.Refused.of(
              Problem.E908, guid, e.getMessage() + "; " + guid + " was not sent by this call");
    };
  }
}
