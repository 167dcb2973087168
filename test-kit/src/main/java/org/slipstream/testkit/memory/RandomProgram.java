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
import org.slipstream.memory.StripedQueue;
import org.slipstream.memory.StripedRegion;

/** Random operations of one queue, and the same on a plain array: a region does what it does. */
public final class RandomProgram {
  /** What a region and its queue can do, striped or not. */
  public interface Memory {
    /** Bytes. */
    long size();

    /** As {@link Queue#read}. */
    boolean read(long at, MemorySegment into, long ticket);

    /** As {@link Queue#write}. */
    boolean write(long at, MemorySegment from, long ticket);

    /** As {@link Queue#fetchAdd}. */
    boolean fetchAdd(long at, long delta, MemorySegment result, long ticket);

    /** As {@link Queue#compareAndSet}. */
    boolean compareAndSet(long at, long expected, long value, MemorySegment result, long ticket);

    /** As {@link Queue#submit}. */
    void submit();

    /** As {@link Queue#poll}. */
    int poll(long[] tickets, Status[] statuses);

    /** As {@link Queue#flush}. */
    Status flush();

    /** What the owners have. */
    MemorySegment contents();
  }

  /** Posted: what it must say, and what it must have read. */
  private record Expected(long ticket, Status status, MemorySegment read, MemorySegment bytes) {}

  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final Memory memory;
  private final Random random;
  private final MemorySegment model;
  private final Deque<Expected> posted = new ArrayDeque<>();
  private final long[] tickets = new long[3];
  private final Status[] statuses = new Status[3];
  private long next;

  /**
   * Makes one.
   *
   * @param memory all zero
   * @param random decides what it does
   */
  public RandomProgram(Memory memory, Random random) {
    this.memory = memory;
    this.random = random;
    this.model = MemorySegment.ofArray(new byte[(int) memory.size()]);
  }

  /** A region of one owner. */
  static Memory of(Queue queue, RemoteRegion region, Region owned) {
    return new Memory() {
      @Override
      public long size() {
        return region.byteSize();
      }

      @Override
      public boolean read(long at, MemorySegment into, long ticket) {
        return queue.read(region, at, into, ticket);
      }

      @Override
      public boolean write(long at, MemorySegment from, long ticket) {
        return queue.write(region, at, from, ticket);
      }

      @Override
      public boolean fetchAdd(long at, long delta, MemorySegment result, long ticket) {
        return queue.fetchAdd(region, at, delta, result, ticket);
      }

      @Override
      public boolean compareAndSet(
          long at, long expected, long value, MemorySegment result, long ticket) {
        return queue.compareAndSet(region, at, expected, value, result, ticket);
      }

      @Override
      public void submit() {
        queue.submit();
      }

      @Override
      public int poll(long[] tickets, Status[] statuses) {
        return queue.poll(tickets, statuses);
      }

      @Override
      public Status flush() {
        return queue.flush(region);
      }

      @Override
      public MemorySegment contents() {
        return owned.memory();
      }
    };
  }

  /** Striped over parts, each with room for nothing else. */
  public static Memory of(StripedQueue queue, StripedRegion region) {
    return new Memory() {
      @Override
      public long size() {
        return region.byteSize();
      }

      @Override
      public boolean read(long at, MemorySegment into, long ticket) {
        return queue.read(region, at, into, ticket);
      }

      @Override
      public boolean write(long at, MemorySegment from, long ticket) {
        return queue.write(region, at, from, ticket);
      }

      @Override
      public boolean fetchAdd(long at, long delta, MemorySegment result, long ticket) {
        return queue.fetchAdd(region, at, delta, result, ticket);
      }

      @Override
      public boolean compareAndSet(
          long at, long expected, long value, MemorySegment result, long ticket) {
        return queue.compareAndSet(region, at, expected, value, result, ticket);
      }

      @Override
      public void submit() {
        queue.submit();
      }

      @Override
      public int poll(long[] tickets, Status[] statuses) {
        return queue.poll(tickets, statuses);
      }

      @Override
      public Status flush() {
        return queue.flush(region);
      }

      @Override
      public MemorySegment contents() {
        MemorySegment all = MemorySegment.ofArray(new byte[(int) region.byteSize()]);
        int parts = region.parts().size();
        for (long at = 0; at < all.byteSize(); at++) {
          long unit = at / region.unitBytes();
          MemorySegment part = region.parts().get((int) (unit % parts)).direct().orElseThrow();
          long there = unit / parts * region.unitBytes() + at % region.unitBytes();
          all.set(ValueLayout.JAVA_BYTE, at, part.get(ValueLayout.JAVA_BYTE, there));
        }
        return all;
      }
    };
  }

  /**
   * Runs it; fails if the memory does anything else than an array.
   *
   * @param operations how many
   */
  public void run(int operations) {
    for (int i = 0; i < operations; i++) {
      while (!post()) {
        poll();
      }
      if (random.nextInt(10) == 0) {
        assertThat(memory.flush()).isEqualTo(Status.OK);
        assertThat(memory.contents().mismatch(model)).as("behind a flush").isEqualTo(-1);
      }
      if (random.nextBoolean()) {
        memory.submit();
        poll();
      }
    }
    memory.submit();
    while (!posted.isEmpty()) {
      poll();
    }
    assertThat(memory.contents().mismatch(model)).as("at the end").isEqualTo(-1);
  }

  /** Posts something; the array has it only if the queue has taken it. */
  private boolean post() {
    long size = memory.size();
    long at = random.nextInt((int) size + 2) - 1L;
    int bytes = random.nextBoolean() ? 1 << random.nextInt(4) : random.nextInt(300);
    boolean inside = at >= 0 && at + bytes <= size;
    switch (random.nextInt(4)) {
      case 0 -> {
        MemorySegment into = MemorySegment.ofArray(new byte[bytes]);
        if (!memory.read(at, into, next)) {
          return false;
        }
        MemorySegment now = MemorySegment.ofArray(new byte[bytes]);
        expect(inside, into, inside ? now.copyFrom(model.asSlice(at, bytes)) : now);
      }
      case 1 -> {
        byte[] some = new byte[bytes];
        random.nextBytes(some);
        if (!memory.write(at, MemorySegment.ofArray(some), next)) {
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
    boolean inside = at >= 0 && at + Long.BYTES <= memory.size();
    long now = inside ? model.get(ValueLayout.JAVA_LONG_UNALIGNED, at) : 0;
    long value = random.nextLong();
    long guess = random.nextBoolean() ? now : value;
    MemorySegment result = MemorySegment.ofArray(new byte[Long.BYTES]);
    boolean taken =
        adds
            ? memory.fetchAdd(at, value, result, next)
            : memory.compareAndSet(at, guess, value, result, next);
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
    int n = memory.poll(tickets, statuses);
    for (int i = 0; i < n; i++) {
      Expected expected = posted.remove();
      assertThat(tickets[i]).isEqualTo(expected.ticket);
      assertThat(statuses[i]).isEqualTo(expected.status);
      assertThat(expected.read.mismatch(expected.bytes)).as("what was read").isEqualTo(-1);
    }
  }
}
