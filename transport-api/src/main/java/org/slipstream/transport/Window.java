package org.slipstream.transport;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory of this process that only the peer writes and only we read: a control block and a byte
 * ring.
 *
 * <p>The ring has its full size in the address space from the start, but storage behind only its
 * first {@link #committedBytes}: a peer may write no further. Storage is made before it is
 * committed, so that a full file system is an {@link IOException} here and never a fault in the
 * middle of a store.
 */
public interface Window {

  /**
   * The control block.
   *
   * @return the words written by the peer
   */
  MemorySegment control();

  /**
   * The ring in its full size.
   *
   * @return a power of two of bytes
   */
  MemorySegment ring();

  /**
   * How much of the ring has storage behind it.
   *
   * @return bytes, from the start of the ring
   */
  long committedBytes();

  /**
   * Puts storage behind more of the ring. Called under the read lock of the stream. May take some
   * microseconds, never blocks on the peer.
   *
   * @param bytes the new {@link #committedBytes}
   * @throws IOException no memory left, or over budget
   */
  void grow(long bytes) throws IOException;

  /**
   * Whether there is so much storage that the ring may have more than its stream needs. Any thread.
   *
   * @return false if storage is for those who need it
   */
  default boolean hasPlenty() {
    return false;
  }

  /**
   * Writes what the peer needs to find this window.
   *
   * @param out receives at most 32 bytes
   */
  void descriptor(ByteBuffer out);

  /**
   * Gives the window back for reuse. Only when the peer has said that no store of its can still be
   * under way; otherwise {@link #quarantine}.
   */
  void free();

  /** Takes the window out of use until the session ends. */
  void quarantine();
}
