package org.slipstream.core.doorbell;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.PipeDoorbell;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryFaults;

/** Rings where the peer's reader of one link wants it. Guarded by the write lock of the stream. */
public final class WindowDoorbell implements PipeDoorbell {
  private final MemorySegment words;
  private final PeerPipes pipes;

  /** That of the last doorbell; the reader may have moved to another event loop. */
  private @Nullable PeerPipe last;

  /**
   * Makes the doorbell of a link.
   *
   * @param words our own window, in which the peer names a pipe
   * @param pipes of that peer
   */
  public WindowDoorbell(MemorySegment words, PeerPipes pipes) {
    this.words = words;
    this.pipes = pipes;
  }

  @Override
  public boolean ring(int arming) {
    long address = ControlLayout.getLongAcquire(words, ControlLayout.DOORBELL_PIPE);
    if (address == 0) {
      return false;
    }
    long inode = ControlLayout.getLongAcquire(words, ControlLayout.DOORBELL_INODE);
    int token = ControlLayout.getIntAcquire(words, ControlLayout.DOORBELL_TOKEN);
    MemoryFaults.settle();
    PeerPipe pipe = last;
    if (pipe == null || !pipe.isAt(address, inode) || pipe.isClosed()) {
      pipe = pipes.find(address, inode);
      last = pipe;
    }
    return pipe.ring(token, arming);
  }
}
