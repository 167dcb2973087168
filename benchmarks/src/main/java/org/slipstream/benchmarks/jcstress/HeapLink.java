package org.slipstream.benchmarks.jcstress;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.Window;

/**
 * A link in ordinary memory of one process, with the stores of the shared-memory transport. Says
 * whether it was used after its release.
 */
public final class HeapLink implements Link {
  private static final VarHandle LONG =
      ValueLayout.JAVA_LONG.withOrder(LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();
  private static final VarHandle INT =
      ValueLayout.JAVA_INT.withOrder(LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();

  private final MemorySegment ownControl;
  private final MemorySegment ownRing;
  private final MemorySegment peerControl;
  private final MemorySegment peerRing;
  private volatile boolean released;
  private volatile boolean usedAfterRelease;

  /** Both ends. */
  public record Pair(HeapLink a, HeapLink b) {}

  private HeapLink(MemorySegment own, MemorySegment peer) {
    this.ownControl = own.asSlice(0, ControlLayout.BYTES);
    this.ownRing = own.asSlice(ControlLayout.BYTES);
    this.peerControl = peer.asSlice(0, ControlLayout.BYTES);
    this.peerRing = peer.asSlice(ControlLayout.BYTES);
  }

  /**
   * Makes a link.
   *
   * @param ringBytes a power of two
   * @return both ends of it
   */
  public static Pair pair(int ringBytes) {
    long each = ControlLayout.BYTES + (long) ringBytes;
    return over(Arena.ofAuto().allocate(2 * each, 64));
  }

  private static Pair over(MemorySegment memory) {
    long each = memory.byteSize() / 2;
    MemorySegment a = memory.asSlice(0, each);
    MemorySegment b = memory.asSlice(each, each);
    return new Pair(new HeapLink(a, b), new HeapLink(b, a));
  }

  /**
   * Memory for the many short-lived links of a stress test: native memory must not be allocated for
   * each of them. A link may be used until so many others have been made.
   */
  static final class Pool {
    /** More than jcstress keeps alive at any time. */
    private static final int LINKS = 1 << 15;

    private final MemorySegment memory;
    private final long each;
    private final AtomicInteger next = new AtomicInteger();

    Pool(int ringBytes) {
      each = 2 * (ControlLayout.BYTES + (long) ringBytes);
      memory = Arena.global().allocate(each * LINKS, 64);
    }

    Pair pair() {
      int slot = next.getAndIncrement() & LINKS - 1;
      MemorySegment mine = memory.asSlice(slot * each, each);
      mine.fill((byte) 0);
      return over(mine);
    }
  }

  /**
   * The window at this end.
   *
   * @return wholly granted
   */
  public Window window() {
    return new HeapWindow(ownControl, ownRing);
  }

  boolean wasUsedAfterRelease() {
    return usedAfterRelease;
  }

  private void check() {
    if (released) {
      usedAfterRelease = true;
    }
  }

  @Override
  public MemorySegment receiveControl() {
    return ownControl;
  }

  @Override
  public MemorySegment receiveRing() {
    return ownRing;
  }

  @Override
  public MemorySegment sendControl() {
    return peerControl;
  }

  @Override
  public MemorySegment sendRing() {
    return peerRing;
  }

  @Override
  public void push(long offset, long length) {
    // Stored is arrived.
  }

  @Override
  public void publish(long offset, long value) {
    check();
    LONG.setRelease(peerControl, offset, value);
  }

  @Override
  public void publishInt(long offset, int value) {
    check();
    INT.setRelease(peerControl, offset, value);
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
    released = true;
  }

  private record HeapWindow(MemorySegment control, MemorySegment ring) implements Window {
    @Override
    public long grantedBytes() {
      return ring.byteSize();
    }

    @Override
    public void grow(long bytes) {
      throw new UnsupportedOperationException("all of it is granted");
    }

    @Override
    public void descriptor(ByteBuffer out) {
      out.putLong(0);
    }

    @Override
    public void free() {
      // The pool takes it back by itself.
    }

    @Override
    public void quarantine() {
      // The pool takes it back by itself.
    }
  }
}
