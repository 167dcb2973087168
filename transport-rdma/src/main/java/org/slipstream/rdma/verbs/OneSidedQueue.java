package org.slipstream.rdma.verbs;

/**
 * The sending half of a queue pair, with what one-sided memory wants beyond reads and writes. A
 * write may overtake an earlier read, and an atomic operation may, unless it is fenced; everything
 * else takes effect in the order of posting.
 */
public interface OneSidedQueue extends WorkQueue {

  /**
   * As {@link #write}, not begun before all earlier reads have ended, and always signaled.
   *
   * @param id comes back in the completion
   * @param local where the bytes are
   * @param length how many
   * @param localKey of their region
   * @param remote where they go
   * @param remoteKey of the region there
   * @return 0 or an errno value, of requests before it
   */
  int writeBehindReads(long id, long local, int length, int localKey, long remote, int remoteKey);

  /**
   * Adds to a word of the peer's; always signaled.
   *
   * @param id comes back in the completion
   * @param local where the 8 bytes that were there before go
   * @param localKey of their region
   * @param remote a multiple of 8
   * @param remoteKey of the region there
   * @param delta what is added
   * @param fenced whether all earlier reads have to end first
   * @return 0 or an errno value, of requests before it
   */
  int fetchAdd(
      long id, long local, int localKey, long remote, int remoteKey, long delta, boolean fenced);

  /**
   * Sets a word of the peer's if it has the expected value; always signaled.
   *
   * @param id comes back in the completion
   * @param local where the 8 bytes that were there before go
   * @param localKey of their region
   * @param remote a multiple of 8
   * @param remoteKey of the region there
   * @param expected what has to be there
   * @param value the new value
   * @param fenced whether all earlier reads have to end first
   * @return 0 or an errno value, of requests before it
   */
  int compareAndSwap(
      long id,
      long local,
      int localKey,
      long remote,
      int remoteKey,
      long expected,
      long value,
      boolean fenced);
}
