package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One line on the standard error that says what is going on. On a terminal it is written over again
 * and again; elsewhere each size is one line.
 */
final class Progress {
  private static final String ERASE = "\r\u001b[K";

  private final PrintStream out;
  private final boolean terminal;
  private final Plan plan;
  private final long start = System.nanoTime();

  /** Creates the line for that plan; {@code terminal} says whether the line may be overwritten. */
  Progress(PrintStream out, boolean terminal, Plan plan) {
    this.out = out;
    this.terminal = terminal;
    this.plan = plan;
  }

  /** Returns whether the standard error of this process is a terminal. */
  static boolean onTerminal() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException unknown) {
      return false;
    }
  }

  void show(String what) {
    String line = "%s: %s".formatted(plan.exercise().label(), what);
    if (terminal) {
      out.print(ERASE + line);
    } else {
      out.println(line);
    }
    out.flush();
  }

  void round(int size, int round) {
    if (!terminal && round > 0) {
      return;
    }
    long seconds = (System.nanoTime() - start) / 1_000_000_000L;
    show(
        "%s, size %d of %d, round %d of %d, %d s so far"
            .formatted(
                Figures.size(size),
                plan.sizes().indexOf(size) + 1,
                plan.sizes().size(),
                round + 1,
                plan.rounds(),
                seconds));
  }

  void clear() {
    if (terminal) {
      out.print(ERASE);
      out.flush();
    }
  }
}
