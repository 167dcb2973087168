package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.verbs.RemoteMemory;
import org.slipstream.transport.MemoryBudget;

/** When a slab may be given back: all of its slots have been of no use for long. */
class SlabTest {
  private static final int RING = 16 * 1024;
  private static final int SLOTS = 2;
  private static final long LONG = 1_000;
  private static final int DEPTH = 64;

  private final Arena arena = Arena.ofShared();
  private final MemoryBudget budget = new MemoryBudget(1 << 20);
  private final QuietDevice device = new QuietDevice(DEPTH, 0);
  private final SendQueue queue =
      new SendQueue(
          device,
          device,
          arena.allocate(SendQueue.scratchBytes(DEPTH, 0)),
          QuietDevice.memory(),
          0,
          false,
          why -> {},
          () -> {});
  private int deregistered;
  private Slab slab;

  @BeforeEach
  void make() throws IOException {
    slab = new Slab(SLOTS, RING, memory -> region(), budget);
  }

  @AfterEach
  void close() {
    slab.end();
    arena.close();
  }

  private RemoteMemory region() {
    return new RemoteMemory() {
      @Override
      public int localKey() {
        return 1;
      }

      @Override
      public int remoteKey() {
        return 2;
      }

      @Override
      public void close() {
        deregistered++;
      }
    };
  }

  @Test
  void itIsUnusedWhenItHasBeenForLong() {
    int slot = slab.take();
    assertThat(slab.isUnused(LONG, 10 * LONG)).as("in use").isFalse();
    slab.giveBack(slot, true);
    assertThat(slab.isUnused(LONG, 11 * LONG - 1)).as("since the last look").isFalse();
    assertThat(slab.isUnused(LONG, 11 * LONG)).isTrue();
  }

  @Test
  void aUseBetweenTwoLooksIsAUse() {
    slab.giveBack(slab.take(), true);
    assertThat(slab.isUnused(LONG, 0)).as("was taken").isFalse();
    slab.giveBack(slab.take(), true);
    assertThat(slab.isUnused(LONG, LONG)).as("was taken again").isFalse();
    assertThat(slab.isUnused(LONG, 2 * LONG)).isTrue();
  }

  @Test
  void aSlotInQuarantineKeepsIt() {
    slab.giveBack(slab.take(), false);
    assertThat(slab.isUnused(LONG, 0)).isFalse();
    assertThat(slab.isUnused(LONG, 100 * LONG)).isFalse();
  }

  /** The device may still read from a slot of a staging slab. */
  @Test
  void aSlotThatRequestsNameKeepsIt() {
    int slot = slab.take();
    queue.lock.lock();
    try {
      queue.writeFrom(slab.ring(slot).address(), RING, 1, 0, 2);
      slab.retire(slot, queue);
    } finally {
      queue.lock.unlock();
    }
    assertThat(slab.isUnused(LONG, 0)).isFalse();
    assertThat(slab.isUnused(LONG, 100 * LONG)).as("the write is under way").isFalse();
    device.completeAll();
    queue.look(0);
    assertThat(slab.isUnused(LONG, 101 * LONG - 1)).as("since the last look").isFalse();
    assertThat(slab.isUnused(LONG, 101 * LONG)).isTrue();
  }

  @Test
  void whatIsGivenBackIsNeitherRegisteredNorPaidFor() {
    assertThat(budget.usedBytes()).isEqualTo(Slab.bytes(SLOTS, RING)).isEqualTo(slab.bytes());
    slab.end();
    slab.end();
    assertThat(deregistered).isEqualTo(1);
    assertThat(budget.usedBytes()).isZero();
  }
}
