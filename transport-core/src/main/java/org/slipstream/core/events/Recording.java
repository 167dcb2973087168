package org.slipstream.core.events;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;

/** Whether it is worth to make events. Loads nothing of the recorder but its front door. */
public final class Recording {
  private static final boolean AVAILABLE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
  private static final AtomicBoolean LOADING = new AtomicBoolean();
  private static final CountDownLatch LOADED = new CountDownLatch(1);

  /** Written by the loader thread once, after {@link FlightEvents} is ready for use. */
  private static volatile boolean loaded;

  /** What says which sessions are open, as long as others know it too. */
  private static final Map<Supplier<List<Map<String, Object>>>, Boolean> SESSIONS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private Recording() {}

  /**
   * Open sessions are recorded every few seconds.
   *
   * @param source members of each; any thread; forgotten when the caller has forgotten it
   */
  public static void addSessions(Supplier<List<Map<String, Object>>> source) {
    SESSIONS.put(source, true);
  }

  /** The members of all open sessions. */
  static List<Map<String, Object>> sessions() {
    List<Supplier<List<Map<String, Object>>>> sources;
    synchronized (SESSIONS) {
      sources = List.copyOf(SESSIONS.keySet());
    }
    return sources.stream().flatMap(source -> source.get().stream()).toList();
  }

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
      Thread.ofPlatform().daemon().name("slipstream-events").start(Recording::load);
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
