package org.relayledger.ledger;

/**
 * What purge leaves of a DONE row.
 *
 * @param guid the GUID as first received
 * @param code the account system's code
 * @param finishedAt when the row had become DONE, in epoch milliseconds
 */
public record Tombstone(Guid guid, String code, long finishedAt) {}
