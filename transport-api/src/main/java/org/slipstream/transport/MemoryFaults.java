package org.slipstream.transport;

/**
 * Where the error of a lost mapping arrives. A peer that truncates a file that we have mapped turns
 * each access into an {@link InternalError}. In compiled code the JVM does not throw it at the
 * access: the thread goes on, with any value for what it loaded, to its next safepoint poll, and a
 * compiled method has none before it returns. So a {@code try} around the access may be over by
 * then, and the error hits the caller, or the program.
 *
 * <p>{@link #settle} has a poll that is always passed, and throws what the accesses before it have
 * earned. It costs a few instructions, on which nothing waits. It belongs
 *
 * <ul>
 *   <li>at the end of each {@code try} block that has touched mapped memory, in {@link #settled}
 *       for example;
 *   <li>between an access and a call into the JDK that sleeps (it would sleep although the word
 *       that is to wake it was not stored) or takes a lock (the error would arrive between the
 *       taking and the {@code try} that gives it back).
 * </ul>
 */
public final class MemoryFaults {
  /**
   * Never changes, but volatile so that no compiler can know: a loop that may be endless has polls.
   * A field and no handle: a young process interprets this, several times for each message.
   */
  @SuppressWarnings("FieldMayBeFinal")
  private static volatile int rounds = 1;

  private MemoryFaults() {}

  /**
   * Throws the error of an access that has failed in this thread.
   *
   * @throws InternalError if a mapping was taken away
   */
  public static void settle() {
    // The way back to the head of the loop is taken once, and that is where the poll is.
    int i = 0;
    while (i < rounds) {
      i++;
    }
  }

  /**
   * As {@link #settle}.
   *
   * @param value what the accesses have led to
   * @return the value
   */
  public static int settled(int value) {
    settle();
    return value;
  }

  /**
   * As {@link #settle}.
   *
   * @param value what the accesses have led to
   * @return the value
   */
  public static long settled(long value) {
    settle();
    return value;
  }

  /**
   * As {@link #settle}.
   *
   * @param value what the accesses have led to
   * @return the value
   */
  public static boolean settled(boolean value) {
    settle();
    return value;
  }
}
