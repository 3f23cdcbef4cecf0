package org.relayledger.ledger;

/**
 * What the account system answered: stored, and replayed, byte for byte.
 *
 * @param httpStatus the status line's number
 * @param contentType the Content-Type header as received, or null if there was none
 * @param body the bytes; the array is not copied and must not be changed
 */
public record Reply(int httpStatus, String contentType, byte[] body) {}
