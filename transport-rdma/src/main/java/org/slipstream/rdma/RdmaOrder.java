package org.slipstream.rdma;

import java.io.IOException;
import java.util.Locale;

/**
 * How a reader knows that the bytes before a position are there. Two RDMA writes are placed in the
 * order in which they were posted only where neither fabric nor device changes that. Both ends of a
 * link use the stricter of what they want.
 */
enum RdmaOrder {
  /** The fabric keeps the order: a position is written right behind its bytes. */
  TRUSTED(0),

  /** A position carries a checksum of all bytes before it, and is believed when that is right. */
  CHECKSUMMED(1),

  /** A position is written when the writes of its bytes have completed. */
  COMPLETED(2);

  /** What the setting says if the devices decide. */
  static final String AUTO = "auto";

  private final int number;

  RdmaOrder(int number) {
    this.number = number;
  }

  /** As in a window descriptor. */
  int number() {
    return number;
  }

  /** The one with a number of a window descriptor, which is hostile. */
  static RdmaOrder of(int number) throws IOException {
    for (RdmaOrder order : values()) {
      if (order.number == number) {
        return order;
      }
    }
    throw new IOException("A window of the peer wants the order " + number);
  }

  boolean isTrusted() {
    return this == TRUSTED;
  }

  /** The one that is safe wherever one of the two is. */
  RdmaOrder stricter(RdmaOrder other) {
    return number >= other.number ? this : other;
  }

  /** As the setting calls it. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
