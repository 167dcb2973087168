package org.slipstream.provider.nio;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.core.stream.Readiness;
import org.slipstream.core.wait.Spinner;

/**
 * A selector over streams and over every other channel of the JDK. It sleeps in a private JDK
 * selector that listens to the anchors and to the foreign channels themselves.
 *
 * <p>Streams that were active lately are <em>hot</em>: their rings are looked at directly. A stream
 * that fell silent is <em>cold</em>: it was armed and looked at once more, and its bell makes the
 * anchor readable. So 10,000 idle streams and 10 busy ones cost 10 looks, and an idle process
 * sleeps.
 */
final class SlipstreamSelector extends AbstractSelector implements Spinner.Condition {

  /** Spinning looks between two readings of the clock. */
  private static final int LOOKS_PER_CLOCK = 32;

  private final InnerSelector inner;
  private final Spinner spinner;
  private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
  private final Set<SelectionKey> publicKeys = Collections.unmodifiableSet(keys);
  private final SelectedKeySet selected = new SelectedKeySet();

  /** Keys whose interest or stream changed; any thread adds. */
  private final ConcurrentLinkedQueue<SlipstreamSelectionKey> changes =
      new ConcurrentLinkedQueue<>();

  private final AtomicBoolean wakeup = new AtomicBoolean();

  // The rest belongs to whoever holds the monitor of this selector.
  private final HotKeys hot = new HotKeys();
  private boolean inSelect;

  /** Whether the last dispatch found a ready key, new or not. */
  private boolean ready;

  /**
   * The last selection found something on a ring at once. If the next ones do so, too, only the
   * clock can tell how long the kernel's keys have not been looked at.
   */
  private boolean busy;

  private int looks;

  SlipstreamSelector(SelectorProvider provider, SlipstreamCore core) throws IOException {
    super(provider);
    this.inner = new InnerSelector(core.jdk().openSelector(), this::hasNews);
    this.spinner = new Spinner(core.loadSensor(), core.maxSpinNanos());
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

  @Override
  protected SelectionKey register(AbstractSelectableChannel ch, int ops, @Nullable Object att) {
    ensureOpen();
    SlipstreamSelectionKey key = new SlipstreamSelectionKey(this, ch, ops);
    key.attach(att);
    SelectableChannel listened = ch instanceof AnchoredChannel a ? a.anchor() : ch;
    try {
      inner.register(listened, ops, key);
    } catch (ClosedChannelException e) {
      throw ofTheChannel(e);
    }
    if (ch instanceof AnchoredChannel a) {
      a.liveKeys().add(key);
    }
    if (ch instanceof SlipstreamSocketChannel c) {
      c.stream().addObserver(key);
    }
    // From here on other threads see the key, and may cancel it: it is returned all the same.
    keys.add(key);
    interestChanged(key);
    if (!isOpen()) {
      forget(key);
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
    if (key.queued().compareAndSet(false, true)) {
      changes.add(key);
    }
  }

  /** A stream changed by itself: the selection operation under way must look; any thread. */
  void streamChanged(SlipstreamSelectionKey key) {
    interestChanged(key);
    inner.wakeSleeper();
  }

  private void processChanges() {
    SlipstreamSelectionKey key;
    while ((key = changes.poll()) != null) {
      key.queued().set(false);
      if (key.isValid()) {
        InnerSelector.refresh(key);
        hot.add(key);
      }
    }
  }

  /** Outer keys first: the JDK frees a descriptor when the last key of a closed channel goes. */
  private void flushCancelled() throws IOException {
    Set<SelectionKey> cancelled = cancelledKeys();
    // Twice in each selection, so without its monitor first: whatever was cancelled before the
    // selection began is seen, and what is cancelled meanwhile may as well wait for the next one.
    if (cancelled.isEmpty()) {
      return;
    }
    List<SelectionKey> gone;
    synchronized (cancelled) {
      gone = List.copyOf(cancelled);
      cancelled.clear();
    }
    // Without that monitor: this takes the channel's, whose holder may be about to cancel a key.
    for (SelectionKey k : gone) {
      remove((SlipstreamSelectionKey) k);
    }
    inner.look();
  }

  private void remove(SlipstreamSelectionKey key) {
    selected.remove(key);
    hot.remove(key);
    deregister(key);
    forget(key);
    key.inner().cancel();
  }

  private void forget(SlipstreamSelectionKey key) {
    keys.remove(key);
    if (key.channel() instanceof AnchoredChannel a) {
      a.liveKeys().remove(key);
    }
    if (key.channel() instanceof SlipstreamSocketChannel c) {
      c.stream().removeObserver(key);
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

  private int lockAndSelect(@Nullable Consumer<SelectionKey> action, long timeoutMs)
      throws IOException {
    synchronized (this) {
      ensureOpen();
      if (inSelect) {
        throw new IllegalStateException("select in progress");
      }
      inSelect = true;
      try {
        synchronized (selected) {
          flushCancelled();
          return doSelect(action, timeoutMs);
        }
      } finally {
        if (wakeup.get()) { // the store is dear
          wakeup.set(false);
        }
        inSelect = false;
      }
    }
  }

  private int doSelect(@Nullable Consumer<SelectionKey> action, long timeoutMs) throws IOException {
    processChanges();
    long start = 0;
    if (hot.isEmpty() || timeoutMs == 0) {
      start = System.nanoTime();
      if (timeoutMs == 0) {
        inner.look(start);
      } else {
        inner.sleep(timeoutMs);
      }
    } else if (busy) {
      inner.lookIfDue();
    }
    int n = dispatch(action);
    busy = n > 0;
    if (n == 0 && ready && timeoutMs != 0) {
      // What is ready and selected already ends a selection, as with the JDK; but before that the
      // keys that only the kernel knows of get their turn.
      inner.look();
      return dispatch(action);
    }
    if (n > 0 || timeoutMs == 0) {
      return n;
    }
    if (start == 0 && timeoutMs > 0) {
      start = System.nanoTime();
    }
    long deadline = start + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    while (n == 0 && !ready && isOpen() && !mustReturn()) {
      long left = timeoutMs < 0 ? Long.MAX_VALUE : deadline - System.nanoTime();
      if (left <= 0) {
        break;
      }
      if (hot.isEmpty() || !spin()) {
        sleep(left);
      }
      processChanges();
      n = dispatch(action);
    }
    return n;
  }

  /** What a sleep must not begin with. */
  private boolean hasNews() {
    return !changes.isEmpty() || wakeup.get() || !isOpen();
  }

  private boolean mustReturn() {
    return wakeup.get() || Thread.currentThread().isInterrupted();
  }

  private boolean spin() throws IOException {
    if (!hot.worthSpinning()) {
      return false;
    }
    inner.lookIfDue(); // rings that are ready again at the first look must not hide the kernel's
    // keys
    return spinner.spin(this);
  }

  /** The spinner's look. */
  @Override
  public boolean met() throws IOException {
    if (hot.anyReady() || !changes.isEmpty() || mustReturn() || !isOpen()) {
      return true;
    }
    if (++looks % LOOKS_PER_CLOCK == 0) {
      inner.lookIfDue();
    }
    return !inner.reported().isEmpty();
  }

  /** Arms whatever is hot, looks once more at each, and sleeps if nothing came. */
  private void sleep(long leftNs) throws IOException {
    boolean spun = !hot.isEmpty();
    long limit = hot.cool(leftNs);
    if (limit == 0) {
      spinner.caught();
      return;
    }
    inner.sleep(limit == Long.MAX_VALUE ? -1 : Math.max(1, limit / 1_000_000));
    if (spun) {
      spinner.slept();
    }
    hot.rewarm();
  }

  // -- readiness -------------------------------------------------------------------------------

  /** Selects every key that the kernel reported or whose ring has something. */
  private int dispatch(@Nullable Consumer<SelectionKey> action) throws IOException {
    flushCancelled(); // what was cancelled during the wait; as in the JDK, an action's comes later
    int n = 0;
    ready = false;
    List<SlipstreamSelectionKey> reported = inner.reported();
    // An action may select nothing, but it may cancel, register and close: the lists are indexed.
    for (int i = 0; i < reported.size(); i++) {
      SlipstreamSelectionKey key = reported.get(i);
      int ops = key.innerReady;
      key.innerReady = 0;
      if (key.isValid()) {
        n += select(key, HotKeys.evaluate(key, ops), action);
        InnerSelector.refresh(key);
        Readiness r = key.readiness();
        if (r != null && r.isLinked()) {
          hot.add(key);
        }
        key.idleLooks = -1; // evaluated in this round
      }
    }
    reported.clear();
    for (int i = 0; i < hot.size(); i++) {
      SlipstreamSelectionKey key = hot.get(i);
      if (key.idleLooks < 0) {
        key.idleLooks = 0;
      } else if (key.isValid()) {
        int ops = HotKeys.evaluate(key, 0);
        key.idleLooks = ops == 0 ? key.idleLooks + 1 : 0;
        n += select(key, ops, action);
      }
    }
    hot.coolIdle();
    return n;
  }

  /** Puts a key into the selected set, or hands it to the action; 1 if that changed something. */
  private int select(
      SlipstreamSelectionKey key, int readyOps, @Nullable Consumer<SelectionKey> action) {
    int ops = readyOps & key.interest();
    if (ops == 0) {
      return 0;
    }
    ready = true;
    if (action != null) {
      key.setReady(ops);
      action.accept(key);
      ensureOpen();
      return 1;
    }
    if (selected.contains(key)) {
      return key.addReady(ops) ? 1 : 0;
    }
    key.setReady(ops);
    selected.put(key);
    return 1;
  }

  // -- waking and closing ----------------------------------------------------------------------

  @Override
  public Selector wakeup() {
    // Who is not asleep sees the flag before it sleeps, and the kernel is left alone.
    if (wakeup.compareAndSet(false, true)) {
      inner.wakeSleeper();
    }
    return this;
  }

  @Override
  protected void implCloseSelector() throws IOException {
    wakeup.set(true);
    inner.wakeup();
    synchronized (this) {
      synchronized (selected) {
        for (SelectionKey k : new ArrayList<>(keys)) {
          remove((SlipstreamSelectionKey) k);
        }
        inner.close();
      }
    }
  }
}
