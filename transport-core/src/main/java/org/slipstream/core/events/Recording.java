package org.slipstream.core.events;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.FlightRecorder;

/** Whether it is worth to make events. Loads nothing of the recorder but its front door. */
public final class Recording {
  private static final boolean AVAILABLE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
  private static final AtomicBoolean LOADING = new AtomicBoolean();
  private static final CountDownLatch LOADED = new CountDownLatch(1);

  /** Written by the loader thread once, after {@link FlightEvents} is ready for use. */
  private static volatile boolean loaded;

  private Recording() {}

  /**
   * Whether a recording may be under way. Does not start the recorder. The first caller in a
   * process that records waits until the events are loaded.
   *
   * @return false in a process that never had a recording
   */
  public static boolean isOn() {
    return AVAILABLE && FlightRecorder.isInitialized() && (loaded || awaitLoad());
  }

  /**
   * Lets a platform thread load the events. A virtual thread that waited for the initialization of
   * a class would keep its carrier for as long (JEP 491); this one gives it back.
   */
  private static boolean awaitLoad() {
    if (LOADING.compareAndSet(false, true)) {
      try {
        Thread.ofPlatform().daemon().name("slipstream-events").start(Recording::load);
      } catch (OutOfMemoryError e) { // the system has no more threads: the next event tries again
        LOADING.set(false);
        return false;
      }
    }
    boolean interrupted = false;
    while (true) {
      try {
        LOADED.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return loaded;
  }

  private static void load() {
    try {
      FlightEvents.load();
      loaded = true;
    } finally {
      LOADED.countDown();
    }
  }
}
