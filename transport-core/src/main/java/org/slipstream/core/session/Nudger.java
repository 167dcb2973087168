package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Reactor;

/**
 * Switches the sending direction of streams whose program does not write at the moment (a
 * subscriber sent its one request long ago, but the server waits for its MARK).
 *
 * <p>MARK on a blocking-mode TCP connection could block for a peer that does not read, so it is
 * never written by the control thread; a few helpers that come and go do it. Platform threads: a
 * virtual one would switch the descriptor to non-blocking for good and make every later sleep cost
 * two more system calls.
 */
final class Nudger {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.nudger");
  private static final int THREADS = 4;
  private static final long KEEP_ALIVE_MS = 500;

  /** The kernel's buffers are full: until they are not, a look so often. */
  private static final long AGAIN_NS = 2_000_000;

  /** Null until a stream needs it; guarded by this. */
  private @Nullable ThreadPoolExecutor helpers;

  /** Helpers so far. */
  private final AtomicInteger made = new AtomicInteger();

  private final Reactor reactor;

  Nudger(Reactor reactor) {
    this.reactor = reactor;
  }

  private synchronized ThreadPoolExecutor helpers() {
    ThreadPoolExecutor pool = helpers;
    if (pool == null) {
      pool =
          new ThreadPoolExecutor(
              THREADS,
              THREADS,
              KEEP_ALIVE_MS,
              TimeUnit.MILLISECONDS,
              new LinkedBlockingQueue<>(),
              this::helper);
      pool.allowCoreThreadTimeOut(true);
      helpers = pool;
    }
    return pool;
  }

  /** Numbered here: the JDK's counter puts a name together with six classes that it makes. */
  private Thread helper(Runnable work) {
    String number = Integer.toString(made.getAndIncrement());
    return Thread.ofPlatform().daemon().name("slipstream-switch-".concat(number)).unstarted(work);
  }

  void nudge(Stream stream) {
    StreamLink link = stream.link();
    // A link between hosts is waited for, too: its peer may be stopped, or lie.
    if (stream.tcp().isBlocking() || (link != null && !link.link().isLossless())) {
      try {
        helpers().execute(() -> now(stream));
      } catch (OutOfMemoryError e) { // the system has no more threads, for example
        reactor.schedule(AGAIN_NS, () -> nudge(stream));
      }
    } else {
      now(stream);
    }
  }

  private void now(Stream stream) {
    try {
      if (!stream.nudge()) {
        reactor.schedule(AGAIN_NS, () -> nudge(stream));
      }
    } catch (OutOfMemoryError e) {
      reactor.schedule(AGAIN_NS, () -> nudge(stream));
    } catch (IOException | InternalError e) { // the latter: memory that the peer took away
      LOG.log(Level.DEBUG, "The stream ended before it switched", e);
    }
  }
}
