package org.slipstream.provider.async;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The clock of all groups: one daemon thread, started when first needed, parked when idle. */
final class Timer {
  private static final class Holder {
    static final ScheduledThreadPoolExecutor EXECUTOR = create();
  }

  private Timer() {}

  private static ScheduledThreadPoolExecutor create() {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = Pool.daemon(task);
              thread.setName("slipstream-async-timer");
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    return executor;
  }

  /** Runs a short task later. */
  static Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return Holder.EXECUTOR.schedule(task, delay, unit);
  }

  /** Runs a short task later, whatever happens. */
  static void later(Runnable task, long millis) {
    Future<?> _ = schedule(task, millis, TimeUnit.MILLISECONDS);
  }
}
