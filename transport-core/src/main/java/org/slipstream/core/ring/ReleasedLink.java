package org.slipstream.core.ring;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.slipstream.transport.Link;

/**
 * Stands where a link was that has been given back. Its windows may be another stream's by now, so
 * there is nothing to read and nothing to store to.
 */
final class ReleasedLink implements Link {
  static final ReleasedLink INSTANCE = new ReleasedLink();

  /** In place of a view of the peer's memory. */
  static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private ReleasedLink() {}

  private static IllegalStateException gone() {
    return new IllegalStateException("The link of this stream was given back");
  }

  @Override
  public MemorySegment receiveControl() {
    throw gone();
  }

  @Override
  public MemorySegment receiveRing() {
    throw gone();
  }

  @Override
  public MemorySegment sendControl() {
    throw gone();
  }

  @Override
  public MemorySegment sendRing() {
    throw gone();
  }

  @Override
  public void push(long offset, long length) {
    throw gone();
  }

  @Override
  public void publish(long offset, long value) {
    throw gone();
  }

  @Override
  public void publishInt(long offset, int value) {
    throw gone();
  }

  @Override
  public void fence() {
    throw gone();
  }

  @Override
  public boolean isLossless() {
    throw gone();
  }

  @Override
  public boolean isBroken() {
    return true;
  }

  @Override
  public void release() {
    throw gone();
  }
}
