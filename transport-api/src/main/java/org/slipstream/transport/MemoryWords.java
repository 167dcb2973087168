package org.slipstream.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * How one-sided memory is read and written by loads and stores while others do the same: words of
 * 1, 2, 4 and 8 bytes at a multiple of their size are whole, a load is an acquire and a store a
 * release. Who calls this settles what it has touched ({@link MemoryFaults}).
 */
public final class MemoryWords {
  private static final VarHandle LONG = JAVA_LONG.varHandle();
  private static final VarHandle INT = JAVA_INT.varHandle();
  private static final VarHandle SHORT = JAVA_SHORT.varHandle();
  private static final VarHandle BYTE = JAVA_BYTE.varHandle();

  private MemoryWords() {}

  /**
   * Reads.
   *
   * @param memory that others write
   * @param at where in it
   * @param into of this process alone
   * @param to where in it
   * @param bytes how many
   */
  public static void load(MemorySegment memory, long at, MemorySegment into, long to, long bytes) {
    if (bytes == Long.BYTES && (at & Long.BYTES - 1) == 0) {
      into.set(JAVA_LONG_UNALIGNED, to, (long) LONG.getAcquire(memory, at));
    } else if (bytes > Long.BYTES) {
      MemorySegment.copy(memory, at, into, to, bytes);
      VarHandle.acquireFence();
    } else {
      loadSmall(memory, at, into, to, (int) bytes);
    }
  }

  private static void loadSmall(
      MemorySegment memory, long at, MemorySegment into, long to, int bytes) {
    if (bytes == 1) {
      into.set(JAVA_BYTE, to, (byte) BYTE.getAcquire(memory, at));
    } else if (bytes == Short.BYTES && (at & Short.BYTES - 1) == 0) {
      into.set(JAVA_SHORT_UNALIGNED, to, (short) SHORT.getAcquire(memory, at));
    } else if (bytes == Integer.BYTES && (at & Integer.BYTES - 1) == 0) {
      into.set(JAVA_INT_UNALIGNED, to, (int) INT.getAcquire(memory, at));
    } else {
      MemorySegment.copy(memory, at, into, to, bytes);
      VarHandle.acquireFence();
    }
  }

  /**
   * Writes.
   *
   * @param from of this process alone
   * @param start where in it
   * @param memory that others read
   * @param at where in it
   * @param bytes how many
   */
  public static void store(
      MemorySegment from, long start, MemorySegment memory, long at, long bytes) {
    if (bytes == Long.BYTES && (at & Long.BYTES - 1) == 0) {
      LONG.setRelease(memory, at, from.get(JAVA_LONG_UNALIGNED, start));
    } else if (bytes > Long.BYTES) {
      VarHandle.releaseFence();
      MemorySegment.copy(from, start, memory, at, bytes);
    } else {
      storeSmall(from, start, memory, at, (int) bytes);
    }
  }

  private static void storeSmall(
      MemorySegment from, long start, MemorySegment memory, long at, int bytes) {
    if (bytes == 1) {
      BYTE.setRelease(memory, at, from.get(JAVA_BYTE, start));
    } else if (bytes == Short.BYTES && (at & Short.BYTES - 1) == 0) {
      SHORT.setRelease(memory, at, from.get(JAVA_SHORT_UNALIGNED, start));
    } else if (bytes == Integer.BYTES && (at & Integer.BYTES - 1) == 0) {
      INT.setRelease(memory, at, from.get(JAVA_INT_UNALIGNED, start));
    } else {
      VarHandle.releaseFence();
      MemorySegment.copy(from, start, memory, at, bytes);
    }
  }

  /**
   * Adds to a word, atomically for all who use a {@link VarHandle} on it.
   *
   * @param memory that others read and write
   * @param at a multiple of 8
   * @param delta what is added
   * @return the value before
   */
  public static long getAndAdd(MemorySegment memory, long at, long delta) {
    return (long) LONG.getAndAdd(memory, at, delta);
  }

  /**
   * As {@link #getAndAdd}: sets a word if it has the value that is expected. It is loaded first,
   * for memory that was taken away: code that is interpreted gets an error for a load, and the JVM
   * ends for an exchange. (What adds loads first in any case.)
   *
   * @param memory that others read and write
   * @param at a multiple of 8
   * @param expected the value that it must have
   * @param value the new one
   * @return the value before
   */
  public static long compareAndExchange(MemorySegment memory, long at, long expected, long value) {
    long _ = (long) LONG.getVolatile(memory, at);
    MemoryFaults.settle();
    return (long) LONG.compareAndExchange(memory, at, expected, value);
  }
}
