package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.verbs.Completions;
import org.slipstream.rdma.verbs.QueuePair;
import org.slipstream.rdma.verbs.RemoteMemory;
import org.slipstream.rdma.verbs.WorkQueue;
import org.slipstream.transport.MemoryBudget;

/** What a message costs, and in which order its requests are. */
class RdmaLinkTest {
  private static final int RING = 256 * 1024;
  private static final long PEER_CONTROL = 1 << 20;
  private static final long PEER_RING = 2 << 20;
  private static final long SEALED = -1L;

  private final Arena arena = Arena.ofShared();
  private final Device device = new Device();
  private final SendQueue queue =
      new SendQueue(
          device,
          device,
          arena.allocate(SendQueue.scratchBytes(Device.DEPTH)),
          new Memory(),
          256,
          false,
          cause -> {},
          () -> {});
  private final List<Runnable> background = new ArrayList<>();
  private final PinDownCache pins =
      new PinDownCache(
          queue.lock, memory -> new Memory(), background::add, queue::isDone, 1 << 24, 1);
  private final RdmaLink link = link();

  private static final class Memory implements RemoteMemory {
    @Override
    public int localKey() {
      return 1;
    }

    @Override
    public int remoteKey() {
      return 2;
    }

    @Override
    public void close() {}
  }

  /** Notes each request, and each call that gives requests to the device. */
  private static final class Device implements WorkQueue, Completions {
    static final int DEPTH = 8;

    private final List<String> seen = new ArrayList<>();
    private long last;
    private boolean silent;
    private long done;

    @Override
    public QueuePair.Capacity capacity() {
      return new QueuePair.Capacity(DEPTH, DEPTH, 256);
    }

    @Override
    public int write(
        long id,
        long local,
        int length,
        int localKey,
        long remote,
        int remoteKey,
        boolean inline,
        boolean signaled) {
      last = id;
      seen.add(
          (remote >= PEER_RING
                  ? "ring " + (remote - PEER_RING)
                  : "control " + (remote - PEER_CONTROL))
              + "+"
              + length);
      return 0;
    }

    @Override
    public int read(long id, long local, int length, int localKey, long remote, int remoteKey) {
      throw new UnsupportedOperationException("no look, no sleep");
    }

    @Override
    public int send(long id, long local, int length, int localKey, boolean signaled) {
      throw new UnsupportedOperationException("no frames");
    }

    @Override
    public int submit() {
      if (!seen.isEmpty() && !seen.getLast().equals("submit")) {
        seen.add("submit");
      }
      return 0;
    }

    @Override
    public int poll() {
      if (silent || done >= last) {
        return 0;
      }
      done = last;
      return 1;
    }

    @Override
    public void requestNotify() {}

    @Override
    public long id(int i) {
      return done;
    }

    @Override
    public boolean isSuccess(int i) {
      return true;
    }

    @Override
    public String status(int i) {
      return "";
    }

    List<String> taken() {
      List<String> all = List.copyOf(seen);
      seen.clear();
      return all;
    }
  }

  private RdmaLink link() {
    try {
      Slab windows = new Slab(1, RING, memory -> new Memory(), new MemoryBudget(1 << 24));
      Slab staging = new Slab(1, RING, memory -> new Memory(), new MemoryBudget(1 << 24));
      RdmaWindow own = new RdmaWindow(() -> true, windows, windows.take());
      WindowDescriptor peer = new WindowDescriptor(PEER_CONTROL, PEER_RING, 2, RING);
      return new RdmaLink(queue, pins, own, peer, staging, staging.take());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
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
    assertThat(device.taken()).containsExactly("control 0+104", "submit");
  }

  @Test
  void whatDidNotChangeDoesNotTravelAgain() {
    plain(16, 77);
    plain(40, 1);
    link.publish(0, SEALED);
    device.taken();
    plain(16, 78);
    link.publish(0, SEALED - 1);
    assertThat(device.taken()).containsExactly("control 0+24", "submit");
  }

  @Test
  void bytesOfTheRingAndTheirPositionAreTwoWritesInOneCall() {
    link.push(0, 1000);
    plain(8, 5);
    link.publish(0, 1000);
    assertThat(device.taken()).containsExactly("ring 0+1000", "control 0+16", "submit");
  }

  @Test
  void bytesOverTheEndOfTheRingAreTwoPieces() {
    link.push(0, RING - 100);
    link.publish(0, RING - 100);
    device.taken();
    link.push(RING - 100, 100);
    link.push(0, 50);
    link.publish(0, RING + 50);
    assertThat(device.taken())
        .containsExactly("ring " + (RING - 100) + "+100", "ring 0+50", "control 0+8", "submit");
  }

  @Test
  void aLentBufferIsOneWriteHoweverLongItIs() {
    ByteBuffer lent = ByteBuffer.allocateDirect(RING / 2);
    assertThat(link.pushFrom(lent, 0, 0, RING / 2)).as("seen for the first time").isFalse();
    assertThat(link.pushFrom(lent, 0, 0, RING / 2)).as("is being registered").isFalse();
    background.forEach(Runnable::run);
    assertThat(link.pushFrom(lent, 0, 0, RING / 2)).isTrue();
    link.publish(0, RING / 2);
    assertThat(device.taken()).containsExactly("ring 0+" + RING / 2, "control 0+8", "submit");
  }

  @Test
  void bytesBeforeALentBufferGoFirst() {
    ByteBuffer lent = ByteBuffer.allocateDirect(1000);
    link.pushFrom(lent, 0, 0, 1000);
    link.pushFrom(lent, 0, 0, 1000);
    background.forEach(Runnable::run);
    link.push(0, 10);
    assertThat(link.pushFrom(lent, 0, 10, 1000)).isTrue();
    link.awaitTaken(); // nothing was published yet
    assertThat(device.taken()).containsExactly("ring 0+10", "ring 10+1000", "submit");
  }

  /**
   * A small message waits for room, and before there is some the next one takes the place of its
   * position: it is in the ring and not sealed, so its position must come behind the mailbox.
   */
  @Test
  void aPositionThatIsNotSealedNeverGoesWithTheMailbox() {
    device.silent = true;
    for (int i = 0; i < Device.DEPTH; i++) {
      link.publish(0, 20);
    }
    device.taken();
    plain(16, 77);
    plain(40, 1);
    link.publish(0, SEALED);
    link.push(20, 50);
    plain(8, 5);
    link.publish(0, 70);
    assertThat(device.taken()).as("no room").doesNotContain("control 0+8");
    device.silent = false;
    queue.lock.lock();
    try {
      queue.resume();
    } finally {
      queue.lock.unlock();
    }
    assertThat(device.taken())
        .containsExactly("ring 20+50", "control 8+40", "control 0+8", "submit");
  }

  /** Of a queue pair that is destroyed by then. */
  @Test
  void nothingIsSubmittedOnceTheQueueHasEnded() {
    ByteBuffer lent = ByteBuffer.allocateDirect(1000);
    link.pushFrom(lent, 0, 0, 1000);
    link.pushFrom(lent, 0, 0, 1000);
    background.forEach(Runnable::run);
    device.silent = true;
    assertThat(link.pushFrom(lent, 0, 0, 1000)).isTrue();
    queue.lock.lock();
    try {
      queue.end();
    } finally {
      queue.lock.unlock();
    }
    queue.fence();
    link.publish(0, 1000);
    link.awaitTaken();
    assertThat(device.taken()).containsExactly("ring 0+1000");
  }

  /** Words behind the first lines have no order with plain stores unless they are kept apart. */
  @Test
  void plainWordsGoBeforeAWordOfAnotherLine() {
    plain(8, 5);
    link.publish(128, 9);
    assertThat(device.taken()).containsExactly("control 8+8", "control 128+8", "submit");
  }

  @Test
  void aSourceThatFailedPushesTheSamePlaceAgain() {
    link.push(0, 100); // and nothing was published
    link.push(0, 60);
    link.publish(0, 60);
    assertThat(device.taken()).containsExactly("ring 0+60", "control 0+8", "submit");
  }
}
