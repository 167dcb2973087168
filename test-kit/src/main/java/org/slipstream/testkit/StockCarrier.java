package org.slipstream.testkit;

import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import org.slipstream.testkit.socket.Sockets;
import org.slipstream.testkit.socket.StockSockets;

/** The reference: the JDK's own channels over kernel TCP, in a JVM without Slipstream. */
public final class StockCarrier implements Carrier {

  private final SelectorProvider provider;
  private final Sockets sockets = new StockSockets();

  /**
   * Takes the provider of this JVM.
   *
   * @throws IllegalStateException if another provider is installed in this JVM
   */
  public StockCarrier() {
    SelectorProvider installed = SelectorProvider.provider();
    if (!Object.class.getModule().equals(installed.getClass().getModule())) {
      throw new IllegalStateException(
          "The stock row needs a JVM without an installed SelectorProvider, but found "
              + installed.getClass().getName());
    }
    this.provider = installed;
  }

  @Override
  public String name() {
    return "stock";
  }

  @Override
  public SelectorProvider provider() {
    return provider;
  }

  @Override
  public SelectorProvider stock() {
    return provider;
  }

  @Override
  public void settle(SocketChannel client, SocketChannel server) {
    // A kernel connection is what it will always be.
  }

  @Override
  public void assertCarried(SocketChannel client, SocketChannel server) {
    // There is nothing else that could have carried the bytes.
  }

  @Override
  public AsynchronousChannelProvider asynchronous() {
    return AsynchronousChannelProvider.provider();
  }

  @Override
  public void settle(AsynchronousSocketChannel client, AsynchronousSocketChannel server) {
    // A kernel connection is what it will always be.
  }

  @Override
  public void assertCarried(AsynchronousSocketChannel client, AsynchronousSocketChannel server) {
    // There is nothing else that could have carried the bytes.
  }

  @Override
  public Sockets sockets() {
    return sockets;
  }

  @Override
  public String toString() {
    return name();
  }
}
