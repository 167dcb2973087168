package org.slipstream.it.process;

/**
 * Makes chosen allocations of one thread fail, as if the heap were full: {@link ShortHeapAgent}
 * puts a call before each in our classes. On the boot class path, where all of them see it.
 */
public final class ShortHeap {
  /** Null if all succeed. Written by {@link #begin} and {@link #end}, behind the other fields. */
  private static volatile String thread;

  private static volatile int first;
  private static volatile int behind;

  /** By that thread; read when it allocates nothing any more. */
  private static volatile int seen;

  private static volatile int failed;

  private ShortHeap() {}

  /**
   * From now on some allocations fail.
   *
   * @param name of the thread
   * @param skip how many succeed before that
   * @param count how many fail
   */
  public static void begin(String name, int skip, int count) {
    seen = 0;
    failed = 0;
    first = skip;
    behind = (int) Math.min(Integer.MAX_VALUE, (long) skip + count);
    thread = name;
  }

  /**
   * All succeed again.
   *
   * @return how many have failed
   */
  public static int end() {
    thread = null;
    return failed;
  }

  /** Called by instrumented code before it allocates. */
  public static void allocating() {
    String name = thread;
    if (name == null || !Thread.currentThread().getName().equals(name)) {
      return;
    }
    int n = seen;
    seen = n + 1;
    if (n >= first && n < behind) {
      failed++;
      throw new OutOfMemoryError("as a test has it");
    }
  }
}
