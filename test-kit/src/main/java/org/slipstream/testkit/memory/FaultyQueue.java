package org.slipstream.testkit.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.slipstream.memory.Queue;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Status;

/**
 * A queue as a device would be: nothing is done when it is posted, a part of it at each poll, all
 * of it at a flush, and tickets come back some polls later. The order is kept, and so is what an
 * operation says of a region that has ended meanwhile.
 */
public final class FaultyQueue implements Queue {
  private final Queue works;
  private final int depth;
  private final Random random;

  /** Posted, and not begun. */
  private final Deque<BooleanSupplier> waiting = new ArrayDeque<>();

  /** Posted, and not polled. */
  private int open;

  /**
   * Makes one.
   *
   * @param works carries the operations out; as deep as this one
   * @param depth of both
   * @param random decides when
   */
  public FaultyQueue(Queue works, int depth, Random random) {
    this.works = works;
    this.depth = depth;
    this.random = random;
  }

  private boolean post(BooleanSupplier operation) {
    if (open == depth) {
      return false;
    }
    open++;
    waiting.add(operation);
    return true;
  }

  @Override
  public boolean read(RemoteRegion region, long at, MemorySegment into, long ticket) {
    return post(() -> works.read(region, at, into, ticket));
  }

  @Override
  public boolean write(RemoteRegion region, long at, MemorySegment from, long ticket) {
    return post(() -> works.write(region, at, from, ticket));
  }

  @Override
  public boolean fetchAdd(
      RemoteRegion region, long at, long delta, MemorySegment result, long ticket) {
    check(at);
    return post(() -> works.fetchAdd(region, at, delta, result, ticket));
  }

  @Override
  public boolean compareAndSet(
      RemoteRegion region, long at, long expected, long value, MemorySegment result, long ticket) {
    check(at);
    return post(() -> works.compareAndSet(region, at, expected, value, result, ticket));
  }

  private static void check(long at) {
    if (at % Long.BYTES != 0) {
      throw new IllegalArgumentException("not a multiple of 8: " + at);
    }
  }

  @Override
  public void submit() {
    begin(random.nextInt(1 + waiting.size()));
    works.submit();
  }

  private void begin(int operations) {
    for (int i = 0; i < operations; i++) {
      if (!waiting.remove().getAsBoolean()) {
        throw new AssertionError("the queue below is full before this one is");
      }
    }
  }

  @Override
  public int poll(long[] tickets, Status[] statuses) {
    begin(random.nextInt(1 + Math.min(2, waiting.size())));
    works.submit();
    int most = random.nextInt(1 + Math.min(tickets.length, statuses.length));
    long[] someTickets = new long[most];
    Status[] someStatuses = new Status[most];
    int n = works.poll(someTickets, someStatuses);
    System.arraycopy(someTickets, 0, tickets, 0, n);
    System.arraycopy(someStatuses, 0, statuses, 0, n);
    open -= n;
    return n;
  }

  @Override
  public Status flush(RemoteRegion region) {
    begin(waiting.size());
    works.submit();
    return works.flush(region);
  }

  @Override
  public void close() {
    works.close();
  }
}
