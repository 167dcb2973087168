package org.slipstream.provider.nio;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Blocks without holding {@link SelectableChannel#blockingLock}, although the caller holds it.
 *
 * <p>{@code Channels.newInputStream} and its sibling hold that lock <em>during</em> a read or write
 * of any channel class that is not the JDK's own: a writer would wait for the reader, and
 * full-duplex use would deadlock. So the operation runs on another thread, and the caller waits in
 * {@code blockingLock().wait()}, which lets the lock go.
 *
 * <p>The other thread is of the caller's kind: a virtual one would make a platform thread wait for
 * a free carrier, and a platform one for each virtual thread that reads would be too many.
 */
final class LockBorrower {

  /** An operation that may block. */
  @FunctionalInterface
  interface BlockingCall {
    long call() throws IOException;
  }

  private static final int IDLE_SECONDS = 10;
  private static final Executor PLATFORM = platformThreads();
  private static final Executor VIRTUAL =
      task -> Thread.ofVirtual().name("slipstream-borrower").start(task);

  private final Object lock;
  private final BlockingCall call;

  /** Guarded by lock. */
  private boolean done;

  private long result;
  private @Nullable Throwable failure;

  private LockBorrower(Object lock, BlockingCall call) {
    this.lock = lock;
    this.call = call;
  }

  /** As many as there are callers, and none for long after that. */
  private static Executor platformThreads() {
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        task -> {
          Thread thread =
              Thread.ofPlatform()
                  .daemon()
                  .name("slipstream-borrower")
                  .inheritInheritableThreadLocals(false)
                  .unstarted(task);
          thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
          return thread;
        });
  }

  static long run(SelectableChannel channel, BlockingCall call) throws IOException {
    return new LockBorrower(channel.blockingLock(), call).run(channel);
  }

  private long run(SelectableChannel channel) throws IOException {
    (Thread.currentThread().isVirtual() ? VIRTUAL : PLATFORM).execute(this::work);
    boolean interrupted = false;
    while (!done) {
      try {
        lock.wait();
      } catch (InterruptedException e) {
        interrupted = true;
        channel.close();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    }
    if (failure instanceof IOException e) {
      throw e;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    return result;
  }

  private void work() {
    long n = 0;
    Throwable thrown = null;
    try {
      n = call.call();
    } catch (IOException | RuntimeException | Error e) {
      thrown = e;
    }
    synchronized (lock) {
      result = n;
      failure = thrown;
      done = true;
      lock.notifyAll();
    }
  }
}
