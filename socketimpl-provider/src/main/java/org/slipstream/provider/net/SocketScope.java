package org.slipstream.provider.net;

import java.io.InterruptedIOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slipstream.core.stream.InterruptScope;

/**
 * Interrupts as {@code java.net.Socket} takes them: a platform thread's means nothing to the socket
 * and is kept for later; a virtual thread's ends the operation.
 */
final class SocketScope implements InterruptScope {
  /** Platform threads whose status was cleared so that they can sleep. */
  private final Set<Thread> postponed = ConcurrentHashMap.newKeySet(1);

  private volatile boolean anyPostponed;

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
    if (!thread.isInterrupted() || thread.isVirtual()) {
      return thread.isInterrupted();
    }
    if (Thread.interrupted()) {
      postponed.add(thread);
      anyPostponed = true;
    }
    return false;
  }

  /** At the end of an operation: the status is what the program left it. */
  void restore() {
    if (anyPostponed && postponed.remove(Thread.currentThread())) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean mustNotBlock() {
    return false;
  }
}
