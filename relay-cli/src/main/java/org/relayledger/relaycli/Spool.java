package org.relayledger.relaycli;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;
import org.relayledger.ledger.Guid;
import org.relayledger.relay.Answer;
import org.relayledger.relay.Problem;

/**
 * What the intake of a batch has made of each line, in a nameless file: a batch may come through a
 * pipe and be longer than memory, and is read once. First all is written, then all is read.
 */
final class Spool implements AutoCloseable {
  /**
   * One line.
   *
   * @param guid null if it has none
   * @param refused why it is not taken in, or null
   */
  record Item(long line, Guid guid, Answer.Refused refused) {}

  private final FileChannel file;
  private final DataOutputStream out;
  private DataInputStream in;
  private long items;

  Spool() {
    try {
      Path path = Files.createTempFile("relay-batch", null);
      // Unlinked as soon as it is open: a kill leaves nothing behind.
      file =
          FileChannel.open(
              path,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
      out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(file)));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** How many items there are. */
  long size() {
    return items;
  }

  void add(Item item) {
    try {
      out.writeLong(item.line);
      out.writeUTF(item.guid == null ? "" : item.guid.value());
      out.writeUTF(item.refused == null ? "" : item.refused.problem().name());
      if (item.refused != null) {
        out.writeUTF(item.refused.detail());
      }
      items++;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** From here on items are read, from the first on. */
  void rewind() {
    try {
      out.flush();
      file.position(0);
      in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(file)));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** The next item, or null after the last one. */
  Item next() {
    try {
      long line;
      try {
        line = in.readLong();
      } catch (EOFException e) {
        return null;
      }
      String text = in.readUTF();
      Guid guid = text.isEmpty() ? null : new Guid(text);
      String problem = in.readUTF();
      return new Item(
          line,
          guid,
          problem.isEmpty()
              ? null
              : Answer.Refused.of(Problem.valueOf(problem), guid, in.readUTF()));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static Failure failed(IOException e) {
    return new Failure(
        Exit.INTERNAL,
        "cannot keep notes in "
            + System.getProperty("java.io.tmpdir")
            + ": "
            + Failure.reason(e)
            + "; what was taken in stays; run the same batch again",
        e);
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
