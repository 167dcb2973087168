package org.slipstream.rdma;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;

/** A process without a core: remembers what the backend reports. */
final class TestHost implements TransportHost, Reactor, AutoCloseable {
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> Thread.ofPlatform().daemon().name("reactor").unstarted(task));
  private final ProcessId id;
  private final MemoryBudget budget;
  private final int ringBytes;

  /** Whether its program has accepted TCP connections of every peer, and their MARK. */
  volatile boolean trusting = true;

  final List<Session> opened = new CopyOnWriteArrayList<>();
  final List<String> lost = new CopyOnWriteArrayList<>();
  final List<byte[]> frames = new CopyOnWriteArrayList<>();

  TestHost() {
    this(64 * 1024);
  }

  TestHost(int ringBytes) {
    this(ProcessId.random(), ringBytes, 64 << 20);
  }

  TestHost(ProcessId id, int ringBytes, long budgetBytes) {
    this.id = id;
    this.ringBytes = ringBytes;
    this.budget = new MemoryBudget(budgetBytes);
  }

  /** One that says that it is another process. */
  static TestHost sayingToBe(ProcessId id) {
    return new TestHost(id, 64 * 1024, 64 << 20);
  }

  /** Why a search failed; null if no peer answered. */
  Refusal refusal(RdmaEndpoint endpoint, InetSocketAddress at) throws Exception {
    return onReactor(() -> endpoint.refusal(at, at)); // on one host both are the same address
  }

  /** Runs something where a backend wants to be called. */
  <T> T onReactor(java.util.concurrent.Callable<T> work) throws Exception {
    return thread.submit(work).get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  /** From the address itself: on one host that is the route. */
  CompletableFuture<Session> find(RdmaEndpoint endpoint, InetSocketAddress at) throws Exception {
    return find(endpoint, at.getAddress(), at);
  }

  CompletableFuture<Session> find(RdmaEndpoint endpoint, InetAddress from, InetSocketAddress at)
      throws Exception {
    CompletableFuture<Session> found = new CompletableFuture<>();
    int n =
        onReactor(() ->
            endpoint.findPeers(
                new InetSocketAddress(from, 0),
                at,
                found::complete,
                () -> found.completeExceptionally(new AssertionError("no peer at " + at))));
    if (n == 0) {
      found.completeExceptionally(new AssertionError("no peer at " + at));
    }
    return found;
  }

  @Override
  public ProcessId processId() {
    return id;
  }

  @Override
  public Reactor reactor() {
    return this;
  }

  @Override
  public MemoryBudget budget() {
    return budget;
  }

  @Override
  public TransportSettings settings() {
    return new TransportSettings(null, ringBytes);
  }

  @Override
  public SocketChannel openSocketChannel(StandardProtocolFamily family) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(StandardProtocolFamily family) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean hasAcceptedFrom(InetAddress client) {
    return trusting;
  }

  @Override
  public void sessionOpened(Session session) {
    if (trusting) {
      session.proven();
    }
    opened.add(session);
  }

  @Override
  public void frameReceived(Session session, ByteBuffer frame) {
    byte[] copy = new byte[frame.remaining()];
    frame.get(copy);
    frames.add(copy);
  }

  @Override
  public void sessionLost(Session session, String cause) {
    lost.add(cause);
  }

  @Override
  public String inspect(String question) {
    return "";
  }

  @Override
  public SelectionKey register(SelectableChannel channel, int ops, Handler handler) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void execute(Runnable task) {
    if (!thread.isShutdown()) {
      thread.execute(task);
    }
  }

  @Override
  public void schedule(long delayNanos, Runnable task) {
    var _ = thread.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean inReactor() {
    return Thread.currentThread().getName().equals("reactor");
  }

  @Override
  public void close() {
    opened.forEach(session -> session.abort("the test is over"));
    thread.shutdownNow();
  }
}
