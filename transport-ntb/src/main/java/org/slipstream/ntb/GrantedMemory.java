package org.slipstream.ntb;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.MemoryWords;

/**
 * Memory of this process as one peer was granted it, and what the service thread does there for the
 * peer. Each operation holds a lock, so when {@link #revoke} returns none is under way and none
 * begins.
 */
final class GrantedMemory {
  private final MemorySegment memory;
  private final MemoryAccess access;
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by the lock. */
  private boolean revoked;

  GrantedMemory(MemorySegment memory, MemoryAccess access) {
    this.memory = memory;
    this.access = access;
  }

  /** No operation of the peer comes after this. Any thread; waits for one operation at most. */
  void revoke() {
    lock.lock();
    try {
      revoked = true;
    } finally {
      lock.unlock();
    }
  }

  /** The client's library has checked these, so a request that fails here is a lie. */
  private void check(boolean granted, long at, long bytes) throws IOException {
    if (!granted || bytes < 0 || at < 0 || at > memory.byteSize() - bytes) {
      throw new IOException("The peer asks for memory that it was not granted");
    }
  }

  /**
   * Reads; words of up to 8 bytes at a multiple of their size are whole.
   *
   * @param into memory that no peer can take away, as in the other operations
   * @return false if it is revoked
   * @throws IOException the peer has no such right
   * @throws InternalError the memory was truncated
   */
  boolean read(long at, MemorySegment into, long to, int bytes) throws IOException {
    check(access.read(), at, bytes);
    lock.lock();
    try {
      if (!revoked) {
        MemoryWords.load(memory, at, into, to, bytes);
        MemoryFaults.settle();
      }
      return !revoked;
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #read}. */
  boolean write(long at, MemorySegment from, long start, int bytes) throws IOException {
    check(access.write(), at, bytes);
    lock.lock();
    try {
      if (!revoked) {
        MemoryWords.store(from, start, memory, at, bytes);
        MemoryFaults.settle();
      }
      return !revoked;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds to a word; atomic for every {@code VarHandle} on the memory.
   *
   * @param result where the value before goes
   * @return false if it is revoked
   */
  boolean fetchAdd(long at, long delta, MemorySegment result, long to) throws IOException {
    checkWord(at);
    lock.lock();
    try {
      if (!revoked) {
        LaneLayout.putLong(result, to, MemoryWords.getAndAdd(memory, at, delta));
        MemoryFaults.settle();
      }
      return !revoked;
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #fetchAdd}. */
  boolean compareAndSet(long at, long expected, long value, MemorySegment result, long to)
      throws IOException {
    checkWord(at);
    lock.lock();
    try {
      if (!revoked) {
        long before = MemoryWords.compareAndExchange(memory, at, expected, value);
        LaneLayout.putLong(result, to, before);
        MemoryFaults.settle();
      }
      return !revoked;
    } finally {
      lock.unlock();
    }
  }

  private void checkWord(long at) throws IOException {
    check(access.atomic() && at % Long.BYTES == 0, at, Long.BYTES);
  }
}
