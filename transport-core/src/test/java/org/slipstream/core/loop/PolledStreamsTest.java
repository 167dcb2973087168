package org.slipstream.core.loop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.stream.RingPeer;
import org.slipstream.core.wait.HeldClock;

/** Which streams an event loop goes on polling; the test is the loop and the peers. */
class PolledStreamsTest {
  private final HeldClock clock = new HeldClock();
  private final Selector selector = Selector.open();
  private final PolledStreams<RingPeer> polled =
      new PolledStreams<>(clock, DoorbellSource.NONE, selector);
  private final List<RingPeer> peers = new ArrayList<>();

  PolledStreamsTest() throws IOException {}

  @AfterEach
  void close() throws Exception {
    selector.close();
    for (RingPeer peer : peers) {
      peer.close();
    }
  }

  private WatchedStream<RingPeer> receiving() throws Exception {
    return polled(RingPeer.receiving(), SelectionKey.OP_READ);
  }

  private WatchedStream<RingPeer> polled(RingPeer peer, int interest) {
    peers.add(peer);
    WatchedStream<RingPeer> stream = new WatchedStream<>(peer, peer.stream(), interest);
    polled.add(stream);
    return stream;
  }

  /** A round of a busy loop: some other stream was ready. */
  private void round() {
    for (int i = 0; i < polled.size(); i++) {
      WatchedStream<RingPeer> stream = polled.get(i);
      stream.misses = stream.ready(0) == 0 ? stream.misses + 1 : 0;
    }
    polled.armIdle();
  }

  @Test
  void aStreamThatFellSilentBecomesArmed() throws Exception {
    WatchedStream<RingPeer> stream = receiving();
    for (int i = 0; i < PolledStreams.missesAllowed(1); i++) {
      round();
      assertThat(polled.size()).isEqualTo(1);
    }
    round();
    assertThat(polled.isEmpty()).isTrue();
    stream.owner().send("y");
    assertThat(stream.owner().doorbells()).as("armed").isEqualTo(1);
  }

  @Test
  void theBusyOnesStayPolledWhereverTheyAreInTheList() throws Exception {
    List<WatchedStream<RingPeer>> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      all.add(receiving());
    }
    WatchedStream<RingPeer> busy = all.get(2);
    busy.owner().send("unread");
    for (int i = 0; i <= PolledStreams.missesAllowed(all.size()); i++) {
      round();
    }
    assertThat(polled.size()).isEqualTo(1);
    assertThat(polled.get(0)).isSameAs(busy);
  }

  @Test
  void theMoreThereAreTheSoonerASilentOneBecomesArmed() {
    assertThat(PolledStreams.missesAllowed(1)).isEqualTo(256);
    assertThat(PolledStreams.missesAllowed(10)).isEqualTo(256);
    for (int size = 1; size < 20_000; size++) {
      assertThat((long) PolledStreams.missesAllowed(size) * size)
          .isLessThanOrEqualTo(Math.max(4_096, 16L * size));
      assertThat(PolledStreams.missesAllowed(size))
          .isLessThanOrEqualTo(PolledStreams.missesAllowed(size - 1));
    }
  }

  @Test
  void aStreamOfABusyCrowdIsNotArmedBecauseTheLoopWasEarly() {
    assertThat(PolledStreams.missesAllowed(1_000)).isEqualTo(16);
    assertThat(PolledStreams.missesAllowed(10_000)).isEqualTo(16);
    assertThat(PolledStreams.missesAllowed(1_000_000)).isEqualTo(16);
  }

  @Test
  void aCrowdIsNotSpunOver() throws Exception {
    receiving();
    assertThat(polled.worthSpinning()).isTrue();
    assertThat(PolledStreams.fewEnoughToSpin(1_000)).isTrue();
    assertThat(PolledStreams.fewEnoughToSpin(10_000)).isFalse();
  }

  @Test
  void aStreamWithoutALinkIsNotPolled() throws Exception {
    polled(RingPeer.withoutLink(), SelectionKey.OP_READ);
    assertThat(polled.isEmpty()).isTrue();
  }

  @Test
  void aSleepIsPreparedByArmingAllUnlessBytesHaveCome() throws Exception {
    WatchedStream<RingPeer> first = receiving();
    WatchedStream<RingPeer> second = receiving();
    first.owner().send("unread");
    assertThat(polled.armAll(Long.MAX_VALUE)).as("something came").isZero();
    assertThat(polled.get(0)).as("still polled").isSameAs(first);
    second.owner().send("y");
    assertThat(second.owner().doorbells()).as("armed before").isEqualTo(1);
    first.owner().read(6);
    assertThat(polled.armAll(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(polled.isEmpty()).isTrue();
  }

  /** The list may be walked by index while a handler removes streams. */
  @Test
  void aStreamThatLeavesStaysInTheListUntilTheEndOfTheRound() throws Exception {
    WatchedStream<RingPeer> gone = receiving();
    WatchedStream<RingPeer> stays = receiving();
    gone.leave();
    assertThat(polled.size()).isEqualTo(2);
    round();
    assertThat(polled.size()).isEqualTo(1);
    assertThat(polled.get(0)).isSameAs(stays);
    polled.add(gone);
    assertThat(polled.size()).as("gone for good").isEqualTo(1);
  }

  // -- streams without space -------------------------------------------------------------------

  @Test
  void aStreamWithoutSpaceLimitsTheSleep() throws Exception {
    polled(RingPeer.sendingToAFullRing(clock), SelectionKey.OP_WRITE);
    assertThat(polled.armAll(Long.MAX_VALUE)).isEqualTo(MILLISECONDS.toNanos(20));
    assertThat(polled.isEmpty()).isTrue();
    polled.pollStarved();
    assertThat(polled.size()).as("polled again after the sleep").isEqualTo(1);
  }

  /** The peer's switch marker is unread for long: the stream asks for a look in a nanosecond. */
  @Test
  void aLoopNeverGoesRoundAndRoundForAStreamWithoutSpace() throws Exception {
    polled(RingPeer.sendingToAFullRing(clock), SelectionKey.OP_WRITE);
    assertThat(polled.armAll(Long.MAX_VALUE)).isPositive();
    clock.passes(
        MILLISECONDS.toNanos(25)); // longer than a peer that has read the marker is committed
    polled.pollStarved();
    assertThat(polled.armAll(Long.MAX_VALUE)).isEqualTo(PolledStreams.SHORTEST_WAIT_NS);
  }

  @Test
  void aStreamWithoutSpaceThatShouldFallBackKeepsTheLoopAwake() throws Exception {
    polled(RingPeer.sendingToAFullRing(clock), SelectionKey.OP_WRITE);
    assertThat(polled.armAll(Long.MAX_VALUE)).isPositive();
    clock.passes(MILLISECONDS.toNanos(100)); // that is committed to a peer that has not read it
    polled.pollStarved();
    assertThat(polled.armAll(Long.MAX_VALUE)).isZero();
  }

  @Test
  void aLoopNeverGoesRoundAndRoundForALock() throws Exception {
    WatchedStream<RingPeer> stream =
        polled(RingPeer.sendingToAFullRing(clock), SelectionKey.OP_WRITE);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    CompletableFuture<Void> holder =
        CompletableFuture.runAsync(() -> {
          try {
            stream.owner().stream()
                .exclusively(() -> {
                  inside.countDown();
                  awaitQuietly(mayGoOn);
                });
          } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
    try {
      awaitQuietly(inside);
      assertThat(polled.armAll(Long.MAX_VALUE)).isEqualTo(PolledStreams.SHORTEST_WAIT_NS);
    } finally {
      mayGoOn.countDown();
      holder.get(60, TimeUnit.SECONDS);
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
  void aLoopThatNeverSleepsPollsAStreamWithoutSpaceWhenItIsDue() throws Exception {
    WatchedStream<RingPeer> stream =
        polled(RingPeer.sendingToAFullRing(clock), SelectionKey.OP_WRITE);
    for (int i = 0; i <= PolledStreams.missesAllowed(1); i++) {
      round();
    }
    assertThat(polled.isEmpty()).isTrue();
    polled.pollStarvedIfDue(clock.now());
    assertThat(polled.isEmpty()).as("not yet").isTrue();
    clock.passes(20_000_000);
    polled.pollStarvedIfDue(clock.now());
    assertThat(polled.size()).isEqualTo(1);
    assertThat(polled.get(0)).isSameAs(stream);
  }

  @Test
  void aStreamWithoutSpaceThatLeftIsForgotten() throws Exception {
    WatchedStream<RingPeer> stream =
        polled(RingPeer.sendingToAFullRing(clock), SelectionKey.OP_WRITE);
    polled.armAll(Long.MAX_VALUE);
    stream.leave();
    polled.pollStarved();
    assertThat(polled.isEmpty()).isTrue();
  }
}
