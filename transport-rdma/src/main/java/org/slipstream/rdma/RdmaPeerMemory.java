package org.slipstream.rdma;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.PeerMemory;

/** One-sided memory of a peer, reached by queue pairs of their own: {@link RdmaMemoryQueue}. */
final class RdmaPeerMemory implements PeerMemory {
  private final Lane.Peer session;
  private final MemoryDescriptor descriptor;
  private final boolean atomics;

  /** Set by a queue's thread, once; read by all of them. */
  private volatile boolean revoked;

  /**
   * Maps it.
   *
   * @param atomics whether our device has atomic operations
   */
  RdmaPeerMemory(Lane.Peer session, MemoryDescriptor descriptor, boolean atomics) {
    this.session = session;
    this.descriptor = descriptor;
    this.atomics = atomics;
  }

  @Override
  public @Nullable MemorySegment direct() {
    return null;
  }

  @Override
  public boolean hasAtomics() {
    return atomics && descriptor.atomics();
  }

  Lane.Peer session() {
    return session;
  }

  MemoryDescriptor descriptor() {
    return descriptor;
  }

  /** The peer's device has refused the key. */
  void revoked() {
    revoked = true;
  }

  boolean isRevoked() {
    return revoked;
  }
}
