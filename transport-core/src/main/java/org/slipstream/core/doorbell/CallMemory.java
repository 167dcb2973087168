package org.slipstream.core.doorbell;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Native memory for a call of the kernel, aligned to 8 bytes. Through a buffer: the handle of a
 * memory layout is three classes that the JVM makes, while the process is young.
 */
public final class CallMemory {
  private final MemorySegment segment;
  private final ByteBuffer buffer;

  /**
   * Zeroed memory.
   *
   * @param arena in which it lives
   * @param bytes how much
   */
  public CallMemory(Arena arena, int bytes) {
    this.segment = arena.allocate(bytes, Long.BYTES);
    this.buffer = segment.asByteBuffer().order(ByteOrder.nativeOrder());
  }

  MemorySegment segment() {
    return segment;
  }

  /**
   * For the kernel.
   *
   * @return valid while this object is reachable and its arena is open
   */
  public long address() {
    return segment.address();
  }

  /**
   * Its contents, in the order of this machine.
   *
   * @return whose position and limit are the caller's
   */
  public ByteBuffer buffer() {
    return buffer;
  }
}
