package org.relayledger.relay;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.relayledger.account.Header;
import org.relayledger.ledger.Fingerprint;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Json;
import org.relayledger.ledger.Request;
import tools.jackson.core.JsonPointer;

/**
 * Makes a request of what a channel sent, or says why it is none. Nothing is guessed: what could be
 * read in two ways is refused.
 */
public final class Intake {
  /** The largest request body, in bytes. */
  public static final int MAX_BODY = 1 << 20;

  /** What became of an arrival. */
  public sealed interface Arrival {
    /** A request that may be claimed. */
    record Accepted(Request request) implements Arrival {}

    /** E905: nothing was claimed. */
    record Rejected(Answer.Refused answer) implements Arrival {}
  }

  /** A character that JSON spells by its number. */
  private static final Pattern ESCAPED = Pattern.compile("\\\\u([0-9a-fA-F]{4})");

  private final JsonPointer guidPointer;
  private final Fingerprint.Scheme scheme;

  /** A member of the GUID's name with its value, wherever it stands. */
  private final Pattern named;

  /**
   * Reads GUIDs at {@code guidPointer}.
   *
   * @param ignored the members besides the GUID that do not count in the fingerprint
   */
  public Intake(JsonPointer guidPointer, List<JsonPointer> ignored) {
    this.guidPointer = guidPointer;
    List<JsonPointer> omitted = new ArrayList<>(ignored);
    omitted.add(guidPointer);
    this.scheme = Fingerprint.Scheme.without(omitted);
    String pointer = guidPointer.toString();
    String name =
        pointer.substring(pointer.lastIndexOf('/') + 1).replace("~1", "/").replace("~0", "~");
    this.named =
        Pattern.compile("\"" + Pattern.quote(name) + "\"\\s*:\\s*(?:\"([^\"]*)\"|[^\\s,}\\]]+)");
  }

  /**
   * Reads one arrival.
   *
   * @param keys the values of all Idempotency-Key headers, quoted or bare
   * @param channel the channel, or null
   * @param contentType the Content-Type header, or null
   */
  public Arrival read(List<String> keys, String channel, String contentType, byte[] body) {
    try {
      return new Arrival.Accepted(request(keys, channel, contentType, body));
    } catch (Rejection e) {
      return new Arrival.Rejected(
          Answer.Refused.of(Problem.E905, e.guid, e.getMessage() + "; nothing was sent"));
    }
  }

  /** E905 for a body beyond {@link #MAX_BODY}, which nobody read to its end. */
  public static Answer.Refused tooLarge() {
    return new Answer.Refused(
        Problem.E905,
        null,
        413,
        Problem.Retry.NEVER,
        "the request body is larger than " + MAX_BODY + " bytes; nothing was sent");
  }

  private static final class Rejection extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient Guid guid;

    Rejection(Guid guid, String message) {
      super(message);
      this.guid = guid;
    }
  }

  private Request request(List<String> keys, String channel, String contentType, byte[] body)
      throws Rejection {
    Optional<Guid> key = key(keys);
    Guid known = key.orElse(null);
    if (body.length == 0) {
      throw new Rejection(known, "the request body is empty");
    }
    if (contentType != null && !Header.isVisible(contentType)) {
      // It could not be handed on as it came.
      throw new Rejection(known, "the content type is not visible ASCII");
    }
    Json json = null;
    try {
      json = Json.read(body, List.of(guidPointer), scheme.omitted());
    } catch (Json.Malformed e) {
      if (Fingerprint.isJson(contentType)) {
        throw new Rejection(known, "the request body is no unambiguous JSON: " + e.getMessage());
      }
    }
    Optional<Guid> member = json == null ? Optional.empty() : member(json, known);
    Guid guid =
        key.or(() -> member)
            .orElseThrow(
                () ->
                    new Rejection(
                        null,
                        "no GUID: neither an Idempotency-Key header nor a member at "
                            + guidPointer));
    // Compared as written: an account system that does not fold case must not be left to choose.
    if (member.isPresent() && !member.get().value().equals(guid.value())) {
      throw new Rejection(
          null,
          "two GUIDs that differ: the Idempotency-Key header and the member at " + guidPointer);
    }
    if (json == null && namesAnother(body, guid)) {
      throw new Rejection(
          guid, "the request body is no unambiguous JSON and seems to name another GUID");
    }
    Fingerprint fingerprint = json == null ? scheme.ofRaw(body) : scheme.of(json);
    return new Request(guid, channel, contentType, body, fingerprint);
  }

  /**
   * Whether somebody who is less strict could read another GUID in {@code body}, which is no JSON:
   * in broken JSON, in the second of two members, or in another encoding.
   */
  private boolean namesAnother(byte[] body, Guid guid) {
    // UTF-16 and UTF-32 are ASCII with NULs between.
    String text = new String(body, ISO_8859_1).replace("\0", "");
    text = ESCAPED.matcher(text).replaceAll(Intake::unescaped);
    for (Matcher member = named.matcher(text); member.find(); ) {
      if (!guid.value().equals(member.group(1))) {
        return true;
      }
    }
    return false;
  }

  private static String unescaped(MatchResult escaped) {
    char character = (char) Integer.parseInt(escaped.group(1), 16);
    return Matcher.quoteReplacement(String.valueOf(character));
  }

  private static Optional<Guid> key(List<String> keys) throws Rejection {
    Optional<Guid> found = Optional.empty();
    for (String key : keys) {
      String text = key.strip();
      boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
      Guid guid =
          Guid.parse(quoted ? text.substring(1, text.length() - 1) : text)
              .orElseThrow(() -> new Rejection(null, "the Idempotency-Key header is no GUID"));
      if (found.isPresent() && !found.get().value().equals(guid.value())) {
        throw new Rejection(null, "two Idempotency-Key headers that differ");
      }
      found = Optional.of(guid);
    }
    return found;
  }

  private Optional<Guid> member(Json json, Guid known) throws Rejection {
    Json.Value value = json.at(guidPointer);
    if (value == null) {
      return Optional.empty();
    }
    Optional<Guid> guid = value.isString() ? Guid.parse(value.text()) : Optional.empty();
    if (guid.isEmpty()) {
      throw new Rejection(known, "the member at " + guidPointer + " is no GUID");
    }
    return guid;
  }
}
