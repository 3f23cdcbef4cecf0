package org.relayledger.ledger;

import java.nio.file.Path;

/**
 * What a restore has done.
 *
 * @param settings those of the ledger from now on
 * @param kept where the replaced ledger is, or null if none was replaced
 */
public record Restored(Settings settings, Path kept) {}
