package org.slipstream.rdma;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;

/**
 * This process among those that its devices reach. A listener of the program is also a listener of
 * rdma_cm, at the same address and port: rdma_cm has a port space of its own on InfiniBand and
 * RoCE. Who connects there finds this process.
 *
 * <p>What is known of peers is the reactor's; identifiers of rdma_cm are the event thread's, in
 * {@link Connector}.
 */
final class RdmaEndpoint implements Endpoint {
  private static final System.Logger LOG = System.getLogger("org.slipstream.rdma");

  /** An address where nobody answered is not asked again so soon. */
  private static final long FORGET_NS = 5_000_000_000L;

  /** What the kernel shows of devices is looked at again after so long. */
  private static final long LOOK_NS = 5_000_000_000L;

  /** For rdma_cm to be opened, which loads a library, and to listen. */
  private static final long PATIENCE_MS = 10_000;

  /** Of programs' buffers, over all sessions. */
  private static final long PINNED_BYTES = 64L << 20;

  private final TransportHost host;
  private final RdmaSettings settings;
  private final PinBudget pins = new PinBudget(PINNED_BYTES);

  /** Guarded by this. */
  private @Nullable Connector connector;

  /** Why RDMA is not used. Written with the monitor held; read by the reactor without it. */
  private volatile @Nullable IOException failure;

  private boolean closed;

  // Reactor only.
  private final Map<InetSocketAddress, RdmaSession> known = new HashMap<>();
  private final Map<ProcessId, RdmaSession> outgoing = new HashMap<>();
  private final Map<InetSocketAddress, Nobody> nobody = new HashMap<>();
  private final Map<InetSocketAddress, List<Search>> searches = new HashMap<>();
  private List<RdmaDevices.Port> ports = List.of();
  private long lookedAt;

  /** What is remembered of an address until that time. */
  private record Nobody(long until, boolean mayComeLater) {
    boolean isOver() {
      return System.nanoTime() - until >= 0;
    }
  }

  /** Somebody who wants a session. */
  private record Search(Consumer<Session> answer, Runnable none) {}

  RdmaEndpoint(TransportHost host, RdmaSettings settings) {
    this.host = host;
    this.settings = settings;
  }

  RdmaSettings settings() {
    return settings;
  }

  PinBudget pins() {
    return pins;
  }

  TransportHost host() {
    return host;
  }

  /** Opens rdma_cm at the first use, on the event thread; a failure is final. */
  private synchronized Connector connector() throws IOException {
    throwFailure();
    if (closed) {
      throw new IOException("the process leaves");
    }
    Connector c = connector;
    if (c == null) {
      c = new Connector(this);
      connector = c;
    }
    return c;
  }

  private void throwFailure() throws IOException {
    IOException before = failure;
    if (before != null) {
      throw new IOException(before.getMessage(), before);
    }
  }

  /** RDMA can not be used any more. Any thread. */
  synchronized void fail(IOException cause) {
    failure = cause;
  }

  private boolean hasFailed() {
    return failure != null;
  }

  // -- announcing ------------------------------------------------------------------------------

  @Override
  public Closeable announce(InetSocketAddress address) throws IOException {
    if (address.getAddress().isLoopbackAddress()) {
      return () -> {};
    }
    Connector c = connector();
    CompletableFuture<Boolean> listening = new CompletableFuture<>();
    c.execute(() -> listening.complete(c.listeners().listen(address)));
    try {
      // A client may connect as soon as the program's bind returns.
      listening.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
      throwFailure();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.DEBUG, "Announcing " + address, e);
    }
    return () -> c.execute(() -> c.listeners().unlisten(address));
  }

  // -- finding ---------------------------------------------------------------------------------

  @Override
  public boolean reaches(InetSocketAddress local, InetSocketAddress remote) {
    InetAddress mine = local.getAddress();
    if (mine.isLoopbackAddress() || hasFailed()) {
      return false;
    }
    long now = System.nanoTime();
    if (ports.isEmpty() || now - lookedAt > LOOK_NS) {
      ports = RdmaDevices.ports();
      lookedAt = now;
    }
    for (RdmaDevices.Port port : ports) {
      if (port.isActive()
          && settings.allows(port)
          && (!port.isRoce() || (port.hasAddress(mine) && settings.allowsGid(mine)))) {
        return true;
      }
    }
    return false;
  }

  /** The kernel will show something else of the devices. Any thread. */
  void portsChanged() {
    host.reactor()
        .execute(() -> {
          ports = List.of();
          nobody.clear();
        });
  }

  @Override
  public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
    RdmaSession session = known.get(remote);
    if (session != null && session.isOpen()) {
      answer.accept(session);
      return 1;
    }
    Nobody there = nobody.get(remote);
    if (there != null && !there.isOver()) {
      return 0;
    }
    List<Search> waiting = searches.get(remote);
    if (waiting == null) {
      Connector c;
      try {
        c = connector();
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "No RDMA", e);
        return 0;
      }
      waiting = new ArrayList<>();
      searches.put(remote, waiting);
      c.execute(() -> c.connect(remote));
    }
    waiting.add(new Search(answer, none));
    return 1;
  }

  @Override
  public boolean mayFindLater(InetSocketAddress remote) {
    Nobody there = nobody.get(remote);
    return there != null && there.mayComeLater;
  }

  /** A session that we asked for is there. Any thread. */
  void connected(InetSocketAddress remote, RdmaSession session) {
    host.reactor()
        .execute(() -> {
          outgoing.put(session.peer(), session);
          found(remote, session);
        });
  }

  /** The process at the address says that it has a session with us already. Any thread. */
  void isKnown(InetSocketAddress remote, ProcessId process) {
    host.reactor()
        .execute(() -> {
          RdmaSession session = outgoing.get(process);
          if (session == null || !session.isOpen()) {
            notFound(remote, true);
          } else {
            found(remote, session);
          }
        });
  }

  private void found(InetSocketAddress remote, RdmaSession session) {
    known.put(remote, session);
    nobody.remove(remote);
    List<Search> waiting = searches.remove(remote);
    if (waiting != null) {
      waiting.forEach(s -> s.answer.accept(session));
    }
  }

  /**
   * Nobody answers there. Any thread.
   *
   * @param mayComeLater false if the way there is missing or not allowed
   */
  void nobodyAt(InetSocketAddress remote, String why, boolean mayComeLater) {
    LOG.log(Level.DEBUG, () -> "No RDMA to " + remote + ": " + why);
    host.reactor().execute(() -> notFound(remote, mayComeLater));
  }

  private void notFound(InetSocketAddress remote, boolean mayComeLater) {
    nobody.values().removeIf(Nobody::isOver);
    nobody.put(remote, new Nobody(System.nanoTime() + FORGET_NS, mayComeLater));
    List<Search> waiting = searches.remove(remote);
    if (waiting != null) {
      waiting.forEach(s -> s.none.run());
    }
  }

  /** A session is over. Event thread. */
  void ended(RdmaSession session) {
    synchronized (this) {
      if (connector != null) {
        connector.forget(session);
      }
    }
    host.reactor()
        .execute(() -> {
          known.values().remove(session);
          outgoing.values().remove(session);
        });
  }

  /** A queue pair failed: the peer is told when the port is known to be active. Event thread. */
  void closeWhenActive(CmId id) {
    Connector c;
    synchronized (this) {
      c = connector;
    }
    if (c == null) {
      id.close();
    } else {
      c.closeWhenActive(id);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    Connector c = connector;
    if (c != null) {
      c.execute(c::close);
    }
  }
}
