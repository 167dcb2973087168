package org.slipstream.memory.zookeeper;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The paths that one thread is to look at next. A path that there is no memory to note comes to a
 * look at all of them, so no call of another thread fails. Safe for any thread.
 */
final class DuePaths {
  private static final long LATER_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * What to look at.
   *
   * @param all every path that there is; {@code paths} is empty then
   * @param paths in the order in which they came
   */
  record Due(boolean all, List<String> paths) {}

  private static final Due ALL = new Due(true, List.of());

  // Guarded by this.
  private final Set<String> paths = new LinkedHashSet<>();
  private boolean all;

  /** Whether all are due at {@link #laterAt}, on the clock of nanoTime. */
  private boolean later;

  private long laterAt;
  private boolean closed;

  synchronized void add(String path) {
    try {
      paths.add(path);
    } catch (OutOfMemoryError e) {
      all = true;
    }
    notifyAll();
  }

  synchronized void addAll() {
    all = true;
    notifyAll();
  }

  /** In a second, unless they are due earlier than that already. */
  synchronized void addAllLater() {
    if (!later) {
      later = true;
      laterAt = System.nanoTime() + LATER_NS;
      notifyAll();
    }
  }

  /** What is due by now is looked at, and then no more. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /**
   * Waits until a path is due.
   *
   * @return null: it is closed, and none is
   * @throws OutOfMemoryError there is no memory to say which; they are due still
   */
  synchronized @Nullable Due await() throws InterruptedException {
    while (true) {
      long left = later ? laterAt - System.nanoTime() : Long.MAX_VALUE;
      if (all || left <= 0) {
        all = false;
        later = false;
        paths.clear();
        return ALL;
      }
      if (!paths.isEmpty()) {
        Due due = new Due(false, List.copyOf(paths));
        paths.clear(); // behind what may want memory
        return due;
      }
      if (closed) {
        return null;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }
}
