package org.relayledger.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.relayledger.ledger.State;

/**
 * The protocol of docs/state-machine.md as steps between which anything may happen: other
 * processes, a crash, a pause of any length, a request that is executed late or never, an inquiry
 * that lags behind.
 */
final class Protocol {
  /** From which age on "no record" is believed, in ticks. */
  private static final int MIN_AGE = Message.LIFE;

  private final World.Size size;
  private final int senders;
  private final Set<Flaw> flaws;

  Protocol(World.Size size, Set<Flaw> flaws) {
    this.size = size;
    this.senders = size.senders();
    this.flaws = flaws;
  }

  /** One thing that may happen next. */
  record Step(String what, World next) {}

  World.Size size() {
    return size;
  }

  private boolean has(Flaw flaw) {
    return flaws.contains(flaw);
  }

  /** All that may happen in {@code world}. */
  List<Step> steps(World world) {
    List<Step> steps = new ArrayList<>();
    for (int process = 0; process < senders; process++) {
      send(world, process, steps);
    }
    resolve(world, senders, steps);
    for (int process = 0; process < size.processes(); process++) {
      if (world.place(process) != Place.IDLE) {
        int dying = process;
        add(steps, world, name(process) + " is killed", next -> crash(next, dying));
      }
    }
    for (int guid = 0; guid < world.size().guids(); guid++) {
      surroundings(world, guid, steps);
    }
    add(steps, world, "time passes", next -> next.tick(MIN_AGE));
    if (!world.wasReplaced() && nobodySends(world)) {
      add(steps, world, "the claims file is replaced by hand", World::freeAll);
    }
    return steps;
  }

  private boolean nobodySends(World world) {
    for (int process = 0; process < senders; process++) {
      if (world.place(process).isSending()) {
        return false;
      }
    }
    return true;
  }

  private String name(int process) {
    return process == senders ? "resolve" : "sender " + (process + 1);
  }

  private static void add(List<Step> steps, World world, String what, Consumer<World> change) {
    World next = world.copy();
    change.accept(next);
    if (!next.isSame(world)) {
      steps.add(new Step(what, next));
    }
  }

  /** What happens outside of all processes. */
  private void surroundings(World world, int guid, List<Step> steps) {
    String g = " of GUID " + (guid + 1);
    for (int n = 1; n <= size.attempts(); n++) {
      int attempt = n;
      Message message = world.message(guid, attempt);
      if (message.stage() == Message.Stage.UNDER_WAY) {
        add(
            steps,
            world,
            "the account system executes attempt " + attempt + g,
            next -> {
              next.execute(guid);
              next.message(guid, attempt, new Message(Message.Stage.HIDDEN, message.left()));
            });
      } else if (message.stage() == Message.Stage.HIDDEN) {
        add(
            steps,
            world,
            "the inquiry sees attempt " + attempt + g,
            next -> next.message(guid, attempt, new Message(Message.Stage.SEEN, 0)));
      }
    }
    if (world.state(guid) == State.DONE) {
      add(steps, world, "purge" + g, next -> next.purge(guid, true));
    }
    if (world.state(guid) == State.UNKNOWN && has(Flaw.PURGE_OF_UNKNOWN)) {
      add(steps, world, "purge" + g, next -> next.purge(guid, false));
    }
    if (world.isUnknownGuid(guid)) {
      add(steps, world, "a batch takes in the request" + g, n -> n.move(guid, State.RECEIVED));
    }
  }

  private static void crash(World next, int process) {
    int guid = next.guidOf(process);
    int attempt = next.attemptOf(process);
    if (next.place(process).isSending() && attempt > 0) {
      next.message(guid, attempt, next.message(guid, attempt).ended());
    }
    next.free(process, guid);
    next.go(process, Place.IDLE);
  }

  private void send(World world, int process, List<Step> steps) {
    String who = name(process);
    int guid = world.guidOf(process);
    int attempt = world.attemptOf(process);
    switch (world.place(process)) {
      case IDLE -> {
        for (int g = 0; g < world.size().guids(); g++) {
          look(world, process, g, steps);
        }
      }
      case LOOKED -> {
        if (has(Flaw.BYTE_AFTER_THE_CLAIM_WITHOUT_A_REREAD) || has(Flaw.NO_BYTE)) {
          add(steps, world, who + " claims", next -> claim(next, process, guid));
        } else if (world.isFree(guid)) {
          add(
              steps,
              world,
              who + " takes the byte",
              next -> {
                next.take(process, guid);
                next.go(process, Place.BYTE_TAKEN, guid);
              });
        } else {
          add(steps, world, who + " answers E903", next -> next.go(process, Place.IDLE));
        }
      }
      case BYTE_TAKEN -> add(steps, world, who + " claims", n -> claim(n, process, guid));
      case CLAIM_COMMITTED -> {
        add(steps, world, who + " looks again", next -> lookAgain(next, process));
        add(steps, world, who + " cannot connect", next -> next.go(process, Place.NOT_SENT));
      }
      case GATE_CHECKED ->
          add(
              steps,
              world,
              who + " sends attempt " + attempt,
              next -> {
                next.message(guid, attempt, new Message(Message.Stage.UNDER_WAY, 0));
                next.go(process, Place.WAITING);
              });
      case WAITING -> {
        await(world, process, steps);
        add(
            steps,
            world,
            who + " times out and stays open",
            next -> {
              if (isMine(next, process, State.SENT)) {
                next.move(guid, State.UNKNOWN);
              }
              next.go(process, Place.LATE);
            });
      }
      case LATE -> await(world, process, steps);
      case REPLY_READ -> {
        if (has(Flaw.REPLY_BEFORE_COMMIT)) {
          add(steps, world, who + " replies", next -> next.tell(guid));
        }
        add(
            steps,
            world,
            who + " commits DONE",
            next -> {
              boolean moved =
                  isMine(next, process, State.SENT) || isMine(next, process, State.UNKNOWN);
              if (moved) {
                next.end(guid);
                next.move(guid, State.DONE);
              }
              next.go(process, moved ? Place.OUTCOME_COMMITTED : Place.FREEING);
            });
      }
      case OUTCOME_COMMITTED ->
          add(
              steps,
              world,
              who + " frees the byte and replies",
              next -> {
                next.tell(guid);
                next.free(process, guid);
                next.go(process, Place.IDLE);
              });
      case IN_DOUBT ->
          add(
              steps,
              world,
              who + " commits its doubt",
              next -> {
                if (isMine(next, process, State.SENT)) {
                  next.end(guid);
                  next.move(guid, has(Flaw.DOUBT_IS_FAILED) ? State.FAILED : State.UNKNOWN);
                }
                next.go(process, Place.FREEING);
              });
      case LATE_ENDED ->
          add(
              steps,
              world,
              who + " writes the end",
              next -> {
                if (isMine(next, process, State.UNKNOWN)) {
                  next.end(guid);
                }
                next.go(process, Place.FREEING);
              });
      case NOT_SENT ->
          add(
              steps,
              world,
              who + " commits FAILED",
              next -> {
                if (isMine(next, process, State.SENT)) {
                  next.end(guid);
                  next.move(guid, State.FAILED);
                }
                next.go(process, Place.FREEING);
              });
      case FREEING -> add(steps, world, who + " frees the byte", n -> freed(n, process));
      case READ, ADOPTED, ASKED -> throw new IllegalStateException("a sender does not resolve");
    }
  }

  private void look(World world, int process, int guid, List<Step> steps) {
    String what = name(process) + " looks at GUID " + (guid + 1);
    State state = world.state(guid);
    boolean claimable =
        world.isUnknownGuid(guid)
            || state == State.RECEIVED
            || state == State.FAILED
            || (state == State.UNKNOWN && has(Flaw.REPROCESS_OF_UNKNOWN));
    if (claimable && world.attempt(guid) < size.attempts()) {
      add(steps, world, what, next -> next.go(process, Place.LOOKED, guid));
    } else if (state == State.DONE) {
      add(steps, world, what + " and replays", next -> next.tell(guid));
    }
  }

  /** The claim's transaction, and with a flaw what comes before it is durable. */
  private void claim(World next, int process, int guid) {
    State state = next.state(guid);
    boolean known = state != null || (next.isTombstone(guid) && !forgets());
    boolean again =
        state == State.RECEIVED
            || state == State.FAILED
            || (state == State.UNKNOWN && has(Flaw.REPROCESS_OF_UNKNOWN));
    if ((known && !again) || next.attempt(guid) >= size.attempts()) {
      next.free(process, guid);
      next.go(process, Place.IDLE);
      return;
    }
    if (next.isTombstone(guid)) {
      next.purge(guid, false);
    }
    if (state == State.UNKNOWN) {
      next.move(guid, State.FAILED);
    }
    next.move(guid, State.SENT);
    next.claim(guid);
    next.go(process, Place.CLAIM_COMMITTED);
    next.attemptOf(process, next.attempt(guid));
  }

  private boolean forgets() {
    return has(Flaw.TOMBSTONE_OUTSIDE_THE_TRANSACTION);
  }

  private void lookAgain(World next, int process) {
    int guid = next.guidOf(process);
    if (has(Flaw.BYTE_AFTER_THE_CLAIM_WITHOUT_A_REREAD)) {
      if (!next.isFree(guid)) {
        next.go(process, Place.IDLE);
        return;
      }
      next.take(process, guid);
      next.go(process, Place.GATE_CHECKED);
      return;
    }
    boolean stillMine =
        isMine(next, process, State.SENT) && (has(Flaw.NO_BYTE) || next.holds(process, guid));
    if (stillMine || has(Flaw.NO_REREAD)) {
      next.go(process, Place.GATE_CHECKED);
    } else {
      freed(next, process);
    }
  }

  private static void freed(World next, int process) {
    next.free(process, next.guidOf(process));
    next.go(process, Place.IDLE);
  }

  private boolean isMine(World world, int process, State state) {
    int guid = world.guidOf(process);
    return world.state(guid) == state
        && (world.attempt(guid) == world.attemptOf(process)
            || has(Flaw.SETTLEMENT_WITHOUT_THE_ATTEMPT));
  }

  /** An open exchange ends with a reply or without one. */
  private void await(World world, int process, List<Step> steps) {
    int guid = world.guidOf(process);
    int attempt = world.attemptOf(process);
    String who = name(process);
    if (world.message(guid, attempt).isExecuted()) {
      add(
          steps,
          world,
          who + " reads the reply",
          next -> {
            next.message(guid, attempt, next.message(guid, attempt).ended());
            next.go(process, Place.REPLY_READ);
          });
    }
    Place doubt = world.place(process) == Place.LATE ? Place.LATE_ENDED : Place.IN_DOUBT;
    add(
        steps,
        world,
        who + "'s connection breaks",
        next -> {
          Message message = next.message(guid, attempt);
          if (has(Flaw.CLIENT_SENDS_AGAIN) && message.isExecuted()) {
            next.message(guid, attempt, new Message(Message.Stage.UNDER_WAY, 0));
            return;
          }
          next.message(guid, attempt, message.ended());
          next.go(process, doubt);
        });
  }

  private void resolve(World world, int process, List<Step> steps) {
    int guid = world.guidOf(process);
    switch (world.place(process)) {
      case IDLE -> {
        for (int g = 0; g < world.size().guids(); g++) {
          int found = g;
          if (world.state(g) == State.SENT || world.state(g) == State.UNKNOWN) {
            add(
                steps,
                world,
                "resolve finds GUID " + (g + 1),
                next -> next.go(process, Place.READ, found));
          }
        }
      }
      case READ -> add(steps, world, "resolve adopts it if it can", n -> adopt(n, process));
      case ADOPTED -> {
        if (isOldEnough(world, guid)) {
          add(steps, world, "resolve asks", next -> ask(next, process));
        }
        add(steps, world, "resolve finds it too young", next -> freed(next, process));
      }
      case ASKED ->
          add(
              steps,
              world,
              world.heardProcessed(process) ? "resolve commits DONE" : "resolve commits FAILED",
              next -> {
                if (isMine(next, process, State.UNKNOWN)) {
                  next.move(guid, next.heardProcessed(process) ? State.DONE : State.FAILED);
                }
                next.go(process, Place.FREEING);
              });
      case FREEING -> add(steps, world, "resolve frees the byte", n -> freed(n, process));
      default -> throw new IllegalStateException("resolve does not send");
    }
  }

  private void adopt(World next, int process) {
    int guid = next.guidOf(process);
    boolean may = has(Flaw.NO_BYTE) || next.isFree(guid);
    State state = next.state(guid);
    if (!may || (state != State.SENT && state != State.UNKNOWN)) {
      next.go(process, Place.IDLE);
      return;
    }
    if (!has(Flaw.NO_BYTE)) {
      next.take(process, guid);
    }
    if (state == State.SENT) {
      next.move(guid, State.UNKNOWN);
    }
    if (has(Flaw.ADOPTION_KEEPS_THE_AGE) && !next.hasEnd(guid)) {
      next.endAtClaim(guid);
    }
    next.end(guid);
    next.go(process, Place.ADOPTED);
    next.attemptOf(process, next.attempt(guid));
  }

  private boolean isOldEnough(World world, int guid) {
    if (has(Flaw.INQUIRY_AT_ONCE)) {
      return true;
    }
    int age = has(Flaw.AGE_FROM_THE_CLAIM) ? world.ageOfClaim(guid) : world.age(guid);
    return age >= (has(Flaw.MIN_AGE_BELOW_MAX_PROCESSING) ? MIN_AGE - 1 : MIN_AGE);
  }

  private void ask(World next, int process) {
    int guid = next.guidOf(process);
    boolean seen = false;
    for (int attempt = 1; attempt <= size.attempts(); attempt++) {
      seen |= next.message(guid, attempt).stage() == Message.Stage.SEEN;
    }
    next.hear(process, seen);
    next.go(process, Place.ASKED);
  }

  /** What is wrong with {@code world}, or null. */
  static String wrong(World world) {
    for (int guid = 0; guid < world.size().guids(); guid++) {
      if (world.executed(guid) > 1) {
        return "GUID " + (guid + 1) + " is executed twice";
      }
      if (world.told(guid) && world.state(guid) != State.DONE && !world.isTombstone(guid)) {
        return "a channel heard the reply of GUID " + (guid + 1) + ", and the ledger lost it";
      }
    }
    return null;
  }
}
