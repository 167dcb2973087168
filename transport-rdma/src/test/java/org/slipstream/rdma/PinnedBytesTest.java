package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.slab.SlabSlots;

/** What a peer costs is locked, and a process may lock little. */
class PinnedBytesTest {
  private static final int RING = 256 * 1024;

  /** What Linux lets a process lock since 5.16, unless it is configured otherwise. */
  private static final long DEFAULT_LIMIT = 8 << 20;

  /** What requests carry where the device can: words of a control block, whole. */
  private static final int INLINE = ControlLayout.PLAIN_BYTES;

  private final SlabSlots slots = new SlabSlots(SessionSlabs.MOST_SLOTS);

  /** Its window, its staging copy, and the messages: what a thousand such peers cost is locked. */
  @Test
  void aPeerWithOneStreamCosts368KiB() {
    assertThat(slots.next(RING)).isEqualTo(1);
    assertThat(slots.next(slots.nextRing(RING))).isEqualTo(1);
    long slab = Slab.bytes(1, slots.nextRing(RING));
    assertThat(2 * slab + Connection.pinnedBytes(SendQueue.SENDS, INLINE)).isEqualTo(368 * 1024);
    assertThat(2 * slab + Connection.mostPinnedBytes())
        .as("on a device whose requests carry nothing")
        .isEqualTo(432 * 1024);
  }

  /** Windows and staging copies, in both directions of connecting, and the messages of both. */
  @Test
  void threeStreamsEachWayFitIntoWhatIsUsual() {
    long first = Slab.bytes(1, slots.nextRing(RING));
    slots.made(slots.next(RING));
    long second = Slab.bytes(slots.next(RING), RING);
    assertThat(2 * (2 * (first + second) + Connection.mostPinnedBytes())).isLessThan(DEFAULT_LIMIT);
  }
}
