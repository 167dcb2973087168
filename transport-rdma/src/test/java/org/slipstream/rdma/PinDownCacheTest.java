package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.verbs.LocalMemory;

/** What is registered, when, and how much of it, with a device that only counts. */
class PinDownCacheTest {
  private static final int KB = 1024;
  private static final int LIMIT = 100 * KB;

  private final Deque<Runnable> background = new ArrayDeque<>();
  private final List<Region> registered = new ArrayList<>();
  private long doneUntil = Long.MAX_VALUE;
  private boolean refuses;
  private long pinned;
  private long mostPinned;
  private int closings;

  private final PinDownCache cache =
      new PinDownCache(
          new ReentrantLock(),
          this::register,
          background::add,
          id -> id <= doneUntil,
          LIMIT,
          PinDownCache.BATCH);

  private final class Region implements LocalMemory {
    final long bytes; // not the memory: it would hold the buffer
    boolean closed;

    Region(long bytes) {
      this.bytes = bytes;
    }

    @Override
    public int localKey() {
      return registered.indexOf(this) + 1;
    }

    @Override
    public void close() {
      assertThat(closed).isFalse();
      closed = true;
      closings++;
      pinned -= bytes;
    }
  }

  private LocalMemory register(MemorySegment memory) throws IOException {
    if (refuses) {
      throw new IOException("RLIMIT_MEMLOCK");
    }
    memory.get(ValueLayout.JAVA_BYTE, 0); // as a call of C, which wants memory that is there
    Region region = new Region(memory.byteSize());
    registered.add(region);
    pinned += memory.byteSize();
    mostPinned = Math.max(mostPinned, pinned);
    return region;
  }

  private void runBackground() {
    Runnable task;
    while ((task = background.poll()) != null) {
      task.run();
    }
  }

  private PinDownCache.Entry use(ByteBuffer buffer) {
    for (int i = 0; i < 2; i++) {
      cache.find(buffer);
      runBackground();
    }
    return cache.find(buffer);
  }

  @Test
  void aBufferIsRegisteredWhenItIsSeenAgainAndOnlyOnce() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(10 * KB);
    assertThat(cache.find(buffer)).isNull();
    assertThat(background).as("once is not worth it").isEmpty();
    assertThat(cache.find(buffer)).isNull();
    assertThat(cache.find(buffer)).as("nobody waits").isNull();
    assertThat(background).hasSize(1);
    runBackground();
    PinDownCache.Entry entry = cache.find(buffer);
    assertThat(entry).isNotNull();
    assertThat(entry.address()).isEqualTo(MemorySegment.ofBuffer(buffer).address());
    assertThat(entry.localKey()).isEqualTo(1);
    assertThat(cache.find(buffer)).isSameAs(entry);
    assertThat(cache.registrations()).isEqualTo(1);
  }

  @Test
  void positionAndLimitDoNotMatter() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(10 * KB).position(100).limit(200);
    PinDownCache.Entry entry = use(buffer);
    assertThat(entry).isNotNull();
    buffer.clear();
    assertThat(entry.address()).isEqualTo(MemorySegment.ofBuffer(buffer).address());
    assertThat(registered.getFirst().bytes).isEqualTo(10 * KB);
  }

  @Test
  void anotherBufferOfTheSameMemoryIsAnother() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(10 * KB);
    assertThat(use(buffer)).isNotNull();
    assertThat(cache.find(buffer.duplicate())).isNull();
  }

  @Test
  void pinnedBytesAreBoundedAndTheOldestGoFirst() {
    List<ByteBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(20 * KB);
      buffers.add(buffer);
      assertThat(use(buffer)).isNotNull();
      assertThat(use(buffers.getFirst())).as("in use all the time").isNotNull();
    }
    assertThat(mostPinned).isLessThanOrEqualTo(LIMIT);
    assertThat(registered.getFirst().closed).as("was never the oldest").isFalse();
    assertThat(registered.get(1).closed).isTrue();
    assertThat(cache.pinnedBytes()).isEqualTo(pinned);
  }

  @Test
  void deregistrationIsBatched() {
    for (int i = 0; i < 3000; i++) {
      use(ByteBuffer.allocateDirect(64));
    }
    assertThat(closings).isGreaterThan(1000);
    assertThat(cache.batches()).isLessThanOrEqualTo(closings / 10);
  }

  @Test
  void whoNeedsRoomMakesItForTheNextOnesToo() {
    List<ByteBuffer> held = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      held.add(ByteBuffer.allocateDirect(LIMIT / 50));
      assertThat(use(held.getLast())).isNotNull();
    }
    assertThat(closings).isGreaterThanOrEqualTo(450);
    assertThat(cache.batches()).isLessThanOrEqualTo(closings / 8);
    assertThat(mostPinned).isLessThanOrEqualTo(LIMIT);
  }

  @Test
  void whatADeviceStillReadsStaysRegistered() {
    doneUntil = 10;
    ByteBuffer first = ByteBuffer.allocateDirect(LIMIT);
    PinDownCache.Entry entry = use(first);
    assertThat(entry).isNotNull();
    entry.usedBy(11);
    assertThat(use(ByteBuffer.allocateDirect(LIMIT))).as("there is no room").isNull();
    assertThat(closings).isZero();
    doneUntil = 11;
    assertThat(use(ByteBuffer.allocateDirect(LIMIT))).isNotNull();
    assertThat(closings).isEqualTo(1);
  }

  @Test
  void aRefusedBufferIsNotTriedAgain() {
    refuses = true;
    ByteBuffer buffer = ByteBuffer.allocateDirect(10 * KB);
    assertThat(use(buffer)).isNull();
    refuses = false;
    assertThat(use(buffer)).isNull();
    assertThat(cache.pinnedBytes()).isZero();
  }

  /** Nobody but its thread may pass it to C; its pages are given back when the arena is closed. */
  @Test
  void theMemoryOfAConfinedArenaIsLeftAlone() throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      ByteBuffer buffer = arena.allocate(LIMIT).asByteBuffer();
      cache.find(buffer);
      cache.find(buffer);
      Thread event = Thread.ofPlatform().start(this::runBackground);
      event.join();
      assertThat(background).as("the event thread did it").isEmpty();
      assertThat(cache.find(buffer)).isNull();
    }
    assertThat(registered).isEmpty();
    assertThat(cache.pinnedBytes()).as("nothing is reserved for ever").isZero();
    assertThat(use(ByteBuffer.allocateDirect(LIMIT))).isNotNull();
  }

  /** The JDK does not close an arena that a write of its own uses; nobody asks us. */
  @Test
  void memoryThatMayBeGivenBackDuringAWriteIsLeftAlone() {
    try (Arena arena = Arena.ofShared()) {
      assertThat(use(arena.allocate(LIMIT).asByteBuffer())).isNull();
    }
    assertThat(registered).isEmpty();
    assertThat(cache.pinnedBytes()).isZero();
  }

  @Test
  void memoryThatIsGoneMeanwhileIsLeftAlone() {
    ByteBuffer buffer;
    try (Arena arena = Arena.ofShared()) {
      buffer = arena.allocate(LIMIT).asByteBuffer();
      cache.find(buffer);
      cache.find(buffer);
    }
    runBackground();
    assertThat(registered).isEmpty();
    assertThat(cache.pinnedBytes()).isZero();
    assertThat(cache.find(buffer)).isNull();
  }

  @Test
  void tooLargeABufferIsLeftAlone() {
    assertThat(use(ByteBuffer.allocateDirect(LIMIT + 1))).isNull();
    assertThat(registered).isEmpty();
  }

  @Test
  void buffersThatNobodyHoldsGoBeforeOthers() {
    ByteBuffer kept = ByteBuffer.allocateDirect(50 * KB);
    assertThat(use(kept)).isNotNull();
    PinDownCache.Entry forgotten = use(ByteBuffer.allocateDirect(50 * KB));
    assertThat(forgotten).isNotNull();
    await()
        .until(() -> {
          System.gc();
          return forgotten.refersTo(null);
        });
    ByteBuffer next = ByteBuffer.allocateDirect(50 * KB);
    assertThat(use(next)).isNotNull();
    assertThat(registered.get(0).closed).isFalse();
    assertThat(registered.get(1).closed).isTrue();
    assertThat(kept.capacity()).isPositive(); // still held
  }

  @Test
  void theEndDeregistersEverything() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(10 * KB);
    assertThat(use(buffer)).isNotNull();
    ByteBuffer asked = ByteBuffer.allocateDirect(10 * KB);
    cache.find(asked);
    cache.find(asked);
    cache.end();
    runBackground();
    assertThat(registered).as("nothing is registered behind the end").hasSize(1);
    assertThat(pinned).isZero();
    assertThat(cache.find(buffer)).isNull();
  }
}
