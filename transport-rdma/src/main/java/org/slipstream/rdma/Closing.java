package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slipstream.transport.LazyLogger;

/**
 * What was made, in order to be closed in the reverse order: by its maker, or at once if making the
 * rest fails. One thread.
 */
final class Closing {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  private final Deque<Step> steps = new ArrayDeque<>();

  /** Closes one thing. */
  @FunctionalInterface
  interface Step {
    void close() throws IOException;
  }

  /** Something was made; it is closed before everything that was made earlier. */
  void add(Step step) {
    steps.push(step);
  }

  /** Closes everything once. A failure is logged, and what was made before it is closed too. */
  void close() {
    Step step;
    while ((step = steps.poll()) != null) {
      try {
        step.close();
      } catch (IOException | RuntimeException | Error e) {
        LOG.log(Level.DEBUG, "Closing", e);
      }
    }
  }

  /** What callers hear of a failure, whatever it was: they know what to do about these. */
  static IOException asIOException(Throwable failure) {
    if (failure instanceof IOException e) {
      return e;
    }
    String why = failure instanceof OutOfMemoryError ? "no memory: " : "";
    return new IOException(why + failure.getMessage(), failure);
  }
}
