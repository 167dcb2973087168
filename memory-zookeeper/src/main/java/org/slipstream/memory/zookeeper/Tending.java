package org.slipstream.memory.zookeeper;

import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;

/**
 * What is to become true of nodes some day, however long ZooKeeper is away: those that are to be
 * removed, those that are to be there in every session, and those whose end is waited for. One
 * thread looks after all of them: when the connection is there again, when ZooKeeper reports an
 * end, and every second while something could not be done.
 */
final class Tending {
  private static final long AGAIN_MS = 1_000;

  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");

  private static final int CLOSE_MS = 3_000;

  /** Makes a node, with the access rights that the client gives to all of its nodes. */
  interface Maker {
    /** Makes it; fails if there is one. */
    void make(String path, byte[] text) throws Exception;
  }

  /**
   * A node that is to go, if it is this process's.
   *
   * @param text only if it says that; null: whatever it says
   */
  private record Removal(String path, @Nullable String text) {}

  private final Callable<ZooKeeper> session;
  private final Maker maker;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("slipstream-memory-directory").factory());
  private final Watcher watcher = this::event;

  // Guarded by this.
  private final Set<Removal> removing = new HashSet<>();
  private final Map<String, byte[]> kept = new HashMap<>();
  private final Map<String, List<Runnable>> awaited = new HashMap<>();
  private boolean again;

  /**
   * Begins with nothing.
   *
   * @param session of the moment; fails without one
   */
  Tending(Callable<ZooKeeper> session, Maker maker) {
    this.session = session;
    this.maker = maker;
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  synchronized void remove(String path, @Nullable String text) {
    Removal removal = new Removal(path, text);
    removing.add(removal);
    execute(() -> tendRemoval(removal));
  }

  synchronized void keep(String path, byte[] text) {
    kept.put(path, text);
    execute(() -> tendKept(path));
  }

  synchronized void keepNoMore(String path) {
    kept.remove(path);
  }

  synchronized void whenGone(String path, Runnable gone) {
    awaited.computeIfAbsent(path, p -> new ArrayList<>()).add(gone);
    execute(() -> tendAwaited(path));
  }

  /** A connection is there again, perhaps with a new session, which watches nothing. */
  void connected() {
    execute(this::all);
  }

  private void event(WatchedEvent event) {
    String path = event.getPath();
    if (path != null && event.getType() != Watcher.Event.EventType.None) {
      execute(() -> {
        tendKept(path);
        tendAwaited(path);
      });
    }
  }

  private void execute(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The directory is closed", e);
    }
  }

  /** Looks at all that was asked for once more, if ZooKeeper answers at once. */
  void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_MS, TimeUnit.MILLISECONDS)) {
        List<Runnable> _ = thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      List<Runnable> _ = thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  // -- the thread ------------------------------------------------------------------------------

  private void all() {
    List<Removal> toRemove;
    List<String> toKeep;
    List<String> toAwait;
    synchronized (this) {
      again = false;
      toRemove = List.copyOf(removing);
      toKeep = List.copyOf(kept.keySet());
      toAwait = List.copyOf(awaited.keySet());
    }
    toRemove.forEach(this::tendRemoval);
    toKeep.forEach(this::tendKept);
    toAwait.forEach(this::tendAwaited);
  }

  /** Does something with a node, or later if that is not possible now. */
  private interface Work {
    void run(ZooKeeper now) throws Exception;
  }

  private void attempt(Work work) {
    try {
      work.run(session.call());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    } catch (Exception e) {
      LOG.log(Level.DEBUG, "ZooKeeper is asked again in a moment", e);
      later();
    }
  }

  private synchronized void later() {
    if (!again && !thread.isShutdown()) {
      again = true;
      try {
        var _ = thread.schedule(this::all, AGAIN_MS, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        again = false; // closed meanwhile
      }
    }
  }

  private void tendRemoval(Removal removal) {
    synchronized (this) {
      if (!removing.contains(removal)) {
        return;
      }
    }
    attempt(now -> {
      try {
        Stat stat = new Stat();
        String said = new String(now.getData(removal.path, false, stat), StandardCharsets.UTF_8);
        if (stat.getEphemeralOwner() == now.getSessionId()
            && (removal.text == null || removal.text.equals(said))) {
          now.delete(removal.path, stat.getVersion());
        }
      } catch (KeeperException.NoNodeException e) {
        LOG.log(Level.TRACE, "It is gone already", e);
      }
      synchronized (this) {
        removing.remove(removal);
      }
    });
  }

  private void tendKept(String path) {
    byte[] text;
    synchronized (this) {
      text = kept.get(path);
    }
    if (text == null) {
      return;
    }
    attempt(now -> {
      Stat stat = now.exists(path, watcher);
      if (stat == null) {
        maker.make(path, text);
        stat = now.exists(path, watcher);
      }
      if (stat == null || stat.getEphemeralOwner() != now.getSessionId()) {
        later(); // of our last session, which ZooKeeper has yet to end
      }
    });
  }

  private void tendAwaited(String path) {
    synchronized (this) {
      if (!awaited.containsKey(path)) {
        return;
      }
    }
    attempt(now -> {
      // Of a server that is behind, one could hear that there is none yet.
      now.sync(path, (code, synced, context) -> {}, null);
      if (now.exists(path, watcher) == null) {
        List<Runnable> told;
        synchronized (this) {
          told = awaited.remove(path);
        }
        if (told != null) {
          told.forEach(Runnable::run);
        }
      }
    });
  }
}
