package org.slipstream.provider.net;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.InterruptScope;

/**
 * Interrupts as {@code java.net.Socket} takes them: a platform thread's means nothing to the socket
 * and stays set, for all to see; a virtual thread's ends the operation.
 */
final class SocketScope implements InterruptScope {
  /** Set before the first operation. */
  private volatile @Nullable SocketConnection tcp;

  void use(SocketConnection made) {
    tcp = made;
  }

  @Override
  public void begin() {
    // Nothing of the JDK's is told: the socket is not interruptible.
  }

  @Override
  public void end(boolean completed) throws InterruptedIOException {
    Thread thread = Thread.currentThread();
    if (!completed && thread.isVirtual() && thread.isInterrupted()) {
      throw new InterruptedIOException("Closed by interrupt");
    }
  }

  @Override
  public boolean isInterrupted() {
    Thread thread = Thread.currentThread();
    return thread.isVirtual() && thread.isInterrupted();
  }

  /** No park ever sleeps while the status is set, so an interrupted platform thread polls. */
  @Override
  public void park(Object blocker, long nanos) throws IOException {
    Thread thread = Thread.currentThread();
    SocketConnection a = tcp;
    if (a != null && thread.isInterrupted() && !thread.isVirtual()) {
      a.pause();
    } else {
      LockSupport.parkNanos(blocker, nanos);
    }
  }

  @Override
  public boolean mustNotBlock() {
    return false;
  }
}
