package org.slipstream.netty;

import io.netty.channel.nio.NioIoOps;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/**
 * The interest of a stream in the form in which Netty's NIO base classes ask for it. It is not the
 * key of any selector: a stream on a ring waits for operations that the kernel knows nothing of.
 */
final class InterestKey extends SelectionKey {
  private final Registration registration;

  InterestKey(Registration registration) {
    this.registration = registration;
  }

  @Override
  public SelectableChannel channel() {
    return registration.key().channel();
  }

  @Override
  public Selector selector() {
    return registration.key().selector();
  }

  @Override
  public boolean isValid() {
    return registration.isValid();
  }

  @Override
  public void cancel() {
    registration.cancel();
  }

  @Override
  public int interestOps() {
    return registration.interest();
  }

  @Override
  public SelectionKey interestOps(int ops) {
    registration.submit(NioIoOps.valueOf(ops));
    return this;
  }

  @Override
  public int readyOps() {
    return registration.key().readyOps();
  }
}
