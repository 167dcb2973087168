package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Slabs begin small, and become small again where memory is scarce. */
class SlabSlotsTest {
  private static final int RING = 256 * 1024;

  /** What Linux lets a process lock since 5.16, unless somebody says otherwise. */
  private static final long DEFAULT_LIMIT = 8 << 20;

  private final SlabSlots slots = new SlabSlots();

  private int make(int ringBytes) {
    int n = slots.next(ringBytes);
    slots.made(n);
    return n;
  }

  @Test
  void theFirstIsSmallAndTheOthersGrow() {
    assertThat(make(RING)).isEqualTo(4);
    assertThat(make(RING)).isEqualTo(8);
    assertThat(make(RING)).isEqualTo(SlabSlots.MOST);
    assertThat(make(RING)).isEqualTo(SlabSlots.MOST);
  }

  @Test
  void largeRingsBeginWithOneAndSmallOnesWithMany() {
    assertThat(new SlabSlots().next(64 << 20)).isEqualTo(1);
    assertThat(new SlabSlots().next(1 << 20)).isEqualTo(1);
    assertThat(new SlabSlots().next(16 * 1024)).isEqualTo(SlabSlots.MOST);
  }

  @Test
  void whereMemoryIsRefusedLessIsAskedForFromThenOn() {
    make(RING);
    make(RING);
    assertThat(slots.next(RING)).isEqualTo(16);
    assertThat(slots.refused(16)).isTrue();
    assertThat(slots.next(RING)).isEqualTo(8);
    assertThat(slots.refused(8)).isTrue();
    assertThat(make(RING)).isEqualTo(4);
    assertThat(make(RING)).isEqualTo(4);
    assertThat(slots.refused(4)).isTrue();
    assertThat(slots.refused(2)).isTrue();
    assertThat(slots.refused(1)).as("there is nothing smaller").isFalse();
    assertThat(slots.next(RING)).isEqualTo(1);
  }

  /** Windows and staging copies, in both directions of connecting, and the messages of both. */
  @Test
  void twoSessionsWithAPeerFitIntoWhatIsUsual() {
    long slab = 4096 + (long) slots.next(RING) * RING;
    long messages =
        2L * ControlChannel.RECEIVES * MessageLayout.SLOT_BYTES
            + SendQueue.scratchBytes(Connection.SENDS);
    assertThat(2 * (2 * slab + messages)).isLessThan(DEFAULT_LIMIT);
  }
}
