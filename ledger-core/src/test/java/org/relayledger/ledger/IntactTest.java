package org.relayledger.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.relayledger.ledger.Samples.ACCOUNT;
import static org.relayledger.ledger.Samples.RELAY;
import static org.relayledger.ledger.Samples.request;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.relayledger.testing.SteppedClock;

/**
 * Files that are taken away, replaced or set back, while they are in use and while they are not.
 */
class IntactTest {
  @TempDir Path dir;
  private Path file;
  private Path old;

  /** A ledger of one row that is copied and goes on. */
  @BeforeEach
  void init() throws IOException {
    file = dir.resolve("ledger.db");
    Ledger.init(file.toString(), Samples.SETTINGS, new SteppedClock());
    try (Ledger ledger = open(file)) {
      relay(ledger, "a");
    }
    old = Files.copy(file, dir.resolve("old"));
    try (Ledger ledger = open(file)) {
      relay(ledger, "b");
    }
  }

  private static Ledger open(Path at) {
    return Ledger.open(at.toString(), new SteppedClock(), Steps.NONE);
  }

  private static void relay(Ledger ledger, String guid) {
    Taken.Won won = (Taken.Won) ledger.claim(request(guid), ACCOUNT, RELAY);
    won.claim().settle(Samples.done(guid), null, null);
    won.claim().close();
  }

  private Path log() {
    return Sqlite.beside(file, "-wal");
  }

  /** In place: the inode stays. */
  private static void overwrite(Path target, byte[] content) throws IOException {
    try (FileChannel channel = FileChannel.open(target, StandardOpenOption.WRITE)) {
      var unused = channel.write(ByteBuffer.wrap(content), 0);
    }
  }

  private enum Loss {
    LEDGER_REMOVED {
      @Override
      void inflict(IntactTest test) throws IOException {
        Files.delete(test.file);
      }
    },
    LEDGER_REPLACED_BY_ITS_COPY {
      @Override
      void inflict(IntactTest test) throws IOException {
        Path copy = Files.copy(test.file, test.dir.resolve("copy"));
        Files.move(copy, test.file, StandardCopyOption.REPLACE_EXISTING);
      }
    },
    LEDGER_REPLACED_BY_AN_OLDER_ONE {
      @Override
      void inflict(IntactTest test) throws IOException {
        Files.move(test.old, test.file, StandardCopyOption.REPLACE_EXISTING);
      }
    },
    LEDGER_OVERWRITTEN_BY_AN_OLDER_ONE {
      @Override
      void inflict(IntactTest test) throws IOException {
        overwrite(test.file, Files.readAllBytes(test.old));
      }
    },
    LOG_REMOVED {
      @Override
      void inflict(IntactTest test) throws IOException {
        Files.delete(test.log());
      }
    },
    LOG_REPLACED_BY_ITS_COPY {
      @Override
      void inflict(IntactTest test) throws IOException {
        Path copy = Files.copy(test.log(), test.dir.resolve("copy"));
        Files.move(copy, test.log(), StandardCopyOption.REPLACE_EXISTING);
      }
    };

    abstract void inflict(IntactTest test) throws IOException;
  }

  private static void assertHalted(ThrowingCallable move) {
    assertThatThrownBy(move)
        .isInstanceOfSatisfying(
            LedgerException.class, e -> assertThat(e.kind()).isEqualTo(LedgerException.Kind.HALTED))
        .hasMessageContainingAll("the ledger stopped", "bring back what");
  }

  @ParameterizedTest
  @EnumSource
  void whoeverWritesStopsBeforeTheNextMove(Loss loss) throws Exception {
    try (Ledger ledger = open(file)) {
      relay(ledger, "c");
      ledger.checkpoint();
      Claim begun = ((Taken.Won) ledger.claim(request("d"), ACCOUNT, RELAY)).claim();

      loss.inflict(this);

      assertHalted(() -> begun.settle(Samples.done("d"), null, null));
      assertThat(begun.stillMine()).isFalse();
      assertThatThrownBy(() -> ledger.claim(request("a"), ACCOUNT, RELAY))
          .isInstanceOf(LedgerException.class);
      assertThat(ledger.halted()).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatWasClaimedIsNotSentAfterwards(Loss loss) throws Exception {
    try (Ledger ledger = open(file)) {
      relay(ledger, "c");
      ledger.checkpoint();
      Claim begun = ((Taken.Won) ledger.claim(request("d"), ACCOUNT, RELAY)).claim();
      assertThat(begun.stillMine()).isTrue();

      loss.inflict(this);

      assertThat(begun.stillMine()).isFalse();
    }
  }

  /** What a kill at this moment would leave, with {@code main} as the main file. */
  private Path image(Path main) throws IOException {
    Path folder = Files.createTempDirectory(dir, "image");
    Files.copy(main, folder.resolve("ledger.db"));
    for (String end : new String[] {"-wal", ".claims"}) {
      Files.copy(Sqlite.beside(file, end), folder.resolve("ledger.db" + end));
    }
    return folder.resolve("ledger.db");
  }

  private static void assertForgotten(ThrowingCallable opening) {
    assertThatThrownBy(opening)
        .isInstanceOfSatisfying(
            LedgerException.class,
            e -> assertThat(e.kind()).isEqualTo(LedgerException.Kind.UNAVAILABLE))
        .hasMessageContainingAll("has forgotten the last", "main file", "restore --in-place");
  }

  @Test
  void anOlderMainFileBesideTheLogThatBeganAfterItIsRefused() throws Exception {
    Path whole;
    Path mixed;
    try (Ledger ledger = open(file)) {
      relay(ledger, "c");
      ledger.checkpoint();
      relay(ledger, "d"); // which begins the log anew
      whole = image(file);
      mixed = image(old);
    }

    assertForgotten(() -> open(mixed));
    assertForgotten(() -> LedgerView.open(mixed.toString()));
    try (LedgerView view = LedgerView.open(whole.toString())) {
      assertThat(view.find(new Guid("d"), false)).isPresent();
    }
    try (Ledger ledger = open(whole)) {
      for (String guid : new String[] {"a", "b", "c", "d"}) {
        assertThat(ledger.claim(request(guid), ACCOUNT, RELAY)).isInstanceOf(Taken.Standing.class);
      }
    }
  }

  @Test
  void aMainFileThatItsLogHasAllTheRestOfIsWhole() throws Exception {
    Path image;
    try (Ledger ledger = open(file)) {
      Path before = Files.copy(file, dir.resolve("before"));
      relay(ledger, "c");
      image = image(before);
    }
    try (Ledger ledger = open(image)) {
      assertThat(ledger.claim(request("c"), ACCOUNT, RELAY)).isInstanceOf(Taken.Standing.class);
    }
  }
}
