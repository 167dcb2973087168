package org.slipstream.provider.net;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.WaitingConnection;
import org.slipstream.provider.nio.KernelWait;

/**
 * The kernel connection of a {@code java.net.Socket}: no interrupt of a platform thread touches it,
 * and one of a virtual thread ends the wait with {@link InterruptedIOException}.
 *
 * <p>Closing wakes the waiting threads; the last one out closes the descriptor, so that no thread
 * ever waits for a descriptor that means something else by then.
 */
final class SocketConnection extends WaitingConnection {
  /** A platform thread can not be woken from a pending connect: it looks by itself, so often. */
  private static final long CONNECT_SLICE_NS = TimeUnit.MILLISECONDS.toNanos(20);

  /** An interrupted writer looks for room in the ring so often. */
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * A wait that ended sooner was none: what it waited for was there. Interpreted, asking takes 10.
   */
  private static final long AT_ONCE_NS = TimeUnit.MICROSECONDS.toNanos(15);

  private final SocketChannel kernel;
  private final Object gate = new Object();

  /** Made once: a wait allocates nothing. */
  private final BooleanSupplier open = this::isOpen;

  /** Threads in {@link #await}. Guarded by gate. */
  private int waiters;

  /** Guarded by gate. */
  private boolean closing;

  /**
   * The last read had to wait, as every read of an exchange does. Then the next one waits first,
   * and the kernel is not asked for nothing. Racy: a reader that sees an older value asks once
   * more.
   */
  private boolean readsWait;

  SocketConnection(SocketChannel kernel) throws IOException {
    super(kernel.provider());
    this.kernel = kernel;
    kernel.configureBlocking(false);
  }

  @Override
  public SocketChannel kernel() {
    return kernel;
  }

  // -- waiting ---------------------------------------------------------------------------------

  private void await(int event, long nanos) throws IOException {
    synchronized (gate) {
      if (closing) {
        throw new AsynchronousCloseException();
      }
      waiters++;
    }
    try {
      KernelWait.await(kernel, event, nanos, open);
    } finally {
      synchronized (gate) {
        if (--waiters == 0 && closing) {
          kernel.close();
        }
      }
    }
    if (!isOpen()) {
      throw new AsynchronousCloseException();
    }
    Thread thread = Thread.currentThread();
    if (thread.isVirtual() && thread.isInterrupted()) {
      throw new InterruptedIOException("Closed by interrupt");
    }
  }

  /**
   * Sleeps for a moment, whatever the interrupt status of a platform thread is, and leaves it as it
   * is: others may look at it.
   */
  void pause() throws IOException {
    await(0, PAUSE_NS);
  }

  private static long left(long deadline, String timeout) throws SocketTimeoutException {
    if (deadline == 0) {
      return 0;
    }
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      throw new SocketTimeoutException(timeout);
    }
    return left;
  }

  @Override
  protected void implCloseSelectableChannel() throws IOException {
    synchronized (gate) {
      closing = true;
      if (waiters == 0) {
        kernel.close();
        return;
      }
      if (isReset()) { // under the gate: the last waiter closes the descriptor
        KernelWait.wake(kernel);
        return;
      }
    }
    if (kernel.isConnected()) {
      try {
        kernel.shutdownInput();
        kernel.shutdownOutput();
      } catch (ClosedChannelException e) {
        return; // by the last waiter, which has left meanwhile
      }
    }
    synchronized (gate) {
      if (waiters > 0) {
        KernelWait.wake(kernel);
      }
    }
  }

  /** Without lingering there is no end for the peer to read, only a reset: sends it at once. */
  private boolean isReset() {
    try {
      return kernel.isConnected()
          && kernel.getOption(StandardSocketOptions.SO_LINGER) == 0
          && KernelWait.reset(kernel);
    } catch (IOException e) {
      return false; // the waiters are woken in the ordinary way
    }
  }

  // -- data ------------------------------------------------------------------------------------

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return read(dst, 0);
  }

  /** A close without lingering also resets the connection under a thread that is at it. */
  private IOException ended(IOException e) {
    return isOpen() || e instanceof ClosedChannelException || e instanceof InterruptedIOException
        ? e
        : new AsynchronousCloseException();
  }

  @Override
  public int read(ByteBuffer dst, long deadline) throws IOException {
    try {
      if (readsWait && isBlocking() && dst.hasRemaining()) {
        waitFirst(deadline);
      }
      for (; ; ) {
        int n = kernel.read(dst);
        if (n < 0 && !isOpen()) {
          throw new AsynchronousCloseException();
        }
        if (n != 0 || !isBlocking() || !dst.hasRemaining()) {
          return n;
        }
        readsWait = true;
        await(KernelWait.IN, left(deadline, "Read timed out"));
      }
    } catch (IOException e) {
      throw ended(e);
    }
  }

  /**
   * Not if an interrupt of a virtual thread or the deadline would end the wait: what has come is
   * read first.
   */
  private void waitFirst(long deadline) throws IOException {
    long began = System.nanoTime();
    long left = deadline == 0 ? 0 : deadline - began;
    if ((deadline != 0 && left <= 0) || Thread.currentThread().isVirtual()) {
      return;
    }
    await(KernelWait.IN, left);
    readsWait = System.nanoTime() - began > AT_ONCE_NS;
  }

  @Override
  public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
    try {
      for (; ; ) {
        long n = kernel.read(dsts, offset, length);
        if (n != 0 || !isBlocking()) {
          return n;
        }
        await(KernelWait.IN, 0);
      }
    } catch (IOException e) {
      throw ended(e);
    }
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    try {
      for (; ; ) {
        int n = kernel.write(src);
        if (n != 0 || !isBlocking() || !src.hasRemaining()) {
          return n;
        }
        await(KernelWait.OUT, 0);
      }
    } catch (IOException e) {
      throw ended(e);
    }
  }

  @Override
  public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
    try {
      for (; ; ) {
        long n = kernel.write(srcs, offset, length);
        if (n != 0 || !isBlocking()) {
          return n;
        }
        await(KernelWait.OUT, 0);
      }
    } catch (IOException e) {
      throw ended(e);
    }
  }

  // -- connecting ------------------------------------------------------------------------------

  @Override
  public boolean connect(SocketAddress remote) throws IOException {
    connect(remote, 0);
    return true;
  }

  /** Connects, with a deadline unless that is 0. */
  void connect(SocketAddress remote, long deadline) throws IOException {
    boolean connected = kernel.connect(remote);
    while (!connected) {
      long left = left(deadline, "Connect timed out");
      await(KernelWait.OUT, left == 0 ? CONNECT_SLICE_NS : Math.min(left, CONNECT_SLICE_NS));
      connected = kernel.finishConnect();
    }
  }

  @Override
  public boolean finishConnect() throws IOException {
    return kernel.finishConnect();
  }

  @Override
  public boolean isConnected() {
    return kernel.isConnected();
  }

  @Override
  public boolean isConnectionPending() {
    return kernel.isConnectionPending();
  }

  // -- the kernel's ----------------------------------------------------------------------------

  @Override
  public SocketChannel bind(@Nullable SocketAddress local) throws IOException {
    kernel.bind(local);
    return this;
  }

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
    kernel.setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return kernel.getOption(name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return kernel.supportedOptions();
  }

  @Override
  public SocketChannel shutdownInput() throws IOException {
    ensureOpen();
    kernel.shutdownInput();
    return this;
  }

  @Override
  public SocketChannel shutdownOutput() throws IOException {
    ensureOpen();
    kernel.shutdownOutput();
    return this;
  }

  private void ensureOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public Socket socket() {
    return kernel.socket();
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() throws IOException {
    return kernel.getRemoteAddress();
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws IOException {
    return kernel.getLocalAddress();
  }

  @Override
  protected void implConfigureBlocking(boolean block) {
    // The kernel channel never blocks; isBlocking() is all that changes.
  }
}
