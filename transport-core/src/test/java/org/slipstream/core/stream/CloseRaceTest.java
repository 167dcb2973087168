package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/** A stream that is closed while another thread is inside, or looks at it afterwards. */
@Timeout(240)
class CloseRaceTest {
  private static final int ROUNDS = 500;

  private static Bench accelerated() throws IOException {
    Bench b = Bench.client().nonBlocking().attached();
    b.stream.nudge();
    b.peerSwitchesAt(0);
    b.toRing("x");
    assertThat(b.readFully(1)).isEqualTo("x");
    return b;
  }

  private static void closeFromAnotherThread(Bench b) {
    CompletableFuture.runAsync(
            () -> {
              try {
                b.stream.close(false);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            })
        .join();
  }

  @Test
  void aWriterInsideGivesTheLinkBackWhenItLeaves() throws Exception {
    try (Bench b = accelerated()) {
      ((HeapLink) b.link.link()).inFence(() -> onceClosed(b));
      b.write("bytes", false);
      assertThat(b.unused.get()).isEqualTo(1);
    }
  }

  @Test
  void aSelectorInsideGivesTheLinkBackWhenItLeaves() throws Exception {
    try (Bench b = accelerated()) {
      ((HeapLink) b.link.link()).inFence(() -> onceClosed(b));
      b.stream.readiness().armForRead();
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(b.unused.get()).isEqualTo(1));
    }
  }

  private static void onceClosed(Bench b) {
    ((HeapLink) b.link.link()).inFence(() -> {});
    closeFromAnotherThread(b);
  }

  /** The closer waits inside, for the write lock or for the medium; a selector may sleep. */
  @Test
  void aSelectorSleepsWhileACloseWaits() throws Exception {
    try (Bench b = accelerated();
        ExecutorService closer = Executors.newSingleThreadExecutor()) {
      b.write("bytes", false);
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch mayGoOn = new CountDownLatch(1);
      ((HeapLink) b.link.link())
          .lossy()
          .inFence(() -> {
            inside.countDown();
            awaitQuietly(mayGoOn);
          });
      Future<?> closing =
          closer.submit(() -> {
            b.stream.close(false);
            return null;
          });
      try {
        assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(b.stream.isOpen()).isFalse();
        b.wireAndWait(ControlBytes.DOORBELL);
        assertThat(b.stream.readiness().absorb())
            .as("a doorbell is taken and is no data")
            .isFalse();
        assertThat(b.stream.readiness().armForSpace()).as("may sleep").isPositive();
        ((HeapLink) b.link.link()).inFence(() -> {});
        assertThat(b.stream.readiness().armForRead()).as("may sleep").isTrue();
      } finally {
        mayGoOn.countDown();
        closing.get(60, TimeUnit.SECONDS);
      }
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aSelectorThatComesTooLateDoesNotTouchTheWindow() throws Exception {
    try (Bench b = accelerated()) {
      b.stream.close(false);
      assertThat(b.unused.get()).isEqualTo(1);
      // The window is another stream's now.
      b.peer.link().receiveControl().fill((byte) 0);
      b.stream.readiness().armForRead();
      b.stream.readiness().armForSpace();
      b.stream.readiness().absorb();
      assertThat(b.peer.link().receiveControl().get(ValueLayout.JAVA_INT, ControlLayout.ARMED))
          .isZero();
    }
  }

  /** With two cores jcstress runs two actors at most; this race has three. */
  @Test
  void aReaderAndAWriterThatLeaveAtTheSameMomentGiveTheLinkBackOnce() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (int i = 0; i < ROUNDS; i++) {
        Bench b = accelerated();
        CyclicBarrier start = new CyclicBarrier(3);
        Future<?> reader = threads.submit(inside(start, () -> b.read(1, false)));
        Future<?> writer = threads.submit(inside(start, () -> b.write("bytes", false)));
        start.await();
        b.close();
        reader.get();
        writer.get();
        assertThat(b.unused.get()).as("round " + i).isEqualTo(1);
      }
    }
  }

  private static Callable<@Nullable IOException> inside(CyclicBarrier start, IoAction action) {
    return () -> {
      start.await();
      try {
        action.run();
      } catch (IOException e) {
        return e; // closed meanwhile, which is what this is about
      }
      return null;
    };
  }
}
