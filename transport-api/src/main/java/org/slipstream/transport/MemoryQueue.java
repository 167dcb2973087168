package org.slipstream.transport;

import java.lang.foreign.MemorySegment;

/**
 * Operations of one thread on memory of peers, where the medium has no loads and stores. Rights and
 * bounds have been checked. Those on memory of one peer take effect in the order in which they were
 * posted; local memory belongs to an operation until its number has come back.
 *
 * <p>Nothing here waits for a peer but {@link #flush}, and nothing throws because of one. The way
 * to a peer is made when the first operation for it is begun; until it is there, operations wait in
 * the queue.
 */
public interface MemoryQueue extends AutoCloseable {

  /**
   * Posts a read.
   *
   * @param memory of this queue's endpoint
   * @param at where
   * @param into receives as many bytes as it has
   * @param id what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  boolean read(PeerMemory memory, long at, MemorySegment into, long id);

  /**
   * Posts a write.
   *
   * @param memory of this queue's endpoint
   * @param at where
   * @param from what is written, all of it
   * @param id what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  boolean write(PeerMemory memory, long at, MemorySegment from, long id);

  /**
   * Posts an addition to a word of 8 bytes.
   *
   * @param memory of this queue's endpoint, which has atomic operations
   * @param at a multiple of 8
   * @param delta what is added
   * @param result its first 8 bytes receive the value before
   * @param id what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  boolean fetchAdd(PeerMemory memory, long at, long delta, MemorySegment result, long id);

  /**
   * Posts a comparison: a word of 8 bytes gets a new value if it has the expected one.
   *
   * @param memory of this queue's endpoint, which has atomic operations
   * @param at a multiple of 8
   * @param expected the value that it must have
   * @param value the new one
   * @param result its first 8 bytes receive the value before
   * @param id what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  boolean compareAndSet(
      PeerMemory memory, long at, long expected, long value, MemorySegment result, long id);

  /** Begins what was posted, as far as there is room. */
  void submit();

  /**
   * Begins what was posted, and takes what has ended, in the order of posting.
   *
   * @param ids receives numbers
   * @param outcomes receives what has become of each
   * @return how many of both; 0 if none has ended
   */
  int poll(long[] ids, MemoryOutcome[] outcomes);

  /**
   * Waits until all that this queue has posted for the owner of some memory is in that owner's
   * memory. Ends in seconds if the owner does not answer.
   *
   * @param memory some of the owner's
   * @return {@link MemoryOutcome#DONE}, or why it is not certain
   */
  MemoryOutcome flush(PeerMemory memory);

  /** Gives back what it uses; what is under way is forgotten. Idempotent. */
  @Override
  void close();
}
