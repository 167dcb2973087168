package org.slipstream.benchmarks.raw;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * One direction: a byte ring with one producer and one consumer, and nothing more.
 *
 * <pre>
 *   0         8               128       136             4096                 4096 + 256 KiB
 *   +---------+---------------+---------+---------------+--------------------+
 *   | written |   (padding)   |  taken  |   (padding)   |        data        |
 *   +---------+---------------+---------+---------------+--------------------+
 *    producer's line            consumer's line
 * </pre>
 *
 * <p>Both positions count bytes and only grow; each has one writer. Each side keeps the other's
 * position in a field and loads it again only when that copy says that it must wait.
 */
final class RawRing {
  static final long CAPACITY = 256 * 1024;
  static final long WRITTEN = 0;
  static final long TAKEN = 128;
  static final long DATA = 4096;
  static final long BYTES = DATA + CAPACITY;

  private static final long MASK = CAPACITY - 1;

  /** Large writes become visible in pieces, so that the consumer copies while the producer does. */
  private static final long SPAN = 16 * 1024;

  private static final long CREDIT_STEP = CAPACITY / 4;

  private static final VarHandle POSITION = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment control;
  private final MemorySegment data;

  /** The producer's position; on the consumer's side the last one that was seen. */
  private long written;

  /** The consumer's position; on the producer's side the last one that was seen. */
  private long taken;

  private long credited;

  RawRing(MemorySegment memory) {
    this.control = memory.asSlice(0, DATA);
    this.data = memory.asSlice(DATA, CAPACITY);
  }

  void write(MemorySegment source, long length) {
    long done = 0;
    while (done < length) {
      long wanted = Math.min(length - done, SPAN);
      if (CAPACITY - (written - taken) < wanted) {
        taken = (long) POSITION.getAcquire(control, TAKEN);
      }
      long start = written & MASK;
      long free = Math.min(CAPACITY - (written - taken), CAPACITY - start);
      long span = Math.min(wanted, free);
      if (span == 0) {
        Thread.onSpinWait();
        continue;
      }
      MemorySegment.copy(source, done, data, start, span);
      written += span;
      done += span;
      POSITION.setRelease(control, WRITTEN, written);
    }
  }

  long read(MemorySegment target, long offset, long most) {
    while (written == taken) {
      written = (long) POSITION.getAcquire(control, WRITTEN);
      if (written == taken) {
        Thread.onSpinWait();
      }
    }
    long start = taken & MASK;
    long span = Math.min(Math.min(written - taken, CAPACITY - start), most);
    MemorySegment.copy(data, start, target, offset, span);
    taken += span;
    if (taken - credited >= CREDIT_STEP) {
      credited = taken;
      POSITION.setRelease(control, TAKEN, taken);
    }
    return span;
  }
}
