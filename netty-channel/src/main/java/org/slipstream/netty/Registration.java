package org.slipstream.netty;

import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.loop.PollLoop;
import org.slipstream.core.loop.WatchedChannel;
import org.slipstream.core.loop.WatchedStream;
import org.slipstream.core.stream.Stream;

/**
 * A channel in an event loop, as Netty sees it. Belongs to the loop's thread, where nothing else is
 * said.
 */
final class Registration implements IoRegistration {
  private static final InternalLogger LOG = InternalLoggerFactory.getInstance(Registration.class);

  private final PollLoop<Registration> loop;
  private final NioIoHandle handle;
  private final @Nullable Stream stream;
  private final WatchedChannel<Registration> watched;
  private final @Nullable InterestKey interestKey;
  private final AtomicBoolean cancelled = new AtomicBoolean();

  /** What Netty waits for on a stream; the loop may be told of less. */
  private int interest;

  Registration(PollLoop<Registration> loop, NioIoHandle handle, @Nullable Stream stream) {
    this.loop = loop;
    this.handle = handle;
    this.stream = stream;
    this.watched =
        stream == null ? new WatchedChannel<>(this, 0) : new WatchedStream<>(this, stream, 0);
    this.interestKey = stream == null ? null : new InterestKey(this);
  }

  /** Registers with the loop. */
  void register() throws ClosedChannelException {
    loop.register(watched, handle.selectableChannel());
    loop.apply(watched);
  }

  SelectionKey key() {
    return watched.kernelKey();
  }

  int interest() {
    return stream != null ? interest : key().interestOps();
  }

  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Netty's contract
  public <T> T attachment() {
    return (T) (interestKey != null ? interestKey : key());
  }

  @Override
  public boolean isValid() {
    return !cancelled.get() && key().isValid();
  }

  @Override
  public long submit(IoOps ops) {
    if (!(ops instanceof NioIoOps nio)) {
      throw new IllegalArgumentException("Operations of type " + ops.getClass().getName());
    }
    if (!isValid()) {
      return -1;
    }
    int value = nio.value();
    if (stream == null) {
      key().interestOps(value); // the program may have changed it behind our back
    } else {
      interest = value;
      // The kernel calls a socket that never connected readable.
      watched.interest(stream.tcp().isConnected() ? value : value & SelectionKey.OP_CONNECT);
      loop.apply(watched);
    }
    return value;
  }

  /** The channel acts. */
  boolean handle(int ops) {
    if (!isValid()) {
      return false;
    }
    handle.handle(this, ReadyEvent.of(ops));
    return true;
  }

  @Override
  public boolean cancel() {
    if (!cancelled.compareAndSet(false, true)) {
      return false;
    }
    loop.remove(watched);
    handle.unregistered();
    return true;
  }

  /** The loop ends. */
  void close() {
    cancel();
    try {
      handle.close();
    } catch (Exception e) {
      LOG.debug("Closing {}", handle, e);
    }
  }
}
