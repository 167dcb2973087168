package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.Doorbell;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.OutOfLine;

/**
 * Writes all control bytes of a stream to its TCP connection: switch marker, BACK, FAIL, doorbell.
 * One rule holds for all of them:
 *
 * <p><em>No control byte goes to a TCP connection unless the process at its other end is proven to
 * be the peer of the link and can still read it.</em> A process that is not the peer would take the
 * byte for data. A process that is gone can not take it: its kernel answers with a reset, and drops
 * what the process had sent and the kernel has not delivered yet.
 *
 * <ul>
 *   <li><b>Proven</b>: {@link StreamLink#isPeerProven}, checked here for each first byte.
 *   <li><b>Can read</b>: before bytes of the program that go to the same connection in the same
 *       call, a control byte does no harm that the program's own bytes would not do. All others go
 *       out only if {@link #isAllowedUnasked}. They lie in the peer's kernel until the peer takes
 *       them, so the peer is told over the session to take them at once ({@link
 *       StreamLink.LinkControl#askToLook}) and not at its program's next read.
 * </ul>
 *
 * <p>Guarded by the write lock, except where a member says otherwise.
 */
final class ControlByteWriter implements Doorbell {
  private final ConnectionError tcp;

  /** Made before the first byte goes into a ring: a peer that sleeps must not wait for memory. */
  private @Nullable ByteBuffer doorbell;

  /**
   * What the kernel has not taken wholly; nothing else may go out before it. Written under the
   * write lock; read by selectors.
   */
  private volatile @Nullable ByteBuffer unsent;

  /**
   * Makes the writer of a stream.
   *
   * @param tcp keeps the errors that control bytes meet for the program
   */
  ControlByteWriter(ConnectionError tcp) {
    this.tcp = tcp;
  }

  /** Makes what {@link #signal} sends. */
  void prepare() {
    if (doorbell == null) {
      doorbell = ByteBuffer.allocate(1).put(0, ControlBytes.DOORBELL);
    }
  }

  /**
   * Whether control bytes may go out although no byte of the program follows them.
   *
   * @param link the link of the stream
   * @param in the receiving direction: raw bytes under way to it are what a reset would drop
   */
  static boolean isAllowedUnasked(StreamLink link, Inbound in) throws IOException {
    if (link.hasPeerClosed()) {
      return false;
    }
    if (link.canReachPeer()) {
      return true;
    }
    // The session is gone, and the process perhaps too. A link that keeps what was published owes
    // the peer nothing. Over another one the peer may wait for bytes that went with the link; if it
    // does not, there is only something to lose while the peer's own bytes travel by TCP.
    return !link.link().isLossless()
        && (!link.producer().credit().isDrained() || !in.mayHaveRawUnderWay());
  }

  /** Whether the kernel has taken all; any thread. */
  boolean isIdle() {
    return unsent == null;
  }

  /** Begins to send; {@link #flush} goes on. */
  void begin(StreamLink link, ByteBuffer bytes) {
    if (!link.isPeerProven()) {
      throw new IllegalStateException(
          "Control bytes for a process that is not proven to be the peer");
    }
    unsent = bytes;
  }

  /**
   * Sends what is unsent. In blocking mode it waits, as any write does.
   *
   * @return true when the kernel has taken all of it
   */
  @OutOfLine
  boolean flush() throws IOException {
    ByteBuffer rest = unsent;
    MemoryFaults.settle();
    while (rest != null && rest.hasRemaining()) {
      int n = tcp.writeControl(rest);
      if (n == 0) {
        return false;
      }
      if (n < 0) {
        break; // nothing more goes out
      }
    }
    unsent = null;
    return true;
  }

  /** Takes what the kernel has not taken, for the owner of the connection; or null. */
  @Nullable ByteBuffer takeUnsent() {
    ByteBuffer rest = unsent;
    unsent = null;
    return rest;
  }

  /** Only a peer whose reader sleeps gets a doorbell: it takes the byte. */
  @Override
  @OutOfLine
  public boolean signal() throws IOException {
    MemoryFaults.settle();
    prepare();
    return tcp.writeControl(Objects.requireNonNull(doorbell).clear()) != 0;
  }
}
