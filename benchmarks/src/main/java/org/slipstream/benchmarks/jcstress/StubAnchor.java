package org.slipstream.benchmarks.jcstress;

import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An anchor without a kernel: swallows what is written, and has some bytes to read. */
final class StubAnchor extends SocketChannel {
  private final ByteBuffer toRead;

  StubAnchor(byte[] toRead) {
    super(SelectorProvider.provider());
    this.toRead = ByteBuffer.wrap(toRead);
  }

  @Override
  public int read(ByteBuffer dst) {
    int n = Math.min(dst.remaining(), toRead.remaining());
    for (int i = 0; i < n; i++) {
      dst.put(toRead.get());
    }
    return n;
  }

  @Override
  public long read(ByteBuffer[] dsts, int offset, int length) {
    return 0;
  }

  @Override
  public int write(ByteBuffer src) {
    int n = src.remaining();
    src.position(src.limit());
    return n;
  }

  @Override
  public long write(ByteBuffer[] srcs, int offset, int length) {
    return 0;
  }

  @Override
  public SocketChannel bind(@Nullable SocketAddress local) {
    return this;
  }

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) {
    return this;
  }

  @Override
  @SuppressWarnings("unchecked") // The type of an option's value is a matter of its name.
  public <T> T getOption(SocketOption<T> name) {
    Object off = -1;
    Object on = true;
    return (T) (name.equals(StandardSocketOptions.SO_LINGER) ? off : on);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return Set.of();
  }

  @Override
  public SocketChannel shutdownInput() {
    return this;
  }

  @Override
  public SocketChannel shutdownOutput() {
    return this;
  }

  @Override
  public Socket socket() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isConnectionPending() {
    return false;
  }

  @Override
  public boolean connect(SocketAddress remote) {
    return true;
  }

  @Override
  public boolean finishConnect() {
    return true;
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() {
    return null;
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() {
    return null;
  }

  @Override
  protected void implCloseSelectableChannel() {
    // Nothing to close.
  }

  @Override
  protected void implConfigureBlocking(boolean block) {
    // Never blocks.
  }
}
