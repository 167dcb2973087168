package org.slipstream.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.MemoryWords;

/**
 * A queue where the medium gives loads and stores: an operation is carried out when it is posted,
 * and only its ticket waits.
 *
 * <p>Every access is settled before its {@code try} ends ({@link MemoryFaults}), so that memory
 * which was taken away is a status of this operation and no error of a later one.
 */
final class DirectQueue implements Queue {
  private final int depth;

  /** As many places as a power of two has; the number of an operation says which is its. */
  private final long[] tickets;

  /** Of the operations that have failed and are not polled yet; elsewhere {@link Status#OK}. */
  private final Status[] statuses;

  // Operations so far; the caller's thread only.
  private int posted;
  private int polled;

  /** How many have failed and are not polled yet; the caller's thread only. */
  private int failures;

  DirectQueue(int depth) {
    checkDepth(depth);
    this.depth = depth;
    int places = Integer.highestOneBit(2 * depth - 1);
    this.tickets = new long[places];
    this.statuses = new Status[places];
    Arrays.fill(statuses, Status.OK);
  }

  static void checkDepth(int depth) {
    if (depth < 1 || depth > 1 << 20) {
      throw new IllegalArgumentException("A queue has a depth from 1 to 1048576, not " + depth);
    }
  }

  private boolean isFull() {
    return posted - polled == depth;
  }

  private int place(int n) {
    return n & (tickets.length - 1); // so written, the compiler knows that it is inside
  }

  /**
   * Most operations are OK, so only the others store their status: the time of a read that hits the
   * cache is that of the instructions around it.
   */
  private boolean ended(long ticket, Status status) {
    int n = posted;
    tickets[place(n)] = ticket;
    if (status != Status.OK) {
      statuses[place(n)] = status;
      failures++;
    }
    posted = n + 1;
    return true;
  }

  // -- reading ---------------------------------------------------------------------------------

  @Override
  public boolean read(RemoteRegion region, long at, MemorySegment into, long ticket) {
    return !isFull() && ended(ticket, load(region, at, into));
  }

  static Status load(RemoteRegion region, long at, MemorySegment into) {
    long bytes = into.byteSize();
    Status status = region.admits(Right.READ, at, bytes);
    if (status != Status.OK) {
      return status;
    }
    try {
      MemoryWords.load(region.memory(), at, into, 0, bytes);
      MemoryFaults.settle();
      return Status.OK;
    } catch (IllegalStateException e) {
      return region.failed(e);
    } catch (InternalError e) {
      return region.faulted();
    }
  }

  // -- writing ---------------------------------------------------------------------------------

  @Override
  public boolean write(RemoteRegion region, long at, MemorySegment from, long ticket) {
    return !isFull() && ended(ticket, store(region, at, from));
  }

  static Status store(RemoteRegion region, long at, MemorySegment from) {
    long bytes = from.byteSize();
    Status status = region.admits(Right.WRITE, at, bytes);
    if (status != Status.OK) {
      return status;
    }
    try {
      MemoryWords.store(from, 0, region.memory(), at, bytes);
      MemoryFaults.settle();
      return Status.OK;
    } catch (IllegalStateException e) {
      return region.failed(e);
    } catch (InternalError e) {
      return region.faulted();
    }
  }

  // -- atomic operations -----------------------------------------------------------------------

  @Override
  public boolean fetchAdd(
      RemoteRegion region, long at, long delta, MemorySegment result, long ticket) {
    if (isFull()) {
      return false;
    }
    check(at, result);
    return ended(ticket, add(region, at, delta, result));
  }

  static Status add(RemoteRegion region, long at, long delta, MemorySegment result) {
    Status status = region.admits(Right.ATOMIC, at, Long.BYTES);
    if (status != Status.OK) {
      return status;
    }
    try {
      long before = MemoryWords.getAndAdd(region.memory(), at, delta);
      MemoryFaults.settle();
      result.set(JAVA_LONG_UNALIGNED, 0, before);
      return Status.OK;
    } catch (IllegalStateException e) {
      return region.failed(e);
    } catch (InternalError e) {
      return region.faulted();
    }
  }

  @Override
  public boolean compareAndSet(
      RemoteRegion region, long at, long expected, long value, MemorySegment result, long ticket) {
    if (isFull()) {
      return false;
    }
    check(at, result);
    return ended(ticket, exchange(region, at, expected, value, result));
  }

  static Status exchange(
      RemoteRegion region, long at, long expected, long value, MemorySegment result) {
    Status status = region.admits(Right.ATOMIC, at, Long.BYTES);
    if (status != Status.OK) {
      return status;
    }
    try {
      long before = MemoryWords.compareAndExchange(region.memory(), at, expected, value);
      MemoryFaults.settle();
      result.set(JAVA_LONG_UNALIGNED, 0, before);
      return Status.OK;
    } catch (IllegalStateException e) {
      return region.failed(e);
    } catch (InternalError e) {
      return region.faulted();
    }
  }

  /** Before anything is done: an atomic operation whose result can not be told is of no use. */
  static void check(long at, MemorySegment result) {
    if ((at & Long.BYTES - 1) != 0) {
      throw new IllegalArgumentException("An atomic operation needs a multiple of 8, not " + at);
    }
    result.set(JAVA_LONG_UNALIGNED, 0, 0L);
  }

  // -- ends ------------------------------------------------------------------------------------

  @Override
  public void submit() {
    // All that was posted has ended.
  }

  @Override
  public int poll(long[] ended, Status[] how) {
    int first = polled;
    int n = Math.min(posted - first, Math.min(ended.length, how.length));
    if (n == 1) { // a loop around it would cost as much as a read
      take(first, 0, ended, how);
    } else {
      takeSeveral(first, n, ended, how);
    }
    polled = first + n;
    return n;
  }

  private void takeSeveral(int first, int n, long[] ended, Status[] how) {
    for (int i = 0; i < n; i++) {
      take(first + i, i, ended, how);
    }
  }

  /**
   * A store of a reference has a barrier of the garbage collector behind it, with a fence if the
   * array is old, for which the next loads would wait; and what is there is OK already, as a rule.
   */
  private void take(int n, int i, long[] ended, Status[] how) {
    ended[i] = tickets[place(n)];
    Status status = failures == 0 ? Status.OK : takeFailure(n);
    if (how[i] != status) {
      how[i] = status;
    }
  }

  private Status takeFailure(int n) {
    Status status = statuses[place(n)];
    if (status != Status.OK) {
      statuses[place(n)] = Status.OK;
      failures--;
    }
    return status;
  }

  @Override
  public Status flush(RemoteRegion region) {
    return flushed(region);
  }

  static Status flushed(RemoteRegion region) {
    VarHandle.fullFence();
    return region.status();
  }

  @Override
  public void close() {
    // It holds nothing.
  }
}
