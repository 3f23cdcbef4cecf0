package org.relayledger.ledger;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Whether the files of a ledger are still those that were written to, with all in them that was
 * committed. Whoever goes on with others would send again what was sent before.
 *
 * <p>The claims file counts the transactions that were committed, and those of them that are in the
 * main file, without its write-ahead log, since a checkpoint (see ADR 7). A log that is gone lacks
 * the first, an older main file beside its log the second.
 */
final class Intact {
  /** A checkpoint of another program may be in the midst of the page that is read. */
  private static final int LOOKS = 3;

  private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Path ledger;
  private final Path log;
  private final ClaimBytes bytes;
  private final Object ledgerKey;
  private Object logKey;
  private FileTime modified;

  /** The files as they are now, right after they were opened. */
  Intact(Path ledger, ClaimBytes bytes) {
    this.ledger = ledger;
    this.log = Sqlite.beside(ledger, "-wal");
    this.bytes = bytes;
    this.ledgerKey = attributes(ledger).orElseThrow(() -> gone(ledger)).fileKey();
  }

  /**
   * Checks a ledger; changes nothing.
   *
   * @throws LedgerException of kind UNAVAILABLE if it has forgotten what was committed
   */
  static void checkWhole(Path ledger, ClaimBytes bytes) {
    // First what must be there, then what is: in between more may come.
    long committed = bytes.highWater();
    checkWhole(Sqlite.transactions(ledger), committed);
    checkMainFile(ledger, bytes);
  }

  /** Checks a ledger that is to be written to. */
  static void checkToWrite(Path ledger, ClaimBytes bytes) {
    long committed = bytes.highWater();
    checkWhole(ledger, bytes);
    if (!Files.exists(Sqlite.beside(ledger, "-wal"))) {
      bytes.raiseCheckpointed(committed); // whoever closed it last has checkpointed all
    }
  }

  /** Refuses a ledger that has fewer transactions in it than were committed. */
  static void checkWhole(long transactions, long committed) {
    if (transactions < committed) {
      throw forgotten(
          transactions,
          committed,
          "its write-ahead log was deleted, or an older file put in its place");
    }
  }

  /**
   * Checks a ledger that is to be read only, if its claims file is there and can be opened: a
   * backup has none.
   */
  static void checkToRead(Path ledger) {
    Optional<ClaimBytes> bytes;
    try {
      bytes = ClaimBytes.beside(ledger);
    } catch (LedgerException e) {
      return; // on a read-only medium, for example: nobody sends by it
    }
    if (bytes.isPresent()
        && Sqlite.setting(ledger, Sqlite.BACKUP_AT).isEmpty()
        && bytes.get().isOf(Sqlite.setting(ledger, "ledger_id").orElse("-"))) {
      checkWhole(ledger, bytes.get());
    }
  }

  private static void checkMainFile(Path ledger, ClaimBytes bytes) {
    for (int look = 1; ; look++) {
      long checkpointed = bytes.checkpointed();
      Optional<Long> transactions = Sqlite.transactionsOfMainFile(ledger);
      // Where a checkpoint was cut off it cannot be read without its log, which has all of it.
      if (transactions.isEmpty() || transactions.get() >= checkpointed) {
        return;
      }
      if (look == LOOKS) {
        throw forgotten(
            transactions.get(), checkpointed, "its main file is older than its write-ahead log");
      }
      LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
    }
  }

  private static LedgerException forgotten(long transactions, long committed, String why) {
    return Sqlite.unavailable(
        "the ledger has forgotten the last "
            + (committed - transactions)
            + " of its "
            + committed
            + " transactions: "
            + why
            + "; bring back what is missing, or see 'relay restore --in-place'",
        null);
  }

  /**
   * Checks that nobody has taken away or replaced what is being written to; costs two looks at the
   * directory.
   *
   * @throws LedgerException of kind UNAVAILABLE if somebody has
   */
  synchronized void check() {
    BasicFileAttributes now =
        attributes(ledger)
            .filter(found -> found.fileKey().equals(ledgerKey))
            .orElseThrow(() -> gone(ledger));
    if (!now.lastModifiedTime().equals(modified)) {
      // By a checkpoint, or by somebody who has copied another file over it.
      checkMainFile(ledger, bytes);
      modified = now.lastModifiedTime();
    }
    // It is there from the first transaction on, for as long as somebody has the ledger open.
    Optional<Object> found = attributes(log).map(BasicFileAttributes::fileKey);
    if (logKey == null) {
      logKey = found.orElse(null);
    } else if (!found.equals(Optional.of(logKey))) {
      throw gone(log);
    }
  }

  private static Optional<BasicFileAttributes> attributes(Path file) {
    try {
      return Optional.of(Files.readAttributes(file, BasicFileAttributes.class));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw Sqlite.unavailable("cannot look at " + file + ": " + Sqlite.reason(e), e);
    }
  }

  private static LedgerException gone(Path file) {
    return Sqlite.unavailable(
        file + " was taken away or replaced while this program ran; bring back what was there",
        null);
  }
}
