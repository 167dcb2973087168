package org.slipstream.provider.nio;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.loop.PollLoop;
import org.slipstream.core.loop.WatchedChannel;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.core.wait.Spinner;
import org.slipstream.transport.OutOfLine;

/**
 * A selector over streams and over every other channel of the JDK: the JDK's rules of keys around a
 * {@link PollLoop}.
 */
final class SlipstreamSelector extends AbstractSelector
    implements PollLoop.ReadyHandler<SlipstreamSelectionKey> {
  private static final long MILLISECOND_NS = 1_000_000;

  private final PollLoop<SlipstreamSelectionKey> loop;
  private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
  private final Set<SelectionKey> publicKeys = Collections.unmodifiableSet(keys);
  private final SelectedKeySet selected = new SelectedKeySet();

  /** Whether it had a key. Written by threads that register, read by the one that closes it. */
  private volatile boolean everUsed;

  // The rest belongs to the thread that holds the monitor of this selector.
  private boolean inSelect;

  /** Of the selection under way. */
  private @Nullable Consumer<SelectionKey> action;

  /** Whether the last dispatch found a ready key, new or not. */
  private boolean foundReady;

  SlipstreamSelector(SelectorProvider provider, SlipstreamCore core) throws IOException {
    super(provider);
    this.loop =
        new PollLoop<>(
            core.jdk().openSelector(),
            new Spinner(core.loadSensor(), core.maxSpinNanos()),
            core.doorbellSource());
  }

  private void ensureOpen() {
    if (!isOpen()) {
      throw new ClosedSelectorException();
    }
  }

  // -- keys ------------------------------------------------------------------------------------

  @Override
  public Set<SelectionKey> keys() {
    ensureOpen();
    return publicKeys;
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    ensureOpen();
    return selected;
  }

  @OutOfLine
  @Override
  protected SelectionKey register(AbstractSelectableChannel ch, int ops, @Nullable Object att) {
    ensureOpen();
    SlipstreamSelectionKey key = new SlipstreamSelectionKey(this, ch, ops);
    key.attach(att);
    WatchedChannel<SlipstreamSelectionKey> watched = key.watched();
    try {
      // For a foreign channel this nests in its own register, whose locks are re-entrant.
      loop.register(watched, ch instanceof TcpBackedChannel a ? a.tcp() : ch);
    } catch (ClosedChannelException e) {
      throw ofTheChannel(e);
    }
    if (ch instanceof TcpBackedChannel a) {
      a.liveKeys().add(key, watched.kernelKey());
    }
    // From here on other threads see the key, and may cancel it: it is returned all the same.
    keys.add(key);
    everUsed = true;
    loop.changed(watched);
    if (!isOpen()) {
      forget(key);
      loop.remove(watched);
      key.cancel();
      throw new ClosedSelectorException();
    }
    return key;
  }

  /**
   * Another thread closes the channel while it is being registered. The channel's own {@code
   * register}, which is the only caller, declares this exception; ours is not allowed to.
   */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> E ofTheChannel(ClosedChannelException e) throws E {
    throw (E) e;
  }

  /** The next selection operation looks at the key; any thread. */
  void interestChanged(SlipstreamSelectionKey key) {
    loop.changed(key.watched());
  }

  /**
   * Takes cancelled keys out of their channels. The kernel's keys go when the kernel is asked next,
   * which frees the descriptors of closed channels.
   *
   * @return whether there were any
   */
  private boolean flushCancelled() {
    Set<SelectionKey> cancelled = cancelledKeys();
    // Twice in each selection, so without its monitor first: whatever was cancelled before the
    // selection began is seen, and what is cancelled meanwhile may as well wait for the next one.
    if (cancelled.isEmpty()) {
      return false;
    }
    removeCancelled(cancelled);
    return true;
  }

  @OutOfLine
  private void removeCancelled(Set<SelectionKey> cancelled) {
    List<SelectionKey> gone;
    synchronized (cancelled) {
      gone = List.copyOf(cancelled);
    }
    // Without that monitor: this takes the channel's, whose holder may be about to cancel a key.
    for (SelectionKey k : gone) {
      remove((SlipstreamSelectionKey) k);
      synchronized (cancelled) {
        cancelled.remove(k); // not before: without memory it is removed another time
      }
    }
  }

  /**
   * The kernel's key is cancelled before the channel forgets ours: a thread that registers the
   * channel at this moment would be given it again, and would never hear of the channel.
   */
  @OutOfLine
  private void remove(SlipstreamSelectionKey key) {
    selected.remove(key);
    loop.remove(key.watched());
    deregister(key);
    forget(key);
  }

  private void forget(SlipstreamSelectionKey key) {
    keys.remove(key);
    if (key.channel() instanceof TcpBackedChannel a) {
      a.liveKeys().remove(key);
    }
  }

  // -- selecting -------------------------------------------------------------------------------

  @Override
  public int selectNow() throws IOException {
    return lockAndSelect(null, 0);
  }

  @Override
  public int select(long timeout) throws IOException {
    return lockAndSelect(null, checked(timeout));
  }

  @Override
  public int select() throws IOException {
    return lockAndSelect(null, -1);
  }

  @Override
  public int selectNow(Consumer<SelectionKey> action) throws IOException {
    return lockAndSelect(Objects.requireNonNull(action), 0);
  }

  @Override
  public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
    return lockAndSelect(Objects.requireNonNull(action), checked(timeout));
  }

  @Override
  public int select(Consumer<SelectionKey> action) throws IOException {
    return lockAndSelect(Objects.requireNonNull(action), -1);
  }

  private static long checked(long timeout) {
    if (timeout < 0) {
      throw new IllegalArgumentException("Negative timeout");
    }
    return timeout == 0 ? -1 : timeout;
  }

  @OutOfLine
  private int lockAndSelect(@Nullable Consumer<SelectionKey> wanted, long timeoutMs)
      throws IOException {
    synchronized (this) {
      ensureOpen();
      if (inSelect) {
        throw new IllegalStateException("select in progress");
      }
      inSelect = true;
      action = wanted;
      try {
        synchronized (selected) {
          flushCancelled();
          return doSelect(timeoutMs);
        }
      } finally {
        loop.clearWakeup();
        action = null;
        inSelect = false;
      }
    }
  }

  private int doSelect(long timeoutMs) throws IOException {
    boolean look = timeoutMs == 0;
    boolean await = !look && !loop.begin();
    boolean awaited = false;
    long now = 0;
    long deadline = 0;
    for (; ; ) {
      if (look) {
        loop.look();
      } else if (await) {
        now = System.nanoTime();
        if (!awaited) {
          deadline = now + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
          awaited = true;
        } else if (timeoutMs > 0 && deadline - now <= 0) {
          return 0;
        }
        // The kernel's selector counts milliseconds; the last one is slept for, and not spun.
        loop.await(now, timeoutMs < 0 ? Long.MAX_VALUE : Math.max(MILLISECOND_NS, deadline - now));
      }
      int n = dispatch();
      if (look || n > 0) {
        return n;
      }
      if (foundReady ? await : loop.mustReturn()) {
        return 0;
      }
      if (foundReady) {
        // What is ready and selected already ends a selection, as with the JDK; but before that
        // the keys that only the kernel knows of get their turn.
        look = true;
      }
      await = true;
    }
  }

  // -- readiness -------------------------------------------------------------------------------

  /** Selects every key that the kernel reported or whose ring has something. */
  private int dispatch() throws IOException {
    // What was cancelled during the wait; as in the JDK, an action's comes later.
    if (flushCancelled()) {
      loop.look();
    }
    foundReady = false;
    return loop.dispatch(this);
  }

  /** Puts a key into the selected set, or hands it to the action. */
  @OutOfLine
  @Override
  public boolean ready(SlipstreamSelectionKey key, int readyOps) {
    int ops = readyOps & key.watched().interest();
    if (ops == 0 || !key.isValid()) {
      return false;
    }
    foundReady = true;
    if (action != null) {
      key.setReady(ops);
      action.accept(key);
      ensureOpen();
      return true;
    }
    if (selected.contains(key)) {
      return key.addReady(ops);
    }
    key.setReady(ops);
    selected.put(key);
    return true;
  }

  // -- waking and closing ----------------------------------------------------------------------

  @OutOfLine
  @Override
  public Selector wakeup() {
    loop.wakeup();
    return this;
  }

  @Override
  protected void implCloseSelector() throws IOException {
    loop.wakeup();
    if (!everUsed) {
      Installation.selectorNeverUsed();
    }
    synchronized (this) {
      synchronized (selected) {
        for (SelectionKey k : new ArrayList<>(keys)) {
          remove((SlipstreamSelectionKey) k);
        }
        loop.close();
      }
    }
  }
}
