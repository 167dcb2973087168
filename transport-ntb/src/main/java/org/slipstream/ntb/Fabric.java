package org.slipstream.ntb;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One node id of ours and the memory of other nodes: an adapter, or a file that two nodes map.
 *
 * <p>Except where it says otherwise a method may take milliseconds, and belongs on neither a
 * program's thread nor the reactor. Safe for any thread.
 */
interface Fabric extends Closeable {

  /** As in the hosts file: our adapter's number, or the path. */
  String via();

  /** Our node id. */
  int node();

  /**
   * Makes memory that other nodes can map.
   *
   * @param segmentId unique on the node
   * @param bytes its size
   * @param content what it begins with before any peer can see it; the rest is zero
   * @return null if the id is used
   * @throws IOException no memory, no link
   */
  @Nullable Exported export(int segmentId, long bytes, byte[] content) throws IOException;

  /**
   * As {@link #export}, with an unused id.
   *
   * @param bytes its size
   * @return zeroed memory
   * @throws IOException no memory, no link
   */
  default Exported export(long bytes) throws IOException {
    for (; ; ) {
      Exported exported = export(SegmentIds.random(), bytes, new byte[0]);
      if (exported != null) {
        return exported;
      }
    }
  }

  /**
   * Tries to map memory of another node.
   *
   * @param node its owner
   * @param segmentId the segment
   * @param bulk whether it will carry the bytes of streams: then it gets a mirror
   * @return null if there is no such segment now
   * @throws IOException anything else
   */
  @Nullable Imported connect(int node, int segmentId, boolean bulk) throws IOException;

  /** The number by which others send messages to us. */
  int inbox();

  /**
   * Waits for a message; one thread.
   *
   * @param millis how long
   * @return the message; null if none came, or the fabric was closed
   */
  byte @Nullable [] await(int millis);

  /**
   * Sends a message of at most {@link #MESSAGE_BYTES}. Microseconds; never waits.
   *
   * @param node the receiver's node
   * @param inbox the receiver's number
   * @param message the bytes
   * @return false if it can not be taken now: the receiver is gone, or has so many that it will
   *     come and look by itself
   */
  boolean send(int node, int inbox, byte[] message);

  /**
   * Whether the process at the other end has given no sign of life for so long that it has to be
   * taken for dead. Any thread; cheap.
   *
   * @return false where the driver says when a process ends
   */
  default boolean isPeerSilent() {
    return false;
  }

  /** Whether {@link #close} was called. */
  boolean isClosed();

  /** The longest message. */
  int MESSAGE_BYTES = 64;
}
