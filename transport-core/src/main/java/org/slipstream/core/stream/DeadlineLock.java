package org.slipstream.core.stream;

import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.slipstream.core.wait.StreamLock;

/** The wait for the reader before us is part of a read's timeout. */
final class DeadlineLock {
  private static final long BRIEFLY_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private DeadlineLock() {}

  /** Takes a lock before a deadline; 0 = whenever it is free. An interrupt does not count. */
  static void lock(StreamLock lock, long deadline) throws SocketTimeoutException {
    if (deadline == 0) {
      lock.lock();
    } else if (!lock.tryLock(deadline - System.nanoTime())) {
      throw new SocketTimeoutException("Read timed out");
    }
  }

  /** Takes a lock unless its holder is waiting for something: then it is not worth the wait. */
  static boolean tryBriefly(StreamLock lock) {
    return lock.tryLock(BRIEFLY_NS);
  }
}
