package org.relayledger.ledger;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.relayledger.testing.SteppedClock;

/**
 * Whoever keeps a ledger with two open instances and tells in words what comes of each act: the
 * real one, or the model of what it should be.
 */
sealed interface Keeper permits LedgerKeeper, ModelKeeper {
  /** A request of a channel: its GUID as spelled, and what it asks for. */
  record Arrival(String guid, String channel, Wish wish) {
    /** The body of such a request. */
    String body() {
      return switch (wish) {
        case ONE -> "{\"guid\":\"" + guid + "\",\"amount\":\"1.10\"}";
        case ONE_RESPELLED -> "{ \"\\u0061mount\" : \"1.10\", \"guid\":\"" + guid + "\" }";
        case ANOTHER -> "{\"guid\":\"" + guid + "\",\"amount\":\"1.1\"}";
      };
    }
  }

  /** What a request asks for; the first two are one request. */
  enum Wish {
    ONE,
    ONE_RESPELLED,
    ANOTHER
  }

  /** How an exchange, or what is known of it, ends. */
  enum Ending {
    DONE,
    OPEN,
    DOUBT,
    NOT_SENT;

    Outcome outcome(Guid guid) {
      return switch (this) {
        case DONE -> Samples.done(guid.value());
        case OPEN -> Samples.inDoubt(true);
        case DOUBT -> Samples.inDoubt(false);
        case NOT_SENT -> Samples.notSent();
      };
    }
  }

  /** All values in one line; what is missing is a dash. */
  static String line(Object... values) {
    return Stream.of(values)
        .map(value -> value == null ? "-" : value.toString())
        .collect(Collectors.joining(" "));
  }

  SteppedClock clock();

  String look(int instance, Arrival arrival);

  String claim(int instance, Arrival arrival);

  String receive(int instance, List<Arrival> arrivals);

  /** Reads a row, for those acts that take it as it was last read. */
  String read(String guid);

  /** Claims the row of that GUID as it was last read. */
  String claimRead(int instance, String guid, State from);

  String adopt(int instance, String guid);

  String hold(int instance, String guid);

  /** Settles by the claim that is held, or was last. */
  String settle(String guid, Ending ending, String told);

  /** Notes an inquiry, if the claim that is held may ask. */
  String asked(String guid, State conclusion);

  String close(String guid);

  /** The kernel frees the byte of an owner that is killed. */
  String die(String guid);

  /** All owners in that instance are killed, and it is opened again. */
  String reopen(int instance);

  String purge(int instance, long doneBefore);

  /** Purges the row of that GUID as it was last read. */
  String purgeRead(int instance, String guid, long doneBefore);

  String forget(int instance, long finishedBefore);

  String changeMode(int instance, Settings.Mode mode);

  String told(int instance, String guid, String code);

  /** All that is kept: settings, rows, tombstones, bytes held, and the journal. */
  List<String> everything();
}
