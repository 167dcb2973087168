package org.slipstream.memory.zookeeper;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slipstream.memory.MemoryDirectory;

/**
 * A {@link MemoryDirectory} in ZooKeeper: each entry is an ephemeral node below {@value #ROOT}.
 *
 * <p>ZooKeeper ends a session when it has not heard of the process for the time of the session: a
 * host that vanished, or a process that is stopped for so long. While ZooKeeper itself is away it
 * ends none, so what is mapped goes on; methods that have to ask it fail after some seconds.
 *
 * <p>Safe for any thread.
 */
public final class ZooKeeperDirectory implements MemoryDirectory {
  /** The node below which all entries are; below the client's chroot, if it has one. */
  public static final String ROOT = "/slipstream-memory";

  /** How long a process is not heard of before its leases end, unless the program says so. */
  public static final Duration SESSION = Duration.ofSeconds(15);

  private static final int CONNECTION_MS = 3_000;
  private static final int RETRY_MS = 200;

  private final CuratorFramework client;
  private final String where;
  private final boolean closesClient;
  private final Tending tending;
  private final ConnectionStateListener listener = this::stateChanged;

  /** Paths of entries that this has made; some of them may be removed already. */
  private final Set<String> mine = ConcurrentHashMap.newKeySet();

  private ZooKeeperDirectory(CuratorFramework client, String where, boolean closesClient) {
    this.client = client;
    this.where = where;
    this.closesClient = closesClient;
    this.tending = new Tending(this::session, this::make);
    tending.start();
    client.getConnectionStateListenable().addListener(listener);
  }

  /**
   * Connects, with the default time of a {@link #SESSION}.
   *
   * @param hosts HOST:PORT of each server with commas between, and perhaps a chroot: {@code
   *     a:2181,b:2181/cluster}
   * @return to be closed
   * @throws IOException if none of them answers
   * @throws InterruptedException while waiting
   */
  public static ZooKeeperDirectory connect(String hosts) throws IOException, InterruptedException {
    return connect(hosts, SESSION);
  }

  /**
   * Connects.
   *
   * @param hosts HOST:PORT of each server with commas between, and perhaps a chroot
   * @param session how long this process may not be heard of before its leases end; ZooKeeper has
   *     limits of its own, by default 4 and 40 seconds
   * @return to be closed
   * @throws IOException if none of them answers
   * @throws InterruptedException while waiting
   */
  public static ZooKeeperDirectory connect(String hosts, Duration session)
      throws IOException, InterruptedException {
    CuratorFramework client;
    try {
      client =
          CuratorFrameworkFactory.builder()
              .connectString(hosts)
              .sessionTimeoutMs(Math.toIntExact(session.toMillis()))
              .connectionTimeoutMs(CONNECTION_MS)
              .retryPolicy(new RetryOneTime(RETRY_MS))
              .build();
      client.start();
    } catch (IllegalArgumentException e) {
      throw new IOException("'" + hosts + "' names no ZooKeeper: " + e.getMessage(), e);
    }
    ZooKeeperDirectory directory = new ZooKeeperDirectory(client, hosts, true);
    boolean connected = false;
    try {
      connected = client.blockUntilConnected(2 * CONNECTION_MS, TimeUnit.MILLISECONDS);
    } finally {
      if (!connected) {
        directory.close();
      }
    }
    if (!connected) {
      throw new IOException("ZooKeeper at " + hosts + " does not answer; is it started?");
    }
    return directory;
  }

  /**
   * Uses a client of the program, with whatever authentication, encryption and access rights it has
   * set there.
   *
   * @param client started, and closed after the directory
   * @return to be closed
   */
  public static ZooKeeperDirectory of(CuratorFramework client) {
    String hosts = client.getZookeeperClient().getCurrentConnectionString();
    return new ZooKeeperDirectory(client.usingNamespace(null), hosts, false);
  }

  private static String full(String path) {
    return ROOT + "/" + path;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The session of this moment. What is done with it is done in that session, or not at all. */
  private ZooKeeper session() throws Exception {
    return client.getZookeeperClient().getZooKeeper();
  }

  private void stateChanged(CuratorFramework of, ConnectionState state) {
    if (state == ConnectionState.CONNECTED || state == ConnectionState.RECONNECTED) {
      tending.connected();
    }
  }

  /** What ZooKeeper says, or why it says nothing. */
  private <T extends @Nullable Object> T ask(Callable<T> question)
      throws IOException, InterruptedException {
    try {
      return question.call();
    } catch (InterruptedException | IOException e) {
      throw e;
    } catch (KeeperException.ConnectionLossException
        | KeeperException.SessionExpiredException
        | KeeperException.OperationTimeoutException e) {
      throw new IOException("ZooKeeper at " + where + " does not answer", e);
    } catch (Exception e) {
      throw new IOException("ZooKeeper at " + where + " refuses: " + e.getMessage(), e);
    }
  }

  /** What was written before this by any process is read after it: a server may be behind. */
  private static void sync(ZooKeeper session) {
    session.sync(ROOT, (code, path, context) -> {}, null); // answered before what is asked next
  }

  @Override
  public boolean create(String path, String text) throws IOException, InterruptedException {
    boolean known = false;
    try {
      boolean made =
          ask(() -> {
            try {
              make(full(path), bytes(text));
              return true;
            } catch (KeeperException.NodeExistsException e) {
              return isMine(path, text); // made by a request whose answer was lost
            }
          });
      if (made) {
        mine.add(path);
      }
      known = true;
      return made;
    } finally {
      if (!known) {
        tending.remove(full(path), text);
      }
    }
  }

  private void make(String path, byte[] text) throws Exception {
    String _ =
        client
            .create()
            .creatingParentContainersIfNeeded()
            .withMode(CreateMode.EPHEMERAL)
            .forPath(path, text);
  }

  private boolean isMine(String path, String text) throws Exception {
    try {
      ZooKeeper session = session();
      Stat stat = new Stat();
      byte[] said = session.getData(full(path), false, stat);
      return stat.getEphemeralOwner() == session.getSessionId() && Arrays.equals(said, bytes(text));
    } catch (KeeperException.NoNodeException e) {
      return false; // it was another's, a moment ago
    }
  }

  @Override
  public boolean replace(String path, String text) throws IOException, InterruptedException {
    return ask(() -> {
      ZooKeeper session = session();
      Stat stat = session.exists(full(path), false);
      if (stat == null || stat.getEphemeralOwner() != session.getSessionId()) {
        return false;
      }
      try {
        session.setData(full(path), bytes(text), stat.getVersion());
        return true;
      } catch (KeeperException.NoNodeException | KeeperException.BadVersionException e) {
        return false;
      }
    });
  }

  @Override
  public @Nullable String read(String path) throws IOException, InterruptedException {
    return this.<@Nullable String>ask(() -> {
      sync(session());
      try {
        return new String(client.getData().forPath(full(path)), StandardCharsets.UTF_8);
      } catch (KeeperException.NoNodeException e) {
        return null;
      }
    });
  }

  @Override
  public List<String> list(String folder) throws IOException, InterruptedException {
    return ask(() -> {
      sync(session());
      try {
        return client.getChildren().forPath(full(folder)).stream().sorted().toList();
      } catch (KeeperException.NoNodeException e) {
        return List.of();
      }
    });
  }

  @Override
  public void remove(String path, String text) {
    tending.remove(full(path), text);
  }

  @Override
  public Closeable keep(String path, String text) throws IOException, InterruptedException {
    if (!create(path, text)) {
      throw new IOException("ZooKeeper at " + where + " has another '" + path + "'");
    }
    tending.keep(full(path), bytes(text));
    return () -> remove(path, text);
  }

  @Override
  public void whenGone(String path, Runnable gone) {
    tending.whenGone(full(path), gone);
  }

  @Override
  public void close() {
    client.getConnectionStateListenable().removeListener(listener);
    if (!closesClient) {
      mine.forEach(path -> tending.remove(full(path), null));
    }
    tending.close();
    if (closesClient) {
      client.close(); // which ends the session, and its nodes
    }
  }
}
