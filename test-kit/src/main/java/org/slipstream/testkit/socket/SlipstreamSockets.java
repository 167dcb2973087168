package org.slipstream.testkit.socket;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.nio.channels.SocketChannel;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.provider.net.SlipstreamSocketFactory;
import org.slipstream.provider.net.SlipstreamSocketImpl;
import org.slipstream.provider.nio.Installation;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.SettledStreams;

/**
 * Ours, in a JVM in which no factory is installed: subclasses hand our implementations to the
 * constructors of {@code java.net}.
 */
public final class SlipstreamSockets implements Sockets {
  private static final long PATIENCE_NS = Patience.DEADLINE.toNanos();

  private final SlipstreamSocketFactory clients;
  private final SocketImplFactory servers;
  private final boolean accelerated;
  private final SettledStreams settled = new SettledStreams();

  /** A socket hides its implementation, so this is remembered here. */
  private final Map<Socket, SlipstreamSocketImpl> impls =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** What {@link #toAcceptInto} has given to the socket that this thread is making. */
  private static final ThreadLocal<SlipstreamSocketImpl> GIVEN = new ThreadLocal<>();

  /**
   * Makes the sockets of a row.
   *
   * @param installation whose core carries the streams
   * @param accelerated whether a settled stream is on a ring
   */
  public SlipstreamSockets(Installation installation, boolean accelerated) {
    this.clients = new SlipstreamSocketFactory(installation, false);
    this.servers = new SlipstreamSocketFactory(installation, true);
    this.accelerated = accelerated;
  }

  /** A socket with an implementation of ours. */
  private static final class OurSocket extends Socket {
    OurSocket(@Nullable SocketImpl impl) throws IOException {
      super(impl);
    }
  }

  /** A server socket with an implementation of ours. */
  private final class OurServerSocket extends ServerSocket {
    private final Accepted accepted;

    OurServerSocket(Accepted accepted) {
      super(servers.createSocketImpl());
      this.accepted = accepted;
    }

    @Override
    public Socket accept() throws IOException {
      if (isClosed() || !isBound()) {
        return super.accept(); // which says what is wrong
      }
      GIVEN.remove();
      Socket socket = accepted.make();
      SlipstreamSocketImpl impl = GIVEN.get();
      if (impl != null) {
        impls.put(socket, impl);
      }
      // As in the JDK's accept, where the socket is never seen if this fails.
      implAccept(socket);
      return socket;
    }
  }

  @Override
  public Socket open() throws IOException {
    return open(toAcceptInto());
  }

  @Override
  public Socket openDirect() throws IOException {
    return open((SlipstreamSocketImpl) clients.createDirectSocketImpl());
  }

  private Socket open(SlipstreamSocketImpl impl) throws IOException {
    Socket socket = new OurSocket(impl);
    impls.put(socket, impl);
    return socket;
  }

  @Override
  public ServerSocket openServer() {
    return new OurServerSocket(() -> new OurSocket(toAcceptInto()));
  }

  @Override
  public ServerSocket openServer(Accepted accepted) {
    return new OurServerSocket(accepted);
  }

  @Override
  public SlipstreamSocketImpl toAcceptInto() {
    SlipstreamSocketImpl impl = (SlipstreamSocketImpl) clients.createSocketImpl();
    GIVEN.set(impl);
    return impl;
  }

  @Override
  public void settle(Socket client, Socket server) throws IOException {
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (accelerated && !(usedRing(client) && usedRing(server))) {
      move(client, server);
      move(server, client);
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Not on the ring: " + status(client) + ", " + status(server));
      }
    }
    if (accelerated) {
      settled.add(client, status(client));
      settled.add(server, status(server));
    }
  }

  private static void move(Socket from, Socket to) throws IOException {
    from.getOutputStream().write(0);
    if (to.getInputStream().read() != 0) {
      throw new AssertionError("A pair did not settle");
    }
  }

  @Override
  public void assertCarried(Socket client, Socket server) {
    if (accelerated) {
      settled.assertCarried(client, status(client));
      settled.assertCarried(server, status(server));
    }
  }

  private boolean usedRing(Socket socket) {
    return SettledStreams.usedRing(status(socket));
  }

  private @Nullable StreamStatus status(Socket socket) {
    SocketChannel channel = socket.getChannel();
    if (channel != null) {
      return Installation.status(channel);
    }
    SlipstreamSocketImpl impl = impls.get(socket);
    return impl == null ? null : impl.status();
  }
}
