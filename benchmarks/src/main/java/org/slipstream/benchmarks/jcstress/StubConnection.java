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

/**
 * A TCP connection without a kernel: what is written arrives at its peer, or nowhere if it has
 * none. Non-blocking; one writer and one reader at a time, as the locks of a stream see to it.
 */
final class StubConnection extends SocketChannel {
  private static final int CAPACITY = 256;

  private final byte[] bytes = new byte[CAPACITY];

  /** How many bytes have arrived; written by the peer's writer. */
  private volatile int arrived;

  /** How many of them were read. */
  private int taken;

  private @Nullable StubConnection peer;

  StubConnection() {
    super(SelectorProvider.provider());
  }

  /** Two ends of one connection. */
  static void connect(StubConnection a, StubConnection b) {
    a.peer = b;
    b.peer = a;
  }

  /** What a kernel does with a segment. */
  void arrives(ByteBuffer src) {
    int n = src.remaining();
    int at = arrived;
    src.get(bytes, at, n);
    arrived = at + n;
  }

  @Override
  public int read(ByteBuffer dst) {
    int n = Math.min(dst.remaining(), arrived - taken);
    dst.put(bytes, taken, n);
    taken += n;
    return n;
  }

  @Override
  public long read(ByteBuffer[] dsts, int offset, int length) {
    return 0;
  }

  @Override
  public int write(ByteBuffer src) {
    int n = src.remaining();
    if (peer != null) {
      peer.arrives(src);
    } else {
      src.position(src.limit());
    }
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
