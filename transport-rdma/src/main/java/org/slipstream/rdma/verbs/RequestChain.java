package org.slipstream.rdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Requests that are posted by one call, which rings the device's doorbell once: {@code
 * ibv_post_send(3)} takes a list that is linked by {@code next}. For soft devices each call enters
 * the kernel.
 *
 * <pre>
 *    0                           144                         288
 *   +---------------+-----------+---------------+-----------+-- - -
 *   | ibv_send_wr 0 | ibv_sge 0 | ibv_send_wr 1 | ibv_sge 1 |
 *   +---------------+-----------+---------------+-----------+-- - -
 *      next -------------------->  next = 0: the last one
 * </pre>
 *
 * <p>For one thread at a time.
 */
final class RequestChain {
  private static final int STRIDE = SendWorkRequestLayout.BYTES_WITH_GATHER;

  private final MemorySegment requests;
  private final int room;
  private int count;

  /**
   * Makes an empty one.
   *
   * @param room the most requests
   * @param arena lives as long as the chain is used
   */
  RequestChain(int room, Arena arena) {
    this.room = room;
    this.requests = arena.allocate((long) room * STRIDE, 16);
    for (int i = 0; i < room; i++) {
      long at = (long) i * STRIDE;
      requests.set(
          ValueLayout.ADDRESS,
          at + SendWorkRequestLayout.GATHER_LIST,
          requests.asSlice(at + SendWorkRequestLayout.GATHER, GatherLayout.BYTES));
      requests.set(ValueLayout.JAVA_INT, at + SendWorkRequestLayout.GATHER_COUNT, 1);
    }
  }

  /** Appends a request; there is room. */
  void add(
      int opcode,
      int flags,
      long id,
      long local,
      int length,
      int localKey,
      long remote,
      int remoteKey) {
    long at = (long) count * STRIDE;
    long gather = at + SendWorkRequestLayout.GATHER;
    requests.set(ValueLayout.JAVA_LONG, gather + GatherLayout.ADDRESS, local);
    requests.set(ValueLayout.JAVA_INT, gather + GatherLayout.LENGTH, length);
    requests.set(ValueLayout.JAVA_INT, gather + GatherLayout.LOCAL_KEY, localKey);
    requests.set(ValueLayout.JAVA_LONG, at + SendWorkRequestLayout.ID, id);
    requests.set(ValueLayout.JAVA_LONG, at + SendWorkRequestLayout.NEXT, 0);
    requests.set(ValueLayout.JAVA_INT, at + SendWorkRequestLayout.OPCODE, opcode);
    requests.set(ValueLayout.JAVA_INT, at + SendWorkRequestLayout.FLAGS, flags);
    requests.set(ValueLayout.JAVA_LONG, at + SendWorkRequestLayout.REMOTE_ADDRESS, remote);
    requests.set(ValueLayout.JAVA_INT, at + SendWorkRequestLayout.REMOTE_KEY, remoteKey);
    if (count > 0) {
      long before = at - STRIDE + SendWorkRequestLayout.NEXT;
      requests.set(ValueLayout.JAVA_LONG, before, requests.address() + at);
    }
    count++;
  }

  /** Appends an atomic operation on 8 bytes; there is room. */
  void addAtomic(
      int opcode,
      int flags,
      long id,
      long local,
      int localKey,
      long remote,
      int remoteKey,
      long operand,
      long swap) {
    long at = (long) count * STRIDE;
    add(opcode, flags, id, local, Long.BYTES, localKey, remote, 0);
    requests.set(ValueLayout.JAVA_LONG, at + SendWorkRequestLayout.COMPARE_OR_ADD, operand);
    requests.set(ValueLayout.JAVA_LONG, at + SendWorkRequestLayout.SWAP, swap);
    requests.set(ValueLayout.JAVA_INT, at + SendWorkRequestLayout.ATOMIC_KEY, remoteKey);
  }

  boolean isFull() {
    return count == room;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** The first request, which leads to the others. */
  MemorySegment first() {
    return requests;
  }

  /** The next request is the first one of another chain. */
  void clear() {
    count = 0;
  }
}
