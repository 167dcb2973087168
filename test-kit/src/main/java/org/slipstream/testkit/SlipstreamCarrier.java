package org.slipstream.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.async.SlipstreamAsynchronousChannelProvider;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.SelectorProviders;
import org.slipstream.testkit.socket.SlipstreamSockets;
import org.slipstream.testkit.socket.Sockets;
import org.slipstream.transport.Transport;

/** Ours: over the given transports, or on plain TCP if there are none. */
public final class SlipstreamCarrier implements Carrier {
  /** Shorter than any test may take: a pair that stays plain says why. */
  private static final long PATIENCE_NS =
      Math.min(Patience.DEADLINE.toNanos(), TimeUnit.SECONDS.toNanos(150));

  private final String name;
  private final boolean accelerated;
  private final boolean allocationFree;
  private final Installation installation;
  private final SelectorProvider provider;
  private final AsynchronousChannelProvider asynchronous;
  private final SettledStreams settled = new SettledStreams();
  private @Nullable Sockets sockets; // made when first asked for: it needs the JDK opened

  /**
   * Makes an installation of its own in this JVM.
   *
   * @param name of the row
   * @param settings {@code slipstream.} properties
   * @param transports the backends; none for plain TCP through our adapter
   */
  public SlipstreamCarrier(String name, Properties settings, List<Transport> transports) {
    this(name, settings, transports, !transports.isEmpty());
  }

  /**
   * As the other one.
   *
   * @param allocationFree false if a transport of the row is a tool of tests, and allocates
   */
  public SlipstreamCarrier(
      String name, Properties settings, List<Transport> transports, boolean allocationFree) {
    this.allocationFree = allocationFree;
    this.name = name;
    this.accelerated = !transports.isEmpty();
    this.installation = Installation.create(offeringSoon(settings), transports);
    if (!installation.isOn()) {
      throw new IllegalStateException("A row on plain TCP proves nothing", installation.failure());
    }
    this.provider = SelectorProviders.of(installation);
    this.asynchronous = new SlipstreamAsynchronousChannelProvider(installation);
  }

  /** The streams of tests are many and short, for which a program would learn to offer late. */
  private static Properties offeringSoon(Properties settings) {
    Properties all = new Properties();
    all.setProperty("slipstream.test.hold", "0");
    settings.stringPropertyNames().forEach(key -> all.setProperty(key, settings.getProperty(key)));
    return all;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public SelectorProvider provider() {
    return provider;
  }

  @Override
  public SelectorProvider stock() {
    return installation.jdk();
  }

  /**
   * The core of this row.
   *
   * @return for counting what is left over
   */
  public SlipstreamCore core() {
    return Objects.requireNonNull(installation.unwrap(SlipstreamCore.class), "Slipstream is off");
  }

  @Override
  public int[] census() {
    return core().census();
  }

  @Override
  public long memoryBytes() {
    return core().budget().usedBytes();
  }

  @Override
  public void settle(SocketChannel client, SocketChannel server) throws IOException {
    if (!accelerated) {
      return;
    }
    long deadline = System.nanoTime() + PATIENCE_NS;
    ByteBuffer one = ByteBuffer.allocate(1);
    while (!usedRing(client) || !usedRing(server)) {
      move(client, server, one);
      move(server, client, one);
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Not on the ring: " + describe(client) + ", " + describe(server));
      }
      pause();
    }
    settled.add(client, Installation.status(client));
    settled.add(server, Installation.status(server));
  }

  private static void move(SocketChannel from, SocketChannel to, ByteBuffer one)
      throws IOException {
    from.write(one.clear());
    to.read(one.clear());
  }

  private static void pause() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      throw new AssertionError("A test was interrupted while its pair settled", e);
    }
  }

  @Override
  public void assertCarried(SocketChannel client, SocketChannel server) {
    if (accelerated) {
      settled.assertCarried(client, Installation.status(client));
      settled.assertCarried(server, Installation.status(server));
    }
  }

  @Override
  public AsynchronousChannelProvider asynchronous() {
    return asynchronous;
  }

  @Override
  public void settle(AsynchronousSocketChannel client, AsynchronousSocketChannel server) {
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (accelerated && !(usedRing(client) && usedRing(server))) {
      move(client, server);
      move(server, client);
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Not on the ring: " + status(client) + ", " + status(server));
      }
      pause();
    }
    if (accelerated) {
      settled.add(client, status(client));
      settled.add(server, status(server));
    }
  }

  private static void move(AsynchronousSocketChannel from, AsynchronousSocketChannel to) {
    try {
      from.write(ByteBuffer.allocate(1)).get(PATIENCE_NS, TimeUnit.NANOSECONDS);
      to.read(ByteBuffer.allocate(1)).get(PATIENCE_NS, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException | InterruptedException e) {
      throw new AssertionError("A pair did not settle", e);
    }
  }

  @Override
  public void assertCarried(AsynchronousSocketChannel client, AsynchronousSocketChannel server) {
    if (accelerated) {
      settled.assertCarried(client, status(client));
      settled.assertCarried(server, status(server));
    }
  }

  private static boolean usedRing(AsynchronousSocketChannel channel) {
    return SettledStreams.usedRing(status(channel));
  }

  private static StreamStatus status(AsynchronousSocketChannel channel) {
    return Objects.requireNonNull(
        SlipstreamAsynchronousChannelProvider.status(channel), "not one of ours");
  }

  @Override
  public synchronized Sockets sockets() {
    Sockets made = sockets;
    if (made == null) {
      made = new SlipstreamSockets(installation, accelerated);
      sockets = made;
    }
    return made;
  }

  @Override
  public boolean allocationFree() {
    return allocationFree;
  }

  private static boolean usedRing(SocketChannel channel) {
    return SettledStreams.usedRing(Installation.status(channel));
  }

  private static String describe(SocketChannel channel) {
    return channel + " " + Installation.status(channel);
  }

  @Override
  public String toString() {
    return name;
  }
}
