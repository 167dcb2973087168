package org.slipstream.memory;

import java.lang.foreign.MemorySegment;

/**
 * Operations of one thread on regions: the data path. Nothing here allocates, takes a lock, or
 * throws because of what the other side does; that is what each operation's {@link Status} says. An
 * exception means a mistake of the caller: a misaligned atomic operation, a local segment that is
 * closed, read-only or another thread's.
 *
 * <p>An operation is <em>posted</em> with a number that the caller chose, its ticket, and takes a
 * place in the queue until {@link #poll} has returned that ticket. It may be carried out from then
 * on, and is begun at {@link #submit} at the latest. Local memory belongs to the operation until
 * its ticket has come back.
 *
 * <h2>Order and consistency</h2>
 *
 * <ul>
 *   <li>The operations of one queue on regions of one owner take effect in the order in which they
 *       were posted: a process that sees the effect of a write also sees those of the writes before
 *       it, and a read returns what this queue wrote there before. One exception: a read may be
 *       carried out while an earlier write to <em>another</em> place is not visible to other
 *       processes yet, unless {@link #flush} stands between the two.
 *   <li>A read or write of 1, 2, 4 or 8 bytes at a multiple of its size, and an atomic operation,
 *       is never torn: a reader sees all of a write or none of it. Larger ones may be, piece by
 *       piece and in no order.
 *   <li>Atomic operations are atomic with respect to those of all queues and processes over the
 *       same medium; over shared memory and NTB also with respect to each other and to the owner's
 *       {@link java.lang.invoke.VarHandle}s on {@link Region#memory}, over RDMA not.
 *   <li>Tickets come back in the order in which the operations were posted.
 * </ul>
 *
 * <p>Where that comes from: over shared memory the small ones are accesses of a {@code VarHandle}
 * in acquire and release mode, which {@link java.lang.foreign.ValueLayout#varHandle} makes atomic
 * for aligned access of these sizes; the large ones are {@link MemorySegment#copy} between {@link
 * java.lang.invoke.VarHandle#releaseFence} and {@link java.lang.invoke.VarHandle#acquireFence}; the
 * exception is that of a store followed by a load (Java Language Specification, chapter 17, and
 * every processor with a store buffer), and the fence in {@code flush} ends it. Two processes share
 * the pages, so the memory model of one machine holds between them.
 *
 * <p>Over RDMA the operations are requests on one reliable connection, which the owner's device
 * carries out in their order (InfiniBand Architecture Specification, volume 1, chapter 9.5); a
 * write or an atomic operation that stands behind a read is fenced, as it might overtake it. That
 * writes become visible in this order, and that aligned words of 8 bytes are whole, is what devices
 * on fabrics without adaptive routing do, and no promise of the specification. {@code flush} reads
 * a word behind the owner's device, which pushes all earlier writes into memory (PCI ordering).
 *
 * <p>Over NTB one thread of the owner carries out the requests of a queue in their order, by the
 * same accesses as over shared memory, and a request whose bytes have not all arrived is none yet:
 * so what holds there holds here. An operation has ended when the owner has answered, and {@code
 * flush} waits for that.
 */
public interface Queue extends AutoCloseable {

  /**
   * Posts a read.
   *
   * @param region to read from
   * @param at where in the region
   * @param into receives as many bytes as it has
   * @param ticket what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  boolean read(RemoteRegion region, long at, MemorySegment into, long ticket);

  /**
   * Posts a write.
   *
   * @param region to write to
   * @param at where in the region
   * @param from what is written, all of it
   * @param ticket what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  boolean write(RemoteRegion region, long at, MemorySegment from, long ticket);

  /**
   * Posts an addition to a word of 8 bytes.
   *
   * @param region where the word is
   * @param at a multiple of 8
   * @param delta what is added
   * @param result its first 8 bytes receive the value before
   * @param ticket what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  boolean fetchAdd(RemoteRegion region, long at, long delta, MemorySegment result, long ticket);

  /**
   * Posts a comparison: a word of 8 bytes gets a new value if it has the expected one.
   *
   * @param region where the word is
   * @param at a multiple of 8
   * @param expected the value that it must have
   * @param value the new one
   * @param result its first 8 bytes receive the value before: the expected one if the word was set
   * @param ticket what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  boolean compareAndSet(
      RemoteRegion region, long at, long expected, long value, MemorySegment result, long ticket);

  /** Begins all that was posted. */
  void submit();

  /**
   * Takes what has ended, and does not wait for more.
   *
   * @param tickets receives tickets
   * @param statuses receives what has become of each
   * @return how many of both; 0 if none has ended
   */
  int poll(long[] tickets, Status[] statuses);

  /**
   * Waits until all that this queue has posted for a region is in its owner's memory, where every
   * process sees it.
   *
   * @param region the region
   * @return {@link Status#OK}, or why it is not certain
   */
  Status flush(RemoteRegion region);

  /**
   * Gives back what the queue uses, a connection of its own to each owner between hosts for
   * example; what is under way is forgotten, and the queue is not used any more. By the thread that
   * uses it. {@link Domain#close} ends all queues of a domain. Idempotent.
   */
  @Override
  void close();
}
