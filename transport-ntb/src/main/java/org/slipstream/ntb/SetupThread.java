package org.slipstream.ntb;

import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One daemon thread for what a driver may take milliseconds for: connecting and mapping. Gone when
 * it has had nothing to do for a while.
 */
final class SetupThread {
  private static final long PATIENCE_NS = 2_000_000_000L;
  private static final long PAUSE_MS = 1;
  private static final long IDLE_MS = 500;

  private final ThreadPoolExecutor executor;

  SetupThread() {
    executor =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_MS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> Thread.ofPlatform().daemon().name("slipstream-ntb-setup").unstarted(task));
    executor.allowCoreThreadTimeOut(true);
  }

  void execute(Runnable task) {
    executor.execute(task);
  }

  /**
   * Connects to a segment that must be there, or soon will be; with a deadline.
   *
   * @throws IOException it did not come
   */
  Imported connect(Fabric fabric, int node, int segmentId, boolean bulk) throws IOException {
    long deadline = System.nanoTime() + PATIENCE_NS;
    for (; ; ) {
      @Nullable Imported found = fabric.connect(node, segmentId, bulk);
      if (found != null) {
        return found;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "segment 0x" + Integer.toHexString(segmentId) + " of node " + node + " is not there");
      }
      try {
        Thread.sleep(PAUSE_MS);
      } catch (InterruptedException e) {
        throw new IOException("interrupted", e);
      }
    }
  }
}
