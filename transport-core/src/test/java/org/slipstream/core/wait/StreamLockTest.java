package org.slipstream.core.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class StreamLockTest {
  private final StreamLock lock = new StreamLock();

  @Test
  void aThreadMayEnterMoreThanOnce() throws Exception {
    lock.lock();
    assertThat(lock.tryLock()).isTrue();
    lock.lock();
    lock.unlock();
    lock.unlock();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    assertThat(othersGetIn()).isFalse();
    lock.unlock();
    assertThat(lock.isLocked()).isFalse();
    assertThat(othersGetIn()).isTrue();
  }

  @Test
  void onlyTheThreadInsideGivesBack() throws Exception {
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    lock.lock();
    AtomicBoolean refused = new AtomicBoolean();
    Thread other =
        Thread.ofPlatform()
            .start(() -> {
              try {
                lock.unlock();
              } catch (IllegalMonitorStateException e) {
                refused.set(true);
              }
            });
    other.join();
    assertThat(refused).isTrue();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
  }

  @Test
  void aWaitHasAnEnd() throws Exception {
    lock.lock();
    AtomicBoolean taken = new AtomicBoolean(true);
    long began = System.nanoTime();
    Thread other =
        Thread.ofPlatform().start(() -> taken.set(lock.tryLock(TimeUnit.MILLISECONDS.toNanos(50))));
    other.join();
    assertThat(taken).isFalse();
    assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(50_000_000);
  }

  @Test
  void anInterruptIsKeptAndEndsNoWait() throws Exception {
    lock.lock();
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread waiter =
        Thread.ofPlatform()
            .start(() -> {
              lock.lock();
              interrupted.set(Thread.currentThread().isInterrupted());
              lock.unlock();
            });
    await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
    waiter.interrupt();
    await().until(() -> !waiter.isInterrupted() && waiter.getState() == Thread.State.TIMED_WAITING);
    lock.unlock();
    waiter.join();
    assertThat(interrupted).isTrue();
  }

  @Test
  void manyThreadsOfBothKindsGetInOneAtATime() throws Exception {
    int rounds = 5_000;
    int[] entries = new int[1];
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      boolean patient = t % 3 != 0;
      Runnable body =
          () -> {
            for (int i = 0; i < rounds; i++) {
              if (patient) {
                lock.lock();
              } else {
                while (!lock.tryLock(500)) {
                  Thread.onSpinWait();
                }
              }
              entries[0]++;
              lock.unlock();
            }
          };
      threads.add(t % 2 == 0 ? Thread.ofPlatform().start(body) : Thread.startVirtualThread(body));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(entries[0]).isEqualTo(rounds * threads.size());
    assertThat(lock.isLocked()).isFalse();
  }

  private boolean othersGetIn() throws InterruptedException {
    AtomicBoolean in = new AtomicBoolean();
    Thread other =
        Thread.ofPlatform()
            .start(() -> {
              in.set(lock.tryLock());
              if (in.get()) {
                lock.unlock();
              }
            });
    other.join();
    return in.get();
  }
}
