package org.relayledger.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.relayledger.ledger.LedgerView;
import picocli.CommandLine.Option;

/** Which ledger. */
public final class LedgerOptions {
  @Option(
      names = "--ledger",
      paramLabel = "PATH",
      defaultValue = "relay-ledger.db",
      description = "The ledger (default: ${DEFAULT-VALUE}).")
  private String ledger;

  /**
   * Where it is, as given.
   *
   * @throws Failure if it is empty, which only comes of a shell variable that is not set
   */
  public String location() {
    if (ledger.isEmpty()) {
      throw new Failure(Exit.USAGE, "--ledger is empty");
    }
    return ledger;
  }

  /**
   * Opens {@code file} to read it, or stdin for {@code -}.
   *
   * @throws Failure if it cannot be opened, or is a file of the ledger: whoever closes one drops
   *     the locks that this process has on it (exit 2)
   */
  public InputStream input(Path file, Streams streams) {
    if (file.toString().equals("-")) {
      return new Unclosed(streams.in());
    }
    refuseOwn(file);
    try {
      if (Files.isDirectory(file)) {
        throw new IOException("it is a directory");
      }
      return Files.newInputStream(file);
    } catch (IOException e) {
      throw new Failure(Exit.USAGE, "cannot read " + file + ": " + Failure.reason(e), e);
    }
  }

  /**
   * Refuses to create {@code file} if it would belong to a ledger, this one or another; no ledger
   * may be open in this process.
   *
   * @throws Failure if it would (exit 2)
   */
  public void mayCreate(Path file) {
    WholeFile.refuseOfALedger(file);
  }

  /** Stdin, which stays open: somebody may be reading it when nobody waits for that any more. */
  private static final class Unclosed extends FilterInputStream {
    Unclosed(InputStream in) {
      super(in);
    }

    @Override
    public void close() {
      // Open until the tool exits.
    }
  }

  /**
   * Refuses {@code file} if it belongs to the ledger, under whatever name.
   *
   * @throws Failure if it does (exit 2)
   */
  private void refuseOwn(Path file) {
    if (LedgerView.isPartOf(ledger, file)) {
      throw new Failure(Exit.USAGE, file + " belongs to the ledger; name another file");
    }
  }
}
