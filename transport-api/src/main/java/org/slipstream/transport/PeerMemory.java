package org.slipstream.transport;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory of a peer that this process has mapped. Safe for any thread. */
@FunctionalInterface
public interface PeerMemory {

  /**
   * The memory itself.
   *
   * @return null where the medium gives no loads and stores: then a {@link MemoryQueue} of the same
   *     endpoint carries out operations on it
   */
  @Nullable MemorySegment direct();

  /**
   * Whether there are atomic operations on it.
   *
   * @return false if a device on the way has none
   */
  default boolean hasAtomics() {
    return true;
  }
}
