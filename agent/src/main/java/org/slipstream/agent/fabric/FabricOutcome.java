package org.slipstream.agent.fabric;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a check found.
 *
 * @param server as the user named it
 * @param here this end
 * @param there the other end
 * @param ways TCP first, then each transport
 */
record FabricOutcome(String server, HostReport here, HostReport there, List<Way> ways) {
  /** The name of the way that needs no transport. */
  static final String TCP = "tcp";

  /** How a transport did. */
  enum State {
    /** It carried the bytes of both directions. */
    CARRIES,
    /** One of the ends does not have it. */
    MISSING,
    /** Both have it, and it joins two processes elsewhere: shared memory between two hosts. */
    NOT_FOR_THIS,
    /** Both have it, and it did not join them. */
    DOES_NOT_JOIN,
    /** It joined them, and broke, or did not carry most of the bytes. */
    BROKE
  }

  /**
   * One way for bytes.
   *
   * @param name {@code tcp}, or that of a transport
   * @param why what is missing or went wrong; empty if it carries
   * @param figures null if nothing was measured
   */
  record Way(String name, State state, String why, @Nullable Figures figures) {}

  /**
   * What was measured over one way.
   *
   * @param cells a row for each size
   * @param bytesPerSecond of a stream in one direction
   */
  record Figures(List<Cell> cells, double bytesPerSecond) {}

  /**
   * Round trips of one size.
   *
   * @param bytes of a message
   * @param medianNanos the median
   * @param p99Nanos below which 99 of 100 lie
   * @param rounds how many there were
   */
  record Cell(int bytes, long medianNanos, long p99Nanos, int rounds) {}

  Way tcp() {
    return ways.getFirst();
  }

  List<Way> transports() {
    return ways.subList(1, ways.size());
  }
}
