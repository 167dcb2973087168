package org.slipstream.agent.fabric;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Closes what takes too long; its thread keeps no process alive. */
final class Watchdog implements Closeable {
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, task -> Thread.ofPlatform().daemon().name("slipstream-fabric-timer").unstarted(task));

  Watchdog() {
    timer.setRemoveOnCancelPolicy(true);
  }

  /** Cancel what it returns when the work has ended in time. */
  Future<?> closeAfter(long seconds, Closeable closeable) {
    return timer.schedule(() -> closeQuietly(closeable), seconds, TimeUnit.SECONDS);
  }

  static void closeQuietly(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException e) {
      return; // the kernel has closed the descriptor all the same
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
