package org.slipstream.memory;

import java.util.EnumSet;
import java.util.Set;
import org.slipstream.transport.MemoryAccess;

/** What a process may do with a region of another. */
public enum Right {
  /** To read. */
  READ(1),
  /** To write. */
  WRITE(2),
  /** To add, and to compare and set, in one step. */
  ATOMIC(4);

  /** On the wire, too. */
  private final int bit;

  Right(int bit) {
    this.bit = bit;
  }

  int bit() {
    return bit;
  }

  static int bits(Set<Right> rights) {
    int bits = 0;
    for (Right right : rights) {
      bits |= right.bit();
    }
    return bits;
  }

  /** As a transport wants to know it. */
  static MemoryAccess access(int bits) {
    return new MemoryAccess(
        (bits & READ.bit) != 0, (bits & WRITE.bit) != 0, (bits & ATOMIC.bit) != 0);
  }

  /** Bits that are no right are left out. */
  static Set<Right> of(int bits) {
    Set<Right> rights = EnumSet.noneOf(Right.class);
    for (Right right : values()) {
      if ((bits & right.bit()) != 0) {
        rights.add(right);
      }
    }
    return rights;
  }
}
