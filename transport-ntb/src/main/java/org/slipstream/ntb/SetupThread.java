package org.slipstream.ntb;

import java.io.IOException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryShortage;

/**
 * One daemon thread for what a driver may take milliseconds for: connecting and mapping. Gone when
 * it has had nothing to do for a while. A segment that is not there yet is waited for between two
 * looks of its own, and other tasks run meanwhile: a peer that has died, or a message that was
 * replayed, holds up no other.
 */
final class SetupThread {
  private static final long GRACE_NS = 2_000_000_000L;
  private static final long SHORTEST_PAUSE_NS = 1_000_000;

  /** Looks at a segment that does not come get rarer: each may take the driver a millisecond. */
  private static final long LONGEST_PAUSE_NS = 50_000_000;

  private static final long IDLE_MS = 500;

  private final ScheduledThreadPoolExecutor executor;

  SetupThread() {
    executor =
        new ScheduledThreadPoolExecutor(
            1, task -> Thread.ofPlatform().daemon().name("slipstream-ntb-setup").unstarted(task));
    executor.setKeepAliveTime(IDLE_MS, TimeUnit.MILLISECONDS);
    executor.allowCoreThreadTimeOut(true);
  }

  /** Runs a task on the thread, soon. Any thread; never blocks. */
  void execute(Runnable task) {
    executor.execute(task);
  }

  /**
   * As {@link #execute}; without memory the task is run again from its beginning, for as long as
   * that takes: streams wait for what it says.
   */
  void executeWhole(Runnable task) {
    execute(() -> {
      while (true) {
        try {
          task.run();
          return;
        } catch (OutOfMemoryError e) {
          MemoryShortage.rest();
        }
      }
    });
  }

  /** What follows when a segment is connected. */
  @FunctionalInterface
  interface Connected {
    /** Goes on, on the set-up thread. */
    void with(Imported segment) throws IOException;
  }

  /**
   * Connects to a segment that must be there, or soon will be; with a deadline. Any thread.
   *
   * @param then what follows, on the set-up thread
   * @param failed told there if the segment did not come, or what follows failed
   */
  void connect(
      Fabric fabric,
      int node,
      int segmentId,
      boolean bulk,
      Connected then,
      Consumer<IOException> failed) {
    long deadline = System.nanoTime() + GRACE_NS;
    execute(
        () -> attempt(fabric, node, segmentId, bulk, then, failed, deadline, SHORTEST_PAUSE_NS));
  }

  /** The session waits for one of the two outcomes, and does nothing else meanwhile. */
  private static void fail(Consumer<IOException> failed, String why, Throwable cause) {
    for (int attempt = 1; ; attempt++) {
      try {
        failed.accept(new IOException(why + cause.getMessage(), cause));
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private void attempt(
      Fabric fabric,
      int node,
      int segmentId,
      boolean bulk,
      Connected then,
      Consumer<IOException> failed,
      long deadline,
      long pause) {
    try {
      @Nullable Imported found = fabric.connect(node, segmentId, bulk);
      if (found != null) {
        then.with(found);
      } else if (System.nanoTime() - deadline < 0) {
        long next = Math.min(2 * pause, LONGEST_PAUSE_NS);
        var _ =
            executor.schedule(
                () -> attempt(fabric, node, segmentId, bulk, then, failed, deadline, next),
                pause,
                TimeUnit.NANOSECONDS);
      } else {
        throw new IOException(
            "segment 0x" + Integer.toHexString(segmentId) + " of node " + node + " is not there");
      }
    } catch (IOException e) {
      fail(failed, "", e);
    } catch (OutOfMemoryError | LinkageError e) {
      fail(failed, "no memory to connect a segment: ", e);
    }
  }
}
