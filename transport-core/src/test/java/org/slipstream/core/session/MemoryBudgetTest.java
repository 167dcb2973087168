package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.MemoryBudget;

class MemoryBudgetTest {
  @Test
  void exactlyTheLimitMayBeReserved() {
    MemoryBudget budget = new MemoryBudget(100);
    assertThat(budget.tryReserve(60)).isTrue();
    assertThat(budget.tryReserve(41)).isFalse();
    assertThat(budget.usedBytes()).isEqualTo(60);
    assertThat(budget.tryReserve(40)).isTrue();
    assertThat(budget.tryReserve(1)).isFalse();
    budget.release(1);
    assertThat(budget.tryReserve(1)).isTrue();
    assertThat(budget.limitBytes()).isEqualTo(100);
  }

  @Test
  void thereIsPlentyUpToAnEighthOfTheLimitAndUpToWhatCachesHold() {
    MemoryBudget small = new MemoryBudget(800);
    assertThat(small.tryReserve(100)).isTrue();
    assertThat(small.hasPlenty()).isTrue();
    assertThat(small.tryReserve(1)).isTrue();
    assertThat(small.hasPlenty()).isFalse();
    small.release(1);
    assertThat(small.hasPlenty()).isTrue();

    MemoryBudget large = new MemoryBudget(1L << 40);
    assertThat(large.tryReserve(16 << 20)).isTrue();
    assertThat(large.hasPlenty()).isTrue();
    assertThat(large.tryReserve(1)).isTrue();
    assertThat(large.hasPlenty()).isFalse();
  }

  @Test
  void manyThreadsNeverHoldMoreThanTheLimitTogether() throws InterruptedException {
    MemoryBudget budget = new MemoryBudget(10);
    AtomicLong held = new AtomicLong();
    AtomicLong most = new AtomicLong();
    Thread[] threads = new Thread[4];
    CountDownLatch start = new CountDownLatch(1);
    for (int t = 0; t < threads.length; t++) {
      threads[t] =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  start.await();
                } catch (InterruptedException e) {
                  return;
                }
                for (int i = 0; i < 20_000; i++) {
                  if (budget.tryReserve(3)) {
                    most.accumulateAndGet(held.addAndGet(3), Math::max);
                    held.addAndGet(-3);
                    budget.release(3);
                  }
                }
              });
    }
    start.countDown();
    for (Thread t : threads) {
      t.join();
    }
    assertThat(most.get()).isBetween(3L, 10L);
    assertThat(budget.usedBytes()).isZero();
  }
}
