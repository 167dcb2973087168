package org.slipstream.rdma;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.Closeable;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Properties;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/** Two processes of a benchmark in this JVM: their session, and the two ends of one link of it. */
final class RdmaRings implements AutoCloseable {
  private final TestHost serverHost;
  private final TestHost clientHost;
  private final RdmaEndpoint server;
  private final RdmaEndpoint client;
  private final Closeable announced;
  private final long connectNanos;
  private final RingEnd a;
  private final RingEnd b;

  /**
   * Connects them.
   *
   * @param address where one of them listens; nothing else does
   * @param order of both
   * @param key of both, or one that is not set
   */
  RdmaRings(
      InetSocketAddress address,
      RdmaOrder order,
      FabricKey key,
      int ringBytes,
      int pollsBeforeYield)
      throws Exception {
    Properties properties = new Properties();
    properties.setProperty("slipstream.rdma.order", order.text());
    RdmaSettings settings = RdmaSettings.read(properties);
    serverHost = new TestHost(ringBytes);
    clientHost = new TestHost(ringBytes);
    server = new RdmaEndpoint(serverHost, settings, key);
    client = new RdmaEndpoint(clientHost, settings, key);
    announced = server.announce(address);

    long began = System.nanoTime();
    Session session = clientHost.find(client, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
    Session accepted = accepted();
    Window here = clientHost.onReactor(session::allocateWindow);
    Window there = serverHost.onReactor(accepted::allocateWindow);
    a = end(clientHost, session, here, there, pollsBeforeYield);
    b = end(serverHost, accepted, there, here, pollsBeforeYield);
    connectNanos = System.nanoTime() - began;
    RingEnd.join(a, b);
  }

  private Session accepted() throws InterruptedException {
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    while (serverHost.opened.isEmpty()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("the process that listens has no session");
      }
      Thread.sleep(0, 100_000);
    }
    return serverHost.opened.getFirst();
  }

  private static RingEnd end(
      TestHost host, Session session, Window own, Window peers, int pollsBeforeYield)
      throws Exception {
    ByteBuffer descriptor = ByteBuffer.allocate(WindowDescriptor.BYTES);
    peers.descriptor(descriptor);
    return new RingEnd(
        host.onReactor(() -> session.join(own, descriptor.flip())), own, pollsBeforeYield);
  }

  /** The end that connected. */
  RingEnd a() {
    return a;
  }

  /** The end that listened. */
  RingEnd b() {
    return b;
  }

  /** From the search for the peer until both ends could write. */
  long connectNanos() {
    return connectNanos;
  }

  @Override
  public void close() throws Exception {
    announced.close();
    client.close();
    server.close();
    clientHost.opened.forEach(session -> session.abort("the benchmark is over"));
    serverHost.close();
    clientHost.close();
  }
}
