package org.slipstream.core.stream;

import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** The wait for the reader before us is part of a read's timeout. */
final class DeadlineLock {
  private static final long BRIEFLY_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private DeadlineLock() {}

  /** Takes a lock before a deadline; 0 = whenever it is free. An interrupt does not count. */
  static void lock(ReentrantLock lock, long deadline) throws SocketTimeoutException {
    if (deadline == 0) {
      lock.lock();
      return;
    }
    boolean interrupted = false;
    try {
      for (; ; ) {
        try {
          if (!lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw new SocketTimeoutException("Read timed out");
          }
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Takes a lock unless its holder is waiting for something: then it is not worth the wait. */
  static boolean tryBriefly(ReentrantLock lock) {
    if (lock.tryLock()) {
      return true;
    }
    try {
      lock(lock, System.nanoTime() + BRIEFLY_NS);
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    }
  }
}
