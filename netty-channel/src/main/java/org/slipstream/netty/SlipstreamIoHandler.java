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
import org.slipstream.core.loop.PollLoop;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.core.wait.Spinner;
import org.slipstream.provider.nio.Installation;

/**
 * The I/O of one event loop: streams of Slipstream and, in the same loop, whatever channels of
 * Netty's NIO transport there are beside them (datagrams of a resolver, for example). Netty's rules
 * around a {@link PollLoop}; an idle loop sleeps, with no timer of its own.
 *
 * <p>Everything but {@link #wakeup} is for the event loop's thread.
 */
public final class SlipstreamIoHandler implements IoHandler {
  private static final InternalLogger LOG =
      InternalLoggerFactory.getInstance(SlipstreamIoHandler.class);

  private final ThreadAwareExecutor executor;
  private final PollLoop<Registration> loop;

  /** A type of the core is no interface of this class: without the core, it still has to say so. */
  private final PollLoop.ReadyHandler<Registration> ready = Registration::handle;

  private SlipstreamIoHandler(ThreadAwareExecutor executor, SlipstreamCore core) {
    this.executor = executor;
    try {
      this.loop =
          new PollLoop<>(
              core.jdk().openSelector(),
              new Spinner(core.loadSensor(), core.maxSpinNanos()),
              core.doorbellSource());
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
        new Registration(loop, nio, handle instanceof StreamHandle s ? s.stream() : null);
    try {
      registerKey(registration);
    } catch (IllegalSelectorException e) {
      throw new IllegalArgumentException(
          nio.selectableChannel()
              + " is not the JDK's own; use SlipstreamSocketChannel and"
              + " SlipstreamServerSocketChannel in this event loop",
          e);
    }
    handle.registered();
    return registration;
  }

  private void registerKey(Registration registration) throws IOException {
    try {
      registration.register();
    } catch (CancelledKeyException e) {
      loop.look(); // an earlier registration of the channel is cancelled, but not forgotten yet
      registration.register();
    }
  }

  // -- running ---------------------------------------------------------------------------------

  @Override
  public int run(IoHandlerContext context) {
    int handled = 0;
    try {
      // Before the question whether to block: a thread that wakes us later has to do it again.
      loop.clearWakeup();
      boolean polling = loop.begin();
      if (context.canBlock()) {
        await(context);
      } else if (!polling) {
        loop.look();
      }
      if (context.shouldReportActiveIoTime()) {
        long start = System.nanoTime();
        handled = loop.dispatch(ready);
        context.reportActiveIoTime(System.nanoTime() - start);
      } else {
        handled = loop.dispatch(ready);
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
    loop.await(now, context.deadlineNanos() == -1 ? Long.MAX_VALUE : context.delayNanos(now));
    Thread.interrupted(); // or the loop would never sleep again
  }

  // -- waking and ending -----------------------------------------------------------------------

  @Override
  public void wakeup() {
    if (!executor.isExecutorThread(Thread.currentThread())) {
      loop.wakeup();
    }
  }

  @Override
  public void prepareToDestroy() {
    for (Registration registration : loop.owners()) {
      registration.close();
    }
  }

  @Override
  public void destroy() {
    try {
      loop.close();
    } catch (ClosedChannelException e) {
      LOG.debug("Already closed", e);
    } catch (IOException e) {
      LOG.warn("Failed to close a selector", e);
    }
  }
}
