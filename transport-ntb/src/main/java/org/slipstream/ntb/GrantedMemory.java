package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.MemoryFaults;

/**
 * Memory of this process as one peer was granted it, and what the service thread does there for the
 * peer. Each operation holds a lock, so when {@link #revoke} returns none is under way and none
 * begins.
 */
final class GrantedMemory {
  private static final VarHandle LONG = JAVA_LONG.varHandle();
  private static final VarHandle INT = JAVA_INT.varHandle();
  private static final VarHandle SHORT = JAVA_SHORT.varHandle();
  private static final VarHandle BYTE = JAVA_BYTE.varHandle();

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
        load(at, into, to, bytes);
        MemoryFaults.settle();
      }
      return !revoked;
    } finally {
      lock.unlock();
    }
  }

  private void load(long at, MemorySegment into, long to, int bytes) {
    if (bytes == 1) {
      into.set(JAVA_BYTE, to, (byte) BYTE.getAcquire(memory, at));
    } else if (bytes == Short.BYTES && at % Short.BYTES == 0) {
      into.set(JAVA_SHORT_UNALIGNED, to, (short) SHORT.getAcquire(memory, at));
    } else if (bytes == Integer.BYTES && at % Integer.BYTES == 0) {
      into.set(JAVA_INT_UNALIGNED, to, (int) INT.getAcquire(memory, at));
    } else if (bytes == Long.BYTES && at % Long.BYTES == 0) {
      into.set(JAVA_LONG_UNALIGNED, to, (long) LONG.getAcquire(memory, at));
    } else {
      MemorySegment.copy(memory, at, into, to, bytes);
      VarHandle.acquireFence();
    }
  }

  /** As {@link #read}. */
  boolean write(long at, MemorySegment from, long start, int bytes) throws IOException {
    check(access.write(), at, bytes);
    lock.lock();
    try {
      if (!revoked) {
        store(at, from, start, bytes);
        MemoryFaults.settle();
      }
      return !revoked;
    } finally {
      lock.unlock();
    }
  }

  private void store(long at, MemorySegment from, long start, int bytes) {
    if (bytes == 1) {
      BYTE.setRelease(memory, at, from.get(JAVA_BYTE, start));
    } else if (bytes == Short.BYTES && at % Short.BYTES == 0) {
      SHORT.setRelease(memory, at, from.get(JAVA_SHORT_UNALIGNED, start));
    } else if (bytes == Integer.BYTES && at % Integer.BYTES == 0) {
      INT.setRelease(memory, at, from.get(JAVA_INT_UNALIGNED, start));
    } else if (bytes == Long.BYTES && at % Long.BYTES == 0) {
      LONG.setRelease(memory, at, from.get(JAVA_LONG_UNALIGNED, start));
    } else {
      VarHandle.releaseFence();
      MemorySegment.copy(from, start, memory, at, bytes);
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
        LaneLayout.putLong(result, to, (long) LONG.getAndAdd(memory, at, delta));
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
        long before = (long) LONG.compareAndExchange(memory, at, expected, value);
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
