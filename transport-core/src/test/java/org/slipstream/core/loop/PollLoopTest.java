package org.slipstream.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.stream.RingPeer;
import org.slipstream.core.wait.HeldClock;
import org.slipstream.core.wait.LoadSensor;
import org.slipstream.core.wait.Spinner;
import org.slipstream.core.wait.WaitClock;
import org.slipstream.testkit.Patience;

/** When an event loop polls, asks the kernel, arms and sleeps. */
@Timeout(240)
class PollLoopTest {
  private static final int READ = SelectionKey.OP_READ;
  private static final int WRITE = SelectionKey.OP_WRITE;

  private final HeldClock clock = new HeldClock();
  private final PollLoop<Object> loop = loop(clock);
  private final List<Object> ready = new ArrayList<>();
  private final List<RingPeer> peers = new ArrayList<>();
  private final List<Pipe> pipes = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    loop.close();
    for (RingPeer peer : peers) {
      peer.close();
    }
    for (Pipe pipe : pipes) {
      pipe.sink().close();
      pipe.source().close();
    }
  }

  /** A loop that never spins, as with one core. */
  private static PollLoop<Object> loop(WaitClock clock) {
    try {
      return new PollLoop<>(
          Selector.open(), new Spinner(new LoadSensor(1), 0), DoorbellSource.NONE, clock);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private WatchedStream<Object> add(PollLoop<Object> to, RingPeer peer, int interest)
      throws IOException {
    peers.add(peer);
    WatchedStream<Object> stream = new WatchedStream<>(peer, peer.stream(), interest);
    to.register(stream, peer.stream().tcp());
    to.changed(stream);
    return stream;
  }

  /** A channel that is not ours; readable. */
  private WatchedChannel<Object> addReadablePipe() throws IOException {
    Pipe pipe = Pipe.open();
    pipes.add(pipe);
    pipe.source().configureBlocking(false);
    pipe.sink().write(ByteBuffer.allocate(1));
    WatchedChannel<Object> watched = new WatchedChannel<>(pipe, READ);
    loop.register(watched, pipe.source());
    loop.changed(watched);
    return watched;
  }

  private int dispatch() {
    ready.clear();
    return loop.dispatch((owner, ops) -> ready.add(owner));
  }

  // -- what is waited for ----------------------------------------------------------------------

  /** As with the JDK's keys, and without a round of the loop. */
  @Test
  void whatIsWaitedForOnAPlainChannelTheKernelIsAskedForAtOnce() throws Exception {
    WatchedChannel<Object> pipe = addReadablePipe();
    assertThat(pipe.kernelKey().interestOps()).isEqualTo(READ);
    CompletableFuture.runAsync(
            () -> {
              pipe.interest(0);
              loop.changed(pipe);
            })
        .get();
    assertThat(pipe.kernelKey().interestOps()).isZero();
  }

  /** The space of its TCP connection says nothing of the ring. */
  @Test
  void butOnAStreamWithALinkByTheNextRound() throws Exception {
    WatchedStream<Object> stream = add(loop, RingPeer.receiving(), READ);
    loop.begin();
    stream.interest(0);
    loop.changed(stream);
    assertThat(stream.kernelKey().interestOps()).isEqualTo(READ);
    loop.begin();
    assertThat(stream.kernelKey().interestOps()).isZero();
  }

  /** The program cancels the key of a channel that another thread closes. */
  @Test
  void aChannelThatIsClosedIsAskedForNothing() throws Exception {
    WatchedChannel<Object> pipe = addReadablePipe();
    pipes.getFirst().source().close();
    pipe.interest(0);
    loop.changed(pipe);
    loop.look();
    assertThat(dispatch()).isZero();
  }

  // -- asking the kernel -----------------------------------------------------------------------

  @Test
  void aRingThatIsAlwaysReadyHidesNoOtherChannel() throws Exception {
    WatchedStream<Object> busy = add(loop, RingPeer.receiving(), READ);
    peers.getFirst().send("unread");
    WatchedChannel<Object> pipe = addReadablePipe();
    loop.begin();
    dispatch();
    assertThat(ready).as("by polling alone").containsExactly(busy.owner());
    clock.passes(KernelPoll.POLL_INTERVAL_NS);
    loop.begin();
    dispatch();
    assertThat(ready).as("the kernel was asked a moment ago").containsExactly(busy.owner());
    clock.passes(1);
    loop.begin();
    dispatch();
    assertThat(ready).containsExactlyInAnyOrder(busy.owner(), pipe.owner());
  }

  /** The wait has asked the kernel, but the program took its time behind it. */
  @Test
  void norDoesItInTheRoundBehindAWait() throws Exception {
    WatchedStream<Object> busy = add(loop, RingPeer.receiving(), READ);
    loop.begin();
    loop.await(clock.now(), 1);
    dispatch();
    peers.getFirst().send("unread");
    WatchedChannel<Object> pipe = addReadablePipe();
    clock.passes(KernelPoll.POLL_INTERVAL_NS + 1);
    loop.begin();
    dispatch();
    assertThat(ready).containsExactlyInAnyOrder(busy.owner(), pipe.owner());
  }

  @Test
  void aWaitThatSpinsAsksTheKernelNowAndThen() throws Exception {
    add(loop, RingPeer.receiving(), READ);
    WatchedChannel<Object> pipe = addReadablePipe();
    loop.begin();
    loop.await(clock.now(), 1); // sets when the wait ends, and does not spin on one core
    clock.passes(-1);
    for (int i = 0; i < 100; i++) {
      assertThat(loop.met()).as("the kernel was asked a moment ago").isFalse();
    }
    clock.passes(KernelPoll.POLL_INTERVAL_NS + 2);
    int polls = 1;
    while (!loop.met()) {
      polls++;
    }
    assertThat(polls).isLessThanOrEqualTo(32);
    assertThat(dispatch()).isEqualTo(1);
    assertThat(ready).containsExactly(pipe.owner());
  }

  @Test
  void aLoopWithNothingToPollSleepsInTheKernel() throws Exception {
    WatchedChannel<Object> pipe = addReadablePipe();
    assertThat(loop.begin()).as("streams are polled").isFalse();
    loop.await(clock.now(), Long.MAX_VALUE);
    assertThat(dispatch()).isEqualTo(1);
    assertThat(ready).containsExactly(pipe.owner());
  }

  @Test
  void aRemovedChannelIsForgottenByTheKernelAtTheNextRound() throws Exception {
    WatchedStream<Object> busy = add(loop, RingPeer.receiving(), READ);
    peers.getFirst().send("unread");
    WatchedChannel<Object> pipe = addReadablePipe();
    loop.begin();
    assertThat(loop.owners()).hasSize(2);
    loop.remove(pipe);
    loop.begin();
    assertThat(loop.owners()).containsExactly(busy.owner());
    dispatch();
    assertThat(ready).containsExactly(busy.owner());
  }

  // -- arming and sleeping ---------------------------------------------------------------------

  @Test
  void aStreamThatFellSilentIsFoundByItsDoorbell() throws Exception {
    WatchedStream<Object> stream = add(loop, RingPeer.receiving(), READ);
    RingPeer peer = peers.getFirst();
    loop.begin();
    loop.await(clock.now(), TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(dispatch()).isZero();
    assertThat(loop.begin()).as("armed").isFalse();
    peer.send("y");
    assertThat(peer.doorbells()).isEqualTo(1);
    while (dispatch() == 0) {
      loop.await(clock.now(), Long.MAX_VALUE);
    }
    assertThat(ready).containsExactly(stream.owner());
    assertThat(loop.begin()).as("polled again").isTrue();
  }

  @Test
  void aWaitTooShortForTheKernelArmsNothing() throws Exception {
    add(loop, RingPeer.receiving(), READ);
    loop.begin();
    loop.await(clock.now(), KernelPoll.SHORTEST_SLEEP_NS - 1);
    assertThat(loop.begin()).as("polled").isTrue();
    peers.getFirst().send("y");
    assertThat(peers.getFirst().doorbells()).isZero();
  }

  @Test
  void theInterestIsAppliedBeforeTheLoopSleeps() throws Exception {
    WatchedStream<Object> stream = add(loop, RingPeer.receiving(), 0);
    peers.getFirst().send("unread");
    loop.begin();
    assertThat(dispatch()).isZero();
    stream.interest(READ);
    loop.changed(stream);
    loop.await(clock.now(), Long.MAX_VALUE);
    assertThat(dispatch()).isEqualTo(1);
  }

  @Test
  void aStreamThatWasOutOfSpaceAndIdleLimitsTheSleepOfALoopThatPollsNothing() throws Exception {
    PollLoop<Object> own = loop(WaitClock.SYSTEM);
    try {
      WatchedStream<Object> full = add(own, RingPeer.sendingToAFullRing(WaitClock.SYSTEM), WRITE);
      while (own.begin()) {
        own.dispatch((owner, ops) -> true); // busy, as far as this stream can tell
      }
      // It falls back to TCP although its peer reads nothing, so this ends.
      long deadline = System.nanoTime() + Patience.DEADLINE.toNanos();
      while (own.dispatch((owner, ops) -> owner.equals(full.owner())) == 0) {
        long now = System.nanoTime();
        assertThat(now).as("falls back in time").isLessThan(deadline);
        own.await(now, deadline - now);
      }
      assertThat(full.wantedOfKernel()).as("writable by TCP").isEqualTo(WRITE);
    } finally {
      own.close();
    }
  }

  /** A stream that waits for space is armed in a busy loop; the loop's other streams go on. */
  @Test
  void aLoopThatNeverSleepsLetsAStuckStreamFallBackToTcp() throws Exception {
    PollLoop<Object> own = loop(WaitClock.SYSTEM);
    try {
      WatchedStream<Object> busy = add(own, RingPeer.receiving(), READ);
      peers.getFirst().send("unread");
      WatchedStream<Object> full = add(own, RingPeer.sendingToAFullRing(WaitClock.SYSTEM), WRITE);
      boolean[] found = new boolean[1];
      long deadline = System.nanoTime() + Patience.DEADLINE.toNanos();
      while (!found[0]) {
        assertThat(System.nanoTime()).as("falls back in time").isLessThan(deadline);
        own.begin();
        own.dispatch((owner, ops) -> {
          found[0] |= owner.equals(full.owner());
          return owner.equals(busy.owner());
        });
      }
      assertThat(full.wantedOfKernel()).as("writable by TCP").isEqualTo(WRITE);
    } finally {
      own.close();
    }
  }

  // -- waking ----------------------------------------------------------------------------------

  @Test
  void aWakeupEndsThisWaitOrTheNextOne() throws Exception {
    loop.wakeup();
    assertThat(loop.mustReturn()).isTrue();
    loop.await(clock.now(), Long.MAX_VALUE);
    loop.clearWakeup();
    assertThat(loop.mustReturn()).isFalse();
    CompletableFuture<Void> waker = CompletableFuture.runAsync(loop::wakeup);
    while (!loop.mustReturn()) {
      loop.await(clock.now(), Long.MAX_VALUE);
    }
    waker.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aStreamThatChangesByItselfEndsTheWait() throws Exception {
    WatchedStream<Object> stream = add(loop, RingPeer.receiving(), READ);
    RingPeer peer = peers.getFirst();
    loop.begin();
    loop.await(clock.now(), TimeUnit.MILLISECONDS.toNanos(1));
    CompletableFuture<Void> other =
        CompletableFuture.runAsync(() -> {
          try {
            peer.stream().shutdownInput();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    while (dispatch() == 0) {
      loop.await(clock.now(), Long.MAX_VALUE);
    }
    assertThat(ready).containsExactly(stream.owner());
    other.get(60, TimeUnit.SECONDS);
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    add(loop, RingPeer.receiving(), READ);
    loop.begin();
    Thread.currentThread().interrupt();
    loop.await(clock.now(), Long.MAX_VALUE);
    assertThat(loop.mustReturn()).isTrue();
    assertThat(loop.met()).isTrue();
    assertThat(Thread.interrupted()).isTrue();
  }

  // -- dispatching -----------------------------------------------------------------------------

  @Test
  void aHandlerThatThrowsLosesNoOtherReport() throws Exception {
    addReadablePipe();
    addReadablePipe();
    loop.begin();
    loop.look();
    List<Object> handled = new ArrayList<>();
    assertThatThrownBy(() ->
            loop.dispatch((owner, ops) -> {
              handled.add(owner);
              throw new IllegalStateException("of the program");
            }))
        .hasMessage("of the program");
    dispatch();
    assertThat(handled).hasSize(1);
    assertThat(ready).hasSize(1).doesNotContainAnyElementsOf(handled);
  }

  @Test
  void aChannelThatAHandlerRemovesIsNotHandledAnyMore() throws Exception {
    WatchedStream<Object> first = add(loop, RingPeer.receiving(), READ);
    WatchedStream<Object> second = add(loop, RingPeer.receiving(), READ);
    for (RingPeer peer : peers) {
      peer.send("y");
    }
    loop.begin();
    int n =
        loop.dispatch((owner, ops) -> {
          loop.remove(owner.equals(first.owner()) ? second : first);
          return true;
        });
    assertThat(n).isEqualTo(1);
  }

  /** A doorbell and its bytes are one event. */
  @Test
  void aStreamIsHandledOnceInARound() throws Exception {
    WatchedStream<Object> stream = add(loop, RingPeer.receiving(), READ);
    loop.begin();
    loop.await(clock.now(), TimeUnit.MILLISECONDS.toNanos(1));
    peers.getFirst().send("unread");
    List<Object> handled = new ArrayList<>();
    while (handled.isEmpty()) {
      loop.await(clock.now(), Long.MAX_VALUE);
      loop.dispatch((owner, ops) -> handled.add(owner));
    }
    assertThat(handled).containsExactly(stream.owner());
  }

  @Test
  void theKernelIsNotAskedAboutAChannelThatWasClosed() throws Exception {
    WatchedChannel<Object> pipe = addReadablePipe();
    loop.begin();
    pipes.getFirst().source().close();
    pipe.interest(0);
    loop.apply(pipe);
    loop.look();
    assertThat(dispatch()).isZero();
  }
}
