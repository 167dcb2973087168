package org.slipstream.rdma;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
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
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.MemoryQueue;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.PeerMemory;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.Withdrawal;

/**
 * This process among those that its devices reach. A listener of the program is also a listener of
 * rdma_cm, at the same address and port: rdma_cm has a port space of its own on InfiniBand and
 * RoCE. A peer that connects there finds this process.
 *
 * <p>What is known of peers is the reactor's; identifiers of rdma_cm are the event thread's, in
 * {@link Connector}.
 */
final class RdmaEndpoint implements MemoryEndpoint, RdmaMemoryQueue.Opener, Connector.Owner {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /** An address where no process answered is not asked again so soon. */
  private static final long FORGET_NS = 5_000_000_000L;

  /** What the kernel shows of devices is looked at again after so long. */
  private static final long LOOK_NS = 5_000_000_000L;

  /** One part in so many of the reactor's time goes into that. */
  private static final long LOOK_SHARE = 100;

  /** But it is looked so often: one look may have taken long because the machine stood still. */
  private static final long LOOK_RARELY_NS = 6 * LOOK_NS;

  /** For rdma_cm to be opened, which loads a library, and to listen. */
  private static final long GRACE_MS = 10_000;

  /** Of regions: whole pages. */
  private static final int ALIGNMENT = 4096;

  /** Of programs' buffers, over all sessions. */
  private static final long PINNED_BYTES = 64L << 20;

  private final TransportHost host;
  private final RdmaSettings settings;
  private final FabricKey key;
  private final MemoryDevices memoryDevices = new MemoryDevices();
  private final FabricAddresses addresses;
  private final PinBudget pins = new PinBudget(PINNED_BYTES);
  private final FirstRings firstRings;

  /** Guarded by this. */
  private @Nullable Connector connector;

  /** Why RDMA is not used. Written with the monitor held; read by the reactor without it. */
  private volatile @Nullable IOException failure;

  private boolean closed;

  // Reactor only.
  private final Map<Way, RdmaSession> known = new HashMap<>();
  private final Map<Way, NotFound> missing = new HashMap<>();
  private final Map<Way, List<Search>> searches = new HashMap<>();
  private final List<RdmaSession> outgoing = new ArrayList<>();
  private List<RdmaDevices.Port> ports = List.of();
  private long lookAgain;

  /** What is remembered of an address until that time. */
  private record NotFound(long until, boolean mayComeLater, @Nullable Refusal refusal) {
    boolean isOver() {
      return System.nanoTime() - until >= 0;
    }
  }

  /** A caller that wants a session. */
  private record Search(Consumer<Session> answer, Runnable none) {}

  /** Without a cluster key. */
  RdmaEndpoint(TransportHost host, RdmaSettings settings) {
    this(host, settings, FabricKey.of(null));
  }

  /** With the addresses of TCP. */
  RdmaEndpoint(TransportHost host, RdmaSettings settings, FabricKey key) {
    this(host, settings, key, FabricAddresses.SAME);
  }

  RdmaEndpoint(
      TransportHost host, RdmaSettings settings, FabricKey key, FabricAddresses addresses) {
    this.host = host;
    this.firstRings =
        new FirstRings(
            host.settings(), host.budget(), () -> RdmaAvailability.ofThisMachine().lockableBytes());
    this.settings = settings;
    this.key = key;
    this.addresses = addresses;
  }

  @Override
  public FabricAddresses addresses() {
    return addresses;
  }

  @Override
  public FabricKey key() {
    return key;
  }

  @Override
  public RdmaSettings settings() {
    return settings;
  }

  @Override
  public PinBudget pins() {
    return pins;
  }

  @Override
  public FirstRings firstRings() {
    return firstRings;
  }

  @Override
  public MemoryDevices memoryDevices() {
    return memoryDevices;
  }

  @Override
  public TransportHost host() {
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
  @Override
  public synchronized void fail(IOException cause) {
    failure = cause;
  }

  private boolean hasFailed() {
    return failure != null;
  }

  // -- announcing ------------------------------------------------------------------------------

  @Override
  public Closeable announce(InetSocketAddress listener) throws IOException {
    InetSocketAddress address = onFabric(listener);
    if (address.getAddress().isLoopbackAddress()) {
      return () -> {};
    }
    Connector c = connector();
    CompletableFuture<Boolean> listening = new CompletableFuture<>();
    c.execute(() -> listening.complete(c.listeners().listen(address)));
    try {
      // A client may connect as soon as the program's bind returns.
      listening.get(GRACE_MS, TimeUnit.MILLISECONDS);
      throwFailure();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.DEBUG, "Announcing " + address, e);
    }
    return new Withdrawal(() -> c.execute(() -> c.listeners().unlisten(address)));
  }

  // -- finding ---------------------------------------------------------------------------------

  /** Where the host of an address is on the fabric, with the same port. */
  private InetSocketAddress onFabric(InetSocketAddress tcp) {
    InetAddress there = addresses.of(tcp.getAddress());
    return there == null ? tcp : new InetSocketAddress(there, tcp.getPort());
  }

  /**
   * From one host to another on the fabric. If the file has another address of the peer, but none
   * of ours, the route to it gives us one.
   */
  private Way way(InetSocketAddress local, InetSocketAddress remote) {
    InetSocketAddress there = onFabric(remote);
    InetAddress mine = addresses.of(local.getAddress());
    if (mine == null) {
      mine = there.equals(remote) ? local.getAddress() : Routes.source(there);
    }
    return new Way(mine == null ? local.getAddress() : mine, there);
  }

  @Override
  public boolean reaches(InetSocketAddress local, InetSocketAddress remote) {
    Way way = way(local, remote);
    InetAddress mine = way.local();
    if (mine.isLoopbackAddress() || hasFailed()) {
      return false;
    }
    if (open(way) != null) {
      return true; // perhaps over another port than that of the address
    }
    long now = System.nanoTime();
    if (ports.isEmpty() || now - lookAgain > 0) {
      ports = RdmaDevices.ports();
      long looked = System.nanoTime();
      lookAgain = looked + Math.clamp(LOOK_SHARE * (looked - now), LOOK_NS, LOOK_RARELY_NS);
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
  @Override
  public void portsChanged() {
    host.reactor()
        .execute(() -> {
          ports = List.of();
          missing.clear();
        });
  }

  /** Over which session a stream is offered now; null if the peer has to be found. */
  private @Nullable RdmaSession open(Way way) {
    RdmaSession session = known.get(way);
    return session == null ? null : session.group().choose(settings.rails() == RailUse.SPREAD);
  }

  /** From the address that the route to the peer gives us. */
  @Override
  public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
    InetAddress local = Routes.source(remote);
    return local == null ? 0 : findPeers(new InetSocketAddress(local, 0), remote, answer, none);
  }

  @Override
  public int findPeers(
      InetSocketAddress local, InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
    Way way = way(local, remote);
    RdmaSession session = open(way);
    if (session != null) {
      answer.accept(session);
      return 1;
    }
    NotFound there = missing.get(way);
    if (there != null && !there.isOver()) {
      return 0;
    }
    Search search = new Search(answer, none);
    List<Search> waiting = searches.get(way);
    if (waiting != null) {
      waiting.add(search);
      return 1;
    }
    try {
      Connector c = connector();
      waiting = new ArrayList<>(List.of(search));
      c.execute(() -> c.connect(way));
      searches.put(way, waiting); // last: where none connects, later ones would wait for ever
      return 1;
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "No RDMA", e);
      return 0;
    }
  }

  @Override
  public boolean mayFindLater(InetSocketAddress remote) {
    InetSocketAddress there = onFabric(remote);
    return missing.entrySet().stream()
        .anyMatch(e -> e.getKey().remote().equals(there) && e.getValue().mayComeLater);
  }

  @Override
  public @Nullable Refusal refusal(InetSocketAddress local, InetSocketAddress remote) {
    NotFound there = missing.get(way(local, remote));
    return there == null ? null : there.refusal;
  }

  /** A session that we asked for is there. Any thread. */
  @Override
  public void connected(Way way, RdmaSession session) {
    host.reactor()
        .execute(() -> {
          if (!outgoing.contains(session)) { // or it runs again for want of memory
            outgoing.add(session);
          }
          found(way, session);
        });
  }

  /** The process at the address says that it has a session with us already. Any thread. */
  @Override
  public void isKnown(Way way, ProcessId process) {
    host.reactor()
        .execute(() -> {
          for (RdmaSession session : outgoing) {
            if (session.isTo(process, way) && session.isOpen()) {
              found(way, session);
              return;
            }
          }
          notFound(way, new NotFound(System.nanoTime() + FORGET_NS, true, null));
        });
  }

  private void found(Way way, RdmaSession session) {
    known.put(way, session);
    missing.remove(way);
    tell(way, search -> search.answer.accept(session));
  }

  /** One that has not heard is told when there is memory: the task of the reactor runs again. */
  private void tell(Way way, Consumer<Search> outcome) {
    List<Search> waiting = searches.getOrDefault(way, List.of());
    while (!waiting.isEmpty()) {
      outcome.accept(waiting.getFirst());
      waiting.removeFirst();
    }
    searches.remove(way);
  }

  /**
   * No session is made with a process there. Any thread.
   *
   * @param why in words
   * @param refusal what the operator should know of it; null if no process answers
   * @param mayComeLater false if the way there is missing or not allowed
   */
  @Override
  public void noPeerAt(Way way, Throwable why, @Nullable Refusal refusal, boolean mayComeLater) {
    for (int attempt = 1; ; attempt++) {
      try {
        LOG.log(Level.DEBUG, () -> "No RDMA to " + way + ": " + why.getMessage());
        host.reactor()
            .execute(() -> {
              if (refusal != null) {
                host.sessionRefused(RdmaSession.NAME, way.remote(), refusal.sentence());
              }
              notFound(way, new NotFound(System.nanoTime() + FORGET_NS, mayComeLater, refusal));
            });
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e); // a search without an answer would be the last one
      }
    }
  }

  private void notFound(Way way, NotFound there) {
    missing.values().removeIf(NotFound::isOver);
    missing.put(way, there);
    tell(way, search -> search.none.run());
  }

  /** A session is over. Event thread. */
  @Override
  public void ended(RdmaSession session) {
    synchronized (this) {
      if (connector != null) {
        connector.forget(session);
      }
    }
    host.reactor()
        .execute(() -> {
          RdmaSession other = session.group().choose(false);
          if (other == null) {
            known.values().removeIf(session::equals);
          } else {
            known.replaceAll((way, of) -> of.equals(session) ? other : of);
          }
          outgoing.remove(session);
        });
  }

  @Override
  public boolean canSend(CmId id) {
    return Connector.canSend(id);
  }

  /** It is worth another one over another port. Any thread. */
  @Override
  public void carries(RdmaSession session) {
    withConnector(c -> c.rails().carries(session));
  }

  /** A queue pair failed: the peer is told when the port is known to be active. Event thread. */
  @Override
  public void closeWhenActive(CmId id) {
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

  // -- one-sided memory ------------------------------------------------------------------------

  @Override
  public boolean meetsByAddress() {
    return true;
  }

  /** A program that maps memory asks now, and not when an earlier failure is forgotten. */
  @Override
  public int findOwner(InetSocketAddress address, Consumer<Session> answer, Runnable none) {
    missing.keySet().removeIf(way -> way.remote().equals(address));
    return findPeers(address, answer, none);
  }

  @Override
  public OwnMemory allocateMemory(long bytes) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new RdmaOwnMemory(memoryDevices, arena.allocate(bytes, ALIGNMENT), arena);
    } catch (OutOfMemoryError e) {
      arena.close();
      throw new IOException("no memory for a region of " + bytes + " bytes", e);
    }
  }

  @Override
  public OwnMemory shareMemory(MemorySegment memory) {
    return new RdmaOwnMemory(memoryDevices, memory, null);
  }

  @Override
  public PeerMemory mapMemory(
      Session owner, ByteBuffer descriptor, long bytes, boolean writable, Arena arena)
      throws IOException {
    if (!(owner instanceof RdmaSession session) || bytes <= 0) {
      throw new IOException("A region was described wrongly");
    }
    MemoryDescriptor described = MemoryDescriptor.read(descriptor);
    boolean atomics = memoryDevices.of(session.device()).hasAtomics();
    session.holdMemory();
    return new RdmaPeerMemory(session, described, atomics);
  }

  @Override
  public MemoryQueue memoryQueue(int depth) {
    return new RdmaMemoryQueue(this, depth);
  }

  /** A lane of a queue connects. Any thread. */
  @Override
  public void open(Lane lane) {
    withConnector(c -> c.lanes().open(lane));
  }

  /** A lane is not needed any more. Any thread. */
  @Override
  public void close(Lane lane) {
    withConnector(c -> c.lanes().close(lane));
  }

  private synchronized void withConnector(Consumer<Connector> task) {
    Connector c = connector;
    if (c != null) {
      c.execute(() -> task.accept(c));
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
