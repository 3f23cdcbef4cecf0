package org.relayledger.model;

import java.util.Arrays;
import org.relayledger.ledger.State;

/**
 * Everything that decides what can happen next, as small numbers: for each GUID its row, what was
 * sent for it and who holds its byte; for each process where it stands.
 */
@SuppressWarnings("EnumOrdinal") // the numbers never leave the run that made them
final class World {
  /** A row that is not there. */
  static final int NONE = 0;

  /** What purge left of a row. */
  static final int TOMBSTONE = State.values().length + 1;

  // One GUID; its messages come last, one an attempt.
  private static final int ROW = 0;
  private static final int ATTEMPT = 1;
  private static final int ENDED = 2;
  private static final int CLAIMED = 3;
  private static final int EXECUTED = 4;
  private static final int TOLD = 5;
  private static final int HOLDER = 6;
  private static final int MESSAGE = 7;
  private static final int[] GUID_BITS = {3, 2, 2, 2, 2, 1, 2, 4};

  // One process.
  private static final int AT = 0;
  private static final int GUID = 1;
  private static final int OWN_ATTEMPT = 2;
  private static final int HEARD = 3;
  private static final int OF_A_PROCESS = 4;
  private static final int[] PROCESS_BITS = {4, 1, 2, 1};

  private final Size size;
  private final byte[] cells;

  /**
   * How large the worlds of an exploration are.
   *
   * @param guids at most 2
   * @param senders at most 2; one process more resolves
   * @param attempts how many claims a GUID may have, at most 3: a bound of the model, not of the
   *     protocol
   */
  record Size(int guids, int senders, int attempts) {
    int processes() {
      return senders + 1;
    }

    private int ofAGuid() {
      return MESSAGE + attempts;
    }

    private int cells() {
      return guids * ofAGuid() + processes() * OF_A_PROCESS + 1;
    }
  }

  /** The world in which nothing has happened. */
  World(Size size) {
    this(size, new byte[size.cells()]);
  }

  private World(Size size, byte[] cells) {
    this.size = size;
    this.cells = cells;
  }

  World copy() {
    return new World(size, cells.clone());
  }

  /** Some bits, packed one after the other into two longs. */
  private static final class Bits {
    private final long[] words;
    private int at;

    Bits(long[] words) {
      this.words = words;
    }

    void add(int value, int bits) {
      if (at % 64 + bits > 64) {
        at = (at / 64 + 1) * 64; // no cell lies across two words
      }
      words[at / 64] |= (long) value << at % 64;
      at += bits;
    }

    int next(int bits) {
      if (at % 64 + bits > 64) {
        at = (at / 64 + 1) * 64;
      }
      int value = (int) (words[at / 64] >>> at % 64) & ((1 << bits) - 1);
      at += bits;
      return value;
    }
  }

  private static int bitsOfGuid(int cell) {
    return GUID_BITS[Math.min(cell, MESSAGE)];
  }

  /**
   * This world as two numbers; worlds that differ only in which GUID or which sender is called the
   * first are one.
   */
  long[] canonical() {
    long[] least = null;
    for (int swapGuids = 0; swapGuids < size.guids; swapGuids++) {
      for (int swapSenders = 0; swapSenders < size.senders; swapSenders++) {
        long[] words = packed(swapGuids == 1, swapSenders == 1);
        if (least == null || words[0] < least[0] || (words[0] == least[0] && words[1] < least[1])) {
          least = words;
        }
      }
    }
    return least;
  }

  /** This world as two numbers, as it is. */
  long[] packed() {
    return packed(false, false);
  }

  private long[] packed(boolean swapGuids, boolean swapSenders) {
    Bits bits = new Bits(new long[2]);
    for (int g = 0; g < size.guids; g++) {
      int guid = swapGuids ? 1 - g : g;
      for (int cell = 0; cell < size.ofAGuid(); cell++) {
        int value = cells[ofGuid(guid, cell)];
        boolean swapped = cell == HOLDER && swapSenders && (value == 1 || value == 2);
        bits.add(swapped ? 3 - value : value, bitsOfGuid(cell));
      }
    }
    for (int p = 0; p < size.processes(); p++) {
      int process = swapSenders && p < 2 ? 1 - p : p;
      for (int cell = 0; cell < OF_A_PROCESS; cell++) {
        int value = cells[ofProcess(process, cell)];
        boolean swapped = cell == GUID && swapGuids && place(process) != Place.IDLE;
        bits.add(swapped ? 1 - value : value, PROCESS_BITS[cell]);
      }
    }
    bits.add(cells[cells.length - 1], 1);
    return bits.words;
  }

  /** The world that {@link #canonical} gave these two numbers, as whoever is called the first. */
  static World of(Size size, long first, long second) {
    World world = new World(size);
    Bits bits = new Bits(new long[] {first, second});
    for (int guid = 0; guid < size.guids; guid++) {
      for (int cell = 0; cell < size.ofAGuid(); cell++) {
        world.cells[world.ofGuid(guid, cell)] = (byte) bits.next(bitsOfGuid(cell));
      }
    }
    for (int process = 0; process < size.processes(); process++) {
      for (int cell = 0; cell < OF_A_PROCESS; cell++) {
        world.cells[world.ofProcess(process, cell)] = (byte) bits.next(PROCESS_BITS[cell]);
      }
    }
    world.cells[world.cells.length - 1] = (byte) bits.next(1);
    return world;
  }

  Size size() {
    return size;
  }

  private int ofGuid(int guid, int cell) {
    return guid * size.ofAGuid() + cell;
  }

  private int ofProcess(int process, int cell) {
    return size.guids * size.ofAGuid() + process * OF_A_PROCESS + cell;
  }

  /** The state of the row of {@code guid}, or null if there is no row. */
  State state(int guid) {
    int row = cells[ofGuid(guid, ROW)];
    return row == NONE || row == TOMBSTONE ? null : State.values()[row - 1];
  }

  boolean isUnknownGuid(int guid) {
    return cells[ofGuid(guid, ROW)] == NONE;
  }

  boolean isTombstone(int guid) {
    return cells[ofGuid(guid, ROW)] == TOMBSTONE;
  }

  /** Moves a row, if the state machine has such a move. */
  void move(int guid, State to) {
    State from = state(guid);
    if (from == null ? to != State.SENT && to != State.RECEIVED : !from.canBecome(to)) {
      throw new IllegalStateException("no legal move: " + from + " to " + to);
    }
    cells[ofGuid(guid, ROW)] = (byte) (to.ordinal() + 1);
  }

  void purge(int guid, boolean leavesTombstone) {
    cells[ofGuid(guid, ROW)] = (byte) (leavesTombstone ? TOMBSTONE : NONE);
    if (!leavesTombstone) {
      cells[ofGuid(guid, ATTEMPT)] = 0;
    }
    cells[ofGuid(guid, ENDED)] = 0;
    cells[ofGuid(guid, CLAIMED)] = 0;
  }

  int attempt(int guid) {
    return cells[ofGuid(guid, ATTEMPT)];
  }

  /** A new claim: the next attempt, with no end yet. */
  void claim(int guid) {
    cells[ofGuid(guid, ATTEMPT)]++;
    cells[ofGuid(guid, ENDED)] = 0;
    cells[ofGuid(guid, CLAIMED)] = 1;
  }

  /** Whether the row knows when the exchange of its last attempt ended. */
  boolean hasEnd(int guid) {
    return cells[ofGuid(guid, ENDED)] > 0;
  }

  /** The exchange ends now; once written, that is not written again. */
  void end(int guid) {
    if (!hasEnd(guid)) {
      cells[ofGuid(guid, ENDED)] = 1;
    }
  }

  /** For a flaw: the end is as long ago as the claim. */
  void endAtClaim(int guid) {
    cells[ofGuid(guid, ENDED)] = cells[ofGuid(guid, CLAIMED)];
  }

  int age(int guid) {
    return cells[ofGuid(guid, ENDED)] - 1;
  }

  int ageOfClaim(int guid) {
    return cells[ofGuid(guid, CLAIMED)] - 1;
  }

  /** A tick makes every row older, up to {@code oldest}, and every request that is on its way. */
  void tick(int oldest) {
    for (int guid = 0; guid < size.guids; guid++) {
      for (int cell : new int[] {ENDED, CLAIMED}) {
        int at = ofGuid(guid, cell);
        if (cells[at] > 0 && cells[at] <= oldest) {
          cells[at]++;
        }
      }
      for (int attempt = 1; attempt <= size.attempts; attempt++) {
        message(guid, attempt, message(guid, attempt).older());
      }
    }
  }

  Message message(int guid, int attempt) {
    return Message.of(cells[ofGuid(guid, MESSAGE + attempt - 1)]);
  }

  void message(int guid, int attempt, Message message) {
    cells[ofGuid(guid, MESSAGE + attempt - 1)] = message.code();
  }

  int executed(int guid) {
    return cells[ofGuid(guid, EXECUTED)];
  }

  void execute(int guid) {
    cells[ofGuid(guid, EXECUTED)]++;
  }

  /** Whether a channel has heard of a definite reply. */
  boolean told(int guid) {
    return cells[ofGuid(guid, TOLD)] == 1;
  }

  void tell(int guid) {
    cells[ofGuid(guid, TOLD)] = 1;
  }

  /** Whether nobody holds the byte. */
  boolean isFree(int guid) {
    return cells[ofGuid(guid, HOLDER)] == 0;
  }

  boolean holds(int process, int guid) {
    return cells[ofGuid(guid, HOLDER)] == process + 1;
  }

  void take(int process, int guid) {
    cells[ofGuid(guid, HOLDER)] = (byte) (process + 1);
  }

  void free(int process, int guid) {
    if (holds(process, guid)) {
      cells[ofGuid(guid, HOLDER)] = 0;
    }
  }

  void freeAll() {
    for (int guid = 0; guid < size.guids; guid++) {
      cells[ofGuid(guid, HOLDER)] = 0;
    }
    cells[cells.length - 1] = 1;
  }

  /** Whether the claims file was replaced before. */
  boolean wasReplaced() {
    return cells[cells.length - 1] == 1;
  }

  Place place(int process) {
    return Place.values()[cells[ofProcess(process, AT)]];
  }

  int guidOf(int process) {
    return cells[ofProcess(process, GUID)];
  }

  int attemptOf(int process) {
    return cells[ofProcess(process, OWN_ATTEMPT)];
  }

  void attemptOf(int process, int attempt) {
    cells[ofProcess(process, OWN_ATTEMPT)] = (byte) attempt;
  }

  boolean heardProcessed(int process) {
    return cells[ofProcess(process, HEARD)] == 1;
  }

  void hear(int process, boolean processed) {
    cells[ofProcess(process, HEARD)] = (byte) (processed ? 1 : 0);
  }

  void go(int process, Place to) {
    cells[ofProcess(process, AT)] = (byte) to.ordinal();
    if (to == Place.IDLE) {
      // What it knew is forgotten: worlds that differ in it only are one.
      Arrays.fill(cells, ofProcess(process, GUID), ofProcess(process, 0) + OF_A_PROCESS, (byte) 0);
    }
  }

  void go(int process, Place to, int guid) {
    go(process, to);
    cells[ofProcess(process, GUID)] = (byte) guid;
  }

  boolean isSame(World other) {
    return Arrays.equals(cells, other.cells);
  }
}
