package org.slipstream.servers.zookeeper;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.slipstream.servers.Loop;

/** One client: sets a node and gets it back, again and again, and compares. */
public final class ZooKeeperLoad {
  private static final int BYTES = 256;

  private ZooKeeperLoad() {}

  /**
   * {@code CONNECT-STRING}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    try (ZooKeeper client =
        new ZooKeeper(
            args[0],
            30_000,
            event -> {
              if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
              }
            })) {
      if (!connected.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("no connection to " + args[0]);
      }
      Random random = new Random(1);
      byte[] value = new byte[BYTES];
      String node =
          client.create("/load-", value, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
      AtomicInteger count = new AtomicInteger();
      Loop.serve(
          1,
          () -> {
            if (count.getAndIncrement() % 4 == 0) {
              random.nextBytes(value);
              client.setData(node, value, -1);
            } else if (!Arrays.equals(value, client.getData(node, false, null))) {
              throw new IllegalStateException("another value came back");
            }
          });
    }
  }
}
