package org.relayledger.ledger;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/**
 * One lockable byte a GUID, in the claims file beside the ledger: who holds it is alive. The kernel
 * frees it when the process is gone, and not before, whatever the process is doing (fcntl(2),
 * advisory record locks).
 *
 * <p>Closing any descriptor of a file drops all locks that the process has on it. So a JVM opens a
 * claims file once and never closes it, and what an interrupt would close it by is done by a thread
 * of its own. Trying for a lock and releasing it is not: neither blocks (java.nio.channels
 * .InterruptibleChannel speaks of blocking operations only).
 */
final class ClaimBytes {
  private static final Set<String> KNOWN_FILE_SYSTEMS =
      Set.of("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "overlay", "tmpfs");
  private static final String HEADER = "relay-ledger claims 1 ";
  private static final int MAX_CONTENT = 256;

  /** How many transactions the ledger has committed, at least: behind the content, 8 bytes. */
  static final int HIGH_WATER = MAX_CONTENT;

  /** How many of them are in the main file by themselves: behind that, 8 bytes. */
  private static final int CHECKPOINTED = Long.BYTES;

  private static final int COUNTERS = 2 * Long.BYTES;
  private static final int SIZE = HIGH_WATER + COUNTERS;

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Shared by all who have the file open to send; whoever has it alone may replace the ledger. */
  private static final long PRESENCE = Long.MAX_VALUE - 1;

  /** Where the offsets of the run locks begin: above those of the GUIDs. */
  private static final long RUN_LOCKS = 1L << 62;

  private static final Map<Object, ClaimBytes> OPEN = new HashMap<>();
  private static final ExecutorService KEEPER =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "claim-bytes");
            thread.setDaemon(true);
            return thread;
          });

  private final Path path;
  private final Object fileKey;
  private final FileChannel channel;
  private final Map<Long, FileLock> held = new HashMap<>();
  private int users;
  private FileLock presence;
  private MappedByteBuffer counters;

  private ClaimBytes(Path path, Object fileKey, FileChannel channel) {
    this.path = path;
    this.fileKey = fileKey;
    this.channel = channel;
  }

  static Path fileOf(Path ledger) {
    return Sqlite.beside(ledger, ".claims");
  }

  /** Creates the claims file of a ledger to be; whoever comes second is refused. */
  static void create(Path ledger, String ledgerId) {
    Path file = fileOf(ledger);
    checkFileSystem(file.getParent());
    try (FileChannel out =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            Sqlite.OWNER_ONLY)) {
      try {
        // With all its bytes: a hole would have to be filled when the disk is full.
        byte[] content = Arrays.copyOf((HEADER + ledgerId + "\n").getBytes(US_ASCII), SIZE);
        out.write(ByteBuffer.wrap(content));
        out.force(true);
      } catch (IOException e) {
        Files.deleteIfExists(file);
        throw e;
      }
    } catch (FileAlreadyExistsException e) {
      throw Sqlite.unavailable(file + " is there already; nothing was created", e);
    } catch (IOException e) {
      throw Sqlite.unavailable("cannot create " + file + ": " + Sqlite.reason(e), e);
    }
  }

  /** Makes a new name in {@code file}'s directory durable. */
  static void syncDirectory(Path file) throws IOException {
    try (FileChannel directory = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /** The bytes of {@code ledger}, whose id is {@code ledgerId}. */
  static ClaimBytes open(Path ledger, String ledgerId) {
    Path file = fileOf(ledger);
    checkFileSystem(ledger);
    ClaimBytes bytes = onKeeper(() -> openOnce(file));
    bytes.enter();
    if (!bytes.isOf(ledgerId)) {
      bytes.leave();
      throw Sqlite.unavailable(
          file
              + " belongs to another ledger; bring back the ledger's own, or see 'relay restore"
              + " --in-place'",
          null);
    }
    return bytes;
  }

  /**
   * The bytes of the file beside {@code ledger}, whatever ledger it belongs to, if there is one.
   */
  static Optional<ClaimBytes> beside(Path ledger) {
    Path file = fileOf(ledger);
    return Files.exists(file) ? Optional.of(onKeeper(() -> openOnce(file))) : Optional.empty();
  }

  /** Whether the file belongs to the ledger of that id; while a ledger is replaced it has two. */
  boolean isOf(String ledgerId) {
    String line = onKeeper(this::content);
    return line.startsWith(HEADER)
        && line.indexOf('\n') == line.length() - 1
        && List.of(line.substring(HEADER.length()).strip().split(" ", -1)).contains(ledgerId);
  }

  /** From now on it belongs to the ledgers of these ids, durably when this returns. */
  void belongTo(String... ledgerIds) {
    String ids = HEADER + String.join(" ", ledgerIds);
    onKeeper(
        () -> {
          // Padded, so that one write is all: a kill leaves the line before or this one.
          String blanks = " ".repeat(Math.max(0, content().length() - 1 - ids.length()));
          channel.write(ByteBuffer.wrap((ids + blanks + "\n").getBytes(US_ASCII)), 0);
          channel.force(true);
          return null;
        });
  }

  /** How many transactions of the ledger are known to be durable. */
  long highWater() {
    return counter(0);
  }

  /** How many transactions the main file of the ledger has in it without its write-ahead log. */
  long checkpointed() {
    return counter(CHECKPOINTED);
  }

  private long counter(int at) {
    try {
      return (long) LONG.getVolatile(mapped(), at);
    } catch (InternalError e) {
      // What the JVM makes of a page that is no longer in the file.
      throw Sqlite.unavailable(path + " was cut short while this program ran", e);
    }
  }

  /**
   * So many transactions are durable. Seen by all processes at once, and kept when this one is
   * killed; a host that loses its power may lose it.
   */
  void raise(long transactions) {
    raise(0, transactions);
  }

  /** So many transactions are durable in the main file, without its write-ahead log. */
  void raiseCheckpointed(long transactions) {
    raise(CHECKPOINTED, transactions);
  }

  private void raise(int at, long transactions) {
    MappedByteBuffer buffer = mapped();
    long before = counter(at);
    while (before < transactions && !LONG.compareAndSet(buffer, at, before, transactions)) {
      before = counter(at);
    }
  }

  private synchronized MappedByteBuffer mapped() {
    if (counters == null) {
      // Memory, and no write: the writer thread needs not to touch the channel.
      counters = onKeeper(() -> channel.map(FileChannel.MapMode.READ_WRITE, HIGH_WATER, COUNTERS));
    }
    return counters;
  }

  /** One more has the ledger open to send. */
  private void enter() {
    onKeeper(
        () -> {
          if (presence == null) {
            presence = channel.tryLock(PRESENCE, 1, true);
          }
          if (presence == null || !presence.isShared()) {
            throw new LedgerException(
                LedgerException.Kind.RUNNING,
                "the ledger is being restored, "
                    + holder(PRESENCE, ":" + inode())
                    + "; try again when that is done");
          }
          users++;
          return null;
        });
  }

  /** One has it open no more. */
  void leave() {
    onKeeper(
        () -> {
          users--;
          if (users == 0) {
            presence.release();
            presence = null;
          }
          return null;
        });
  }

  /**
   * Makes the caller the only one who has the ledger open to send, until {@link #share}.
   *
   * @throws LedgerException of kind RUNNING, naming another one
   */
  void keepAlone() {
    onKeeper(
        () -> {
          if (presence != null) {
            throw inUse("pid " + ProcessHandle.current().pid());
          }
          presence = channel.tryLock(PRESENCE, 1, false);
          if (presence == null) {
            throw inUse(holder(PRESENCE, ":" + inode()));
          }
          return null;
        });
  }

  private static LedgerException inUse(String by) {
    return new LedgerException(
        LedgerException.Kind.RUNNING,
        "the ledger is in use, " + by + "; stop that first; nothing was replaced");
  }

  /**
   * Refuses if another process has {@code ledger} open: who only reads holds no byte, but would
   * read an old ledger and a new one together.
   */
  static void refuseIfOpen(Path ledger) {
    List<Path> files = List.of(ledger, Sqlite.beside(ledger, "-wal"));
    for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
      if (process.pid() != ProcessHandle.current().pid() && hasOpen(process.pid(), files)) {
        throw inUse(
            "pid "
                + process.pid()
                + process.info().startInstant().map(start -> ", started " + start).orElse(""));
      }
    }
  }

  private static boolean hasOpen(long pid, List<Path> files) {
    try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
      return open.anyMatch(fd -> files.contains(target(fd)));
    } catch (IOException e) {
      return false; // gone, or somebody else's, who could not open a file of mode 0600
    }
  }

  private static Path target(Path link) {
    try {
      return Files.readSymbolicLink(link);
    } catch (IOException e) {
      return link;
    }
  }

  private Object inode() {
    try {
      return Files.getAttribute(path, "unix:ino");
    } catch (IOException e) {
      return "?";
    }
  }

  /** Others may open it again. */
  void share() {
    onKeeper(
        () -> {
          presence.release();
          presence = null;
          return null;
        });
  }

  private static ClaimBytes openOnce(Path file) {
    try {
      Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
      ClaimBytes bytes = OPEN.get(key);
      if (bytes == null) {
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        bytes = new ClaimBytes(file, key, channel);
        OPEN.put(key, bytes);
      }
      return bytes;
    } catch (IOException e) {
      throw Sqlite.unavailable(
          "the claims file "
              + file
              + " is missing or cannot be opened; without it nobody knows who is alive",
          e);
    }
  }

  private String content() throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(MAX_CONTENT);
    int read = channel.read(buffer, 0);
    return new String(buffer.array(), 0, Math.max(read, 0), US_ASCII).replaceFirst("\0+$", "");
  }

  private static void checkFileSystem(Path path) {
    String type;
    try {
      type = Files.getFileStore(path).type();
    } catch (IOException e) {
      throw Sqlite.unavailable("cannot tell the file system of " + path, e);
    }
    if (!KNOWN_FILE_SYSTEMS.contains(type)) {
      throw Sqlite.unavailable(
          path + " is on " + type + ", whose locks are not known to hold; use a local disk", null);
    }
  }

  /**
   * Whether the name still leads to the file that the bytes are in: if not, somebody else may be
   * locking another one.
   */
  boolean inPlace() {
    try {
      return fileKey.equals(Files.readAttributes(path, BasicFileAttributes.class).fileKey());
    } catch (IOException e) {
      return false;
    }
  }

  /** Locks the byte of {@code guid}; false if somebody holds it, in this process or another. */
  boolean take(Guid guid) {
    return take(offset(guid));
  }

  private boolean take(long at) {
    synchronized (held) {
      if (held.containsKey(at)) {
        return false;
      }
      try {
        FileLock lock = channel.tryLock(at, 1, false);
        if (lock == null) {
          return false;
        }
        held.put(at, lock);
        return true;
      } catch (OverlappingFileLockException e) {
        return false;
      } catch (IOException e) {
        throw unusable(e);
      }
    }
  }

  /** Frees the byte of {@code guid}, which this process holds. */
  void free(Guid guid) {
    free(offset(guid));
  }

  /**
   * Locks the byte of the runs of {@code role}, above those of the GUIDs.
   *
   * @throws LedgerException of kind RUNNING if another run holds it
   */
  void takeRunLock(Actor.Role role) {
    long at = offset(role);
    if (!take(at)) {
      throw new LedgerException(
          LedgerException.Kind.RUNNING,
          "another " + role.word() + " run is at work, " + holder(at, "") + "; nothing was done");
    }
  }

  void freeRunLock(Actor.Role role) {
    free(offset(role));
  }

  /** Who holds the byte at {@code at} of a file whose number ends so, as far as proc(5) tells. */
  private static String holder(long at, String file) {
    String unseen = "by a process that cannot be seen from here";
    try {
      for (String line : Files.readAllLines(Path.of("/proc/locks"))) {
        String[] part = line.strip().split(" +", -1); // 1: POSIX ADVISORY WRITE pid file from to
        if (part.length == 8
            && part[1].equals("POSIX")
            && part[5].endsWith(file)
            && part[6].equals(Long.toString(at))) {
          long pid = Long.parseLong(part[4]);
          return ProcessHandle.of(pid)
              .flatMap(process -> process.info().startInstant())
              .map(start -> "pid " + pid + ", started " + start)
              .orElse(pid > 0 ? "pid " + pid : unseen);
        }
      }
    } catch (IOException | NumberFormatException e) {
      // It is there all the same.
    }
    return unseen;
  }

  private void free(long at) {
    synchronized (held) {
      try {
        held.remove(at).release();
      } catch (IOException e) {
        throw unusable(e);
      }
    }
  }

  private static LedgerException unusable(IOException e) {
    return Sqlite.unavailable("the claims file cannot be used: " + Sqlite.reason(e), e);
  }

  private static <T> T onKeeper(Callable<T> task) {
    CompletableFuture<T> done = new CompletableFuture<>();
    KEEPER.execute(
        () -> {
          try {
            done.complete(task.call());
          } catch (IOException e) {
            done.completeExceptionally(unusable(e));
          } catch (Exception | Error e) {
            done.completeExceptionally(e);
          }
        });
    try {
      return done.join(); // not interruptible: an interrupt must never reach the channel
    } catch (CompletionException e) {
      if (e.getCause() instanceof LedgerException known) {
        throw known;
      }
      throw e;
    }
  }

  private static long offset(Guid guid) {
    return hash(guid.folded());
  }

  private long offset(Actor.Role role) {
    // With the file's own content: in the kernel's list of locks the offset tells it from others.
    return RUN_LOCKS + hash(onKeeper(this::content) + role.word());
  }

  /** 62 bits of the SHA-256 of {@code text}. */
  private static long hash(String text) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(US_ASCII));
      return ByteBuffer.wrap(hash).getLong() >>> 2;
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
