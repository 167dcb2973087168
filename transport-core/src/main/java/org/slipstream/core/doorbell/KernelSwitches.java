package org.slipstream.core.doorbell;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.wait.ThreadSwitches;

/**
 * The kernel's count of the involuntary context switches of the calling thread, by {@code
 * getrusage}. A yield counts only if another thread got the core.
 *
 * <p>Any thread; a thread that finds the memory for its answer in use by another one is told that
 * the count is unknown.
 */
public final class KernelSwitches implements ThreadSwitches {
  /** {@code RUSAGE_THREAD}. */
  private static final long OF_THREAD = 1;

  /** Of {@code struct rusage}: two times of 16 bytes, and 14 counts. */
  private static final int BYTES = 2 * 16 + 14 * Long.BYTES;

  /** {@code ru_nivcsw}, the last one. */
  private static final int INVOLUNTARY = BYTES - Long.BYTES;

  /** More than threads that spin at the same time on any but the largest machines. */
  private static final int PLACES = 16;

  private static final CallMemory ERROR = SystemCall.errorIn(Arena.global());

  private final CallMemory[] answers = new CallMemory[PLACES];

  /** 1 while a thread has that place. Taken and given back by any thread. */
  private final AtomicIntegerArray taken = new AtomicIntegerArray(PLACES);

  private KernelSwitches() {
    for (int i = 0; i < PLACES; i++) {
      answers[i] = new CallMemory(Arena.ofAuto(), BYTES);
    }
  }

  /**
   * Makes one, unless the kernel would have to be called in a way that costs a young process much.
   *
   * @return null if it would, or if the kernel refuses
   */
  public static @Nullable ThreadSwitches ifCheap() {
    if (!SystemCall.isCheap()) {
      return null;
    }
    KernelSwitches made = new KernelSwitches();
    return made.read(0) < 0 ? null : made;
  }

  @Override
  public long ofThisThread() {
    int place = (int) Thread.currentThread().threadId() & PLACES - 1;
    if (!taken.compareAndSet(place, 0, 1)) {
      return UNKNOWN;
    }
    try {
      return Math.max(UNKNOWN, read(place));
    } finally {
      taken.set(place, 0);
    }
  }

  /** Returns -1 if the kernel refuses. */
  private long read(int place) {
    CallMemory answer = answers[place];
    if (SystemCall.GETRUSAGE.call(ERROR, OF_THREAD, answer.address(), 0, 0) != 0) {
      return -1;
    }
    return answer.buffer().getLong(INVOLUNTARY);
  }
}
