package org.relayledger.model;

/**
 * One request on its way to the account system.
 *
 * @param stage what has become of it
 * @param left how many ticks it may still be on its way, or its execution unseen; 0 as long as its
 *     exchange is open
 */
@SuppressWarnings("EnumOrdinal") // as in World
record Message(Stage stage, int left) {
  /**
   * How many ticks after the end of its exchange a request may still be executed and seen by an
   * inquiry: max-processing, and what the kernel adds to it.
   */
  static final int LIFE = 2;

  static final Message NONE = new Message(Stage.NONE, 0);

  /** What becomes of a request. */
  enum Stage {
    NONE,
    UNDER_WAY,
    /** Executed; an inquiry may not see that yet. */
    HIDDEN,
    /** Executed; an inquiry sees that. */
    SEEN,
    LOST
  }

  static Message of(int code) {
    return new Message(Stage.values()[code / (LIFE + 1)], code % (LIFE + 1));
  }

  byte code() {
    return (byte) (stage.ordinal() * (LIFE + 1) + left);
  }

  boolean isOpen() {
    return left == 0 && (stage == Stage.UNDER_WAY || stage == Stage.HIDDEN);
  }

  boolean isExecuted() {
    return stage == Stage.HIDDEN || stage == Stage.SEEN;
  }

  /** Its exchange ends: from now on its time is counted. */
  Message ended() {
    return isOpen() ? new Message(stage, LIFE) : this;
  }

  Message older() {
    if (left == 0) {
      return this;
    }
    if (left > 1) {
      return new Message(stage, left - 1);
    }
    return new Message(stage == Stage.HIDDEN ? Stage.SEEN : Stage.LOST, 0);
  }
}
