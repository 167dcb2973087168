package org.slipstream.it.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.socket.Sockets;

/** A carrier whose connections go through a relay in a process of its own. */
final class Relayed implements Carrier {
  private final String name;
  private final Carrier near;
  private final Peer relay;
  private final String address;

  /**
   * Both ends of every connection are here, on the other carrier.
   *
   * @param relay a running process
   * @param address where it listens
   */
  Relayed(String name, Carrier near, Peer relay, String address) {
    this.name = name;
    this.near = near;
    this.relay = relay;
    this.address = address;
  }

  @Override
  public InetSocketAddress route(InetSocketAddress listener) throws IOException {
    try {
      String host = listener.getAddress().getHostAddress();
      String port = relay.ask("relay " + address + " " + host + " " + listener.getPort());
      return new InetSocketAddress(address, Integer.parseInt(port));
    } catch (Exception e) {
      throw new IOException("The relay does not answer", e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public SelectorProvider provider() {
    return near.provider();
  }

  @Override
  public SelectorProvider stock() {
    return near.stock();
  }

  @Override
  public int[] census() {
    return near.census();
  }

  @Override
  public long memoryBytes() {
    return near.memoryBytes();
  }

  @Override
  public void settle(SocketChannel client, SocketChannel server) throws IOException {
    try {
      near.settle(client, server);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; the relay: " + relayed(), e);
    }
  }

  /** What is between the two ends; one of the relay's own may be what did not settle. */
  private String relayed() {
    try {
      return relay.streams().toString();
    } catch (Exception | AssertionError e) {
      return e.toString(); // stock, or gone
    }
  }

  @Override
  public void assertCarried(SocketChannel client, SocketChannel server) {
    near.assertCarried(client, server);
  }

  @Override
  public AsynchronousChannelProvider asynchronous() {
    return near.asynchronous();
  }

  @Override
  public void settle(AsynchronousSocketChannel client, AsynchronousSocketChannel server) {
    try {
      near.settle(client, server);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; the relay: " + relayed(), e);
    }
  }

  @Override
  public void assertCarried(AsynchronousSocketChannel client, AsynchronousSocketChannel server) {
    near.assertCarried(client, server);
  }

  @Override
  public Sockets sockets() {
    return near.sockets();
  }

  @Override
  public boolean allocationFree() {
    return near.allocationFree();
  }
}
