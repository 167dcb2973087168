package org.slipstream.core.doorbell;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.core.ring.PipeDoorbell;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.OutOfLine;

/** Rings where the peer's reader of one link wants it. Guarded by the write lock of the stream. */
public final class WindowDoorbell implements PipeDoorbell {
  private final MemorySegment peerControl;
  private final PeerPipes pipes;
  private final Futexes futexes;

  /** Made for the first doorbell of a reader that sleeps on it. */
  private @Nullable FutexWord peerWord;

  /** That of the last doorbell; the reader may have moved to another event loop. */
  private @Nullable PeerPipe last;

  /**
   * Makes the doorbell of a link.
   *
   * @param link in whose windows the peer names a pipe, or sleeps on a futex
   * @param pipes of that peer
   * @param futexes of this process
   */
  public WindowDoorbell(Link link, PeerPipes pipes, Futexes futexes) {
    this.peerControl = link.sendControl();
    this.pipes = pipes;
    this.futexes = futexes;
    if (futexes.areAllowed()) {
      link.publishInt(ControlLayout.DOORBELL_ABLE, 1);
    }
  }

  @OutOfLine
  @Override
  public boolean ring(ByteBuffer words, int arming) {
    long address = ControlLayout.getLongAcquire(words, ControlLayout.DOORBELL_PIPE);
    if (address == 0) {
      return false;
    }
    if (address == PipeAddress.FUTEX_WORD) {
      return futexes.ring(peerWord());
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

  private FutexWord peerWord() {
    FutexWord word = peerWord;
    if (word == null) {
      word = new FutexWord(peerControl);
      peerWord = word;
    }
    return word;
  }
}
