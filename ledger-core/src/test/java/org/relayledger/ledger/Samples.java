package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import tools.jackson.core.JsonPointer;

/** The requests, replies and people of these tests. */
final class Samples {
  static final String ACCOUNT = "http://bank.invalid/transfers";
  static final Actor RELAY = new Actor(Actor.Role.RELAY, "hub", null);
  static final Actor RESOLVE = new Actor(Actor.Role.RESOLVE, "ann", "T-1");
  static final Settings SETTINGS =
      new Settings(
          "6f1c", Settings.Mode.NORMAL, Duration.ofMinutes(10), Duration.ofDays(7).plusMillis(1));
  static final JsonPointer GUID = JsonPointer.compile("/guid");
  static final Fingerprint.Scheme SCHEME = Fingerprint.Scheme.without(List.of(GUID));

  private Samples() {}

  /** The request that these tests send under {@code guid}. */
  static Request request(String guid) {
    return request(guid, null, "{\"guid\":\"" + guid + "\",\"amount\":\"1.10\"}", SCHEME);
  }

  /** Another request under {@code guid}. */
  static Request other(String guid) {
    return request(guid, null, "{\"guid\":\"" + guid + "\",\"amount\":\"1.1\"}", SCHEME);
  }

  static Request fromChannel(String channel, String guid) {
    Request plain = request(guid);
    return request(guid, channel, new String(plain.body(), UTF_8), SCHEME);
  }

  static Request request(String guid, String channel, String body, Fingerprint.Scheme scheme) {
    byte[] bytes = body.getBytes(UTF_8);
    return new Request(new Guid(guid), channel, "application/json", bytes, scheme.of(bytes));
  }

  static Reply reply(String guid) {
    return new Reply(
        201,
        "application/json; charset=utf-8",
        ("{ \"guid\":\"" + guid + "\", \"code\":\"0000\"}\r\n").getBytes(UTF_8));
  }

  static Outcome done(String guid) {
    return new Outcome.Done(reply(guid), "0000");
  }

  static Outcome notSent() {
    return new Outcome.NotSent("connection refused");
  }

  static Outcome inDoubt(boolean exchangeOpen) {
    return new Outcome.InDoubt("timed out", exchangeOpen);
  }
}
