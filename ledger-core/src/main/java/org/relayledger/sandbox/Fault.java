package org.relayledger.sandbox;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What goes wrong with one request, as it is spelled: {@code drop}, {@code delay:5s}.
 *
 * @param argument what follows the colon, or the empty string
 */
record Fault(Kind kind, String argument) {
  private static final String TIME = "[1-9][0-9]{0,4}ms|[1-9][0-9]{0,3}s";

  /** Unless it says otherwise, a transfer is executed first and then answered like this. */
  enum Kind {
    HONEST(""),
    /** The connection is closed without an answer. */
    DROP(""),
    /** The connection is reset without an answer. */
    RST(""),
    /** No answer ever comes. */
    SILENT(""),
    /** The answer comes late. */
    DELAY(TIME),
    /** Nothing is executed before {@link Sandbox#release}; then all is well. */
    HELD(""),
    /** Nothing is executed; the connection is closed. */
    DROPBEFORE(""),
    /** The first time like the one before, from then on without a fault. */
    LOST(""),
    /** Nothing is executed; no answer ever comes. */
    VOID(""),
    /** Executed late, even when the client has gone; no answer ever comes. */
    SLOW(TIME),
    /** Refused with this code: nothing is executed, unless the code is the one of success. */
    CODE("[A-Za-z0-9]{1,16}"),
    /** An HTML page with this HTTP status. */
    HTML("[2-5][0-9]{2}"),
    /** An HTTP status 404 without a body. */
    BARE404(""),
    /** A redirection with this HTTP status to where the transfers go: who follows it, doubles. */
    REDIRECT("3[0-9]{2}"),
    /** A whole good body, but the Content-Length promises one byte more. */
    TRUNCATED(""),
    /** Good, but in the name of another GUID. */
    OTHERGUID(""),
    /** Good, but without a GUID. */
    NOGUID(""),
    /** A byte at a time, {@value #DRIP_MILLIS} ms apart if no other time is given. */
    DRIP("(" + TIME + ")?"),
    EMPTY(""),
    NOTJSON(""),
    NOCODE(""),
    /** JSON with the code {@value Answer#OTHER_CODE}, which nobody has agreed on. */
    OTHERCODE(""),
    /** JSON with two codes that differ. */
    DUPLICATE(""),
    /** Good, but longer than {@value Answer#TOO_LARGE} bytes. */
    TOOLARGE(""),
    /** Good, but its end is the end of the connection. */
    CLOSEDELIMITED(""),
    /** Good, in chunks. */
    CHUNKED(""),
    /** Good by its Content-Length, but said to be in chunks: java.net.http goes by the length. */
    BOTHFRAMINGS(""),
    /** Only an interim reply, then the connection is closed. */
    CONTINUE(""),
    /** Something that is not HTTP. */
    MALFORMED(""),
    /** What an inquiry system says that has lost its records. */
    NOBODY(""),
    /** What an inquiry system says that does not look at the GUID. */
    EVERYBODY("");

    private static final int DRIP_MILLIS = 200;

    private final String argument;

    Kind(String argument) {
      this.argument = argument;
    }

    private String spelled() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Map<String, Kind> KINDS =
      Arrays.stream(Kind.values()).collect(Collectors.toMap(Kind::spelled, Function.identity()));

  static final Fault HONEST = new Fault(Kind.HONEST, "");

  /** The fault that {@code text} spells, or empty if it spells none. */
  static Optional<Fault> parse(String text) {
    int colon = text.indexOf(':');
    Kind kind = KINDS.get(colon < 0 ? text : text.substring(0, colon));
    String argument = colon < 0 ? "" : text.substring(colon + 1);
    boolean bareColon = colon >= 0 && argument.isEmpty();
    return kind == null || bareColon || !argument.matches(kind.argument)
        ? Optional.empty()
        : Optional.of(new Fault(kind, argument));
  }

  /** The fault spelled before the first dash of {@code guid}; {@link #HONEST} if none is. */
  static Fault ofPrefix(String guid) {
    int dash = guid.indexOf('-');
    return dash < 0 ? HONEST : parse(guid.substring(0, dash)).orElse(HONEST);
  }

  /** All spellings, for a message. */
  static String spellings() {
    return Arrays.stream(Kind.values())
        .map(
            kind ->
                kind.argument.isEmpty() || kind == Kind.DRIP
                    ? kind.spelled()
                    : kind.spelled() + ":…")
        .collect(Collectors.joining(" "));
  }

  /** How long the late ones wait. */
  Duration time() {
    if (argument.isEmpty()) {
      return Duration.ofMillis(Kind.DRIP_MILLIS);
    }
    int unit = argument.endsWith("ms") ? argument.length() - 2 : argument.length() - 1;
    long count = Long.parseLong(argument.substring(0, unit));
    return argument.endsWith("ms") ? Duration.ofMillis(count) : Duration.ofSeconds(count);
  }

  /** The HTTP status asked for; for a code, the one that it names if it does: E500 names 500. */
  int status() {
    if (kind != Kind.CODE) {
      return Integer.parseInt(argument);
    }
    return argument.matches("E[45][0-9]{2}") ? Integer.parseInt(argument.substring(1)) : 200;
  }

  /** Whether such an answer is the last one on its connection. */
  boolean isLast() {
    return switch (kind) {
      case TRUNCATED, CLOSEDELIMITED, BOTHFRAMINGS, CONTINUE, MALFORMED -> true;
      default -> false;
    };
  }
}
