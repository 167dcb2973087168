package org.slipstream.provider.nio;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slipstream.core.stream.Readiness;

/**
 * The JDK's selector inside of ours: what the kernel knows of anchors and of foreign channels, and
 * the one place in which a selection sleeps.
 *
 * <p>Guarded by the outer selector's monitor, except for {@link #wakeup} and {@link #wakeSleeper}.
 */
final class InnerSelector {
  /** The kernel's news are looked at, at least so often, while streams are hot. */
  private static final long GLANCE_NS = 50_000;

  private final Selector jdk;
  private final BooleanSupplier mustNotSleep;
  private final List<SlipstreamSelectionKey> reported = new ArrayList<>();
  private final Consumer<SelectionKey> collector = this::collect;

  /** The selecting thread is in, or on its way into, the kernel. Written by it. */
  private volatile boolean sleeping;

  private long lastGlance = System.nanoTime();

  /**
   * Wraps a selector.
   *
   * @param jdk of the JDK's own provider
   * @param mustNotSleep asked when {@link #wakeSleeper} has begun to work: whether there is news
   */
  InnerSelector(Selector jdk, BooleanSupplier mustNotSleep) {
    this.jdk = jdk;
    this.mustNotSleep = mustNotSleep;
  }

  // -- keys ------------------------------------------------------------------------------------

  void register(SelectableChannel listened, int ops, SlipstreamSelectionKey key)
      throws ClosedChannelException {
    // For a foreign channel this nests in its own register, whose locks are re-entrant.
    key.setInner(listened.register(jdk, ops, key));
    key.innerInterest = ops;
  }

  /** What the kernel should be asked on behalf of a key. */
  static void refresh(SlipstreamSelectionKey key) {
    int ops = key.interest();
    Readiness r = key.readiness();
    if (r != null && r.isLinked()) {
      if (r.isAnchorSilent()) {
        ops &= ~SelectionKey.OP_READ; // the end was heard; level-triggered epoll would repeat it
      }
      if (r.isOutboundRing()) {
        ops &= ~SelectionKey.OP_WRITE;
      }
    }
    if (ops != key.innerInterest) {
      try {
        key.inner().interestOps(ops);
        key.innerInterest = ops;
      } catch (CancelledKeyException e) {
        key.innerInterest = 0; // the channel was closed; the outer key is cancelled as well
      }
    }
  }

  // -- asking ----------------------------------------------------------------------------------

  /** Asks the kernel, and does not wait. */
  void look() throws IOException {
    look(System.nanoTime());
  }

  /**
   * As {@link #look()}.
   *
   * @param now {@link System#nanoTime} of a moment ago
   */
  void look(long now) throws IOException {
    jdk.selectNow(collector);
    lastGlance = now;
  }

  /** Asks the kernel if that was not done for a while. */
  void lookIfDue() throws IOException {
    long now = System.nanoTime();
    if (now - lastGlance > GLANCE_NS) {
      look(now);
    }
  }

  /**
   * Waits in the kernel, unless there is news of ours.
   *
   * @param timeoutMs milliseconds; negative = for ever
   */
  void sleep(long timeoutMs) throws IOException {
    sleeping = true;
    try {
      // Whoever changes something either sees that we sleep, or has changed it before we look.
      if (mustNotSleep.getAsBoolean()) {
        jdk.selectNow(collector);
      } else if (timeoutMs < 0) {
        jdk.select(collector);
      } else {
        jdk.select(collector, timeoutMs);
      }
    } finally {
      sleeping = false;
    }
    lastGlance = System.nanoTime();
  }

  private void collect(SelectionKey innerKey) {
    SlipstreamSelectionKey key = (SlipstreamSelectionKey) innerKey.attachment();
    try {
      int ops = innerKey.readyOps();
      if (key.innerReady == 0) {
        reported.add(key);
      }
      key.innerReady |= ops;
    } catch (CancelledKeyException e) {
      key.innerReady = 0; // closed at this moment; the outer key is cancelled as well
    }
  }

  /** Keys of which the kernel said something; whoever handles them clears the list. */
  List<SlipstreamSelectionKey> reported() {
    return reported;
  }

  // -- waking and closing ----------------------------------------------------------------------

  /** Ends a sleep, if there is one; any thread. */
  void wakeSleeper() {
    if (sleeping) {
      jdk.wakeup();
    }
  }

  /** Ends this or the next sleep; any thread. */
  void wakeup() {
    jdk.wakeup();
  }

  void close() throws IOException {
    jdk.close();
  }
}
