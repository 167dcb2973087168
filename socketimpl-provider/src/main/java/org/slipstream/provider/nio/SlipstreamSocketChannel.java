package org.slipstream.provider.nio;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.Announcement;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.core.stream.FileEnd;
import org.slipstream.core.stream.InterruptScope;
import org.slipstream.core.stream.Stream;

/**
 * A TCP channel whose bytes may travel on a link. Everything but the bytes is the kernel
 * connection's: addresses, options, connecting, closing.
 */
final class SlipstreamSocketChannel extends SocketChannel
    implements TcpBackedChannel, FileEnd, TimedReads {
  private final SlipstreamCore core;
  private final SocketChannel tcp;
  private final Stream stream;
  private final InterruptScope scope = new Scope();
  private final LiveKeys keys = new LiveKeys();

  /** Any thread. */
  private volatile int timeoutMillis;

  /** The program has shut down its input; any thread. */
  private volatile boolean inputShut;

  /** The program has shut down its output, which a close does not count as; any thread. */
  private volatile boolean outputShut;

  private @Nullable Socket adaptor;

  /** A channel that will connect. */
  SlipstreamSocketChannel(SelectorProvider provider, SlipstreamCore core, SocketChannel tcp) {
    super(provider);
    this.core = core;
    this.tcp = tcp;
    this.stream = core.connecting(tcp, scope);
  }

  /** An accepted channel. */
  SlipstreamSocketChannel(
      SelectorProvider provider, SlipstreamCore core, SocketChannel tcp, Announcement listener)
      throws IOException {
    super(provider);
    this.core = core;
    this.tcp = tcp;
    this.stream = core.accepted(tcp, scope, listener);
  }

  private final class Scope implements InterruptScope {
    @Override
    public void begin() {
      SlipstreamSocketChannel.this.begin();
    }

    @Override
    public void end(boolean completed) throws AsynchronousCloseException {
      SlipstreamSocketChannel.this.end(completed);
    }

    @Override
    public boolean mustNotBlock() {
      return Thread.holdsLock(blockingLock());
    }
  }

  @Override
  public Stream stream() {
    return stream;
  }

  @Override
  public SocketChannel tcp() {
    return tcp;
  }

  @Override
  public LiveKeys liveKeys() {
    return keys;
  }

  // -- data ------------------------------------------------------------------------------------

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return dst.isReadOnly() ? refuse(dst) : readUntil(dst, 0);
  }

  /** As in the JDK, the state of the channel comes before what is wrong with a buffer. */
  private int refuse(@Nullable ByteBuffer dst) throws IOException {
    checkConnected();
    if (inputShut) {
      return -1;
    }
    Objects.requireNonNull(dst);
    throw new IllegalArgumentException("Read-only buffer");
  }

  /** As read, with a deadline for a blocking one; for the socket adaptor. */
  @Override
  public int readUntil(ByteBuffer dst, long deadline) throws IOException {
    boolean blocking = isBlocking();
    if (blocking) {
      answerInterrupt();
    }
    try {
      int n = stream.read(dst, blocking, deadline);
      return n == Stream.MUST_NOT_BLOCK
          ? (int) LockBorrower.run(this, () -> stream.read(dst, true, deadline))
          : n;
    } catch (ClosedChannelException e) {
      throw closedWith(e);
    }
  }

  @Override
  public int available() throws IOException {
    return stream.available();
  }

  @Override
  public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, dsts.length);
    for (int i = offset; i < offset + length; i++) {
      if (dsts[i] == null || dsts[i].isReadOnly()) {
        return refuse(dsts[i]);
      }
    }
    boolean blocking = isBlocking();
    if (blocking) {
      answerInterrupt();
    }
    try {
      long n = stream.read(dsts, offset, length, blocking);
      return n == Stream.MUST_NOT_BLOCK
          ? LockBorrower.run(this, () -> stream.read(dsts, offset, length, true))
          : n;
    } catch (ClosedChannelException e) {
      throw closedWith(e);
    }
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    Objects.requireNonNull(src);
    boolean blocking = isBlocking();
    if (blocking) {
      answerInterrupt();
    }
    try {
      int n = stream.write(src, blocking);
      return n == Stream.MUST_NOT_BLOCK
          ? (int) LockBorrower.run(this, () -> stream.write(src, true))
          : n;
    } catch (ClosedChannelException e) {
      throw closedWith(e);
    }
  }

  @Override
  public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, srcs.length);
    for (int i = offset; i < offset + length; i++) {
      if (srcs[i] == null) {
        checkConnected();
        if (outputShut) {
          throw new AsynchronousCloseException();
        }
        throw new NullPointerException();
      }
    }
    boolean blocking = isBlocking();
    if (blocking) {
      answerInterrupt();
    }
    try {
      long n = stream.write(srcs, offset, length, blocking);
      return n == Stream.MUST_NOT_BLOCK
          ? LockBorrower.run(this, () -> stream.write(srcs, offset, length, true))
          : n;
    } catch (ClosedChannelException e) {
      throw closedWith(e);
    }
  }

  @Override
  public long move(FileChannel file, long position, long count, boolean fromFile)
      throws IOException {
    if (!fromFile) {
      return FileMover.receive(this, stream, file, position, count);
    }
    try {
      return FileMover.send(this, stream, file, position, count);
    } catch (ClosedChannelException e) {
      throw closedWith(e);
    }
  }

  /**
   * A thread that enters a blocking operation with its status set closes the channel, as in the
   * JDK.
   */
  private void answerInterrupt() throws AsynchronousCloseException {
    if (Thread.currentThread().isInterrupted() && tcp.isConnected() && isOpen()) {
      try {
        begin();
      } finally {
        end(false);
      }
    }
  }

  /**
   * An interrupt during the TCP connection's own wait closes only the TCP connection: follow it. A
   * channel that is still open was shut down for output, for which the JDK has this exception.
   */
  ClosedChannelException closedWith(ClosedChannelException e) throws IOException {
    if (!tcp.isOpen()) {
      close();
    }
    return isOpen() && !(e instanceof AsynchronousCloseException)
        ? (AsynchronousCloseException) new AsynchronousCloseException().initCause(e)
        : e;
  }

  // -- connecting ------------------------------------------------------------------------------

  @Override
  public boolean connect(SocketAddress remote) throws IOException {
    try {
      boolean connected = tcpOrClosed().connect(remote);
      if (connected) {
        core.connected(stream);
      }
      return connected;
    } catch (IOException e) {
      throw connectFailed(e);
    }
  }

  @Override
  public boolean finishConnect() throws IOException {
    try {
      boolean before = tcp.isConnected();
      boolean connected = tcpOrClosed().finishConnect();
      if (connected && !before) {
        core.connected(stream);
      }
      return connected;
    } catch (IOException e) {
      throw connectFailed(e);
    }
  }

  /** For the adaptor: the TCP connection was connected behind our back. */
  void connectedByAdaptor() {
    core.connected(stream);
  }

  IOException connectFailed(IOException e) throws IOException {
    if (!tcp.isOpen()) {
      close();
    }
    return e;
  }

  @Override
  public boolean isConnected() {
    return isOpen() && tcp.isConnected();
  }

  @Override
  public boolean isConnectionPending() {
    return isOpen() && tcp.isConnectionPending();
  }

  /**
   * The kernel's side; it may outlive a close for a moment, and then a channel that is closed
   * answers, with whatever the JDK checks first.
   */
  SocketChannel tcpOrClosed() throws IOException {
    if (isOpen()) {
      return tcp;
    }
    SocketChannel closed = core.jdk().openSocketChannel();
    closed.close();
    return closed;
  }

  /** The kernel's side; it may outlive a close for a moment. */
  private SocketChannel openTcp() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    return tcp;
  }

  @Override
  public SocketChannel bind(@Nullable SocketAddress local) throws IOException {
    tcpOrClosed().bind(local);
    return this;
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws IOException {
    return openTcp().getLocalAddress();
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() throws IOException {
    return openTcp().getRemoteAddress();
  }

  // -- options ---------------------------------------------------------------------------------

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
    checkSupported(name);
    if (!name.type().isInstance(value)) {
      throw new IllegalArgumentException("Invalid value '" + value + "'");
    }
    if (StandardSocketOptions.TCP_NODELAY.equals(name) && value instanceof Boolean on) {
      openTcp();
      stream.noDelay().choose(on);
    } else {
      openTcp().setOption(name, value);
    }
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    checkSupported(name);
    SocketChannel opened = openTcp();
    return StandardSocketOptions.TCP_NODELAY.equals(name)
        ? name.type().cast(stream.noDelay().chosen())
        : opened.getOption(name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return tcp.supportedOptions();
  }

  /** As in the JDK, what is wrong with the option comes before that the channel is closed. */
  private void checkSupported(SocketOption<?> name) {
    if (!supportedOptions().contains(Objects.requireNonNull(name))) {
      throw new UnsupportedOperationException("'" + name + "' not supported");
    }
  }

  void sendUrgentData(int data) throws IOException {
    try {
      stream.urgentData().send(data);
    } catch (ClosedChannelException e) {
      throw closedWith(e);
    }
  }

  void oobInlineChanged(boolean on) throws IOException {
    stream.urgentData().inlineChanged(on);
  }

  /** The program's SO_TIMEOUT; the TCP connection's own is ours to change. */
  @Override
  public int timeoutMillis() {
    return timeoutMillis;
  }

  void timeoutMillis(int millis) {
    timeoutMillis = millis;
  }

  @Override
  public synchronized Socket socket() {
    if (adaptor == null) {
      adaptor = SocketAdaptor.create(this);
    }
    return adaptor;
  }

  // -- closing ---------------------------------------------------------------------------------

  @Override
  public SocketChannel shutdownInput() throws IOException {
    checkConnected();
    stream.shutdownInput();
    inputShut = true;
    return this;
  }

  @Override
  public SocketChannel shutdownOutput() throws IOException {
    checkConnected();
    stream.shutdownOutput();
    outputShut = true;
    return this;
  }

  boolean isInputShut() {
    return inputShut;
  }

  boolean isOutputShut() {
    return outputShut;
  }

  private void checkConnected() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    if (!tcp.isConnected()) {
      throw new NotYetConnectedException();
    }
  }

  @Override
  protected void implCloseSelectableChannel() throws IOException {
    stream.close(isBlocking());
  }

  @Override
  protected void implConfigureBlocking(boolean block) throws IOException {
    stream.exclusively(() -> {
      if (block) {
        keys.forgetCancelled();
      }
      tcp.configureBlocking(block);
    });
  }

  @Override
  public String toString() {
    return SocketChannel.class.getName()
        + (isOpen() ? tcp.toString().replaceFirst("^[^\\[]*", "") : "[closed]");
  }
}
