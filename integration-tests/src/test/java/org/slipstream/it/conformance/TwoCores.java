package org.slipstream.it.conformance;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.socket.Sockets;

/**
 * Two installations in this JVM: one connects, the other one listens. They meet as two processes
 * do, and one thread may use both ends. Selectors are those of the first.
 */
final class TwoCores implements Carrier {
  private final SlipstreamCarrier client;
  private final SelectorProvider provider;

  TwoCores(SlipstreamCarrier client, SlipstreamCarrier server) {
    this.client = client;
    this.provider = new Split(client.provider(), server.provider());
  }

  private static final class Split extends SelectorProvider {
    private final SelectorProvider client;
    private final SelectorProvider server;

    Split(SelectorProvider client, SelectorProvider server) {
      this.client = client;
      this.server = server;
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
      return client.openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
      return client.openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
      return client.openPipe();
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
      return client.openSelector();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
      return server.openServerSocketChannel();
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
      return client.openSocketChannel();
    }
  }

  @Override
  public String name() {
    return client.name();
  }

  @Override
  public SelectorProvider provider() {
    return provider;
  }

  @Override
  public SelectorProvider stock() {
    return client.stock();
  }

  @Override
  public void settle(SocketChannel one, SocketChannel other) throws IOException {
    client.settle(one, other);
  }

  @Override
  public void assertCarried(SocketChannel one, SocketChannel other) {
    client.assertCarried(one, other);
  }

  @Override
  public AsynchronousChannelProvider asynchronous() {
    return client.asynchronous();
  }

  @Override
  public void settle(AsynchronousSocketChannel one, AsynchronousSocketChannel other) {
    client.settle(one, other);
  }

  @Override
  public void assertCarried(AsynchronousSocketChannel one, AsynchronousSocketChannel other) {
    client.assertCarried(one, other);
  }

  @Override
  public Sockets sockets() {
    return client.sockets();
  }

  @Override
  public boolean allocationFree() {
    return client.allocationFree();
  }
}
