package org.slipstream.ntb;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.PeerMemory;

/**
 * Memory of a peer, reached by requests: {@link NtbMemoryQueue}. Its description is the key of the
 * grant, 8 bytes, big-endian.
 *
 * @param lanes of the session with the peer
 * @param key of the grant, in the peer's {@link GrantTable} for this session
 */
record NtbPeerMemory(Lanes lanes, long key) implements PeerMemory {

  /** Where a queue gets its lanes. */
  interface Lanes {
    /** A lane for one queue; it opens, or ends, later. Any thread. */
    ClientLane take();

    /** The queue is closed. */
    void giveBack(ClientLane lane);

    /** Whether the session is still usable. Any thread. */
    boolean isOpen();
  }

  static void describe(long key, ByteBuffer out) {
    out.putLong(key);
  }

  /** Reads hostile bytes. A wrong key is the owner's to refuse. */
  static NtbPeerMemory read(Lanes lanes, ByteBuffer in) throws IOException {
    if (in.remaining() != Long.BYTES) {
      throw new IOException("A region was described with " + in.remaining() + " bytes");
    }
    return new NtbPeerMemory(lanes, in.getLong());
  }

  @Override
  public @Nullable MemorySegment direct() {
    return null;
  }
}
