package org.slipstream.core.ring;

/**
 * Where a reader wants its doorbells, if not on the TCP connection: in a pipe of its event loop, or
 * on the futex of its window.
 *
 * @param pipe {@link #pipe(long, int)}
 * @param inode of the pipe: the writer compares it before it writes
 * @param token the name of the stream in that pipe
 */
public record PipeAddress(long pipe, long inode, int token) {
  /**
   * In the place of a pipe: the futex. No process has the number 0, so a writer that knows only
   * pipes finds none there, and rings by TCP.
   */
  public static final long FUTEX_WORD = 1;

  /** The futex of the reader's window. */
  public static final PipeAddress FUTEX = new PipeAddress(FUTEX_WORD, 0, 0);

  /**
   * Packs where the pipe can be opened: {@code /proc/PID/fd/DESCRIPTOR}.
   *
   * @param pid of the process
   * @param descriptor of one of its two ends
   * @return the word, never 0
   */
  public static long pipe(long pid, int descriptor) {
    return pid << Integer.SIZE | descriptor;
  }

  /**
   * The process in such a word.
   *
   * @param pipe hostile
   * @return its number
   */
  public static long pid(long pipe) {
    return pipe >>> Integer.SIZE;
  }

  /**
   * The descriptor in such a word.
   *
   * @param pipe hostile
   * @return its number
   */
  public static int descriptor(long pipe) {
    return (int) pipe;
  }

  /**
   * What is written into the pipe: the stream and the number of the arming.
   *
   * @param token the name of the stream
   * @param arming the number
   * @return a record of 8 bytes
   */
  public static long rung(int token, int arming) {
    return (long) token << Integer.SIZE | Integer.toUnsignedLong(arming);
  }
}
