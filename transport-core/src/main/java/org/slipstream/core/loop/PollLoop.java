package org.slipstream.core.loop;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.wait.Spinner;
import org.slipstream.core.wait.WaitClock;
import org.slipstream.transport.OutOfLine;

/**
 * An event loop over streams and over every other channel of the JDK: decides what is polled, when
 * the kernel is asked, when streams are armed, and when to sleep. Selectors of {@code java.nio} and
 * event loops of Netty are adapters of this class. A round of theirs is
 *
 * <pre>
 *   begin  [dispatch]  look | await  dispatch
 * </pre>
 *
 * <p>Belongs to the loop's thread (for a selector: the thread that holds its monitor), except for
 * {@link #register}, {@link #changed} and {@link #wakeup}.
 *
 * @param <A> see {@link WatchedChannel#owner}
 */
public final class PollLoop<A> implements Spinner.Condition {

  /**
   * What is done with a channel that is ready.
   *
   * @param <A> see {@link WatchedChannel#owner}
   */
  @FunctionalInterface
  public interface ReadyHandler<A> {
    /**
     * The channel is ready. May register, change and remove channels of the loop.
     *
     * @param owner of the channel
     * @param ops operation bits, not 0; for a channel that is not a stream, what the kernel said
     * @return whether that counts as progress
     */
    boolean ready(A owner, int ops);
  }

  /** Spinning polls between two readings of the clock. */
  private static final int POLLS_PER_CLOCK = 32;

  private final Spinner spinner;
  private final WaitClock clock;
  private final KernelPoll<A> kernel;
  private final PolledStreams<A> polled;

  /** Channels whose interest or stream changed; any thread adds. */
  private final ConcurrentLinkedQueue<WatchedChannel<A>> changes = new ConcurrentLinkedQueue<>();

  /**
   * Whether there are such channels: most rounds have none, and look at no more than this. Set by
   * any thread, behind its channel; cleared by the loop's before it takes them.
   */
  private volatile boolean hasChanges;

  /**
   * What a channel had to say was not noted, as there was no memory: all are looked at. Set by any
   * thread, before {@link #hasChanges}; cleared by the loop's before it looks.
   */
  private volatile boolean changesLost;

  /** Any thread sets it. */
  private final AtomicBoolean wakeup = new AtomicBoolean();

  /** Since the last {@link #begin} the loop has waited, and so has asked the kernel if due. */
  private boolean hasWaited;

  /** When the wait under way ends. */
  private long deadline;

  private int polls;

  /**
   * Makes a loop.
   *
   * @param jdk a selector of the JDK's own provider; the loop's from now on
   * @param spinner of this loop alone
   * @param doorbells gives the loop a pipe when it first sleeps over a stream whose peer can use it
   */
  public PollLoop(Selector jdk, Spinner spinner, DoorbellSource doorbells) {
    this(jdk, spinner, doorbells, WaitClock.SYSTEM);
  }

  PollLoop(Selector jdk, Spinner spinner, DoorbellSource doorbells, WaitClock clock) {
    this.spinner = spinner;
    this.clock = clock;
    this.kernel = new KernelPoll<>(jdk, this::hasNews, this::lookAtAll, clock);
    this.polled = new PolledStreams<>(clock, doorbells, jdk);
  }

  // -- channels --------------------------------------------------------------------------------

  /**
   * Adds a channel; {@link #changed} or {@link #apply} must follow. Any thread.
   *
   * @param watched in no loop so far
   * @param kernelChannel what the kernel is asked about: a stream's TCP connection, or the channel
   *     itself
   * @throws ClosedChannelException if it is closed
   */
  public void register(WatchedChannel<A> watched, SelectableChannel kernelChannel)
      throws ClosedChannelException {
    watched.kernelKey(kernel.register(kernelChannel, watched));
    if (watched instanceof WatchedStream<A> stream) {
      stream.observe(() -> streamChanged(stream));
    }
  }

  /**
   * The interest in a channel has changed: the kernel is asked for it, or the next round looks at
   * the channel. Any thread.
   *
   * @param watched registered
   */
  public void changed(WatchedChannel<A> watched) {
    if (!asks(watched) && watched.enqueue()) {
      add(watched);
    }
  }

  /** Without memory the next round does it: the interest is changed, and is not told again. */
  private boolean asks(WatchedChannel<?> watched) {
    try {
      return watched.ask();
    } catch (OutOfMemoryError e) {
      lookAtAll();
      return true;
    }
  }

  /** A stream changed by itself: the wait under way must look; any thread. */
  private void streamChanged(WatchedStream<A> stream) {
    if (stream.noteChange()) {
      add(stream);
      kernel.wakeSleeper();
    }
  }

  /** Whatever happens the loop hears of it: the channel says that it is in the queue. */
  private void add(WatchedChannel<A> watched) {
    try {
      changes.add(watched);
      hasChanges = true;
    } catch (OutOfMemoryError e) {
      lookAtAll();
    }
  }

  private void lookAtAll() {
    changesLost = true;
    hasChanges = true;
  }

  /**
   * As {@link #changed}, at once.
   *
   * @param watched registered
   */
  @OutOfLine
  public void apply(WatchedChannel<A> watched) {
    if (watched instanceof WatchedStream<A> stream) {
      polled.add(stream);
    }
    if (!watched.isGone()) {
      watched.refresh();
    }
  }

  /**
   * A channel leaves the loop for good.
   *
   * @param watched registered
   */
  public void remove(WatchedChannel<A> watched) {
    watched.leave();
    if (watched instanceof WatchedStream<A> stream) {
      polled.left(stream);
    }
    kernel.keyCancelled();
  }

  /**
   * The owners of all channels.
   *
   * @return a list of its own
   */
  public List<A> owners() {
    List<A> owners = new ArrayList<>();
    for (WatchedChannel<A> watched : kernel.registered()) {
      owners.add(watched.owner());
    }
    return owners;
  }

  private void applyChanges() {
    if (hasChanges) {
      hasChanges = false;
      try {
        applyAll();
      } finally {
        if (!changes.isEmpty() || changesLost) {
          hasChanges = true; // one has thrown
        }
      }
    }
  }

  @OutOfLine
  private void applyAll() {
    try {
      if (changesLost) {
        changesLost = false;
        for (WatchedChannel<A> watched : kernel.registered()) {
          watched.unask();
          applyChange(watched);
        }
      }
      WatchedChannel<A> watched;
      while ((watched = changes.poll()) != null) {
        applyChange(watched);
      }
    } catch (OutOfMemoryError e) {
      changesLost = true;
      throw e;
    }
  }

  private void applyChange(WatchedChannel<A> watched) {
    watched.dequeued();
    apply(watched);
  }

  // -- a round ---------------------------------------------------------------------------------

  /**
   * Begins a round. Rings that are ready at every round must not hide the kernel's channels: if the
   * last round did not wait, only the clock can tell how long the kernel was not asked.
   *
   * @return whether streams are polled, and a dispatch may find something at once; if not, only the
   *     kernel can tell
   * @throws IOException from the JDK selector
   */
  public boolean begin() throws IOException {
    applyChanges();
    boolean polling = !polled.isEmpty();
    // Behind a wait the kernel was asked a moment ago, unless the caller took its time; what is
    // ready by now would end this round before the next wait asks.
    if (polling && (!hasWaited || kernel.hasCancelledKeys() || polled.anyReady())) {
      pollIfDue(clock.now());
    }
    hasWaited = false;
    return polling;
  }

  /**
   * Asks the kernel, and does not wait. Needs no {@link #begin} before it.
   *
   * @throws IOException from the JDK selector
   */
  public void look() throws IOException {
    applyChanges();
    kernel.look(clock.now());
  }

  private void pollIfDue(long now) throws IOException {
    if (kernel.pollIfDue(now)) {
      polled.pollStarvedIfDue(now);
    }
  }

  /**
   * Waits until a channel may be ready, the loop is woken, the thread is interrupted, or the time
   * is over; and may return early for no reason. Less than half a millisecond is waited for by
   * polling alone, if that is worth it.
   *
   * @param now {@link System#nanoTime} of a moment ago
   * @param maxNs how long at most, in nanoseconds; {@link Long#MAX_VALUE} = for ever; 0 or less
   *     does not wait
   * @throws IOException from the JDK selector
   */
  @OutOfLine
  public void await(long now, long maxNs) throws IOException {
    hasWaited = true;
    boolean mayBeReady = kernel.hasReported(); // the last dispatch has thrown
    if (!polled.isEmpty()) {
      pollIfDue(now);
      deadline = now + maxNs;
      mayBeReady = kernel.hasReported() || maxNs <= 0 || spin();
    }
    if (!mayBeReady) {
      if (maxNs >= KernelPoll.SHORTEST_SLEEP_NS) {
        sleep(maxNs);
      } else {
        pollIfDue(now);
      }
    }
    applyChanges();
  }

  private boolean spin() throws IOException {
    return polled.worthSpinning() && spinner.spin(this);
  }

  /** The spinner's look. */
  @Override
  public boolean met() throws IOException {
    if (polled.anyReady() || hasChanges || mustReturn()) {
      return true;
    }
    if (++polls % POLLS_PER_CLOCK == 0) {
      long now = clock.now();
      pollIfDue(now);
      if (now - deadline >= 0) {
        return true;
      }
    }
    return kernel.hasReported();
  }

  /** Arms all that are polled, polls each once more, and sleeps if nothing came. */
  @OutOfLine
  private void sleep(long maxNs) throws IOException {
    boolean polling = !polled.isEmpty();
    polled.pollStarved();
    long limit = polled.armAll(maxNs);
    if (limit == 0) {
      if (polling) {
        spinner.caught();
      }
      return;
    }
    kernel.sleep(limit);
    if (polling) {
      spinner.slept();
    }
    polled.pollStarved();
  }

  /**
   * Hands every channel that the kernel reported or whose ring has something to the handler.
   *
   * @param handler asked once for each ready channel
   * @return how many made progress
   */
  @OutOfLine
  public int dispatch(ReadyHandler<A> handler) {
    int n = dispatchReported(handler);
    // Handlers may register, remove and close: the lists are indexed.
    for (int i = 0; i < polled.size(); i++) {
      WatchedStream<A> stream = polled.get(i);
      if (stream.misses < 0) {
        stream.misses = 0; // looked at in this round
      } else if (!stream.isGone()) {
        int ops = stream.ready(0);
        stream.misses = ops == 0 ? stream.misses + 1 : 0;
        n += handle(handler, stream, ops);
      }
    }
    if (!polled.isEmpty()) {
      polled.armIdle();
    }
    return n;
  }

  @OutOfLine
  private int dispatchReported(ReadyHandler<A> handler) {
    List<WatchedChannel<A>> reported = kernel.reported();
    int n = 0;
    int i = 0;
    try {
      while (i < reported.size()) {
        WatchedChannel<A> watched = reported.get(i);
        if (watched instanceof WatchedStream<A> stream) {
          polled.add(stream); // a doorbell comes once: it is polled whatever throws behind this
        }
        int ops = watched.takeReported();
        i++;
        if (!watched.isGone()) {
          n += handle(handler, watched, watched.ready(ops));
          if (watched instanceof WatchedStream<A> stream && stream.isLinked()) {
            apply(stream);
            stream.misses = -1;
          }
        }
      }
    } finally {
      if (i == reported.size()) {
        reported.clear();
      } else {
        reported.subList(0, i).clear(); // the handler threw: the others come next time
      }
    }
    return n;
  }

  private int handle(ReadyHandler<A> handler, WatchedChannel<A> watched, int ops) {
    return ops != 0 && handler.ready(watched.owner(), ops) ? 1 : 0;
  }

  // -- waking and closing ----------------------------------------------------------------------

  /** Ends this wait or the next one; any thread. */
  public void wakeup() {
    // A loop that is not asleep sees the flag before it sleeps, and the kernel is left alone.
    if (wakeup.compareAndSet(false, true)) {
      kernel.wakeSleeper();
    }
  }

  /** Wake-ups until now are over. */
  public void clearWakeup() {
    if (wakeup.get()) { // the store is expensive
      wakeup.set(false);
    }
  }

  /**
   * Whether the loop was woken or its thread interrupted, and so should wait no more.
   *
   * @return true if a wait would end at once
   */
  public boolean mustReturn() {
    return wakeup.get() || Thread.currentThread().isInterrupted();
  }

  /** What a sleep must not begin with. */
  private boolean hasNews() {
    return hasChanges || wakeup.get();
  }

  /**
   * Closes the JDK selector.
   *
   * @throws IOException from it
   */
  public void close() throws IOException {
    try {
      kernel.close();
    } finally {
      polled.close();
    }
  }
}
