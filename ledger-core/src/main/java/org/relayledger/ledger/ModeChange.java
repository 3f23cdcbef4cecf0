package org.relayledger.ledger;

/**
 * A change of the ledger's mode, as the journal tells it.
 *
 * @param mode the mode from then on
 * @param by who changed it
 * @param ticket the ticket, or null
 * @param at when, in epoch milliseconds
 * @param reason why
 */
public record ModeChange(Settings.Mode mode, String by, String ticket, long at, String reason) {}
