package org.slipstream.core.events;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;

/** Which sessions are open, for the recorder, which asks every few seconds. Any thread. */
public final class RecordedSessions {
  /** Of each core of the process, as long as others know it too. */
  private static final Map<Supplier<List<Map<String, Object>>>, Boolean> SOURCES =
      Collections.synchronizedMap(new WeakHashMap<>());

  private RecordedSessions() {}

  /**
   * Open sessions are recorded from now on, while there is a recording.
   *
   * @param source members of each; any thread; forgotten when the caller has forgotten it
   */
  public static void add(Supplier<List<Map<String, Object>>> source) {
    SOURCES.put(source, true);
  }

  /** The members of all open sessions. */
  static List<Map<String, Object>> all() {
    List<Supplier<List<Map<String, Object>>>> sources;
    synchronized (SOURCES) {
      sources = List.copyOf(SOURCES.keySet());
    }
    return sources.stream().flatMap(source -> source.get().stream()).toList();
  }
}
