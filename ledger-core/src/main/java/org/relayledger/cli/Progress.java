package org.relayledger.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;

/** How far a run has come, for who sits at the terminal; where there is none, nothing is said. */
interface Progress extends AutoCloseable {
  /** The most columns of a terminal that it fills. */
  int MAX_WIDTH = 78;

  /** Says nothing. */
  Progress NONE =
      new Progress() {
        @Override
        public void begin(long rows) {
          // Nobody looks.
        }

        @Override
        public void step(long rows) {
          // Nobody looks.
        }

        @Override
        public void close() {
          // Nothing is shown.
        }
      };

  /** From here on there are {@code rows} rows to do. */
  void begin(long rows);

  /** So many rows more are done. */
  void step(long rows);

  @Override
  void close();

  /** Shows the rows of {@code tool} on stderr, if that is a terminal. */
  static Progress on(Streams streams, String tool) {
    return isTerminal(streams) ? to(streams.err(), tool) : NONE;
  }

  /** Shows the rows of {@code tool} on {@code terminal}. */
  static Progress to(PrintStream terminal, String tool) {
    ProgressBar bar =
        new ProgressBarBuilder()
            .setTaskName(tool)
            .setInitialMax(-1)
            .setUnit(" rows", 1)
            .showSpeed()
            .clearDisplayOnFinish()
            .setConsumer(new ConsoleProgressBarConsumer(terminal, MAX_WIDTH))
            .build();
    return new Progress() {
      @Override
      public void begin(long rows) {
        bar.reset();
        bar.maxHint(rows);
      }

      @Override
      public void step(long rows) {
        bar.stepBy(rows);
      }

      @Override
      public void close() {
        bar.close();
      }
    };
  }

  private static boolean isTerminal(Streams streams) {
    if (!streams.real()) {
      return false;
    }
    try {
      String to = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
      return to.startsWith("/dev/pts/") || to.startsWith("/dev/tty") || to.equals("/dev/console");
    } catch (IOException e) {
      return false;
    }
  }
}
