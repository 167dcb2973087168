package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Slabs begin small, and become small again where memory is scarce. */
class SlabSlotsTest {
  private static final int RING = 256 * 1024;

  /** What Linux lets a process lock since 5.16, unless it is configured otherwise. */
  private static final long DEFAULT_LIMIT = 8 << 20;

  private final SlabSlots slots = new SlabSlots();

  private int make(int ringBytes) {
    int n = slots.next(ringBytes);
    slots.made(n);
    return n;
  }

  @Test
  void theFirstIsSmallAndTheOthersGrow() {
    assertThat(slots.nextRing(RING)).isEqualTo(RING / 2);
    assertThat(make(RING)).isEqualTo(1);
    assertThat(slots.nextRing(RING)).isEqualTo(RING);
    assertThat(make(RING)).isEqualTo(2);
    assertThat(make(RING)).isEqualTo(4);
    assertThat(make(RING)).isEqualTo(8);
    assertThat(make(RING)).isEqualTo(SlabSlots.MOST);
    assertThat(make(RING)).isEqualTo(SlabSlots.MOST);
    assertThat(slots.nextRing(RING)).isEqualTo(RING);
  }

  @Test
  void smallRingsAreNotHalved() {
    assertThat(slots.nextRing(64 * 1024)).isEqualTo(64 * 1024);
    assertThat(slots.nextRing(16 * 1024)).isEqualTo(16 * 1024);
    assertThat(slots.nextRing(128 * 1024)).isEqualTo(64 * 1024);
  }

  @Test
  void largeRingsBeginWithOneAndSmallOnesWithMany() {
    assertThat(second(64 << 20)).isEqualTo(1);
    assertThat(second(512 * 1024)).isEqualTo(1);
    assertThat(second(16 * 1024)).isEqualTo(SlabSlots.MOST);
  }

  private static int second(int ringBytes) {
    SlabSlots fresh = new SlabSlots();
    fresh.made(fresh.next(ringBytes));
    return fresh.next(ringBytes);
  }

  @Test
  void whereMemoryIsRefusedLessIsAskedForFromThenOn() {
    for (int i = 0; i < 4; i++) {
      make(RING);
    }
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

  /** Its window, its staging copy, and the messages: what a thousand such peers cost is locked. */
  @Test
  void aPeerWithOneStreamCostsHalfAMebibyteAtMost() {
    assertThat(slots.next(RING)).isEqualTo(1);
    assertThat(slots.next(slots.nextRing(RING))).isEqualTo(1);
    long slab = 4096L + slots.nextRing(RING);
    assertThat(2 * slab + Connection.pinnedBytes()).isLessThanOrEqualTo(512 * 1024);
  }

  /** Windows and staging copies, in both directions of connecting, and the messages of both. */
  @Test
  void threeStreamsEachWayFitIntoWhatIsUsual() {
    long first = 4096L + slots.nextRing(RING);
    make(RING);
    long second = 4096 + (long) slots.next(RING) * RING;
    assertThat(2 * (2 * (first + second) + Connection.pinnedBytes())).isLessThan(DEFAULT_LIMIT);
  }
}
