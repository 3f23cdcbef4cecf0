package org.relayledger.ledger;

import java.time.Duration;
import java.util.Set;

/**
 * One row of the ledger as it was read. Times are epoch milliseconds UTC; what a row does not have
 * (yet) is null.
 *
 * @param seq the order in which rows came in
 * @param guid the GUID as first received
 * @param channel the channel, where channels are told apart
 * @param account the URL of the last attempt
 * @param attempt how often it was claimed; 0 before the first time
 * @param code DONE: the account system's code; UNKNOWN and FAILED: E901 and E902
 * @param contentType of the request
 * @param fingerprint of the request
 * @param requestSha256 of the request's bytes, in hexadecimal
 * @param httpStatus of the reply
 * @param replyType content type of the reply
 * @param replySha256 of the reply's bytes, in hexadecimal
 * @param endedAt when the exchange of the last attempt had ended; age counts from here
 * @param doneAt when the row moved to DONE
 * @param askedAt when the account system was last asked about it
 * @param toldCode what the channel last heard
 * @param endedBoot the host's boot at {@code endedAt}
 * @param endedUptime that boot's uptime at {@code endedAt}, in milliseconds
 * @param request the request's bytes, null unless asked for
 * @param reply the reply's bytes, null unless asked for
 */
public record Row(
    long seq,
    Guid guid,
    String channel,
    String account,
    State state,
    String code,
    int attempt,
    String contentType,
    Fingerprint fingerprint,
    String requestSha256,
    Integer httpStatus,
    String replyType,
    String replySha256,
    long receivedAt,
    Long sentAt,
    Long endedAt,
    Long doneAt,
    long updatedAt,
    Long askedAt,
    String toldCode,
    Long toldAt,
    String endedBoot,
    Long endedUptime,
    byte[] request,
    byte[] reply) {
  private static final Set<String> UNTOLD = Set.of("E901", "E902", "E903");

  /** Whether it is DONE while its channel last heard E901, E902 or E903. */
  public boolean isUntold() {
    return state == State.DONE && toldCode != null && UNTOLD.contains(toldCode);
  }

  /**
   * How old the row is: how long ago the exchange of its last attempt ended. Zero while that has no
   * recorded end.
   */
  public Duration age(HostClock clock) {
    return endedAt == null ? Duration.ZERO : new Moment(endedAt, endedBoot, endedUptime).age(clock);
  }

  /** The same row with other bodies, or with none; for whoever shows it. */
  public Row withBodies(byte[] otherRequest, byte[] otherReply) {
    return new Row(
        seq,
        guid,
        channel,
        account,
        state,
        code,
        attempt,
        contentType,
        fingerprint,
        requestSha256,
        httpStatus,
        replyType,
        replySha256,
        receivedAt,
        sentAt,
        endedAt,
        doneAt,
        updatedAt,
        askedAt,
        toldCode,
        toldAt,
        endedBoot,
        endedUptime,
        otherRequest,
        otherReply);
  }

  /**
   * The stored reply of a DONE row that was read with its bodies.
   *
   * @throws LedgerException of kind DAMAGED if it is not what its SHA-256 says
   */
  public Reply storedReply() {
    check(reply, replySha256, "reply", "it was sent and is never sent again");
    return new Reply(httpStatus, replyType, reply);
  }

  /**
   * The stored request of a row that was read with its bodies, ready to be sent again.
   *
   * @throws LedgerException of kind DAMAGED if it is not what its SHA-256 says
   */
  public Request storedRequest() {
    check(request, requestSha256, "request", "it is not sent again");
    return new Request(guid, channel, contentType, request, fingerprint);
  }

  private void check(byte[] body, String sha256, String what, String certain) {
    if (!Fingerprint.sha256(body).equals(sha256)) {
      throw new LedgerException(
          LedgerException.Kind.DAMAGED,
          guid
              + " is "
              + state
              + " but its stored "
              + what
              + " is damaged (SHA-256 differs); "
              + certain
              + "; compare with a backup");
    }
  }
}
