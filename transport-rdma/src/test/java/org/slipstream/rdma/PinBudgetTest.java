package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.verbs.LocalMemory;
import org.slipstream.rdma.verbs.NativeCallException;

/** Sessions that share what they may pin, with a kernel that only counts. */
class PinBudgetTest {
  private static final int KB = 1024;
  private static final int LIMIT = 100 * KB;
  private static final int NO_MEMORY = 12;
  private static final int NO_DEVICE = 19;

  private final PinBudget budget = new PinBudget(LIMIT);
  private final Deque<Runnable> background = new ArrayDeque<>();
  private final List<ByteBuffer> held = new ArrayList<>();
  private long kernelLimit = Long.MAX_VALUE;
  private long pinned;
  private long mostPinned;
  private final Session one = new Session();
  private final Session two = new Session();

  private final class Session {
    private long doneUntil = Long.MAX_VALUE;
    final PinDownCache cache =
        new PinDownCache(
            new ReentrantLock(),
            memory -> pin(memory.byteSize()),
            background::add,
            id -> id <= doneUntil,
            budget,
            1);

    ByteBuffer buffer(int bytes) {
      held.add(ByteBuffer.allocateDirect(bytes));
      return held.getLast();
    }

    PinDownCache.Entry use(ByteBuffer buffer) {
      for (int i = 0; i < 2; i++) {
        cache.find(buffer);
        runBackground();
      }
      return cache.find(buffer);
    }
  }

  private final class Pinned implements LocalMemory {
    private final long bytes;
    private boolean closed;

    Pinned(long bytes) {
      this.bytes = bytes;
    }

    @Override
    public int localKey() {
      return 1;
    }

    @Override
    public void close() {
      assertThat(closed).isFalse();
      closed = true;
      pinned -= bytes;
    }
  }

  private LocalMemory pin(long bytes) throws NativeCallException {
    if (pinned + bytes > kernelLimit) {
      throw new NativeCallException("ibv_reg_mr", NO_MEMORY);
    }
    pinned += bytes;
    mostPinned = Math.max(mostPinned, pinned);
    return new Pinned(bytes);
  }

  private void runBackground() {
    Runnable task;
    while ((task = background.poll()) != null) {
      task.run();
    }
  }

  @Test
  void theLimitIsThatOfAllSessions() {
    for (int i = 0; i < 20; i++) {
      assertThat(one.use(one.buffer(30 * KB))).isNotNull();
      assertThat(two.use(two.buffer(20 * KB))).isNotNull();
    }
    assertThat(mostPinned).isLessThanOrEqualTo(LIMIT);
    assertThat(budget.pinnedBytes()).isEqualTo(pinned).isPositive();
    assertThat(one.cache.pinnedBytes() + two.cache.pinnedBytes()).isEqualTo(pinned);
  }

  @Test
  void whatWasUsedLongestAgoGivesWayInWhicheverSession() {
    ByteBuffer old = one.buffer(50 * KB);
    ByteBuffer young = two.buffer(50 * KB);
    assertThat(one.use(old)).isNotNull();
    assertThat(two.use(young)).isNotNull();
    assertThat(two.use(two.buffer(50 * KB))).isNotNull();
    assertThat(two.cache.find(young)).as("its own younger one").isNotNull();
    assertThat(one.cache.find(old)).as("the older one of another session").isNull();
  }

  @Test
  void whatADeviceReadsDoesNotGiveWayButTheNextOneDoes() {
    PinDownCache.Entry inUse = one.use(one.buffer(50 * KB));
    assertThat(inUse).isNotNull();
    one.doneUntil = 10;
    inUse.usedBy(11);
    assertThat(two.use(two.buffer(50 * KB))).isNotNull();
    assertThat(two.use(two.buffer(50 * KB))).isNotNull();
    assertThat(pinned).isEqualTo(LIMIT);
    assertThat(mostPinned).isEqualTo(LIMIT);
    assertThat(one.cache.pinnedBytes()).as("still registered").isEqualTo(50 * KB);
  }

  @Test
  void registeredBuffersGiveWayToWhatCanNotBeDoneWithout() throws Exception {
    kernelLimit = 90 * KB;
    assertThat(one.use(one.buffer(40 * KB))).isNotNull();
    assertThat(two.use(two.buffer(40 * KB))).isNotNull();
    LocalMemory slab = budget.orGiveWay(() -> pin(80 * KB));
    assertThat(slab).isNotNull();
    assertThat(pinned).isEqualTo(80 * KB);
    assertThat(budget.pinnedBytes()).isZero();
  }

  @Test
  void otherFailuresAreNotTriedAgain() {
    assertThat(one.use(one.buffer(40 * KB))).isNotNull();
    int[] tries = new int[1];
    assertThatThrownBy(() ->
            budget.orGiveWay(() -> {
              tries[0]++;
              throw new NativeCallException("ibv_reg_mr", NO_DEVICE);
            }))
        .hasMessageContaining("no such device");
    assertThat(tries[0]).isEqualTo(1);
    assertThat(pinned).isEqualTo(40 * KB);
  }

  @Test
  void withoutAnythingThatCouldGoARefusalIsFinal() {
    kernelLimit = 10 * KB;
    assertThatThrownBy(() -> budget.orGiveWay(() -> pin(80 * KB)))
        .isInstanceOf(NativeCallException.class);
    assertThat(one.use(one.buffer(40 * KB))).as("refused by the kernel").isNull();
    assertThat(budget.pinnedBytes()).as("a failed registration holds nothing").isZero();
  }

  @Test
  void nothingIsLeftBehind() {
    for (int round = 0; round < 10; round++) {
      Session session = new Session();
      assertThat(session.use(session.buffer(20 * KB))).isNotNull();
      kernelLimit = 0;
      assertThat(session.use(session.buffer(20 * KB))).as("fails").isNull();
      kernelLimit = Long.MAX_VALUE;
      ByteBuffer asked = session.buffer(20 * KB);
      session.cache.find(asked);
      session.cache.find(asked);
      session.cache.end();
      runBackground(); // the registration that was under way
    }
    assertThat(pinned).isZero();
    assertThat(budget.pinnedBytes()).isZero();
    one.cache.end();
    two.cache.end();
    assertThat(budget.holders()).isZero();
  }
}
