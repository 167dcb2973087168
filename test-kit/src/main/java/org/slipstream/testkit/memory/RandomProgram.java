package org.slipstream.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Status;

/** Random operations of one queue, and the same on a plain array: a region does what it does. */
final class RandomProgram {
  /** Posted: what it must say, and what it must have read. */
  private record Expected(long ticket, Status status, MemorySegment read, MemorySegment bytes) {}

  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final Queue queue;
  private final RemoteRegion region;
  private final Region owned;
  private final Random random;
  private final MemorySegment model;
  private final Deque<Expected> posted = new ArrayDeque<>();
  private final long[] tickets = new long[3];
  private final Status[] statuses = new Status[3];
  private long next;

  RandomProgram(Queue queue, RemoteRegion region, Region owned, Random random) {
    this.queue = queue;
    this.region = region;
    this.owned = owned;
    this.random = random;
    this.model = MemorySegment.ofArray(new byte[(int) region.byteSize()]);
  }

  void run(int operations) {
    for (int i = 0; i < operations; i++) {
      while (!post()) {
        poll();
      }
      if (random.nextInt(10) == 0) {
        assertThat(queue.flush(region)).isEqualTo(Status.OK);
        assertThat(owned.memory().mismatch(model)).as("behind a flush").isEqualTo(-1);
      }
      if (random.nextBoolean()) {
        queue.submit();
        poll();
      }
    }
    queue.submit();
    while (!posted.isEmpty()) {
      poll();
    }
    assertThat(owned.memory().mismatch(model)).as("at the end").isEqualTo(-1);
  }

  /** Posts something; the array has it only if the queue has taken it. */
  private boolean post() {
    long size = region.byteSize();
    long at = random.nextInt((int) size + 2) - 1L;
    int bytes = random.nextBoolean() ? 1 << random.nextInt(4) : random.nextInt(300);
    boolean inside = at >= 0 && at + bytes <= size;
    switch (random.nextInt(4)) {
      case 0 -> {
        MemorySegment into = MemorySegment.ofArray(new byte[bytes]);
        if (!queue.read(region, at, into, next)) {
          return false;
        }
        MemorySegment now = MemorySegment.ofArray(new byte[bytes]);
        expect(inside, into, inside ? now.copyFrom(model.asSlice(at, bytes)) : now);
      }
      case 1 -> {
        byte[] some = new byte[bytes];
        random.nextBytes(some);
        if (!queue.write(region, at, MemorySegment.ofArray(some), next)) {
          return false;
        }
        if (inside) {
          MemorySegment.copy(MemorySegment.ofArray(some), 0, model, at, bytes);
        }
        expect(inside, NOTHING, NOTHING);
      }
      default -> {
        return postAtomic(random.nextInt((int) size / 8 + 2) * 8L - 8, random.nextBoolean());
      }
    }
    return true;
  }

  private boolean postAtomic(long at, boolean adds) {
    boolean inside = at >= 0 && at + Long.BYTES <= region.byteSize();
    long now = inside ? model.get(ValueLayout.JAVA_LONG_UNALIGNED, at) : 0;
    long value = random.nextLong();
    long guess = random.nextBoolean() ? now : value;
    MemorySegment result = MemorySegment.ofArray(new byte[Long.BYTES]);
    boolean taken =
        adds
            ? queue.fetchAdd(region, at, value, result, next)
            : queue.compareAndSet(region, at, guess, value, result, next);
    if (!taken) {
      return false;
    }
    if (inside) {
      long then = adds ? now + value : guess == now ? value : now;
      model.set(ValueLayout.JAVA_LONG_UNALIGNED, at, then);
    }
    MemorySegment before = MemorySegment.ofArray(new byte[Long.BYTES]);
    before.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, now);
    expect(inside, result, before);
    return true;
  }

  private void expect(boolean inside, MemorySegment read, MemorySegment bytes) {
    posted.add(new Expected(next, inside ? Status.OK : Status.OUT_OF_RANGE, read, bytes));
    next++;
  }

  private void poll() {
    int n = queue.poll(tickets, statuses);
    for (int i = 0; i < n; i++) {
      Expected expected = posted.remove();
      assertThat(tickets[i]).isEqualTo(expected.ticket);
      assertThat(statuses[i]).isEqualTo(expected.status);
      assertThat(expected.read.mismatch(expected.bytes)).as("what was read").isEqualTo(-1);
    }
  }
}
