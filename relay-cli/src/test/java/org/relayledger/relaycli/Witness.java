package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/**
 * What all channels together have asked and heard, in a few bytes a GUID, and a judge of each
 * answer by what had been heard before it was asked for. Safe for many threads.
 */
final class Witness {
  /** The most GUIDs that are remembered. */
  static final int MOST = 1 << 20;

  /** Something was heard that only a row can have said. */
  static final int ROW = 1;

  /** A definite reply was heard. */
  static final int DONE = 2;

  /** E906 was heard. */
  static final int FORGOTTEN = 4;

  /** E902 was heard. */
  static final int NOT_SENT = 8;

  /** It was found in an archive of purge. */
  static final int ARCHIVED = 16;

  /** Each of these names the fault that its GUIDs meet in the sandbox. */
  static final List<String> FAULTS =
      List.of(
          "drop",
          "rst",
          "silent",
          "delay:300ms",
          "delay:1400ms",
          "dropbefore",
          "lost",
          "void",
          "slow:300ms",
          "slow:900ms",
          "code:B201",
          "code:B299",
          "code:E500",
          "code:X77",
          "html:200",
          "html:503",
          "bare404",
          "redirect:307",
          "truncated",
          "otherguid",
          "noguid",
          "drip:5ms",
          "drip",
          "empty",
          "notjson",
          "nocode",
          "othercode",
          "duplicate",
          "toolarge",
          "closedelimited",
          "chunked",
          "bothframings",
          "continue",
          "malformed");

  private static final int FAULTY_PERCENT = 10;
  private static final String SUCCESS = "0000";
  private static final int DEFINITE = 9;
  private static final int NOTHING = 10;

  /**
   * A question.
   *
   * @param facts what was known when it was asked
   * @param at when that was
   * @param conflicting whether its body is another than the GUID's
   */
  record Asked(int index, int facts, int at, boolean conflicting) {
    private boolean knew(int fact) {
      return (facts & fact) != 0;
    }
  }

  private final long seed;
  private final Duration retention;
  private final BiConsumer<String, Integer> violation;
  private final long epoch = System.currentTimeMillis();
  private final byte[] facts = new byte[MOST];
  private final long[] replies = new long[MOST];
  private final int[] firstAsked = new int[MOST];
  private final int[] lastNotSent = new int[MOST];
  // The last eight answers, four bits each.
  private final int[] heard = new int[MOST];
  private final Map<String, LongAdder> answers = new ConcurrentSkipListMap<>();
  private final LongAdder replays = new LongAdder();
  private int count;

  /**
   * @param retention how long purge leaves a DONE row
   * @param violation hears what must not be, and of which GUID
   */
  Witness(long seed, Duration retention, BiConsumer<String, Integer> violation) {
    this.seed = seed;
    this.retention = retention;
    this.violation = violation;
  }

  /** A GUID that nobody has used yet, by its number. */
  synchronized int next() {
    if (count == MOST) {
      throw new IllegalStateException("too many GUIDs to remember; ask for a lower rate");
    }
    return count++;
  }

  synchronized int count() {
    return count;
  }

  private SplittableRandom random(int index) {
    return new SplittableRandom(seed * 1_000_003 + index);
  }

  String fault(int index) {
    SplittableRandom random = random(index);
    return random.nextInt(100) < FAULTY_PERCENT ? FAULTS.get(random.nextInt(FAULTS.size())) : "ok";
  }

  String guid(int index) {
    return fault(index) + "-s" + seed + "-" + index;
  }

  /** The number of a GUID, however it is spelled; -1 if it is none of these. */
  int index(String guid) {
    String number = guid.substring(guid.lastIndexOf('-') + 1);
    int index = number.matches("[0-9]{1,7}") ? Integer.parseInt(number) : -1;
    return index >= 0 && index < count() && guid(index).equalsIgnoreCase(guid) ? index : -1;
  }

  /** What the transfer takes from the balance. */
  int amount(int index) {
    return 1 + index % 97;
  }

  /** The request: always the same one, but for the spelling of its GUID and for a conflict. */
  String body(int index, boolean shouted, boolean conflicting) {
    SplittableRandom random = random(~index);
    int padding = random.nextInt(100) == 0 ? 10_000 : random.nextInt(200);
    String guid = guid(index);
    return "{\"guid\":\""
        + (shouted ? guid.toUpperCase(Locale.ROOT) : guid)
        + "\",\"amount\":"
        + (amount(index) + (conflicting ? 1 : 0))
        + ",\"text\":\""
        + "x".repeat(padding)
        + "\"}";
  }

  /** Milliseconds since the beginning. */
  int now() {
    return (int) (System.currentTimeMillis() - epoch);
  }

  /** That moment by the wall clock. */
  long wall(int at) {
    return epoch + at;
  }

  synchronized int facts(int index) {
    return facts[index];
  }

  boolean knows(int index, int fact) {
    return (facts(index) & fact) != 0;
  }

  /** The beginning of the SHA-256 of the reply that was heard. */
  synchronized long reply(int index) {
    return replies[index];
  }

  /** When the last one asked who heard E902. */
  synchronized int lastNotSent(int index) {
    return lastNotSent[index];
  }

  Map<String, LongAdder> answers() {
    return answers;
  }

  long replays() {
    return replays.sum();
  }

  /** To be called before the question is on its way. */
  synchronized Asked ask(int index, boolean conflicting) {
    int now = now();
    if (firstAsked[index] == 0) {
      firstAsked[index] = now;
    }
    return new Asked(index, facts[index], now, conflicting);
  }

  /** The question was not answered. */
  void heardNothing(Asked asked) {
    remember(asked.index, NOTHING);
    count("nothing");
  }

  private void count(String code) {
    answers.computeIfAbsent(code, c -> new LongAdder()).increment();
  }

  private synchronized void remember(int index, int digit) {
    heard[index] = heard[index] << 4 | digit;
  }

  private synchronized void learn(int index, int fact) {
    facts[index] |= (byte) fact;
  }

  /**
   * Judges an answer.
   *
   * @param reply the account system's reply; null for a problem
   * @param stopping whether who answered was told to stop
   */
  void heard(Asked asked, String code, byte[] reply, boolean stopping) {
    count(code);
    int index = asked.index;
    if (reply != null) {
      remember(index, DEFINITE);
      definite(asked, code, reply);
      return;
    }
    remember(index, code.matches("E90[1-8]") ? code.charAt(3) - '0' : 0);
    boolean known = asked.knew(DONE) || asked.knew(FORGOTTEN) || asked.conflicting;
    boolean legal =
        switch (code) {
          case "E901", "E902" -> !known;
          case "E903" -> !known;
          case "E904" -> asked.conflicting;
          case "E906" -> now() - firstAsked(index) >= retention.toMillis();
          case "E907" -> true;
          case "E908" -> stopping;
          default -> false;
        };
    if (!legal) {
      violation.accept(
          code + " was heard" + (asked.conflicting ? " for another body" : "") + told(asked),
          index);
    }
    switch (code) {
      case "E901" -> learn(index, ROW);
      case "E902" -> {
        learn(index, ROW | NOT_SENT);
        notSent(asked);
      }
      case "E906" -> learn(index, ROW | FORGOTTEN);
      default -> {
        // Says nothing of a row that is certain to stay.
      }
    }
  }

  private synchronized int firstAsked(int index) {
    return firstAsked[index];
  }

  private synchronized void notSent(Asked asked) {
    lastNotSent[asked.index] = Math.max(lastNotSent[asked.index], asked.at);
  }

  private static String told(Asked asked) {
    return (asked.knew(DONE) ? " after a definite reply" : "")
        + (asked.knew(FORGOTTEN) ? " after E906" : "");
  }

  private void definite(Asked asked, String code, byte[] reply) {
    int index = asked.index;
    String guid = guid(index);
    String text = new String(reply, UTF_8).toLowerCase(Locale.ROOT);
    if (asked.conflicting || asked.knew(FORGOTTEN)) {
      violation.accept(
          "a definite reply to " + (asked.conflicting ? "another body" : "one forgotten"), index);
    }
    if (!code.equals(SUCCESS) && !guid.startsWith("code:" + code + "-")) {
      violation.accept("the reply has the code " + code, index);
    }
    if (!text.contains("\"guid\":\"" + guid.toLowerCase(Locale.ROOT) + "\"")
        && !guid.startsWith("noguid-")) {
      violation.accept("the reply is about another GUID: " + text, index);
    }
    isReply(index, hash(reply), "a channel");
  }

  /** Whoever shows a reply of {@code index} shows this one, from now on. */
  void isReply(int index, long hash, String who) {
    long before;
    synchronized (this) {
      before = replies[index];
      if (before == 0) {
        replies[index] = hash;
      } else {
        replays.increment();
      }
      facts[index] |= ROW | DONE;
    }
    if (before != 0 && before != hash) {
      violation.accept("the reply that " + who + " has is another one than before", index);
    }
  }

  void archived(int index) {
    learn(index, ARCHIVED);
  }

  static long hash(byte[] reply) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(reply)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The same of a SHA-256 in hexadecimal. */
  static long hash(String sha256) {
    return Long.parseUnsignedLong(sha256.substring(0, 16), 16);
  }

  /** What was heard of {@code index} in the end, the last answer last. */
  synchronized String story(int index) {
    StringBuilder story = new StringBuilder(guid(index)).append(" heard");
    for (int shift = 28; shift >= 0; shift -= 4) {
      int digit = heard[index] >>> shift & 0xf;
      if (digit != 0) {
        story.append(' ');
        story.append(digit == DEFINITE ? "DONE" : digit == NOTHING ? "nothing" : "E90" + digit);
      }
    }
    return story.append(", first asked ").append(firstAsked[index]).append(" ms in").toString();
  }
}
