package org.relayledger.ledger;

/**
 * One request of a channel, as received.
 *
 * @param guid its idempotency key
 * @param channel which channel sent it, or null where channels are not told apart
 * @param contentType the Content-Type header as received, or null if there was none
 * @param body the bytes, never empty; the array is not copied and must not be changed
 * @param fingerprint what makes a re-send of it recognizable
 */
public record Request(
    Guid guid, String channel, String contentType, byte[] body, Fingerprint fingerprint) {}
