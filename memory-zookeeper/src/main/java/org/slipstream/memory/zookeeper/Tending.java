package org.slipstream.memory.zookeeper;

import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryShortage;

/**
 * What is to become true of nodes some day, however long ZooKeeper is away: those that are to be
 * removed, those that are to be there in every session, and those whose end is waited for. One
 * thread looks after all of them: when the connection is there again, when ZooKeeper reports an
 * end, and every second while something could not be done, for want of memory for example. So
 * nothing leaves the maps before it is done.
 */
final class Tending {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");

  private static final Duration CLOSE = Duration.ofSeconds(3);

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
  private final DuePaths due = new DuePaths();
  private final Watcher watcher = this::event;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("slipstream-memory-directory").unstarted(this::run);

  // Guarded by this.
  private final Map<String, Set<Removal>> removing = new HashMap<>();
  private final Map<String, byte[]> kept = new HashMap<>();
  private final Map<String, List<Runnable>> awaited = new HashMap<>();

  /**
   * Begins with nothing.
   *
   * @param session of the moment; fails without one
   */
  Tending(Callable<ZooKeeper> session, Maker maker) {
    this.session = session;
    this.maker = maker;
  }

  /** Starts the thread. */
  void start() {
    MemoryShortage.prepare();
    thread.start();
  }

  /** It is kept no more, either. */
  void remove(String path, @Nullable String text) {
    synchronized (this) {
      removing.computeIfAbsent(path, p -> new HashSet<>()).add(new Removal(path, text));
      byte[] said = kept.get(path);
      if (said != null && (text == null || text.equals(new String(said, StandardCharsets.UTF_8)))) {
        kept.remove(path);
      }
    }
    due.add(path);
  }

  void keep(String path, byte[] text) {
    synchronized (this) {
      kept.put(path, text);
    }
    due.add(path);
  }

  void whenGone(String path, Runnable gone) {
    synchronized (this) {
      awaited.computeIfAbsent(path, p -> new ArrayList<>()).add(gone);
    }
    due.add(path);
  }

  /** A connection is there again, perhaps with a new session, which watches nothing. */
  void connected() {
    due.addAll();
  }

  private void event(WatchedEvent event) {
    String path = event.getPath();
    if (path != null && event.getType() != Watcher.Event.EventType.None) {
      due.add(path);
    }
  }

  /** Looks at what was asked for last, if ZooKeeper answers at once. */
  void close() {
    due.close();
    try {
      if (!thread.join(CLOSE)) {
        thread.interrupt();
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }

  // -- the thread ------------------------------------------------------------------------------

  private void run() {
    try {
      while (round()) {
        // The next one.
      }
    } catch (InterruptedException e) {
      return; // closed, and ZooKeeper does not answer
    }
  }

  /** Returns whether there is another one. */
  private boolean round() throws InterruptedException {
    try {
      DuePaths.Due now = due.await();
      if (now == null) {
        return false;
      }
      for (String path : now.all() ? paths() : now.paths()) {
        tendRemovals(path);
        tendKept(path);
        tendAwaited(path);
      }
    } catch (OutOfMemoryError e) {
      due.addAllLater();
      MemoryShortage.rest();
    }
    return true;
  }

  private synchronized Set<String> paths() {
    Set<String> all = new HashSet<>(kept.keySet());
    all.addAll(awaited.keySet());
    all.addAll(removing.keySet());
    return all;
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
    } catch (Exception | LinkageError e) {
      LOG.log(Level.DEBUG, "ZooKeeper is asked again in a moment", e);
      due.addAllLater();
    }
  }

  private void tendRemovals(String path) {
    List<Removal> removals;
    synchronized (this) {
      removals = List.copyOf(removing.getOrDefault(path, Set.of()));
    }
    removals.forEach(this::tendRemoval);
  }

  private synchronized void removed(Removal removal) {
    Set<Removal> others = removing.get(removal.path);
    if (others != null && others.remove(removal) && others.isEmpty()) {
      removing.remove(removal.path);
    }
  }

  private void tendRemoval(Removal removal) {
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
      removed(removal);
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
        due.addAllLater(); // of our last session, which ZooKeeper has yet to end
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
        tellGone(path);
      }
    });
  }

  /** Each that waits for it is told once, but again if it had no memory for what it was told. */
  private void tellGone(String path) {
    while (true) {
      List<Runnable> waiting;
      Runnable first;
      synchronized (this) {
        waiting = awaited.get(path);
        if (waiting == null || waiting.isEmpty()) {
          awaited.remove(path);
          return;
        }
        first = waiting.getFirst();
      }
      try {
        first.run();
      } catch (RuntimeException e) {
        LOG.log(Level.DEBUG, "The end of an entry was told, and not understood", e);
      }
      synchronized (this) {
        waiting.removeFirst(); // this one: other threads only add to the list
      }
    }
  }
}
