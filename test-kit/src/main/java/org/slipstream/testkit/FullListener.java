package org.slipstream.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A listener whose backlog is full, so that the next connection stays pending: Linux drops its SYN
 * and the client sends it again, first after one second.
 */
public final class FullListener implements AutoCloseable {

  private static final int BACKLOG = 1;
  private static final int MORE_THAN_ENOUGH = 16;
  private static final long PENDING_MILLIS = 150;

  private final ServerSocketChannel listener;
  private final List<SocketChannel> fillers = new ArrayList<>();

  /** Opens a listener of the carrier and fills its backlog with connections of the stock JDK. */
  public FullListener(Carrier carrier) throws IOException {
    this.listener = carrier.provider().openServerSocketChannel();
    listener.bind(Network.anyPort(), BACKLOG);
    for (int i = 0; i < MORE_THAN_ENOUGH; i++) {
      SocketChannel filler = carrier.stock().openSocketChannel();
      filler.configureBlocking(false);
      if (!filler.connect(listener.getLocalAddress()) && staysPending(filler)) {
        filler.close();
        return;
      }
      fillers.add(filler);
    }
    close();
    throw new IOException("The backlog of the listener does not fill up");
  }

  /** The address at which a connection stays pending. */
  public InetSocketAddress address() throws IOException {
    return Network.addressOf(listener);
  }

  /** Accepts what fills the backlog, so that a pending connection succeeds at its next SYN. */
  public void makeRoom() throws IOException {
    for (int i = 0; i < fillers.size(); i++) {
      listener.accept().close();
    }
  }

  /** Accepts the connection that was pending. */
  public SocketChannel accept() throws IOException {
    return listener.accept();
  }

  @Override
  public void close() throws IOException {
    for (SocketChannel filler : fillers) {
      filler.close();
    }
    listener.close();
  }

  private static boolean staysPending(SocketChannel filler) throws IOException {
    long end = System.nanoTime() + PENDING_MILLIS * 1_000_000;
    while (System.nanoTime() < end) {
      if (filler.finishConnect()) {
        return false;
      }
      LockSupport.parkNanos(1_000_000);
    }
    return true;
  }
}
