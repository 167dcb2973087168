package org.slipstream.transport.slab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Slabs begin small, and become small again where memory is scarce. */
class SlabSlotsTest {
  private static final int RING = 256 * 1024;

  private static final int MOST = 16;

  private final SlabSlots slots = new SlabSlots(MOST);

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
    assertThat(make(RING)).isEqualTo(MOST);
    assertThat(make(RING)).isEqualTo(MOST);
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
    assertThat(second(16 * 1024)).isEqualTo(MOST);
  }

  private static int second(int ringBytes) {
    SlabSlots fresh = new SlabSlots(MOST);
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

  /** As they grew, they shrink: a second crowd does not begin with the slabs of the first. */
  @Test
  void whatWasGivenBackIsMadeAgainStepByStep() {
    for (int i = 0; i < 6; i++) {
      make(RING);
    }
    slots.gone(MOST);
    assertThat(slots.next(RING)).isEqualTo(MOST);
    slots.gone(8);
    slots.gone(MOST);
    assertThat(slots.next(RING)).as("one of 8 is missing").isEqualTo(8);
    slots.gone(4);
    slots.gone(2);
    assertThat(slots.next(RING)).as("the first is there").isEqualTo(2);
    assertThat(slots.nextRing(RING)).as("a first ring is that of the first slab").isEqualTo(RING);
  }
}
