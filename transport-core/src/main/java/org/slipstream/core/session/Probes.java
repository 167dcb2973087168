package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.security.MessageDigest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Reactor;

/**
 * The client's half of {@link PathBeacons}: connects beside a stream, and reads whether it reaches
 * the process that accepted the stream's offer. Never writes. Reactor only.
 */
final class Probes {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.path");

  /** A path on which a connection takes longer is taken for closed. */
  static final long GRACE_NS = 2_000_000_000L;

  private final SelectorProvider jdk;
  private final Reactor reactor;

  Probes(SelectorProvider jdk, Reactor reactor) {
    this.jdk = jdk;
    this.reactor = reactor;
  }

  static StandardProtocolFamily family(InetAddress address) {
    return address instanceof Inet4Address
        ? StandardProtocolFamily.INET
        : StandardProtocolFamily.INET6;
  }

  private static final class Probe implements Reactor.Handler {
    private final SocketChannel channel;
    private final byte[] secret;
    private final ByteBuffer read;
    private @Nullable Consumer<Boolean> answer;

    Probe(SocketChannel channel, byte[] secret, Consumer<Boolean> answer) {
      this.channel = channel;
      this.secret = secret;
      this.read = ByteBuffer.allocate(secret.length);
      this.answer = answer;
    }

    @Override
    public void ready(SelectionKey key) throws IOException {
      if (key.isConnectable()) {
        channel.finishConnect();
        key.interestOps(SelectionKey.OP_READ);
        return;
      }
      int n = channel.read(read);
      if (n < 0 || !read.hasRemaining()) {
        end(MessageDigest.isEqual(secret, read.array()));
      }
    }

    @Override
    public void failed(Throwable cause) {
      end(false);
    }

    void end(boolean reached) {
      Consumer<Boolean> told = answer;
      if (told == null) {
        return;
      }
      try {
        channel.close();
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "Closing a probe", e);
      }
      told.accept(reached);
      answer = null; // last: without memory for the rest, this is done again
    }
  }

  /**
   * Connects from the local address of a stream to a port of its remote address.
   *
   * @param stream the connection of the stream
   * @param port of the peer's beacon
   * @param secret what the beacon says
   * @param answer told once whether it was read, on the reactor
   */
  void probe(SocketChannel stream, int port, byte[] secret, Consumer<Boolean> answer) {
    try {
      InetSocketAddress local = (InetSocketAddress) stream.getLocalAddress();
      InetSocketAddress remote = (InetSocketAddress) stream.getRemoteAddress();
      SocketChannel channel = jdk.openSocketChannel(family(remote.getAddress()));
      Probe probe = new Probe(channel, secret, answer);
      try {
        channel.bind(new InetSocketAddress(local.getAddress(), 0));
        channel.configureBlocking(false);
        boolean connected = channel.connect(new InetSocketAddress(remote.getAddress(), port));
        int ops = connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT;
        reactor.register(channel, ops, probe);
        reactor.schedule(GRACE_NS, () -> probe.end(false));
      } catch (IOException | RuntimeException e) {
        LOG.log(Level.DEBUG, "No connection beside the stream", e);
        probe.end(false);
      }
    } catch (IOException | ClassCastException e) {
      LOG.log(Level.DEBUG, "The stream was closed before its path was proven", e);
      answer.accept(false);
    }
  }
}
