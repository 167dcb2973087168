package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Link;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;
import org.slipstream.transport.Window;

/**
 * An exchange of this process with itself, over a device: rdma_cm, registration, a queue pair,
 * writes of a whole ring and a read-back. For {@code slipstream doctor}.
 */
final class RdmaProbe {
  private static final int ROUNDS = 100;
  private static final long GRACE_S = 20;
  private static final int WORD = 0;

  private RdmaProbe() {}

  /** Asks the active ports by their addresses, until one answers. With rings as streams have. */
  static Availability first(TransportSettings rings) {
    RdmaSettings settings = RdmaSettings.read(System.getProperties());
    boolean others = false;
    Availability last = Availability.no("no port has an address to exchange with");
    for (RdmaDevices.Port port : RdmaDevices.ports()) {
      if (!port.isActive() || !settings.allows(port)) {
        continue;
      }
      others |= !port.isRoce();
      for (byte[] gid : port.isRoce() ? port.gids() : List.<byte[]>of()) {
        InetAddress address = address(gid);
        if (address != null && settings.allowsGid(address)) {
          last = run(address, rings);
          if (last.available()) {
            return last;
          }
        }
      }
    }
    return others ? firstOfHost(rings) : last;
  }

  /**
   * GIDs of InfiniBand and iWARP are no IP addresses: any address of the host may be one of IPoIB,
   * or of an iWARP device.
   */
  private static Availability firstOfHost(TransportSettings rings) {
    Availability last = Availability.no("the host has no address to exchange with");
    try {
      for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
        for (InetAddress address : each.inetAddresses().toList()) {
          if (!address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
            last = run(address, rings);
            if (last.available()) {
              return last;
            }
          }
        }
      }
    } catch (SocketException e) {
      return Availability.no("the host's addresses are unknown: " + e.getMessage());
    }
    return last;
  }

  private static @Nullable InetAddress address(byte[] gid) {
    try {
      InetAddress address = InetAddress.getByAddress(gid);
      return address.isLinkLocalAddress() ? null : address;
    } catch (IOException e) {
      throw new IllegalArgumentException(Arrays.toString(gid), e);
    }
  }

  /** Takes some milliseconds, or {@link #GRACE_S} if no process answers. */
  static Availability run(InetAddress address, TransportSettings rings) {
    try (Self there = new Self(rings);
        Self here = new Self(rings)) {
      InetSocketAddress at = new InetSocketAddress(address, freePort(address));
      RdmaSettings settings = RdmaSettings.read(System.getProperties());
      RdmaEndpoint server = new RdmaEndpoint(there, settings);
      RdmaEndpoint client = new RdmaEndpoint(here, settings);
      try (Closeable _ = server.announce(at)) {
        String found = exchange(here, there, client, at);
        return Availability.yes(found + " at " + address.getHostAddress());
      } finally {
        client.close();
        server.close();
      }
    } catch (IOException | ExecutionException | TimeoutException e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      String why = cause == null || cause.getMessage() == null ? e.toString() : cause.getMessage();
      return Availability.no("no exchange at " + address.getHostAddress() + ": " + why);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Availability.no("interrupted");
    }
  }

  private static String exchange(Self here, Self there, RdmaEndpoint client, InetSocketAddress at)
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Session> found = new CompletableFuture<>();
    Runnable none =
        () -> {
          Refusal why = client.refusal(new InetSocketAddress(at.getAddress(), 0), at);
          found.completeExceptionally(
              new IOException(why == null ? "no process answers" : why.sentence()));
        };
    here.ask(() -> {
      if (client.findPeers(at, found::complete, none) == 0) {
        none.run();
      }
      return true;
    });
    Session session = found.get(GRACE_S, TimeUnit.SECONDS);
    try {
      Session accepted = there.accepted.get(GRACE_S, TimeUnit.SECONDS);
      Window target = there.ask(accepted::allocateWindow);
      Window own = here.ask(session::allocateWindow);
      ByteBuffer descriptor = ByteBuffer.allocate(WindowDescriptor.BYTES);
      target.descriptor(descriptor);
      Link link = here.ask(() -> session.join(own, descriptor.flip()));
      return measure(link, target);
    } finally {
      session.abort("the probe is over");
    }
  }

  private static String measure(Link link, Window target) throws IOException {
    long best = Long.MAX_VALUE;
    for (int i = 1; i <= ROUNDS; i++) {
      long began = System.nanoTime();
      link.publish(WORD, i);
      link.flush();
      best = Math.min(best, System.nanoTime() - began);
    }
    MemorySegment ring = link.sendRing();
    ring.fill((byte) 0x5A);
    link.push(0, ring.byteSize());
    link.publish(WORD, ROUNDS + 1L);
    link.flush();
    long word = target.control().get(JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN), WORD);
    boolean same = word == ROUNDS + 1L && target.ring().mismatch(ring) < 0;
    if (link.isBroken() || !same) {
      throw new IOException("what was written did not arrive");
    }
    return String.format("a write with its read-back takes %d us", best / 1000);
  }

  /** As rdma_cm's port space may be the kernel's, on iWARP. */
  private static int freePort(InetAddress address) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, address)) {
      return socket.getLocalPort();
    }
  }

  /** A process without a core. */
  private static final class Self implements TransportHost, Reactor, AutoCloseable {
    final CompletableFuture<Session> accepted = new CompletableFuture<>();
    private final ProcessId id = ProcessId.random();
    private final TransportSettings rings;
    private final MemoryBudget budget = new MemoryBudget(Long.MAX_VALUE);
    private final ExecutorService thread =
        Executors.newSingleThreadExecutor(
            task -> Thread.ofPlatform().daemon().name("slipstream-probe").unstarted(task));

    Self(TransportSettings rings) {
      this.rings = rings;
    }

    <T> T ask(Callable<T> work) throws InterruptedException, ExecutionException, TimeoutException {
      return thread.submit(work).get(GRACE_S, TimeUnit.SECONDS);
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
      return rings;
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
      return true; // it is this process
    }

    @Override
    public void sessionOpened(Session session) {
      accepted.complete(session);
    }

    @Override
    public void frameReceived(Session session, ByteBuffer frame) {}

    @Override
    public void sessionLost(Session session, String cause) {}

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
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean inReactor() {
      return Thread.currentThread().getName().equals("slipstream-probe");
    }

    @Override
    public void close() {
      thread.shutdown();
    }
  }
}
