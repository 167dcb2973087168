package org.slipstream.ntb.sisci;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Drains the write-combining buffers of the processor ({@code SCIFlush}): stores before it are on
 * their way before stores after it. A leaf call of some nanoseconds; any thread.
 */
public final class Flush {
  private static final MethodHandle FLUSH = Shape.leaf("VAI");

  private final MemorySegment function;
  private final int flags;

  /**
   * Binds the call.
   *
   * @param library the library
   */
  public Flush(SisciLibrary library) {
    this.function = library.function("SCIFlush");
    this.flags = library.constants().flushCpuOnly();
  }

  /** Drains them. */
  public void flush() {
    try {
      FLUSH.invokeExact(function, MemorySegment.NULL, flags);
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
  }
}
