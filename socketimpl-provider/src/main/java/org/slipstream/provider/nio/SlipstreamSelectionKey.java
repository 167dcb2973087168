package org.slipstream.provider.nio;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Readiness;
import org.slipstream.core.stream.StreamObserver;

/**
 * A key of our selector and, behind it, a key of the private JDK selector. Fields without a comment
 * belong to whoever holds the selector's monitor.
 */
final class SlipstreamSelectionKey extends SelectedKeySet.Member implements StreamObserver {
  private final SlipstreamSelector selector;
  private final SelectableChannel channel;

  /** The stream's readiness; null for listeners and channels that are not ours. */
  private final @Nullable Readiness readiness;

  /** Any thread. */
  private final AtomicInteger interest;

  /** Whether the key waits in the selector's queue of changes. Any thread. */
  private final AtomicBoolean queued = new AtomicBoolean();

  /** The selecting thread writes, by release: it need not wait until the others see it. */
  private final AtomicInteger ready = new AtomicInteger();

  /** Set once, in the registration. */
  private @Nullable SelectionKey inner;

  int innerInterest;
  int innerReady;
  boolean hot;
  boolean starved;
  boolean bellReported;
  int idleLooks;

  SlipstreamSelectionKey(SlipstreamSelector selector, SelectableChannel channel, int ops) {
    this.interest = new AtomicInteger(ops);
    this.selector = selector;
    this.channel = channel;
    this.readiness = channel instanceof SlipstreamSocketChannel c ? c.stream().readiness() : null;
  }

  void setInner(SelectionKey key) {
    inner = key;
  }

  SelectionKey inner() {
    return Objects.requireNonNull(inner);
  }

  @Nullable Readiness readiness() {
    return readiness;
  }

  AtomicBoolean queued() {
    return queued;
  }

  @Override
  public SelectableChannel channel() {
    return channel;
  }

  @Override
  public Selector selector() {
    return selector;
  }

  private void ensureValid() {
    if (!isValid()) {
      throw new CancelledKeyException();
    }
  }

  @Override
  public int interestOps() {
    ensureValid();
    return interest.get();
  }

  @Override
  public SelectionKey interestOps(int ops) {
    ensureValid();
    check(ops);
    if (interest.getAndSet(ops) != ops) {
      selector.interestChanged(this);
    }
    return this;
  }

  @Override
  public int interestOpsOr(int ops) {
    ensureValid();
    check(ops);
    return changed(interest.getAndUpdate(old -> old | ops), ops, true);
  }

  @Override
  public int interestOpsAnd(int ops) {
    ensureValid();
    return changed(interest.getAndUpdate(old -> old & ops), ops, false);
  }

  private int changed(int old, int ops, boolean or) {
    if (old != (or ? old | ops : old & ops)) {
      selector.interestChanged(this);
    }
    return old;
  }

  private void check(int ops) {
    if ((ops & ~channel.validOps()) != 0) {
      throw new IllegalArgumentException();
    }
  }

  @Override
  public int readyOps() {
    ensureValid();
    return ready.getAcquire();
  }

  /** The interest set, valid or not. */
  int interest() {
    return interest.get();
  }

  void setReady(int ops) {
    ready.setRelease(ops);
  }

  /** Adds to the ready set; true if that changed it. */
  boolean addReady(int ops) {
    int old = ready.getPlain();
    ready.setRelease(old | ops);
    return (old | ops) != old;
  }

  @Override
  public void streamChanged() {
    selector.streamChanged(this);
  }

  @Override
  public String toString() {
    return "channel=" + channel + ", selector=" + selector() + describe();
  }

  private String describe() {
    return isValid()
        ? ", interestOps=" + interest.get() + ", readyOps=" + ready.getAcquire()
        : ", invalid";
  }

  /**
   * Keys that were cancelled but not flushed still have valid inner keys, for which the anchor
   * would refuse to become blocking.
   */
  static void forgetCancelled(List<SlipstreamSelectionKey> keys) {
    for (SlipstreamSelectionKey key : keys) {
      SelectionKey inner = key.inner;
      if (!key.isValid() && inner != null) {
        inner.cancel();
      }
    }
  }
}
