package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashMap;
import java.util.Map;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.RandomBits;
import org.slipstream.transport.Reactor;

/**
 * Listening sockets, open for a moment, that give a secret to every connection. A client in another
 * network namespace, which was told port and secret over the session, connects to the address that
 * its stream is connected to, from the address that it is connected from. If it reads the secret,
 * packets from there to here reach this process, and packets from here to there reach the client:
 * its four addresses and ports name the connection that was accepted here, and no other ({@code
 * docs/models/path.pml}).
 *
 * <p>The client writes nothing, so a process that it reaches by mistake gets no byte. Reactor only.
 */
final class PathBeacons {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.path");
  static final int SECRET_BYTES = 16;

  /** A beacon to which no client was sent for so long is closed. */
  static final long LIFE_NS = 2 * Probes.GRACE_NS;

  private static final int BACKLOG = 64;

  private final SelectorProvider jdk;
  private final Reactor reactor;
  private final Map<InetAddress, Beacon> open = new HashMap<>();

  PathBeacons(SelectorProvider jdk, Reactor reactor) {
    this.jdk = jdk;
    this.reactor = reactor;
  }

  /** One listening socket. */
  final class Beacon implements Reactor.Handler {
    private final InetAddress address;
    private final ServerSocketChannel listener;
    private final byte[] secret = new byte[SECRET_BYTES];
    private int uses;

    private Beacon(InetAddress address) throws IOException {
      this.address = address;
      RandomBits.fill(secret);
      listener = jdk.openServerSocketChannel(Probes.family(address));
      try {
        listener.bind(new InetSocketAddress(address, 0), BACKLOG);
        reactor.register(listener, SelectionKey.OP_ACCEPT, this);
      } catch (IOException | RuntimeException e) {
        listener.close();
        throw e;
      }
    }

    int port() {
      return listener.socket().getLocalPort();
    }

    byte[] secret() {
      return secret.clone();
    }

    @Override
    public void ready(SelectionKey key) throws IOException {
      try (SocketChannel channel = listener.accept()) {
        if (channel != null) {
          channel.configureBlocking(false);
          channel.write(ByteBuffer.wrap(secret)); // a new connection has room for it
        }
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "A probe was not answered", e); // its client waits no longer than this
      }
    }

    @Override
    public void failed(Throwable cause) {
      open.remove(address, this);
    }

    private void closeUnlessUsed(int usesBefore) {
      if (uses != usesBefore) {
        return;
      }
      open.remove(address, this);
      try {
        listener.close();
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "Closing a beacon", e);
      }
    }
  }

  /**
   * The beacon at an address of ours.
   *
   * @param local of an accepted connection
   * @return open until {@link #LIFE_NS} after the last call
   * @throws IOException no descriptors, for example
   */
  Beacon at(SocketAddress local) throws IOException {
    if (!(local instanceof InetSocketAddress inet)) {
      throw new IOException("The connection is closed");
    }
    Beacon beacon = open.get(inet.getAddress());
    if (beacon == null) {
      beacon = new Beacon(inet.getAddress());
      open.put(inet.getAddress(), beacon);
    }
    Beacon used = beacon;
    int uses = ++used.uses;
    reactor.schedule(LIFE_NS, () -> used.closeUnlessUsed(uses));
    return used;
  }
}
