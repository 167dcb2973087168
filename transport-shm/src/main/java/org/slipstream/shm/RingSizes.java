package org.slipstream.shm;

import org.slipstream.transport.TransportHost;

/**
 * How large the ring of the next receive window is. The first few streams of a process have larger
 * rings: the more a ring holds, the less often the writer and the reader of bulk data wait for each
 * other. A crowd has small ones: a stream walks through its whole ring, however little it holds at
 * a time, and takes storage and the processor's cache for all of it (ADR 52).
 *
 * <p>Reactor only.
 */
final class RingSizes {
  /** Streams with a larger ring at a time. */
  static final int MOST = 8;

  /** Larger rings take at most one part in so many of the memory limit. */
  private static final int SHARE = 8;

  private final TransportHost host;
  private int larger;

  RingSizes(TransportHost host) {
    this.host = host;
  }

  /** Returns the size for the next window, in bytes. */
  int next() {
    int first = host.settings().firstRingBytes();
    long affordable = host.budget().limitBytes() / SHARE / first;
    return larger < Math.min(MOST, affordable) ? first : host.settings().ringBytes();
  }

  /** Returns how many windows a new slab has whose rings are of that size. */
  int slots(int ringBytes, int usual) {
    return isLarger(ringBytes) ? MOST : usual;
  }

  /** A stream has a window with such a ring. */
  void taken(int ringBytes) {
    if (isLarger(ringBytes)) {
      larger++;
    }
  }

  /** That stream has given it back, whether or not another one may have it. */
  void givenBack(int ringBytes) {
    if (isLarger(ringBytes)) {
      larger--;
    }
  }

  private boolean isLarger(int ringBytes) {
    return ringBytes > host.settings().ringBytes();
  }
}
