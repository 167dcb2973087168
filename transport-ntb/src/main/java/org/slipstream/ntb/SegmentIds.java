package org.slipstream.ntb;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Segment ids: the only truth about which process may have which. Ids are unique on a node, and
 * shared with every other program there.
 *
 * <pre>
 *   0x4C000000 | port &lt;&lt; 2 | 0..3   advertisement of a process that listens at a port
 *   0x4D000000 | 24 random bits       everything else
 * </pre>
 *
 * <p>Bit 28 is never set: SCILib uses it.
 */
final class SegmentIds {
  /** Processes of one node that may announce the same port. */
  static final int SIBLINGS = 4;

  private static final int ADVERTISEMENT = 0x4C00_0000;
  private static final int OTHER = 0x4D00_0000;
  private static final int RANDOM_BOUND = 1 << 24;

  private SegmentIds() {}

  static int advertisement(int port, int sibling) {
    return ADVERTISEMENT | port << 2 | sibling;
  }

  static int random() {
    return OTHER | ThreadLocalRandom.current().nextInt(RANDOM_BOUND);
  }
}
