package org.slipstream.memory.zookeeper;

import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooKeeper;
import org.slipstream.testkit.Patience;

/** A ZooKeeper of this JVM, and sessions with it, each of which stands for a process. */
final class TestZooKeeper {
  private static final int SESSION_MS = 20_000;
  private static final int CONNECTION_MS = 3_000;

  /** A client hears that its session is over when it connects anew, a second later at most. */
  private static final int CLOSED_MS = 1_500;

  private final TestingServer server;
  private final List<Member> processes = new ArrayList<>();

  TestZooKeeper() {
    try {
      server = new TestingServer(true);
    } catch (Exception e) {
      throw new AssertionError("ZooKeeper does not start", e);
    }
  }

  /**
   * A session.
   *
   * @param client of Curator
   * @param directory in it
   */
  record Member(CuratorFramework client, ZooKeeperDirectory directory) {
    /**
     * ZooKeeper has not heard of it for too long, says ZooKeeper. A second client that closes the
     * session loses it if the first one connects anew at that moment: then once more.
     */
    void expire() throws Exception {
      ZooKeeper mine = client.getZookeeperClient().getZooKeeper();
      long session = mine.getSessionId();
      byte[] password = mine.getSessionPasswd();
      Patience.await()
          .ignoreExceptions()
          .until(() -> {
            new ZooKeeper(
                    client.getZookeeperClient().getCurrentConnectionString(),
                    SESSION_MS,
                    event -> {},
                    session,
                    password)
                .close();
            Thread.sleep(CLOSED_MS);
            return client.getZookeeperClient().getZooKeeper().getSessionId() != session;
          });
    }
  }

  Member process() {
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(hosts())
            .sessionTimeoutMs(SESSION_MS)
            .connectionTimeoutMs(CONNECTION_MS)
            .retryPolicy(new RetryOneTime(100))
            .build();
    client.start();
    Member process = new Member(client, ZooKeeperDirectory.of(client));
    processes.add(process);
    return process;
  }

  String hosts() {
    return server.getConnectString();
  }

  /** It is away, and forgets nothing. */
  void stop() throws Exception {
    server.stop();
  }

  void restart() throws Exception {
    server.restart();
  }

  void close() throws Exception {
    for (Member process : processes) {
      process.directory.close();
      process.client.close();
    }
    server.close();
  }
}
