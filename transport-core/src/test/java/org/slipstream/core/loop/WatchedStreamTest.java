package org.slipstream.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.SelectionKey;
import org.junit.jupiter.api.Test;
import org.slipstream.core.stream.RingPeer;
import org.slipstream.core.wait.HeldClock;

/** What ring and TCP connection of one stream say together. */
class WatchedStreamTest {
  private static final int READ = SelectionKey.OP_READ;
  private static final int WRITE = SelectionKey.OP_WRITE;

  private static WatchedStream<RingPeer> watched(RingPeer peer, int interest) {
    return new WatchedStream<>(peer, peer.stream(), interest);
  }

  @Test
  void withoutALinkTheKernelTellsEverything() throws Exception {
    try (RingPeer peer = RingPeer.withoutLink()) {
      WatchedStream<RingPeer> stream = watched(peer, READ);
      assertThat(stream.wantedOfKernel()).isEqualTo(READ);
      assertThat(stream.ready(READ | WRITE)).as("masked by the interest").isEqualTo(READ);
      assertThat(stream.ready(0)).isZero();
      assertThat(stream.waitsOnRing()).isFalse();
      assertThat(stream.arm()).isEqualTo(Long.MAX_VALUE);
    }
  }

  @Test
  void theRingSaysWhatCanBeReadAndTheKernelIsAskedForTheDoorbell() throws Exception {
    try (RingPeer peer = RingPeer.receiving()) {
      WatchedStream<RingPeer> stream = watched(peer, READ | WRITE);
      assertThat(stream.wantedOfKernel()).as("not sending through a ring").isEqualTo(READ | WRITE);
      assertThat(stream.waitsOnRing()).isTrue();
      assertThat(stream.ready(WRITE)).isEqualTo(WRITE);
      peer.send("y");
      assertThat(stream.looksReady()).isTrue();
      assertThat(stream.ready(0)).isEqualTo(READ);
    }
  }

  @Test
  void aFullRingIsNotWritableWhateverTheKernelSays() throws Exception {
    try (RingPeer peer = RingPeer.sendingToAFullRing(new HeldClock())) {
      WatchedStream<RingPeer> stream = watched(peer, READ | WRITE);
      assertThat(stream.wantedOfKernel()).isEqualTo(READ);
      assertThat(stream.ready(WRITE)).isZero();
      peer.drain();
      assertThat(stream.ready(0)).isEqualTo(WRITE);
    }
  }

  /** Or the next sleep would end at once, with nothing to read. */
  @Test
  void aDoorbellThatWasReportedBesideDataIsTakenBeforeTheNextSleep() throws Exception {
    try (RingPeer peer = RingPeer.receiving()) {
      WatchedStream<RingPeer> stream = watched(peer, READ);
      assertThat(stream.arm()).isEqualTo(Long.MAX_VALUE);
      peer.send("y");
      assertThat(peer.doorbells()).isEqualTo(1);
      assertThat(stream.ready(READ)).isEqualTo(READ);
      peer.read(1);
      org.awaitility.Awaitility.await().until(() -> stream.arm() == Long.MAX_VALUE);
      assertThat(peer.unreadByKernel()).as("control bytes").isZero();
    }
  }

  @Test
  void whatIsNotWaitedForIsNotReady() throws Exception {
    try (RingPeer peer = RingPeer.receiving()) {
      WatchedStream<RingPeer> stream = watched(peer, 0);
      peer.send("y");
      assertThat(stream.looksReady()).isFalse();
      assertThat(stream.ready(READ | WRITE)).isZero();
      assertThat(stream.interest(WRITE)).isZero();
      assertThat(stream.addInterest(READ)).isEqualTo(WRITE);
      assertThat(stream.keepInterest(READ)).isEqualTo(READ | WRITE);
      assertThat(stream.ready(0)).isEqualTo(READ);
    }
  }
}
