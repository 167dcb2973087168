package org.slipstream.benchmarks.jcstress;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/**
 * Memory for the many short-lived links of a stress test: native memory must not be allocated for
 * each of them. A link may be used until so many others have been made.
 */
final class LinkPool {
  /** More than jcstress keeps alive at any time. */
  private static final int LINKS = 1 << 15;

  private final MemorySegment memory;
  private final long each;
  private final AtomicInteger next = new AtomicInteger();

  LinkPool(int ringBytes) {
    each = 2 * (ControlLayout.BYTES + (long) ringBytes);
    memory = Arena.global().allocate(each * LINKS, 64);
  }

  HeapLink.Pair pair() {
    int slot = next.getAndIncrement() & LINKS - 1;
    MemorySegment mine = memory.asSlice(slot * each, each);
    mine.fill((byte) 0);
    return HeapLink.over(mine);
  }
}
