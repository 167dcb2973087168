package org.slipstream.netty;

import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamObserver;
import org.slipstream.core.stream.StreamWatch;

/**
 * A channel in an event loop: a key of the loop's JDK selector and, for a stream, what the loop
 * watches beside it. Belongs to the loop's thread, where nothing else is said.
 */
final class Registration implements IoRegistration, StreamObserver {
  private static final InternalLogger LOG = InternalLoggerFactory.getInstance(Registration.class);

  private final SlipstreamIoHandler loop;
  private final NioIoHandle handle;
  private final @Nullable StreamWatch<Registration> watch;
  private final @Nullable InterestKey interestKey;
  private final AtomicBoolean cancelled = new AtomicBoolean();

  /** Whether it waits in the loop's queue of changed streams. Any thread. */
  private final AtomicBoolean queued = new AtomicBoolean();

  private @Nullable SelectionKey key;
  private int keyInterest;

  /** What the selector reported in this round. */
  private int reported;

  Registration(SlipstreamIoHandler loop, NioIoHandle handle, @Nullable Stream stream) {
    this.loop = loop;
    this.handle = handle;
    this.watch = stream == null ? null : new StreamWatch<>(stream, this);
    this.interestKey = watch == null ? null : new InterestKey(this);
  }

  /** Registers with the loop's selector. */
  void register(Selector selector) throws ClosedChannelException {
    key = handle.selectableChannel().register(selector, 0, this);
    if (watch != null) {
      watch.stream().addObserver(this);
    }
  }

  SelectionKey key() {
    return Objects.requireNonNull(key, "not registered");
  }

  @Nullable StreamWatch<Registration> watch() {
    return watch;
  }

  int interest() {
    return watch != null ? watch.interest() : key().interestOps();
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
    if (watch == null) {
      key().interestOps(value);
    } else {
      watch.interest(value);
      loop.interestChanged(this, watch);
    }
    return value;
  }

  /** What the selector listens for follows the stream. */
  void refreshAnchorInterest() {
    if (watch != null && isValid()) {
      int ops = watch.anchorInterest();
      if (ops != keyInterest) {
        keyInterest = ops;
        key().interestOps(ops);
      }
    }
  }

  /** Any thread. */
  @Override
  public void streamChanged() {
    if (queued.compareAndSet(false, true)) {
      loop.streamChanged(this);
    }
  }

  void dequeued() {
    queued.set(false);
  }

  /** Notes what the selector reports; true if it is the first report of this round. */
  boolean report(int ops) {
    boolean first = reported == 0;
    reported |= ops;
    return first;
  }

  int takeReported() {
    int ops = reported;
    reported = 0;
    return ops;
  }

  /** The channel acts. */
  void handle(int ops) {
    if (isValid()) {
      handle.handle(this, ReadyEvent.of(ops));
    }
  }

  @Override
  public boolean cancel() {
    if (!cancelled.compareAndSet(false, true)) {
      return false;
    }
    key().cancel();
    if (watch != null) {
      watch.stream().removeObserver(this);
    }
    loop.cancelled(watch);
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
