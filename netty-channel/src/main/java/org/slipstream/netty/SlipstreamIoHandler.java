package org.slipstream.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.core.stream.HotStreams;
import org.slipstream.core.stream.StreamWatch;
import org.slipstream.core.wait.Spinner;
import org.slipstream.provider.nio.Installation;

/**
 * The I/O of one event loop: streams of Slipstream and, in the same loop, whatever channels of
 * Netty's NIO transport there are beside them (datagrams of a resolver, for example).
 *
 * <p>Streams that were active lately are looked at directly, and waited for with the core's
 * spinner. All others sleep, armed, with the loop in a JDK selector over their anchors; so an idle
 * loop sleeps, with no timer of its own.
 *
 * <p>Everything but {@link #wakeup} is for the event loop's thread.
 */
public final class SlipstreamIoHandler implements IoHandler {
  private static final InternalLogger LOG =
      InternalLoggerFactory.getInstance(SlipstreamIoHandler.class);

  /** The kernel's news are looked at, at least so often, while streams are hot. */
  private static final long GLANCE_NS = 50_000;

  /** Spinning looks between two readings of the clock. */
  private static final int LOOKS_PER_CLOCK = 32;

  private final ThreadAwareExecutor executor;
  private final Selector selector;
  private final Spinner spinner;

  /** A type of the core is no interface of this class: without the core, it still has to say so. */
  private final Spinner.Condition look = this::met;

  private final HotStreams<Registration> hot = new HotStreams<>();
  private final List<Registration> reported = new ArrayList<>();
  private final Consumer<SelectionKey> collector = this::collect;

  /** Streams that changed by themselves; any thread adds. */
  private final ConcurrentLinkedQueue<Registration> changes = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean wakeup = new AtomicBoolean();

  /** The loop is in, or on its way into, the selector. */
  private volatile boolean sleeping;

  private boolean keysCancelled;
  private long lastGlance = System.nanoTime();
  private long spinUntil;
  private int looks;

  private SlipstreamIoHandler(ThreadAwareExecutor executor, SlipstreamCore core) {
    this.executor = executor;
    this.spinner = new Spinner(core.loadSensor(), core.maxSpinNanos());
    try {
      this.selector = core.jdk().openSelector();
    } catch (IOException e) {
      throw new UncheckedIOException("An event loop needs a selector", e);
    }
  }

  /**
   * For {@code MultiThreadIoEventLoopGroup}.
   *
   * @return makes the loops of this process's Slipstream
   * @throws IllegalStateException if slipstream.jar is missing
   */
  public static IoHandlerFactory newFactory() {
    return newFactory(Slipstream.installation());
  }

  /**
   * For channels that are made with an installation of their own.
   *
   * @param installation whose streams the loops serve
   * @return makes loops
   */
  public static IoHandlerFactory newFactory(Installation installation) {
    SlipstreamCore core = Slipstream.core(installation);
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor executor) {
        return new SlipstreamIoHandler(executor, core);
      }

      @Override
      public boolean isChangingThreadSupported() {
        return true;
      }
    };
  }

  // -- registrations ---------------------------------------------------------------------------

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return StreamHandle.class.isAssignableFrom(handleType)
        || NioIoHandle.class.isAssignableFrom(handleType);
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    if (!(handle instanceof NioIoHandle nio)) {
      throw new IllegalArgumentException("Handle of type " + handle.getClass().getName());
    }
    Registration registration =
        new Registration(this, nio, handle instanceof StreamHandle s ? s.stream() : null);
    try {
      registerKey(registration);
    } catch (IllegalSelectorException e) {
      throw new IllegalArgumentException(
          nio.selectableChannel()
              + " is not the JDK's own; use SlipstreamSocketChannel and"
              + " SlipstreamServerSocketChannel in this event loop",
          e);
    }
    StreamWatch<Registration> watch = registration.watch();
    if (watch != null) {
      interestChanged(registration, watch);
    }
    handle.registered();
    return registration;
  }

  private void registerKey(Registration registration) throws IOException {
    try {
      registration.register(selector);
    } catch (CancelledKeyException e) {
      glance(0); // an earlier registration of the channel is cancelled, but not forgotten yet
      registration.register(selector);
    }
  }

  /** What a stream waits for has changed. */
  void interestChanged(Registration registration, StreamWatch<Registration> watch) {
    registration.refreshAnchorInterest();
    hot.add(watch);
  }

  /** A stream changed by itself; any thread. */
  void streamChanged(Registration registration) {
    changes.add(registration);
    if (sleeping) {
      selector.wakeup();
    }
  }

  void cancelled(@Nullable StreamWatch<Registration> watch) {
    keysCancelled = true; // the JDK frees a descriptor when the selector has forgotten the key
    if (watch != null) {
      hot.remove(watch);
    }
  }

  private void processChanges() {
    Registration registration;
    while ((registration = changes.poll()) != null) {
      registration.dequeued();
      StreamWatch<Registration> watch = registration.watch();
      if (watch != null && registration.isValid()) {
        interestChanged(registration, watch);
      }
    }
  }

  // -- running ---------------------------------------------------------------------------------

  @Override
  public int run(IoHandlerContext context) {
    int handled = 0;
    try {
      // Before the question whether to block: who wakes us later has to do it again.
      if (wakeup.get()) {
        wakeup.set(false);
      }
      if (context.canBlock()) {
        await(context);
      } else if (hot.isEmpty() || keysCancelled || System.nanoTime() - lastGlance > GLANCE_NS) {
        glance(0);
      }
      processChanges();
      if (context.shouldReportActiveIoTime()) {
        long start = System.nanoTime();
        handled = dispatch();
        context.reportActiveIoTime(System.nanoTime() - start);
      } else {
        handled = dispatch();
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Unexpected exception in the event loop", e);
      pause();
    }
    return handled;
  }

  /** Something is wrong with the loop itself: do not burn the processor. */
  private static void pause() {
    try {
      Thread.sleep(1_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Until something can be dispatched, a task came, or a scheduled task is due. */
  private void await(IoHandlerContext context) throws IOException {
    long now = System.nanoTime();
    // Without a scheduled task Netty's delay is a second, for tidying up; an idle loop sleeps on.
    long delay = context.deadlineNanos() == -1 ? Long.MAX_VALUE : context.delayNanos(now);
    if (keysCancelled || (!hot.isEmpty() && now - lastGlance > GLANCE_NS)) {
      glance(0);
    }
    processChanges();
    if (!reported.isEmpty() || delay <= 0) {
      return;
    }
    spinUntil = delay == Long.MAX_VALUE ? Long.MAX_VALUE : now + delay;
    if (hot.isEmpty() || !(hot.worthSpinning() && spinner.spin(look))) {
      sleep(delay);
    }
  }

  /** The spinner's look. */
  private boolean met() throws IOException {
    if (hot.anyReady() || !changes.isEmpty() || wakeup.get()) {
      return true;
    }
    if (++looks % LOOKS_PER_CLOCK == 0) {
      long now = System.nanoTime();
      if (now - lastGlance > GLANCE_NS) {
        glance(0);
      }
      if (spinUntil != Long.MAX_VALUE && now - spinUntil >= 0) {
        return true;
      }
    }
    return !reported.isEmpty();
  }

  /** Arms whatever is hot, looks once more at each, and sleeps if nothing came. */
  private void sleep(long delayNs) throws IOException {
    boolean spun = !hot.isEmpty();
    long limit = hot.cool(delayNs);
    if (limit == 0) {
      spinner.caught();
      return;
    }
    glance(limit);
    if (spun) {
      spinner.slept();
    }
    hot.rewarm();
    Thread.interrupted(); // or the selector would never sleep again
  }

  /** Asks the selector, and waits for so many nanoseconds at most. */
  private void glance(long maxNs) throws IOException {
    keysCancelled = false;
    long millis = TimeUnit.NANOSECONDS.toMillis(maxNs + (maxNs < Long.MAX_VALUE / 2 ? 500_000 : 0));
    sleeping = millis != 0;
    try {
      // Whoever changes something either sees that we sleep, or has changed it before we look.
      if (millis == 0 || !changes.isEmpty() || wakeup.get()) {
        selector.selectNow(collector);
      } else if (maxNs == Long.MAX_VALUE) {
        selector.select(collector);
      } else {
        selector.select(collector, millis);
      }
    } finally {
      sleeping = false;
    }
    lastGlance = System.nanoTime();
  }

  private void collect(SelectionKey key) {
    Registration registration = (Registration) key.attachment();
    try {
      if (registration.report(key.readyOps())) {
        reported.add(registration);
      }
    } catch (CancelledKeyException e) {
      LOG.debug("Closed at this moment", e);
    }
  }

  /** Lets every channel act that the kernel reported or whose ring has something. */
  private int dispatch() {
    int handled = 0;
    // A channel may register, cancel and close others: the lists are indexed.
    for (int i = 0; i < reported.size(); i++) {
      Registration registration = reported.get(i);
      int ops = registration.takeReported();
      StreamWatch<Registration> watch = registration.watch();
      if (watch == null) {
        registration.handle(ops);
        handled++;
      } else if (registration.isValid()) {
        handled += handle(registration, watch, ops);
        registration.refreshAnchorInterest();
        hot.add(watch);
      }
    }
    reported.clear();
    for (int i = 0; i < hot.size(); i++) {
      StreamWatch<Registration> watch = hot.get(i);
      Registration registration = watch.attachment();
      if (registration.isValid()) {
        handled += handle(registration, watch, 0);
      }
    }
    hot.coolIdle();
    return handled;
  }

  private int handle(Registration registration, StreamWatch<Registration> watch, int anchorReady) {
    int ops = watch.ready(anchorReady);
    hot.looked(watch, ops != 0);
    if (ops == 0) {
      return 0;
    }
    registration.handle(ops);
    return 1;
  }

  // -- waking and ending -----------------------------------------------------------------------

  @Override
  public void wakeup() {
    if (!executor.isExecutorThread(Thread.currentThread())
        && wakeup.compareAndSet(false, true)
        && sleeping) {
      selector.wakeup();
    }
  }

  @Override
  public void prepareToDestroy() {
    List<Registration> registrations = new ArrayList<>();
    for (SelectionKey key : selector.keys()) {
      registrations.add((Registration) key.attachment());
    }
    for (Registration registration : registrations) {
      registration.close();
    }
  }

  @Override
  public void destroy() {
    try {
      selector.close();
    } catch (ClosedChannelException e) {
      LOG.debug("Already closed", e);
    } catch (IOException e) {
      LOG.warn("Failed to close a selector", e);
    }
  }
}
