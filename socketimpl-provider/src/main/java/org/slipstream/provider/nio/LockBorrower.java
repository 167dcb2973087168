package org.slipstream.provider.nio;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectableChannel;
import org.jspecify.annotations.Nullable;

/**
 * Blocks without holding {@link SelectableChannel#blockingLock}, although the caller holds it.
 *
 * <p>{@code Channels.newInputStream} and its sibling hold that lock <em>during</em> a read or write
 * of any channel class that is not the JDK's own: a writer would wait for the reader, and
 * full-duplex use would deadlock. So the operation runs on a virtual thread, and the caller waits
 * in {@code blockingLock().wait()}, which lets the lock go.
 */
final class LockBorrower {

  /** An operation that may block. */
  @FunctionalInterface
  interface BlockingCall {
    long call() throws IOException;
  }

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

  static long run(SelectableChannel channel, BlockingCall call) throws IOException {
    return new LockBorrower(channel.blockingLock(), call).run(channel);
  }

  private long run(SelectableChannel channel) throws IOException {
    Thread.ofVirtual().name("slipstream-borrower").start(this::work);
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
    return switch (failure) {
      case null -> result;
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IOException(failure);
    };
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
