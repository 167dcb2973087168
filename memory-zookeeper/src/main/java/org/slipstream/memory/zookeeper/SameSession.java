package org.slipstream.memory.zookeeper;

import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Makes the clients of ZooKeeper that Curator uses, one after the other. When ZooKeeper has not
 * answered for the time of a session, Curator takes that for over, and makes a client with a new
 * one; but ZooKeeper ends no session while it is away, and ours holds leases. So the next client
 * goes on with the session of the last one, unless ZooKeeper itself has said that it is over.
 */
final class SameSession implements ZookeeperFactory {

  /** What a client has heard. */
  private static final class Looking implements Watcher {
    private final Watcher curator;
    volatile boolean met;

    /** Before it was connected, so this is not a guess of Curator's, but ZooKeeper's answer. */
    volatile boolean refused;

    Looking(Watcher curator) {
      this.curator = curator;
    }

    @Override
    public void process(WatchedEvent event) {
      switch (event.getState()) {
        case SyncConnected -> met = true;
        case Expired -> refused = !met;
        default -> {}
      }
      curator.process(event);
    }
  }

  // Guarded by this.
  private @Nullable ZooKeeper last;
  private Looking looking = new Looking(event -> {});
  private long session;
  private byte[] password = {};

  @Override
  public synchronized ZooKeeper newZooKeeper(
      String hosts, int sessionMs, Watcher watcher, boolean canBeReadOnly) throws Exception {
    if (last != null && looking.met) {
      session = last.getSessionId();
      password = last.getSessionPasswd();
    } else if (looking.refused) {
      session = 0;
    }
    looking = new Looking(watcher);
    ZooKeeper next =
        session == 0
            ? new ZooKeeper(hosts, sessionMs, looking, canBeReadOnly)
            : new ZooKeeper(hosts, sessionMs, looking, session, password, canBeReadOnly);
    last = next;
    return next;
  }
}
