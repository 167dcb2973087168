package org.slipstream.provider.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import org.slipstream.provider.nio.ChannelInternals;
import sun.nio.ch.DefaultAsynchronousChannelProvider;
import sun.nio.ch.DefaultSelectorProvider;
import sun.nio.ch.IOUtil;
import sun.nio.ch.NativeThread;
import sun.nio.ch.SelChImpl;

/** Those of this JDK. */
public final class JdkChannelInternals implements ChannelInternals {

  /**
   * By its loader only.
   *
   * @throws ReflectiveOperationException this JDK has no such wait, which a socket would find out
   *     too late
   */
  public JdkChannelInternals() throws ReflectiveOperationException {
    SelChImpl.class.getMethod("park", int.class, long.class);
  }

  @Override
  public SelectorProvider selectors() {
    return DefaultSelectorProvider.get();
  }

  @Override
  public AsynchronousChannelProvider asynchronous() {
    return DefaultAsynchronousChannelProvider.create();
  }

  @Override
  public void await(SocketChannel channel, int event, long nanos) throws IOException {
    ((SelChImpl) channel).park(event, nanos);
  }

  @Override
  public FileDescriptor descriptor(Channel channel) {
    return ((SelChImpl) channel).getFD();
  }

  @Override
  public int number(Channel channel) {
    return ((SelChImpl) channel).getFDVal();
  }

  @Override
  public int number(FileDescriptor descriptor) {
    return IOUtil.fdVal(descriptor);
  }

  @Override
  public void neverBlock(FileDescriptor descriptor) throws IOException {
    IOUtil.configureBlocking(descriptor, false);
  }

  @Override
  public long thread() {
    return NativeThread.current();
  }

  @Override
  public void signal(long thread) {
    NativeThread.signal(thread);
  }
}
