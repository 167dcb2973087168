package org.slipstream.provider.async;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.InterruptedByTimeoutException;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryShortage;

/**
 * Reading, or writing, of an asynchronous channel: at most one operation is outstanding. It is
 * tried at once, and again whenever the selector says so, until it moves something, fails, times
 * out, is cancelled, or the channel is closed.
 */
abstract class Direction implements PendingFuture.Owner {
  private final OperatedChannel channel;
  private final ChannelGroup group;
  private final int op;

  /** About two microseconds. */
  private static final int LOOKS = 24;

  private static final int STARTS_PER_PROBE = 64;

  /** So many operations start before one looks on; the starting thread. */
  private int untilLook;

  // Guarded by this.
  private boolean shutdown;
  private boolean killed;

  /** From the start of an operation until its result is there. */
  private boolean busy;

  /** The operation waits for the selector; the thread that clears it finishes the operation. */
  private boolean pending;

  /** The time was up while a thread tried. */
  private boolean expired;

  /**
   * The key listens. It goes on listening between operations until an event finds nothing to do, so
   * that a busy channel does not change its interest for each operation.
   */
  private boolean interested;

  /** Which operation it is: a timer may be late. */
  private long number;

  // The outstanding operation. Written before pending is set, read by the thread that cleared it.
  private @Nullable ByteBuffer buffer;
  private ByteBuffer @Nullable [] buffers;
  private @Nullable CompletionHandler<?, ?> handler;
  private @Nullable Object attachment;
  private @Nullable PendingFuture<Number> future;
  private @Nullable Future<?> timer;

  Direction(OperatedChannel channel, ChannelGroup group, int op) {
    this.channel = channel;
    this.group = group;
    this.op = op;
  }

  /** Moves some bytes of one buffer; 0 if none can be moved now. */
  abstract int move(ByteBuffer one) throws IOException;

  /** Moves some bytes of several buffers; 0 if none can be moved now. */
  abstract long move(ByteBuffer[] many) throws IOException;

  /** An operation is outstanding already. */
  abstract RuntimeException pendingException();

  /** Reading, or Writing: for messages. */
  abstract String verb();

  // -- starting --------------------------------------------------------------------------------

  /**
   * Starts an operation on one buffer, or on several.
   *
   * @param timeout 0 or less for none
   * @param h null if the caller wants a future
   * @return the future, or null if there is a handler
   */
  @SuppressWarnings("unchecked") // Integer for one buffer, Long for several: so are the callers
  final <V extends Number, A extends @Nullable Object> @Nullable Future<V> start(
      @Nullable ByteBuffer one,
      ByteBuffer @Nullable [] many,
      long timeout,
      TimeUnit unit,
      A att,
      @Nullable CompletionHandler<V, ? super A> h) {
    return (Future<V>) begin(one, many, timeout, unit, att, h);
  }

  private @Nullable Future<Number> begin(
      @Nullable ByteBuffer one,
      ByteBuffer @Nullable [] many,
      long timeout,
      TimeUnit unit,
      @Nullable Object att,
      @Nullable CompletionHandler<?, ?> to) {
    if (!channel.isOpen()) {
      return immediately(to, att, null, new ClosedChannelException());
    }
    if (!channel.isConnected()) {
      throw new NotYetConnectedException();
    }
    boolean room = one == null ? hasRemaining(Objects.requireNonNull(many)) : one.hasRemaining();
    synchronized (this) {
      if (killed) {
        throw new IllegalStateException(verb() + " not allowed due to timeout or cancellation");
      }
      if (busy) {
        throw pendingException();
      }
      if (!shutdown && room) {
        busy = true;
      }
    }
    if (!busy || !room) {
      // No other thread sets busy: only the one outstanding operation clears it.
      return nothingToMove(one == null, to, att);
    }
    boolean direct = to != null && Invoker.mayInvokeDirect(group);
    if (to == null || direct || !group.isFixed()) {
      // As in the JDK: a foreign thread does not do the work of a fixed pool.
      long n = 0;
      Throwable failure = null;
      try {
        n = move(one, many);
        if (n == 0 && direct && group.loop().isAlone()) {
          n = lookOn(one, many);
        }
      } catch (IOException | RuntimeException | Error e) {
        failure = translated(e);
      }
      if (n != 0 || failure != null) {
        synchronized (this) {
          busy = false;
        }
        Number result = failure == null ? result(one == null, n) : null;
        return to == null || direct
            ? deliver(to, att, result, failure)
            : indirectly(to, att, result, failure);
      }
    }
    try {
      return pend(one, many, timeout, unit, att, to);
    } catch (OutOfMemoryError e) {
      synchronized (this) {
        busy = false;
      }
      throw e;
    }
  }

  /**
   * Looks a few times more where answers come at once: that is sooner than by way of the selector.
   * Only a thread of the group that no other thread waits for does so, and once it was a miss, only
   * some operations later again.
   */
  private long lookOn(@Nullable ByteBuffer one, ByteBuffer @Nullable [] many) throws IOException {
    if (untilLook > 0) {
      untilLook--;
      return 0;
    }
    for (int i = 0; i < LOOKS; i++) {
      Thread.onSpinWait();
      long n = move(one, many);
      if (n != 0) {
        return n;
      }
    }
    untilLook = STARTS_PER_PROBE;
    return 0;
  }

  private @Nullable Future<Number> nothingToMove(
      boolean several, @Nullable CompletionHandler<?, ?> to, @Nullable Object att) {
    boolean over;
    synchronized (this) {
      over = shutdown;
    }
    try {
      return immediately(to, att, result(several, over ? resultAfterShutdown() : 0), null);
    } catch (ClosedChannelException e) {
      return immediately(to, att, null, e);
    }
  }

  /** What an operation returns after the direction was shut down. */
  abstract int resultAfterShutdown() throws ClosedChannelException;

  private long move(@Nullable ByteBuffer one, ByteBuffer @Nullable [] many) throws IOException {
    return one != null ? move(one) : move(Objects.requireNonNull(many));
  }

  private static boolean hasRemaining(ByteBuffer[] many) {
    for (ByteBuffer b : many) {
      if (b == null || b.hasRemaining()) { // a null fails where the buffers are used, as in the JDK
        return true;
      }
    }
    return false;
  }

  /** The bytes have moved: the memory to say so is waited for. */
  private static Number result(boolean several, long n) {
    for (int attempt = 1; ; attempt++) {
      try {
        if (several) {
          return n;
        }
        return (int) n;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** The kernel's reset is a plain IOException here; a closed channel was closed under our feet. */
  private static Throwable translated(Throwable e) {
    if (e instanceof ClosedChannelException && !(e instanceof AsynchronousCloseException)) {
      return new AsynchronousCloseException();
    }
    if (e instanceof SocketException && e.getMessage() != null) {
      return new IOException(e.getMessage(), e);
    }
    return e;
  }

  // -- waiting ---------------------------------------------------------------------------------

  private @Nullable Future<Number> pend(
      @Nullable ByteBuffer one,
      ByteBuffer @Nullable [] many,
      long timeout,
      TimeUnit unit,
      @Nullable Object att,
      @Nullable CompletionHandler<?, ?> to) {
    PendingFuture<Number> promised = to == null ? new PendingFuture<>(this, channel) : null;
    synchronized (this) {
      // What may fail without memory comes first.
      if (!interested) {
        channel.listen(op, true);
        interested = true;
      }
      long mine = ++number;
      timer = timeout > 0 ? Timer.schedule(() -> expire(mine), timeout, unit) : null;
      buffer = one;
      buffers = many;
      handler = to;
      attachment = att;
      future = promised;
      expired = false;
      pending = true;
    }
    if (!channel.isOpen()) {
      closed(); // in between: the last thread tells
    }
    return promised;
  }

  /** The selector says that the operation should be tried again. */
  final void proceed(boolean mayInvokeDirect) {
    ByteBuffer one;
    ByteBuffer[] many;
    synchronized (this) {
      if (!pending) {
        if (interested && !busy) {
          interested = false;
          channel.listen(op, false);
        }
        return;
      }
      pending = false;
      one = buffer;
      many = buffers;
    }
    long n = 0;
    Throwable failure = null;
    try {
      n = move(one, many);
    } catch (IOException | RuntimeException | Error e) {
      failure = translated(e); // as in the JDK, whatever it is: the program waits for it
    }
    if (n == 0 && failure == null) {
      failure = pendAgain();
      if (failure == null) {
        return;
      }
    }
    finish(failure == null ? result(one == null, n) : null, failure, mayInvokeDirect);
  }

  /** Nothing came after all; returns why the operation has failed meanwhile, if it has. */
  private synchronized @Nullable Throwable pendAgain() {
    if (expired) {
      killed = true;
      return new InterruptedByTimeoutException();
    }
    if (!channel.isOpen()) {
      return new AsynchronousCloseException();
    }
    pending = true;
    return null;
  }

  /** Ends the operation; the caller has cleared pending. */
  private void finish(
      @Nullable Number result, @Nullable Throwable failure, boolean mayInvokeDirect) {
    CompletionHandler<?, ?> to;
    Object att;
    PendingFuture<Number> promised;
    Future<?> timeout;
    synchronized (this) {
      to = handler;
      att = attachment;
      promised = future;
      timeout = timer;
      forget();
      busy = false;
    }
    if (timeout != null) {
      timeout.cancel(false);
    }
    if (to == null) {
      Objects.requireNonNull(promised).finish(result, failure);
    } else if (mayInvokeDirect) {
      Invoker.invokeUnchecked(to, att, result, failure);
    } else {
      Invoker.invokeIndirectly(group, to, att, result, failure);
    }
  }

  private void forget() {
    buffer = null;
    buffers = null;
    handler = null;
    attachment = null;
    future = null;
    timer = null;
  }

  private void expire(long of) {
    synchronized (this) {
      if (of != number || !busy) {
        return;
      }
      expired = true;
      if (!pending) {
        return; // another thread is trying, and will see it
      }
      pending = false;
      killed = true;
    }
    finish(null, new InterruptedByTimeoutException(), false);
  }

  /** The channel is closed: an operation that waits fails. */
  final void closed() {
    synchronized (this) {
      if (!pending) {
        return;
      }
      pending = false;
    }
    finish(null, new AsynchronousCloseException(), false);
  }

  @Override
  public final boolean cancelled(PendingFuture<?> promised) {
    Future<?> timeout;
    synchronized (this) {
      if (!pending || future != promised) {
        return false;
      }
      pending = false;
      killed = true;
      timeout = timer;
      forget();
      busy = false;
    }
    if (timeout != null) {
      timeout.cancel(false);
    }
    return true;
  }

  /** No further operations: a connect was cancelled. */
  final synchronized void kill() {
    killed = true;
  }

  final synchronized boolean isShutdown() {
    return shutdown;
  }

  final synchronized void shutdown() {
    shutdown = true;
  }

  // -- results that are there at once ----------------------------------------------------------

  private @Nullable Future<Number> immediately(
      @Nullable CompletionHandler<?, ?> to,
      @Nullable Object att,
      @Nullable Number result,
      @Nullable Throwable failure) {
    if (to == null) {
      return PendingFuture.completed(result, failure);
    }
    Invoker.invoke(group, to, att, result, failure);
    return null;
  }

  private static @Nullable Future<Number> deliver(
      @Nullable CompletionHandler<?, ?> to,
      @Nullable Object att,
      @Nullable Number result,
      @Nullable Throwable failure) {
    if (to == null) {
      return PendingFuture.completed(result, failure);
    }
    Invoker.invokeDirect(to, att, result, failure);
    return null;
  }

  private @Nullable Future<Number> indirectly(
      CompletionHandler<?, ?> to,
      @Nullable Object att,
      @Nullable Number result,
      @Nullable Throwable failure) {
    Invoker.invokeIndirectly(group, to, att, result, failure);
    return null;
  }
}
