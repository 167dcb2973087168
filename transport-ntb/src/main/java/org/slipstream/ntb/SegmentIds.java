package org.slipstream.ntb;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Segment ids: the only truth about which process may have which. Ids are unique on a node, and
 * shared with every other program there.
 *
 * <pre>
 *   0x4C000000 | port &lt;&lt; 2 | 0..3   advertisement of a process that listens at a port
 *   0x4E000000 | port &lt;&lt; 2 | 0..3   advertisement of a process whose memory is found at a port
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
  private static final int OWNER = 0x4E00_0000;
  private static final int RANDOM_BOUND = 1 << 24;

  private SegmentIds() {}

  /** Of a process that takes streams, or of one that shares memory: these do not meet. */
  static int advertisement(boolean ofMemory, int port, int sibling) {
    return (ofMemory ? OWNER : ADVERTISEMENT) | port << 2 | sibling;
  }

  static int random() {
    return OTHER | ThreadLocalRandom.current().nextInt(RANDOM_BOUND);
  }
}
