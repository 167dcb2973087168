package org.slipstream.provider.async;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.AcceptPendingException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An asynchronous view of one of our own listening channels. */
final class SlipstreamAsynchronousServerSocketChannel extends AsynchronousServerSocketChannel
    implements EventLoop.Pollable, PendingFuture.Owner {
  private final ChannelGroup group;
  private final ServerSocketChannel channel;
  private final SelectionKey key;
  private final AtomicBoolean accepting = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean killed;

  // Guarded by this: the outstanding accept.
  private boolean pending;

  private @Nullable CompletionHandler<?, ?> handler;

  private @Nullable Object attachment;
  private @Nullable PendingFuture<@Nullable AsynchronousSocketChannel> future;

  /**
   * Wraps a channel.
   *
   * @param channel unbound; belongs to this one from now on
   */
  SlipstreamAsynchronousServerSocketChannel(ChannelGroup group, ServerSocketChannel channel)
      throws IOException {
    super(group.provider());
    this.group = group;
    this.channel = channel;
    channel.configureBlocking(false);
    group.add(this);
    try {
      this.key = group.listen(channel, this);
    } catch (IOException | RuntimeException e) {
      group.remove(this);
      throw e;
    }
  }

  // -- accepting -------------------------------------------------------------------------------

  @Override
  @SuppressWarnings("NullAway") // never null without a failure
  public Future<AsynchronousSocketChannel> accept() {
    return Objects.requireNonNull(start(null, null));
  }

  @Override
  public <A> void accept(
      A attachment, CompletionHandler<AsynchronousSocketChannel, ? super A> handler) {
    Objects.requireNonNull(handler, "'handler' is null");
    Future<?> _ = start(attachment, handler);
  }

  private @Nullable Future<@Nullable AsynchronousSocketChannel> start(
      @Nullable Object att, @Nullable CompletionHandler<?, ?> to) {
    if (!isOpen()) {
      Throwable e = new ClosedChannelException();
      if (to == null) {
        return PendingFuture.completed(null, e);
      }
      Invoker.invoke(group, to, att, null, e);
      return null;
    }
    if (!isBound()) {
      throw new NotYetBoundException();
    }
    if (killed) {
      throw new RuntimeException("Accept not allowed due cancellation"); // the JDK's own words
    }
    if (!accepting.compareAndSet(false, true)) {
      throw new AcceptPendingException();
    }
    AsynchronousSocketChannel child = null;
    Throwable failure = null;
    try {
      child = acceptNow();
      if (child == null) {
        return pend(att, to);
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = translated(e);
    }
    accepting.set(false);
    if (to == null) {
      return PendingFuture.completed(child, failure);
    }
    Invoker.invokeIndirectly(group, to, att, child, failure);
    return null;
  }

  private boolean isBound() {
    try {
      return channel.getLocalAddress() != null;
    } catch (IOException e) {
      return true; // closed in between: the accept itself will say it
    }
  }

  private static Throwable translated(Throwable e) {
    return e instanceof ClosedChannelException ? new AsynchronousCloseException() : e;
  }

  private @Nullable AsynchronousSocketChannel acceptNow() throws IOException {
    SocketChannel accepted = channel.accept();
    if (accepted == null) {
      return null;
    }
    try {
      return new SlipstreamAsynchronousSocketChannel(group, accepted);
    } catch (ShutdownChannelGroupException e) {
      accepted.close();
      throw new IOException(e);
    } catch (IOException
        | RuntimeException
        | Error e) { // without memory, too, its client must hear
      accepted.close();
      throw e;
    }
  }

  private @Nullable Future<@Nullable AsynchronousSocketChannel> pend(
      @Nullable Object att, @Nullable CompletionHandler<?, ?> to) {
    PendingFuture<@Nullable AsynchronousSocketChannel> promised =
        to == null ? new PendingFuture<>(this, this) : null;
    synchronized (this) {
      listen(true); // first: without memory nothing is pending
      handler = to;
      attachment = att;
      future = promised;
      pending = true;
    }
    if (!isOpen()) {
      failPending();
    }
    return promised;
  }

  private void listen(boolean on) {
    try {
      key.interestOps(on ? SelectionKey.OP_ACCEPT : 0);
      if (on) {
        group.loop().interestGrew(key);
      }
    } catch (CancelledKeyException e) {
      // Closed: the close tells the waiting thread.
      return;
    } catch (OutOfMemoryError e) {
      if (on) {
        throw e;
      } // else the next event finds nothing pending, and tries again
    }
  }

  @Override
  public void ready(int readyOps, boolean mayInvokeDirect) {
    synchronized (this) {
      if (!pending) {
        listen(false);
        return;
      }
      pending = false;
    }
    AsynchronousSocketChannel child = null;
    Throwable failure = null;
    try {
      child = acceptNow();
    } catch (IOException | RuntimeException | Error e) {
      failure = translated(e); // as in the JDK, whatever it is: the program waits for it
    }
    if (child == null && failure == null) {
      synchronized (this) {
        pending = true; // another thread, or none: the key still listens
      }
      if (!isOpen()) {
        failPending();
      }
      return;
    }
    finish(child, failure, false);
  }

  private void finish(
      @Nullable AsynchronousSocketChannel child, @Nullable Throwable failure, boolean indirectly) {
    CompletionHandler<?, ?> to;
    Object att;
    PendingFuture<@Nullable AsynchronousSocketChannel> promised;
    synchronized (this) {
      to = handler;
      att = attachment;
      promised = future;
      handler = null;
      attachment = null;
      future = null;
      if (isOpen()) {
        listen(false);
      }
    }
    accepting.set(false);
    if (to == null) {
      Objects.requireNonNull(promised).finish(child, failure);
      if (child != null && promised.isCancelled()) {
        closeQuietly(child);
      }
    } else if (indirectly) {
      Invoker.invokeIndirectly(group, to, att, null, failure);
    } else {
      Invoker.invoke(group, to, att, child, failure);
    }
  }

  private static void closeQuietly(AsynchronousSocketChannel child) {
    try {
      child.close();
    } catch (IOException e) {
      // No program has seen it.
      return;
    }
  }

  private void failPending() {
    synchronized (this) {
      if (!pending) {
        return;
      }
      pending = false;
    }
    finish(null, new AsynchronousCloseException(), true);
  }

  /** A connection that comes now is dropped, so no further accept is allowed. */
  @Override
  public boolean cancelled(PendingFuture<?> promised) {
    synchronized (this) {
      if (future != promised) {
        return false;
      }
    }
    killed = true;
    return true;
  }

  // -- the rest --------------------------------------------------------------------------------

  @Override
  public AsynchronousServerSocketChannel bind(@Nullable SocketAddress local, int backlog)
      throws IOException {
    Addresses.check(local);
    Addresses.bind(local, () -> channel.bind(local, backlog));
    return this;
  }

  @Override
  public <T> AsynchronousServerSocketChannel setOption(SocketOption<T> name, T value)
      throws IOException {
    Options.check(name, value, supportedOptions(), isOpen());
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
      failPending();
      group.remove(this);
    }
  }

  @Override
  public String toString() {
    return getClass().getName() + "[" + describe() + "]";
  }

  private String describe() {
    try {
      SocketAddress local = getLocalAddress();
      return local == null ? "unbound" : local.toString();
    } catch (IOException e) {
      return "closed";
    }
  }
}
