package org.slipstream.provider.nio;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicInteger;
import org.slipstream.core.loop.WatchedChannel;
import org.slipstream.core.loop.WatchedStream;
import org.slipstream.core.stream.Stream;

/** A key of our selector: the program's view of a channel in the selector's loop. */
final class SlipstreamSelectionKey extends SelectedKeySet.Member {
  private final SlipstreamSelector selector;
  private final SelectableChannel channel;
  private final WatchedChannel<SlipstreamSelectionKey> watched;

  /** The selecting thread writes, by release: it need not wait until the others see it. */
  private final AtomicInteger ready = new AtomicInteger();

  SlipstreamSelectionKey(SlipstreamSelector selector, SelectableChannel channel, int ops) {
    this.selector = selector;
    this.channel = channel;
    Stream stream = channel instanceof TcpBackedChannel a ? a.stream() : null;
    this.watched =
        stream == null ? new WatchedChannel<>(this, ops) : new WatchedStream<>(this, stream, ops);
  }

  /** The channel in the selector's loop. */
  WatchedChannel<SlipstreamSelectionKey> watched() {
    return watched;
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
    return watched.interest();
  }

  @Override
  public SelectionKey interestOps(int ops) {
    ensureValid();
    check(ops);
    if (watched.interest(ops) != ops) {
      selector.interestChanged(this);
    }
    return this;
  }

  @Override
  public int interestOpsOr(int ops) {
    ensureValid();
    check(ops);
    return changed(watched.addInterest(ops), ops, true);
  }

  @Override
  public int interestOpsAnd(int ops) {
    ensureValid();
    return changed(watched.keepInterest(ops), ops, false);
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
  public String toString() {
    return "channel=" + channel + ", selector=" + selector() + describe();
  }

  private String describe() {
    return isValid()
        ? ", interestOps=" + watched.interest() + ", readyOps=" + ready.getAcquire()
        : ", invalid";
  }
}
