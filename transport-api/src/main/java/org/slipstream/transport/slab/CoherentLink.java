package org.slipstream.transport.slab;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.Window;

/**
 * Two windows in coherent memory that both processes map. The bytes are at the peer as soon as they
 * are copied, so pushing is nothing and publishing is a release store.
 */
public final class CoherentLink implements Link {
  private final Runnable onRelease;
  private final MemorySegment receiveControl;
  private final MemorySegment receiveRing;
  private final MemorySegment sendControl;
  private final ByteBuffer sendWords;
  private final MemorySegment sendRing;
  private boolean released;

  /**
   * Joins two windows.
   *
   * @param own ours
   * @param sendControl the control block of the peer's
   * @param sendRing the ring of the peer's
   * @param onRelease told once that the peer's is used no more
   */
  public CoherentLink(
      Window own, MemorySegment sendControl, MemorySegment sendRing, Runnable onRelease) {
    this.onRelease = onRelease;
    this.receiveControl = own.control();
    this.receiveRing = own.ring();
    this.sendControl = sendControl;
    this.sendWords = ControlLayout.words(sendControl);
    this.sendRing = sendRing;
  }

  @Override
  public MemorySegment receiveControl() {
    return receiveControl;
  }

  @Override
  public MemorySegment receiveRing() {
    return receiveRing;
  }

  @Override
  public MemorySegment sendControl() {
    return sendControl;
  }

  @Override
  public MemorySegment sendRing() {
    return sendRing;
  }

  @Override
  public void push(long offset, long length) {
    // Stored is arrived.
  }

  @Override
  public void publish(long offset, long value) {
    ControlLayout.putLongRelease(sendWords, (int) offset, value);
  }

  @Override
  public void publishInt(long offset, int value) {
    ControlLayout.putIntRelease(sendWords, (int) offset, value);
  }

  @Override
  public void fence() {
    VarHandle.fullFence();
  }

  @Override
  public boolean isLossless() {
    return true;
  }

  @Override
  public void release() {
    if (!released) {
      released = true;
      onRelease.run();
    }
  }
}
