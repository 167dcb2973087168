package org.slipstream.transport;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Memory of this process that peers can map. */
public interface OwnMemory extends AutoCloseable {

  /**
   * The memory.
   *
   * @return for any thread, until {@link #close}
   */
  MemorySegment segment();

  /**
   * Says to a peer which memory is meant.
   *
   * @param out receives at most {@link MemoryEndpoint#MAX_DESCRIPTOR_BYTES}
   */
  void descriptor(ByteBuffer out);

  /**
   * Ends it for this process: no peer can map it any more. A peer that has mapped it keeps it until
   * it unmaps it. Idempotent.
   *
   * @throws IllegalStateException if an operation of the JDK uses the memory at this moment; then
   *     no peer can map it any more, and a later call unmaps it here
   */
  @Override
  void close();
}
