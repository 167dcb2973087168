package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.transport.MemoryBudget;

/** What a message costs, and in which order its requests are. */
@Timeout(60)
class RdmaLinkTest {
  private static final int DEPTH = 16;
  private static final int RING = 256 * 1024;
  private static final long PEER_CONTROL = 1 << 20;
  private static final long PEER_RING = 2 << 20;
  private static final long SEALED = -1L;

  private final Arena arena = Arena.ofShared();
  private final QuietDevice device = new QuietDevice(DEPTH, 256);
  private final SendQueue queue =
      new SendQueue(
          device,
          device,
          arena.allocate(SendQueue.scratchBytes(DEPTH, 256)),
          QuietDevice.memory(),
          256,
          false,
          cause -> {},
          () -> {});
  private final List<Runnable> background = new ArrayList<>();
  private final PinDownCache pins =
      new PinDownCache(
          queue.lock, memory -> QuietDevice.memory(), background::add, queue::isDone, 1 << 24, 1);
  private final RdmaLink link = link(RdmaOrder.TRUSTED);

  private RdmaLink link(RdmaOrder order) {
    try {
      Slab windows = new Slab(1, RING, memory -> QuietDevice.memory(), new MemoryBudget(1 << 24));
      Slab staging = new Slab(1, RING, memory -> QuietDevice.memory(), new MemoryBudget(1 << 24));
      RdmaWindow own = new RdmaWindow(() -> true, windows, windows.take(), order);
      WindowDescriptor peer = new WindowDescriptor(PEER_CONTROL, PEER_RING, 2, RING, order);
      return new RdmaLink(queue, pins, own, peer, staging, staging.take());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** What the device was given since the last time, and how many calls that took. */
  private List<String> taken() {
    List<String> all =
        new ArrayList<>(
            device.writes.stream().map(w -> place(w.remote()) + "+" + w.length()).toList());
    all.addAll(Collections.nCopies(device.calls, "submit"));
    device.forget();
    return all;
  }

  private static String place(long remote) {
    return remote >= PEER_RING
        ? "ring " + (remote - PEER_RING)
        : "control " + (remote - PEER_CONTROL);
  }

  private void plain(int offset, long value) {
    link.sendControl().set(JAVA_LONG, offset, value);
  }

  @AfterEach
  void close() {
    arena.close();
  }

  @Test
  void aMessageOfTheMailboxIsOneWrite() {
    plain(8, 5); // echo
    plain(16, 77); // inline
    for (int at = 40; at < 40 + 64; at += Long.BYTES) {
      plain(at, at);
    }
    link.publish(0, SEALED);
    assertThat(taken()).containsExactly("control 0+104", "submit");
  }

  @Test
  void whatDidNotChangeDoesNotTravelAgain() {
    plain(16, 77);
    plain(40, 1);
    link.publish(0, SEALED);
    taken();
    plain(16, 78);
    link.publish(0, SEALED - 1);
    assertThat(taken()).containsExactly("control 0+24", "submit");
  }

  @Test
  void bytesOfTheRingAndTheirPositionAreTwoWritesInOneCall() {
    link.push(0, 1000);
    plain(8, 5);
    link.publish(0, 1000);
    assertThat(taken()).containsExactly("ring 0+1000", "control 0+16", "submit");
  }

  @Test
  void bytesOverTheEndOfTheRingAreTwoPieces() {
    link.push(0, RING - 100);
    link.publish(0, RING - 100);
    taken();
    link.push(RING - 100, 100);
    link.push(0, 50);
    link.publish(0, RING + 50);
    assertThat(taken())
        .containsExactly("ring " + (RING - 100) + "+100", "ring 0+50", "control 0+8", "submit");
  }

  @Test
  void aZeroCopyBufferIsOneWriteHoweverLongItIs() {
    ByteBuffer zeroCopied = ByteBuffer.allocateDirect(RING / 2);
    assertThat(link.pushFrom(zeroCopied, 0, 0, RING / 2)).as("seen for the first time").isFalse();
    assertThat(link.pushFrom(zeroCopied, 0, 0, RING / 2)).as("is being registered").isFalse();
    background.forEach(Runnable::run);
    assertThat(link.pushFrom(zeroCopied, 0, 0, RING / 2)).isTrue();
    link.publish(0, RING / 2);
    assertThat(taken()).containsExactly("ring 0+" + RING / 2, "control 0+8", "submit");
  }

  @Test
  void bytesBeforeAZeroCopyBufferGoFirst() {
    ByteBuffer zeroCopied = ByteBuffer.allocateDirect(1000);
    link.pushFrom(zeroCopied, 0, 0, 1000);
    link.pushFrom(zeroCopied, 0, 0, 1000);
    background.forEach(Runnable::run);
    link.push(0, 10);
    assertThat(link.pushFrom(zeroCopied, 0, 10, 1000)).isTrue();
    device.completeAll();
    link.awaitTaken(); // nothing was published yet
    assertThat(taken()).containsExactly("ring 0+10", "ring 10+1000", "submit");
  }

  /**
   * A small message waits for room, and before there is some the next one takes the place of its
   * position: it is in the ring and not sealed, so its position must come behind the mailbox.
   */
  @Test
  void aPositionThatIsNotSelfValidatingNeverGoesWithTheMailbox() {
    for (int i = 0; i < DEPTH; i++) {
      link.publish(0, 20);
    }
    taken();
    plain(16, 77);
    plain(40, 1);
    link.publish(0, SEALED);
    link.push(20, 50);
    plain(8, 5);
    link.publish(0, 70);
    assertThat(taken()).as("no room").doesNotContain("control 0+8");
    device.completeAll();
    queue.lock.lock();
    try {
      queue.resume();
    } finally {
      queue.lock.unlock();
    }
    assertThat(taken()).containsExactly("ring 20+50", "control 8+40", "control 0+8", "submit");
  }

  /** Of a queue pair that is destroyed by then. */
  @Test
  void nothingIsSubmittedOnceTheQueueHasEnded() {
    ByteBuffer zeroCopied = ByteBuffer.allocateDirect(1000);
    link.pushFrom(zeroCopied, 0, 0, 1000);
    link.pushFrom(zeroCopied, 0, 0, 1000);
    background.forEach(Runnable::run);
    assertThat(link.pushFrom(zeroCopied, 0, 0, 1000)).isTrue();
    queue.lock.lock();
    try {
      queue.end();
    } finally {
      queue.lock.unlock();
    }
    queue.fence();
    link.publish(0, 1000);
    link.awaitTaken();
    assertThat(taken()).containsExactly("ring 0+1000");
  }

  /** Words behind the first lines have no order with plain stores unless they are kept apart. */
  @Test
  void plainWordsGoBeforeAWordOfAnotherLine() {
    plain(8, 5);
    link.publish(128, 9);
    assertThat(taken()).containsExactly("control 8+8", "control 128+8", "submit");
  }

  @Test
  void aSourceThatFailedPushesTheSamePlaceAgain() {
    link.push(0, 100); // and nothing was published
    link.push(0, 60);
    link.publish(0, 60);
    assertThat(taken()).containsExactly("ring 0+60", "control 0+8", "submit");
  }

  private void completeAndResume() {
    device.completeAll();
    queue.lock.lock();
    try {
      queue.completed();
    } finally {
      queue.lock.unlock();
    }
  }

  @Test
  void aPositionWaitsForItsBytesWhereTheFabricKeepsNoOrder() {
    RdmaLink careful = link(RdmaOrder.COMPLETED);
    careful.push(0, 1000);
    careful.publish(0, 1000);
    assertThat(taken()).containsExactly("ring 0+1000", "submit");
    assertThat(device.notifications).as("an event will say when").isPositive();
    careful.push(1000, 500);
    careful.publish(0, 1500);
    assertThat(taken()).as("bytes do not wait").containsExactly("ring 1000+500", "submit");
    completeAndResume();
    assertThat(taken()).as("1000, as 1500 came later").containsExactly("control 0+8", "submit");
    completeAndResume();
    assertThat(taken()).containsExactly("control 0+8", "submit");
    completeAndResume();
    assertThat(taken()).isEmpty();
  }

  @Test
  void aMessageOfTheMailboxWaitsForNothing() {
    RdmaLink careful = link(RdmaOrder.COMPLETED);
    for (int i = 0; i < 3; i++) {
      careful.sendControl().set(JAVA_LONG, 16, 77 + i);
      careful.publish(0, SEALED - i);
      assertThat(taken()).containsExactly("control 0+24", "submit");
    }
  }

  /** An older credit, placed over a newer one, would be a writer that starves. */
  @Test
  void aWordWaitsForItsOwnLastWrite() {
    for (RdmaOrder order : List.of(RdmaOrder.CHECKSUMMED, RdmaOrder.COMPLETED)) {
      RdmaLink careful = link(order);
      careful.publish(24, 100);
      assertThat(taken()).containsExactly("control 24+8", "submit");
      careful.publish(24, 200);
      careful.publish(24, 300);
      assertThat(taken()).isEmpty();
      completeAndResume();
      assertThat(taken()).as("300, once").containsExactly("control 24+8", "submit");
      completeAndResume();
    }
  }

  @Test
  void theFinalPositionComesBehindTheLastOne() {
    RdmaLink careful = link(RdmaOrder.COMPLETED);
    careful.push(0, 1000);
    careful.publish(0, 1000);
    careful.publish(136, 1001);
    assertThat(taken()).containsExactly("ring 0+1000", "submit");
    completeAndResume();
    assertThat(taken()).containsExactly("control 0+8", "submit");
    careful.release(); // the last words still go, as the peer waits for them
    completeAndResume();
    assertThat(taken()).containsExactly("control 136+8", "submit");
  }

  @Test
  void aChecksumNeedsNoOrderWithItsBytes() {
    RdmaLink careful = link(RdmaOrder.CHECKSUMMED);
    assertThat(careful.needsChecksum()).isTrue();
    assertThat(careful.needsSelfValidation()).isFalse();
    assertThat(careful.losesStores()).as("a reader with a pending check stays awake").isFalse();
    careful.push(0, 1000);
    careful.publish(0, 1000);
    assertThat(taken()).containsExactly("ring 0+1000", "control 0+8", "submit");
  }

  private static final int CREDIT = 24;
  private static final int ARMED = 32;

  @Test
  void anArmingThatIsTakenBackTravelsWithTheNextCredit() {
    link.publishInt(ARMED, 3);
    assertThat(taken()).containsExactly("control 32+8", "submit");
    link.publishIntLater(ARMED, 0);
    assertThat(taken()).isEmpty();
    link.publish(CREDIT, 1000);
    assertThat(taken()).containsExactly("control 24+16", "submit");
  }

  @Test
  void orWithTheNextMessage() {
    link.publishInt(ARMED, 3);
    taken();
    link.publishIntLater(ARMED, 0);
    plain(16, 77); // inline
    plain(40, 1);
    link.publish(0, SEALED);
    assertThat(taken()).containsExactly("control 0+48", "submit");
  }

  /** Words behind the message are no part of what may be seen in any order. */
  @Test
  void butNotAMessageWithTheCredit() {
    link.publishInt(ARMED, 3);
    taken();
    link.publishIntLater(ARMED, 0);
    plain(40, 1);
    link.publish(CREDIT, 1000);
    assertThat(taken()).containsExactly("control 32+16", "control 24+8", "submit");
  }

  @Test
  void whereWordsWaitForTheirGatesItTravelsAtOnce() {
    RdmaLink placed = link(RdmaOrder.COMPLETED);
    placed.publishInt(ARMED, 3);
    device.forget();
    placed.publishIntLater(ARMED, 0);
    device.complete();
    queue.lock.lock();
    try {
      queue.completed();
    } finally {
      queue.lock.unlock();
    }
    assertThat(taken()).contains("control 32+8");
  }
}
