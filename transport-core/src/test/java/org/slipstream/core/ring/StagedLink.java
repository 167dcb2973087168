package org.slipstream.core.ring;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.slipstream.testkit.transport.HeapWindow;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * A link whose words are stored here first, and are copied to the peer's window when the test says
 * so: a medium that delivers late, in another order, or not at all.
 */
abstract class StagedLink implements Link {
  final HeapWindow peer;
  private final HeapWindow own;
  private final MemorySegment control = Arena.ofAuto().allocate(ControlLayout.BYTES, 64);

  StagedLink(HeapWindow own, HeapWindow peer) {
    this.own = own;
    this.peer = peer;
  }

  /** Words arrive, all at once. */
  final void copyWords(int offset, int length) {
    MemorySegment.copy(control, offset, peer.control(), offset, length);
  }

  @Override
  public final MemorySegment receiveControl() {
    return own.control();
  }

  @Override
  public final MemorySegment receiveRing() {
    return own.ring();
  }

  @Override
  public final MemorySegment sendControl() {
    return control;
  }

  @Override
  public final void publishInt(long offset, int value) {
    ControlLayout.putIntRelease(peer.control(), offset, value);
  }

  @Override
  public final void fence() {}

  @Override
  public final boolean isLossless() {
    return false;
  }

  @Override
  public final void release() {}
}
