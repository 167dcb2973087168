package org.slipstream.transport;

import java.io.IOException;
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
   * Says to a peer which memory is meant, and lets it use it. Called on the reactor.
   *
   * @param to the session with the peer
   * @param grant names what the peer was given; all that have the same name have the same access
   * @param access what the peer may do
   * @param out receives at most {@link MemoryEndpoint#MAX_DESCRIPTOR_BYTES}
   * @throws IOException if the medium can not give it to the peer
   */
  void describe(Session to, String grant, MemoryAccess access, ByteBuffer out) throws IOException;

  /**
   * Ends what was given to a peer under a name, where the medium can. Any thread; may take
   * milliseconds.
   *
   * @param from the session with the peer
   * @param grant the name
   * @return true if no access of the peer comes after this; false if the peer has to unmap the
   *     memory itself
   */
  boolean revoke(Session from, String grant);

  /**
   * A grant is worth nothing any more: what is kept for it, a key of a device for example, is given
   * back, though no peer has the memory mapped by it at this moment. Called after {@link #revoke}
   * of each session that has. Any thread; may take milliseconds. Idempotent.
   *
   * @param grant the name; {@link #describe} may be called with it again
   */
  default void forget(String grant) {}

  /**
   * Ends it for this process: no peer can map it any more. A peer that has mapped it keeps it until
   * it unmaps it, unless the medium can {@linkplain #revoke take it away}. Idempotent.
   *
   * @throws IllegalStateException if an operation of the JDK uses the memory at this moment; then
   *     no peer can map it any more, and a later call unmaps it here
   */
  @Override
  void close();
}
