package org.slipstream.memory.zookeeper;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Makes the clients of ZooKeeper that Curator uses, one after the other. When ZooKeeper has not
 * answered for the time of a session, Curator takes that for over, and makes a client with a new
 * one; but ZooKeeper ends no session while it is away, and ours holds leases. So the next client
 * goes on with the session of the last one. If that is over in truth, ZooKeeper refuses it, and the
 * client after that begins a new session.
 */
final class SameSession implements ZookeeperFactory {
  // Guarded by this.
  private @Nullable ZooKeeper last;
  private AtomicBoolean met = new AtomicBoolean();

  @Override
  public synchronized ZooKeeper newZooKeeper(
      String hosts, int sessionMs, Watcher watcher, boolean canBeReadOnly) throws Exception {
    ZooKeeper before = last;
    AtomicBoolean meets = new AtomicBoolean();
    Watcher looking =
        event -> {
          if (event.getState() == KeeperState.SyncConnected) {
            meets.set(true);
          }
          watcher.process(event);
        };
    ZooKeeper next =
        before != null && met.get()
            ? new ZooKeeper(
                hosts,
                sessionMs,
                looking,
                before.getSessionId(),
                before.getSessionPasswd(),
                canBeReadOnly)
            : new ZooKeeper(hosts, sessionMs, looking, canBeReadOnly);
    last = next;
    met = meets;
    return next;
  }
}
