package org.slipstream.core.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One channel of an event loop: what its program waits for, and what the kernel is asked for it.
 * Objects of this very class are channels of which the kernel tells everything: listeners, and
 * channels that are not ours; streams are {@linkplain WatchedStream a class of their own}.
 *
 * <p>Operations are the bits of {@link SelectionKey}. Fields without a comment belong to the loop's
 * thread, which for a selector is the thread that holds its monitor.
 *
 * @param <A> what the loop's owner wants to find again when the channel is ready
 */
public sealed class WatchedChannel<A> permits WatchedStream {
  /** A report that comes not from the kernel but from a doorbell in the loop's pipe. */
  static final int RUNG = 1 << 31;

  private static final VarHandle INTEREST;

  static {
    try {
      INTEREST = MethodHandles.lookup().findVarHandle(WatchedChannel.class, "interest", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final A owner;

  /** What is waited for. Any thread. */
  private volatile int interest;

  /** Whether the channel waits in the loop's queue for its interest. Any thread. */
  private final AtomicBoolean queued = new AtomicBoolean();

  /**
   * Set once, by the thread that registers, before it asks the kernel for anything or tells the
   * loop, which is how the others hear of the channel. A loop that looks at all channels may find
   * none yet.
   */
  private @Nullable SelectionKey kernelKey;

  /** What the kernel has reported since the last dispatch. */
  private int reported;

  /** The channel has left the loop for good. */
  private boolean gone;

  /**
   * Makes a channel that is in no loop yet.
   *
   * @param owner of the caller
   * @param interest what is waited for
   */
  public WatchedChannel(A owner, int interest) {
    this.owner = owner;
    this.interest = interest;
  }

  /**
   * What the loop's owner wants to find again.
   *
   * @return given at construction
   */
  public final A owner() {
    return owner;
  }

  // -- what is waited for ----------------------------------------------------------------------

  /**
   * What is waited for. Any thread.
   *
   * @return operation bits
   */
  public final int interest() {
    return interest;
  }

  /**
   * Changes what is waited for; {@link PollLoop#changed} or {@link PollLoop#apply} must follow. Any
   * thread.
   *
   * @param ops operation bits
   * @return the bits until now
   */
  public final int interest(int ops) {
    return (int) INTEREST.getAndSet(this, ops);
  }

  /**
   * Adds to what is waited for; as {@link #interest(int)}.
   *
   * @param ops operation bits
   * @return the bits until now
   */
  public final int addInterest(int ops) {
    return (int) INTEREST.getAndBitwiseOr(this, ops);
  }

  /**
   * Keeps some of what is waited for; as {@link #interest(int)}.
   *
   * @param ops operation bits
   * @return the bits until now
   */
  public final int keepInterest(int ops) {
    return (int) INTEREST.getAndBitwiseAnd(this, ops);
  }

  /** Notes a change; true if the loop has to be told. Any thread. */
  final boolean enqueue() {
    return queued.compareAndSet(false, true);
  }

  /** The loop has taken the channel from its queue, and looks at it next. */
  void dequeued() {
    queued.set(false);
  }

  // -- the kernel ------------------------------------------------------------------------------

  /**
   * The key of the loop's JDK selector.
   *
   * @return set by the registration
   * @throws IllegalStateException before that
   */
  public final SelectionKey kernelKey() {
    SelectionKey key = kernelKey;
    if (key == null) {
      throw new IllegalStateException("not registered");
    }
    return key;
  }

  /** Whether its registration is over; until then the thread that registers will tell the loop. */
  final boolean isRegistered() {
    return kernelKey != null;
  }

  final void kernelKey(SelectionKey key) {
    kernelKey = key;
  }

  /** What the kernel should be asked. The loop's thread; any, if there is no link. */
  int wantedOfKernel() {
    return interest;
  }

  /**
   * Whether this is a stream with a link. Of all others the kernel tells everything, and is asked
   * for just what is waited for. Any thread.
   */
  boolean isLinked() {
    return false;
  }

  /**
   * Asks the kernel for what is waited for, if it tells everything. Any thread, also beside the
   * loop's.
   *
   * @return false if the loop's thread has to look at the channel
   */
  final boolean ask() {
    if (isLinked()) {
      return false;
    }
    refresh();
    // If a link came meanwhile, the loop may have asked before we did.
    return !isLinked();
  }

  /**
   * What the kernel is asked follows the interest and the stream. The loop's thread, and any that
   * {@linkplain #ask asks}: of threads that ask for different things the last one looks again, and
   * sees what is waited for by then.
   */
  final void refresh() {
    SelectionKey key = kernelKey();
    try {
      int ops = wantedOfKernel();
      while (key.interestOps() != ops) {
        key.interestOps(ops);
        ops = wantedOfKernel();
      }
    } catch (CancelledKeyException e) {
      // The channel was closed, or has left the loop; its owner removes it.
      return;
    }
  }

  /**
   * The kernel is to be asked anew: a JDK selector that had no memory to note what a key asks for
   * says that it does. The loop's thread.
   */
  final void unask() {
    try {
      kernelKey().interestOps(0);
    } catch (CancelledKeyException e) {
      // As in refresh.
      return;
    }
  }

  /** Notes what the kernel reports; true if it is the first report since the last dispatch. */
  final boolean report(int ops) {
    boolean first = reported == 0;
    reported |= ops;
    return first;
  }

  final int takeReported() {
    int ops = reported;
    reported = 0;
    return ops;
  }

  // -- readiness -------------------------------------------------------------------------------

  /**
   * The operations that would make progress now.
   *
   * @param kernelReady what the kernel has reported
   * @return operation bits
   */
  int ready(int kernelReady) {
    return kernelReady;
  }

  final boolean isGone() {
    return gone;
  }

  /** The channel leaves the loop for good. */
  void leave() {
    gone = true;
    SelectionKey key = kernelKey;
    if (key != null) {
      key.cancel();
    }
  }
}
