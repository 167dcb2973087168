package org.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Descriptors that Java does not know. */
class PollerTest {
  private static final Call EVENT_DESCRIPTOR = Call.of(NativeLibrary.c(), "eventfd");
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Call CLOSE = Call.of(NativeLibrary.c(), "close");

  @Test
  void aLookDoesNotWait() throws Exception {
    int empty = EVENT_DESCRIPTOR.countOf(0, 0);
    int full = EVENT_DESCRIPTOR.countOf(1, 0);
    try {
      assertThat(Poller.isReadable(empty)).isFalse();
      assertThat(Poller.isReadable(full)).isTrue();
      assertThat(Poller.isReadable(full)).as("nothing was taken").isTrue();
    } finally {
      CLOSE.countOf(empty, 0);
      CLOSE.countOf(full, 0);
    }
  }

  /** libibverbs and librdmacm would read them without looking first. */
  @Test
  void aDescriptorThatNeverWaitsHasNothingOrSomething() throws Exception {
    Call read = Call.of(NativeLibrary.c(), "eventfd_read");
    int descriptor = EVENT_DESCRIPTOR.countOf(0, 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
      Poller.neverWait(descriptor);
      assertThatThrownBy(() -> read.check(descriptor, value))
          .isInstanceOfSatisfying(
              NativeCallException.class, e -> assertThat(e.errno()).isEqualTo(ErrorNumbers.EAGAIN));
      Call.of(NativeLibrary.c(), "eventfd_write").check(descriptor, 3L);
      read.check(descriptor, value);
      assertThat(value.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(3);
    } finally {
      CLOSE.countOf(descriptor, 0);
    }
  }

  /** The kernel takes the events of a queue back when it is destroyed. */
  @Test
  void anEventThatWasTakenBackIsNotWaitedFor() throws Exception {
    int descriptor = EVENT_DESCRIPTOR.countOf(0, 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment channel = arena.allocate(MemoryRegionLayout.CHANNEL_BYTES, 8);
      channel.set(ValueLayout.JAVA_INT, MemoryRegionLayout.CHANNEL_DESCRIPTOR, descriptor);
      @SuppressWarnings("resource") // libibverbs did not make it
      CompletionChannel made = new CompletionChannel(channel);
      assertThat(made.descriptor()).isEqualTo(descriptor);
      assertThat(made.takeEvent()).isZero();
    } finally {
      CLOSE.countOf(descriptor, 0);
    }
  }

  @Test
  void oneDescriptorWakesAllThatWaitForIt() throws Exception {
    int full = EVENT_DESCRIPTOR.countOf(1, 0);
    try {
      AtomicInteger woken = new AtomicInteger();
      for (int i = 0; i < 2; i++) {
        Poller poller = new Poller();
        poller.add(full, woken::incrementAndGet);
        poller.await(-1);
      }
      assertThat(woken).hasValue(2);
    } finally {
      CLOSE.countOf(full, 0);
    }
  }

  /** If one wake-up is taken with another, those that follow must still be heard. */
  @Test
  void noWakeUpIsLostBehindOthersThatCameAtTheSameTime() throws Exception {
    Poller poller = new Poller();
    AtomicLong asked = new AtomicLong();
    AtomicLong seen = new AtomicLong();
    Thread waiter =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                while (seen.get() >= 0) {
                  poller.await(-1);
                  seen.set(asked.get());
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    for (int round = 0; round < 20_000; round++) {
      long now = 0;
      for (int i = 0; i < 3; i++) {
        now = asked.incrementAndGet();
        poller.wakeup();
      }
      long last = now;
      if (seen.get() < last) {
        await()
            .atMost(PATIENCE)
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(1))
            .until(() -> seen.get() >= last);
      }
    }
    asked.set(-1);
    poller.wakeup();
    waiter.join(PATIENCE);
    assertThat(waiter.isAlive()).isFalse();
  }

  /** Programs have closed descriptors that were not theirs. */
  @Test
  void itsOwnDescriptorsMayBeClosed() throws Exception {
    for (int which = 0; which < 2; which++) {
      Poller poller = new Poller();
      int closed = poller.wakeDescriptor(which);
      CLOSE.countOf(closed, 0);
      poller.wakeup();
      poller.await(-1); // returns, and makes another
      poller.await(0);
      assertThat(Poller.isReadable(poller.wakeDescriptor(which))).isFalse();
      poller.wakeup();
      poller.await(-1);
    }
  }

  /** Its numbers may be others' by then. */
  @Test
  void aClosedOneIsNotWoken() throws Exception {
    int again = 0;
    for (int round = 0; round < 100; round++) {
      Poller poller = new Poller();
      int first = poller.wakeDescriptor(0);
      Thread waker = Thread.ofPlatform().start(poller::wakeup);
      poller.close();
      int next = EVENT_DESCRIPTOR.countOf(0, 0);
      waker.join();
      poller.wakeup();
      try {
        again += next == first ? 1 : 0;
        assertThat(Poller.isReadable(next)).isFalse();
      } finally {
        CLOSE.countOf(next, 0);
      }
    }
    assertThat(again).as("how often a number was used again").isPositive();
  }

  @Test
  void aWatcherOfAClosedDescriptorIsTold() throws Exception {
    int closed = EVENT_DESCRIPTOR.countOf(0, 0);
    Poller poller = new Poller();
    AtomicInteger told = new AtomicInteger();
    poller.add(
        closed,
        () -> {
          told.incrementAndGet();
          poller.remove(closed);
        });
    CLOSE.countOf(closed, 0);
    poller.await(-1);
    assertThat(told).hasValue(1);
    poller.wakeup();
    poller.await(-1);
    assertThat(told).as("only once").hasValue(1);
  }
}
