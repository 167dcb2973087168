package org.slipstream.benchmarks.examples;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Some processes give each other bytes, all of them at once: each has a buffer for every other, and
 * finds in another one what that process had for it. One thread's.
 */
interface Exchange extends Closeable {
  /** Where the others find this process: before they are known. */
  String address() throws IOException;

  /** The addresses of all, in the order of their numbers; this one's among them. */
  void connect(List<String> addresses) throws IOException, InterruptedException;

  /** The number of this process. */
  int index();

  /** How many there are. */
  int workers();

  /** What a process is to get: to be filled before {@link #exchange}, of the capacity of all. */
  MemorySegment outgoing(int to);

  /**
   * Sends the first bytes of each buffer, and waits until what the others send has come.
   *
   * @param bytes how many for each
   * @throws IOException another process has ended
   */
  void exchange(long[] bytes) throws IOException;

  /** What a process has sent last; until the next {@link #exchange}. */
  MemorySegment incoming(int from);
}
