package org.slipstream.rdma;

import static java.nio.channels.FileChannel.MapMode.READ_WRITE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
    assertThat(cache.find(buffer)).as("no writer waits").isNull();
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
  void anyViewOfRegisteredMemoryIsFoundAtOnce() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(10 * KB);
    PinDownCache.Entry whole = use(buffer);
    assertThat(whole).isNotNull();
    List<ByteBuffer> views =
        List.of(
            buffer.duplicate(),
            buffer.slice(KB, KB),
            buffer.slice(2 * KB, 5 * KB).slice(KB, KB).duplicate(),
            buffer.slice(9 * KB, KB).asReadOnlyBuffer(),
            MemorySegment.ofBuffer(buffer).asSlice(3 * KB, KB).asByteBuffer());
    for (ByteBuffer view : views) {
      PinDownCache.Entry entry = cache.find(view);
      assertThat(entry).as("%s", view).isNotNull();
      assertThat(entry.address()).isEqualTo(MemorySegment.ofBuffer(view).address());
      assertThat(entry.localKey()).isEqualTo(whole.localKey());
      assertThat(cache.find(view)).as("found by its identity then").isSameAs(entry);
    }
    assertThat(cache.registrations()).isEqualTo(1);
  }

  /** As a program does that makes a buffer for each write. */
  @Test
  void slicesThatAreSeenOnceEachAreOneRange() {
    ByteBuffer memory = ByteBuffer.allocateDirect(40 * KB);
    ByteBuffer first = memory.slice(10 * KB, 10 * KB);
    ByteBuffer second = memory.slice(10 * KB, 10 * KB);
    assertThat(cache.find(first)).isNull();
    assertThat(background).isEmpty();
    assertThat(cache.find(second)).isNull();
    runBackground();
    assertThat(cache.find(memory.slice(12 * KB, 4 * KB))).isNotNull();
    assertThat(registered.getFirst().bytes).as("no more than what was seen").isEqualTo(10 * KB);
    assertThat(cache.find(memory.slice(5 * KB, 10 * KB))).as("not all of it").isNull();
    assertThat(first.capacity()).isPositive(); // still held
  }

  @Test
  void viewsOfAutomaticMemoryAreFoundToo() {
    ByteBuffer buffer = Arena.ofAuto().allocate(10 * KB).asByteBuffer();
    assertThat(use(buffer)).isNotNull();
    assertThat(cache.find(buffer.slice(KB, KB))).isNotNull();
    assertThat(cache.registrations()).isEqualTo(1);
  }

  /** The same address with another owner, while views of the old one are still there. */
  @Test
  void anAddressThatWasGivenToAnotherBufferIsNotMistaken() throws Exception {
    List<ByteBuffer> views = new ArrayList<>();
    ByteBuffer sameAddress = null;
    for (int i = 0; i < 1000 && sameAddress == null; i++) {
      ByteBuffer old = ByteBuffer.allocateDirect(10 * KB);
      assertThat(use(old)).isNotNull();
      views.add(old.duplicate());
      long address = MemorySegment.ofBuffer(old).address();
      free(old);
      ByteBuffer next = ByteBuffer.allocateDirect(10 * KB);
      sameAddress = MemorySegment.ofBuffer(next).address() == address ? next : null;
    }
    assertThat(sameAddress).as("malloc gave the same memory again").isNotNull();
    long before = cache.registrations();
    assertThat(cache.find(sameAddress)).as("other pages, perhaps").isNull();
    assertThat(cache.find(sameAddress.slice(KB, KB))).isNull();
    runBackground();
    assertThat(cache.find(sameAddress)).isNotNull();
    assertThat(cache.registrations()).as("one of its own").isEqualTo(before + 1);
    assertThat(views).isNotEmpty(); // still held
  }

  /** As Netty does without waiting for the garbage collector. */
  @SuppressWarnings({"removal", "unchecked"})
  private static void free(ByteBuffer buffer) throws Exception {
    Class<?> unsafe = Class.forName("sun.misc.Unsafe");
    Field field = unsafe.getDeclaredField("theUnsafe");
    field.setAccessible(true);
    unsafe.getMethod("invokeCleaner", ByteBuffer.class).invoke(field.get(null), buffer);
  }

  /** Two mallocs can not be told apart if the first one is freed: only the same buffer is. */
  @Test
  void memoryWithoutAnOwnerIsFoundByItsBufferOnly() {
    ByteBuffer buffer = Arena.global().allocate(10 * KB).asByteBuffer();
    assertThat(use(buffer)).isNotNull();
    ByteBuffer duplicate = buffer.duplicate();
    assertThat(cache.find(duplicate)).isNull();
    assertThat(use(duplicate)).isNotNull();
    assertThat(cache.registrations()).isEqualTo(2);
  }

  @Test
  void memoryThatNoProgramHoldsIsDeregisteredWhenTheNextOneIsRegistered() {
    PinDownCache.Entry forgotten = use(ByteBuffer.allocateDirect(LIMIT / 2));
    assertThat(forgotten).isNotNull();
    ByteBuffer held = ByteBuffer.allocateDirect(KB);
    await()
        .until(() -> {
          System.gc();
          return forgotten.refersTo(null);
        });
    use(held);
    assertThat(registered.getFirst().closed).isTrue();
    assertThat(cache.pinnedBytes()).isEqualTo(KB);
  }

  @Test
  void manyRangesThatAreSeenOnceDoNotDriveOutWhatIsRegistered() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(10 * KB);
    assertThat(use(buffer)).isNotNull();
    List<ByteBuffer> held = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      held.add(ByteBuffer.allocateDirect(64));
      assertThat(cache.find(held.getLast())).isNull();
    }
    assertThat(cache.find(buffer.duplicate())).isNotNull();
    assertThat(cache.registrations()).isEqualTo(1);
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
  void aRegistrationThatNeedsRoomMakesItForTheNextOnesToo() {
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

  /** Only its thread may pass it to C; its pages are given back when the arena is closed. */
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

  /** The JDK does not close an arena that a write of its own uses; we are not asked. */
  @Test
  void memoryThatMayBeGivenBackDuringAWriteIsLeftAlone() {
    try (Arena arena = Arena.ofShared()) {
      assertThat(use(arena.allocate(LIMIT).asByteBuffer())).isNull();
    }
    assertThat(registered).isEmpty();
    assertThat(cache.pinnedBytes()).isZero();
  }

  @Test
  void aMappedFileIsLeftAloneAsItsPagesMayBeExchanged(@TempDir Path directory) throws Exception {
    Path file = Files.write(directory.resolve("file"), new byte[LIMIT]);
    try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
      assertThat(use(channel.map(READ_WRITE, 0, LIMIT))).isNull();
    }
    assertThat(registered).isEmpty();
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
  void buffersThatNoProgramHoldsGoBeforeOthers() {
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
