package org.slipstream.benchmarks.netty;

import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Takes all that is flushed, at once, and keeps nothing: what is left is Netty's own work. Belongs
 * to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // promises return themselves
final class NullChannel extends AbstractChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false);

  /** As the transports that are compared. */
  private static final int GATHERED_BUFFERS = 1024;

  private static final long GATHERED_BYTES = 256 * 1024;

  private final ChannelConfig config = new DefaultChannelConfig(this);
  private volatile boolean open = true;
  private long missing;
  private long announced;

  NullChannel() {
    super(null);
  }

  /** Says what a {@link NettySender} will announce; it is confirmed when all of it was taken. */
  void expect(long bytes) {
    announced = bytes;
    missing = Long.BYTES + bytes;
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) {
    while (!in.isEmpty()) {
      in.nioBuffers(GATHERED_BUFFERS, GATHERED_BYTES);
      long n = in.nioBufferSize();
      in.removeBytes(n);
      missing -= n;
    }
    if (missing == 0) {
      eventLoop()
          .execute(() ->
              pipeline().fireChannelRead(alloc().directBuffer(Long.BYTES).writeLong(announced)));
    }
  }

  @Override
  protected Object filterOutboundMessage(Object message) {
    return message;
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new AbstractUnsafe() {
      @Override
      public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
        promise.setFailure(new UnsupportedOperationException("connected to nothing for ever"));
      }
    };
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return true;
  }

  @Override
  protected void doRegister(ChannelPromise promise) {
    promise.setSuccess();
  }

  @Override
  protected void doBeginRead() {}

  @Override
  protected void doBind(SocketAddress address) {}

  @Override
  protected void doDisconnect() {}

  @Override
  protected void doClose() {
    open = false;
  }

  @Override
  protected @Nullable SocketAddress localAddress0() {
    return null;
  }

  @Override
  protected @Nullable SocketAddress remoteAddress0() {
    return null;
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isActive() {
    return open;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }
}
