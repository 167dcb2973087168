package org.slipstream.provider.async;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Objects;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The one connect of an asynchronous channel. */
final class Connecting implements PendingFuture.Owner {
  private final OperatedChannel owner;
  private final SocketChannel channel;
  private final ChannelGroup group;

  // Guarded by this.
  private boolean pending;
  private @Nullable CompletionHandler<?, ?> handler;
  private @Nullable Object attachment;
  private @Nullable PendingFuture<@Nullable Void> future;

  Connecting(OperatedChannel owner, SocketChannel channel, ChannelGroup group) {
    this.owner = owner;
    this.channel = channel;
    this.group = group;
  }

  /** Starts it; returns null if there is a handler. */
  @Nullable Future<@Nullable Void> start(
      SocketAddress remote, @Nullable Object att, @Nullable CompletionHandler<?, ?> to) {
    if (!owner.isOpen()) {
      return immediately(to, att, new ClosedChannelException());
    }
    boolean done;
    try {
      synchronized (this) {
        if (pending) {
          throw new ConnectionPendingException();
        }
        done = channel.connect(remote);
        if (done) {
          owner.connected();
        }
      }
    } catch (UnsupportedAddressTypeException e) {
      return immediately(to, att, failed(Addresses.refused(remote, e)));
    } catch (IOException | OutOfMemoryError e) {
      return immediately(to, att, failed(e));
    }
    return done ? immediately(to, att, null) : pend(att, to);
  }

  private @Nullable Future<@Nullable Void> pend(
      @Nullable Object att, @Nullable CompletionHandler<?, ?> to) {
    PendingFuture<@Nullable Void> promised = to == null ? new PendingFuture<>(this, owner) : null;
    synchronized (this) {
      owner.listen(SelectionKey.OP_CONNECT, true); // first: without memory nothing is pending
      handler = to;
      attachment = att;
      future = promised;
      pending = true;
    }
    if (!owner.isOpen()) {
      closed();
    }
    return promised;
  }

  /** The selector says that there is a connection, or none. */
  void proceed(boolean mayInvokeDirect) {
    synchronized (this) {
      if (!pending) {
        return;
      }
      pending = false;
    }
    Throwable failure = null;
    try {
      if (!channel.finishConnect()) {
        synchronized (this) {
          pending = true;
        }
        return;
      }
      owner.connected();
      owner.listen(SelectionKey.OP_CONNECT, false);
    } catch (IOException | RuntimeException | Error e) {
      failure = failed(e); // as in the JDK, whatever it is: the program waits for it
    }
    finish(failure, mayInvokeDirect);
  }

  /** The channel is closed: a connect that waits fails. */
  void closed() {
    synchronized (this) {
      if (!pending) {
        return;
      }
      pending = false;
    }
    finish(new AsynchronousCloseException(), false);
  }

  /** A connection that can not be made closes the channel. */
  private Throwable failed(Throwable e) {
    try {
      owner.close();
    } catch (IOException suppressed) {
      e.addSuppressed(suppressed);
    }
    return e instanceof ClosedChannelException ? new AsynchronousCloseException() : e;
  }

  private void finish(@Nullable Throwable failure, boolean mayInvokeDirect) {
    CompletionHandler<?, ?> to;
    Object att;
    PendingFuture<@Nullable Void> promised;
    synchronized (this) {
      to = handler;
      att = attachment;
      promised = future;
      handler = null;
      attachment = null;
      future = null;
    }
    if (to == null) {
      Objects.requireNonNull(promised).finish(null, failure);
    } else if (mayInvokeDirect) {
      Invoker.invokeUnchecked(to, att, null, failure);
    } else {
      Invoker.invokeIndirectly(group, to, att, null, failure);
    }
  }

  private @Nullable Future<@Nullable Void> immediately(
      @Nullable CompletionHandler<?, ?> to, @Nullable Object att, @Nullable Throwable failure) {
    if (to == null) {
      return PendingFuture.completed(null, failure);
    }
    Invoker.invoke(group, to, att, null, failure);
    return null;
  }

  /** The connection may be made all the same, so nothing must travel on it. */
  @Override
  public boolean cancelled(PendingFuture<?> promised) {
    synchronized (this) {
      if (future != promised) {
        return false;
      }
    }
    owner.kill();
    return true;
  }
}
