package org.slipstream.provider.async;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ReadPendingException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritePendingException;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An asynchronous view of one of our own channels, which is always in non-blocking mode. */
final class SlipstreamAsynchronousSocketChannel extends AsynchronousSocketChannel
    implements OperatedChannel, EventLoop.Pollable {
  private final ChannelGroup group;
  private final SocketChannel channel;
  private final SelectionKey key;
  private final Direction reading;
  private final Direction writing;
  private final Connecting connecting;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean connected;

  /**
   * Wraps a channel.
   *
   * @param channel unconnected, or accepted; belongs to this one from now on
   */
  SlipstreamAsynchronousSocketChannel(ChannelGroup group, SocketChannel channel)
      throws IOException {
    super(group.provider());
    this.group = group;
    this.channel = channel;
    this.connected = channel.isConnected();
    this.reading = new Reading();
    this.writing = new Writing();
    this.connecting = new Connecting(this, channel, group);
    channel.configureBlocking(false);
    group.add(this);
    try {
      this.key = group.listen(channel, this);
    } catch (IOException | RuntimeException e) {
      group.remove(this);
      throw e;
    }
  }

  /** The channel underneath. */
  SocketChannel channel() {
    return channel;
  }

  private final class Reading extends Direction {
    Reading() {
      super(SlipstreamAsynchronousSocketChannel.this, group, SelectionKey.OP_READ);
    }

    @Override
    int move(ByteBuffer one) throws IOException {
      return channel.read(one);
    }

    @Override
    long move(ByteBuffer[] many) throws IOException {
      return channel.read(many);
    }

    @Override
    RuntimeException pendingException() {
      return new ReadPendingException();
    }

    @Override
    String verb() {
      return "Reading";
    }

    @Override
    int resultAfterShutdown() {
      return -1;
    }
  }

  private final class Writing extends Direction {
    Writing() {
      super(SlipstreamAsynchronousSocketChannel.this, group, SelectionKey.OP_WRITE);
    }

    @Override
    int move(ByteBuffer one) throws IOException {
      return channel.write(one);
    }

    @Override
    long move(ByteBuffer[] many) throws IOException {
      return channel.write(many);
    }

    @Override
    RuntimeException pendingException() {
      return new WritePendingException();
    }

    @Override
    String verb() {
      return "Writing";
    }

    @Override
    int resultAfterShutdown() throws ClosedChannelException {
      throw new ClosedChannelException();
    }
  }

  // -- events ----------------------------------------------------------------------------------

  @Override
  public void ready(int readyOps, boolean mayInvokeDirect) {
    boolean readable = (readyOps & SelectionKey.OP_READ) != 0;
    boolean writable = (readyOps & SelectionKey.OP_WRITE) != 0;
    if ((readyOps & SelectionKey.OP_CONNECT) != 0) {
      connecting.proceed(mayInvokeDirect);
    }
    if (writable) {
      writing.proceed(mayInvokeDirect && !readable);
    }
    if (readable) {
      reading.proceed(mayInvokeDirect);
    }
  }

  /** Changes what the selector listens for. */
  @Override
  public void listen(int op, boolean on) {
    try {
      if (on) {
        key.interestOpsOr(op);
        group.loop().interestGrew(key);
      } else {
        key.interestOpsAnd(~op);
      }
    } catch (CancelledKeyException e) {
      // Closed: nothing to listen for, and the close tells the waiting thread.
      return;
    } catch (OutOfMemoryError e) {
      if (on) {
        throw e;
      } // else the next event finds nothing pending, and tries again
    }
  }

  // -- connecting ------------------------------------------------------------------------------

  @Override
  public boolean isConnected() {
    return connected;
  }

  /** A connect has succeeded. */
  @Override
  public void connected() {
    connected = true;
  }

  /** A connect was cancelled: the connection may be made all the same, but nothing may use it. */
  @Override
  public void kill() {
    reading.kill();
    writing.kill();
  }

  @Override
  @SuppressWarnings("NullAway") // the result of a connect is null; the JDK's types do not say so
  public Future<Void> connect(SocketAddress remote) {
    return Objects.requireNonNull(connecting.start(remote, null, null));
  }

  @Override
  public <A> void connect(
      SocketAddress remote, A attachment, CompletionHandler<Void, ? super A> handler) {
    Objects.requireNonNull(handler, "'handler' is null");
    Future<?> _ = connecting.start(remote, attachment, handler);
  }

  // -- reading and writing ---------------------------------------------------------------------

  @Override
  public Future<Integer> read(ByteBuffer dst) {
    checkWritable(dst);
    return Objects.requireNonNull(
        reading.<Integer, @Nullable Object>start(dst, null, 0, TimeUnit.MILLISECONDS, null, null));
  }

  @Override
  public <A> void read(
      ByteBuffer dst,
      long timeout,
      TimeUnit unit,
      A attachment,
      CompletionHandler<Integer, ? super A> handler) {
    Objects.requireNonNull(handler, "'handler' is null");
    checkWritable(dst);
    Future<?> _ = reading.<Integer, A>start(dst, null, timeout, unit, attachment, handler);
  }

  @Override
  public <A> void read(
      ByteBuffer[] dsts,
      int offset,
      int length,
      long timeout,
      TimeUnit unit,
      A attachment,
      CompletionHandler<Long, ? super A> handler) {
    Objects.requireNonNull(handler, "'handler' is null");
    ByteBuffer[] own = subsequence(dsts, offset, length);
    for (ByteBuffer dst : own) {
      checkWritable(dst);
    }
    Future<?> _ = reading.<Long, A>start(null, own, timeout, unit, attachment, handler);
  }

  private static void checkWritable(ByteBuffer dst) {
    if (dst.isReadOnly()) {
      throw new IllegalArgumentException("Read-only buffer");
    }
  }

  @Override
  public Future<Integer> write(ByteBuffer src) {
    Objects.requireNonNull(src);
    return Objects.requireNonNull(
        writing.<Integer, @Nullable Object>start(src, null, 0, TimeUnit.MILLISECONDS, null, null));
  }

  @Override
  public <A> void write(
      ByteBuffer src,
      long timeout,
      TimeUnit unit,
      A attachment,
      CompletionHandler<Integer, ? super A> handler) {
    Objects.requireNonNull(handler, "'handler' is null");
    Objects.requireNonNull(src);
    Future<?> _ = writing.<Integer, A>start(src, null, timeout, unit, attachment, handler);
  }

  @Override
  public <A> void write(
      ByteBuffer[] srcs,
      int offset,
      int length,
      long timeout,
      TimeUnit unit,
      A attachment,
      CompletionHandler<Long, ? super A> handler) {
    Objects.requireNonNull(handler, "'handler' is null");
    ByteBuffer[] own = subsequence(srcs, offset, length);
    Future<?> _ = writing.<Long, A>start(null, own, timeout, unit, attachment, handler);
  }

  private static ByteBuffer[] subsequence(ByteBuffer[] all, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, all.length);
    return Arrays.copyOfRange(all, offset, offset + length);
  }

  // -- options and addresses -------------------------------------------------------------------

  @Override
  public AsynchronousSocketChannel bind(@Nullable SocketAddress local) throws IOException {
    Addresses.bind(local, () -> channel.bind(local));
    return this;
  }

  @Override
  public <T> AsynchronousSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
    Options.check(name, value, supportedOptions(), isOpen());
    if (writing.isShutdown()) {
      throw new IOException("Connection has been shutdown for writing");
    }
    channel.setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    Options.check(name, supportedOptions());
    return channel.getOption(name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return Options.asynchronous(channel.supportedOptions());
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws IOException {
    return channel.getLocalAddress();
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() throws IOException {
    return channel.getRemoteAddress();
  }

  // -- closing ---------------------------------------------------------------------------------

  @Override
  public AsynchronousSocketChannel shutdownInput() throws IOException {
    checkConnected();
    channel.shutdownInput();
    reading.shutdown();
    return this;
  }

  @Override
  public AsynchronousSocketChannel shutdownOutput() throws IOException {
    checkConnected();
    channel.shutdownOutput();
    writing.shutdown();
    return this;
  }

  private void checkConnected() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    if (!connected) {
      throw new NotYetConnectedException();
    }
  }

  @Override
  public boolean isOpen() {
    return !closed.get();
  }

  @Override
  public void close() throws IOException {
    if (closed.getAndSet(true)) {
      return;
    }
    try {
      group.loop().deregister(key);
      channel.close();
    } finally {
      connecting.closed();
      writing.closed();
      reading.closed();
      group.remove(this);
    }
  }

  @Override
  public String toString() {
    return channel.toString().replaceFirst("^[^\\[]*", getClass().getName());
  }
}
