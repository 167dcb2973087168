package org.slipstream.core.stream;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.slipstream.core.wait.Spinner;

/**
 * The first write of a stream in a test that wants the ring from the first byte on: it waits a
 * moment for the link and for the peer's MARK. Most tests end before an ordinary stream has
 * switched, so without this they would show the plain path only.
 */
final class FirstWrite {
  private static final long POLL_NS = 50_000;

  private FirstWrite() {}

  /**
   * Waits under the write lock, as a writer does that the kernel keeps.
   *
   * @param stream plain still
   * @param maySwitch whether the direction may begin its epoch in the ring now
   * @param graceNanos at most
   */
  static void await(StreamContext stream, Spinner.Condition maySwitch, long graceNanos)
      throws IOException {
    long deadline = System.nanoTime() + graceNanos;
    while (mayBeJoined(stream)
        && !stream.scope.isInterrupted()
        && !maySwitch.met()
        && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(POLL_NS);
      stream.state.checkOutputWhileBlocked();
    }
  }

  /** False if it is known that no ring will come. */
  private static boolean mayBeJoined(StreamContext stream) {
    return switch (stream.slot.reason()) {
      case NOT_YET_ELIGIBLE, OFFERED, NONE -> true;
      default -> false;
    };
  }
}
