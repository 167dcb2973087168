package org.slipstream.benchmarks.jcstress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.Window;

/**
 * A link on which the plain stores before a published word are seen after it, in no order: the
 * worst that a write of several words by RDMA may do.
 */
final class TornLink implements Link {
  private final HeapLink works;
  private final MemorySegment control;

  /**
   * Makes one end.
   *
   * @param works what moves the words
   * @param control a control block of our own, all zero
   */
  TornLink(HeapLink works, MemorySegment control) {
    this.works = works;
    this.control = control;
  }

  Window window() {
    return works.window();
  }

  @Override
  public MemorySegment receiveControl() {
    return works.receiveControl();
  }

  @Override
  public MemorySegment receiveRing() {
    return works.receiveRing();
  }

  @Override
  public MemorySegment sendControl() {
    return control;
  }

  @Override
  public MemorySegment sendRing() {
    return works.sendRing();
  }

  @Override
  public void push(long offset, long length) {
    works.push(offset, length);
  }

  @Override
  public void publish(long offset, long value) {
    works.publish(offset, value);
    if (offset == ControlLayout.POSITION) {
      copy(ControlLayout.MAILBOX, ControlLayout.MAILBOX_BYTES);
      copy(ControlLayout.INLINE, Long.BYTES);
      copy(ControlLayout.PIGGYBACK, Long.BYTES);
    }
  }

  private void copy(int offset, int length) {
    for (int at = offset + length - Long.BYTES; at >= offset; at -= Long.BYTES) {
      long word = control.get(ValueLayout.JAVA_LONG, at);
      works.sendControl().set(ValueLayout.JAVA_LONG, at, word);
    }
  }

  @Override
  public void publishInt(long offset, int value) {
    works.publishInt(offset, value);
  }

  @Override
  public void fence() {
    works.fence();
  }

  @Override
  public boolean isLossless() {
    return false;
  }

  @Override
  public boolean needsSelfValidation() {
    return true;
  }

  @Override
  public void release() {
    works.release();
  }
}
