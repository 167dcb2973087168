package org.slipstream.testkit.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * A link whose two windows lie in ordinary memory of one process, with the stores of the
 * shared-memory transport. It can record what is asked of it, run a hook in the middle of it, and
 * say whether it was used after its release.
 */
public final class HeapLink implements Link {

  /**
   * Both ends of a link.
   *
   * @param a the one
   * @param b the other
   */
  public record Pair(HeapLink a, HeapLink b) {}

  private final HeapWindow own;
  private final HeapWindow peer;
  private final List<String> record = new ArrayList<>();
  private boolean recording;
  private @Nullable Runnable beforePublish;
  private @Nullable Runnable inFence;
  private volatile int released;
  private volatile boolean usedAfterRelease;
  private volatile boolean lossy;
  private volatile boolean broken;
  private volatile boolean proves;
  private volatile boolean pending;
  private byte[] lost = {};
  private int bulkBytes = Integer.MAX_VALUE;

  /** One end, which reads the first window and writes the second. */
  public HeapLink(HeapWindow own, HeapWindow peer) {
    this.own = own;
    this.peer = peer;
  }

  /** Both ends, with rings of which some bytes are committed. */
  public static Pair pair(int ringBytes, int committed) {
    return pair(new HeapWindow(ringBytes, committed), new HeapWindow(ringBytes, committed));
  }

  /** Both ends, in memory of the caller, all zero: one half for each window. */
  public static Pair over(MemorySegment memory) {
    long half = memory.byteSize() / 2;
    return pair(
        new HeapWindow(memory.asSlice(0, half)), new HeapWindow(memory.asSlice(half, half)));
  }

  private static Pair pair(HeapWindow a, HeapWindow b) {
    return new Pair(new HeapLink(a, b), new HeapLink(b, a));
  }

  /** The window that this end reads. */
  public HeapWindow window() {
    return own;
  }

  /** From now on {@link #record} grows. */
  public HeapLink recording() {
    recording = true;
    return this;
  }

  /** What was pushed, published and fenced, in order. */
  public List<String> record() {
    return record;
  }

  /** Runs before a word is stored, when everything before it must be in the peer's memory. */
  public void beforePublish(Runnable hook) {
    beforePublish = hook;
  }

  /** Runs at the place where the peer's stores become visible. */
  public void inFence(Runnable hook) {
    inFence = hook;
  }

  /** How often it was released. */
  public int released() {
    return released;
  }

  /** Whether a word was published after the release. */
  public boolean wasUsedAfterRelease() {
    return usedAfterRelease;
  }

  /** From now on a medium that likes so many bytes whole; before a ring end is made of it. */
  public HeapLink bulk(int bytes) {
    bulkBytes = bytes;
    return this;
  }

  @Override
  public int bulkBytes() {
    return bulkBytes;
  }

  @Override
  public MemorySegment receiveControl() {
    return own.control();
  }

  @Override
  public MemorySegment receiveRing() {
    return own.ring();
  }

  @Override
  public MemorySegment sendControl() {
    return peer.control();
  }

  @Override
  public MemorySegment sendRing() {
    return peer.ring();
  }

  @Override
  public void push(long offset, long length) {
    if (recording) {
      record.add("push " + offset + "+" + length);
    }
  }

  @Override
  public void publish(long offset, long value) {
    beforeStore();
    if (recording) {
      record.add("publish " + name(offset) + "=" + value);
    }
    ControlLayout.putLongRelease(peer.control(), offset, value);
  }

  @Override
  public void publishInt(long offset, int value) {
    beforeStore();
    if (recording) {
      record.add("publish " + name(offset) + "=" + value);
    }
    ControlLayout.putIntRelease(peer.control(), offset, value);
  }

  @Override
  public void publishIntLater(long offset, int value) {
    if (recording) {
      record.add("later");
    }
    publishInt(offset, value);
  }

  private void beforeStore() {
    if (released > 0) {
      usedAfterRelease = true;
    }
    Runnable hook = beforePublish;
    if (hook != null) {
      hook.run();
    }
  }

  private static String name(long offset) {
    return switch ((int) offset) {
      case ControlLayout.POSITION -> "position";
      case ControlLayout.PIGGYBACK -> "piggyback";
      case ControlLayout.INLINE -> "inline";
      case ControlLayout.CREDIT -> "credit";
      case ControlLayout.ARMED -> "armed";
      case ControlLayout.CREDIT_REQUEST -> "request";
      case ControlLayout.SWITCH_AT -> "switchAt";
      case ControlLayout.FIN_AT -> "fin";
      case ControlLayout.COMMITTED -> "committed";
      case ControlLayout.FLAGS -> "flags";
      case ControlLayout.EXTENT -> "extent";
      default -> "offset " + offset;
    };
  }

  @Override
  public void fence() {
    if (recording) {
      record.add("fence");
    }
    Runnable hook = inFence;
    if (hook != null) {
      hook.run();
    }
    VarHandle.fullFence();
  }

  /** From now on a medium that may lose what it was given last. */
  public HeapLink lossy() {
    lossy = true;
    return this;
  }

  /** From now on a medium on which positions carry a checksum; before a ring end is made of it. */
  public HeapLink proving() {
    lossy = true;
    proves = true;
    return this;
  }

  /** What the peer's ring holds has not arrived. */
  public void loseBytes() {
    lost = peer.ring().toArray(ValueLayout.JAVA_BYTE);
    peer.ring().fill((byte) 0);
  }

  /** It arrives late. */
  public void restoreBytes() {
    MemorySegment.copy(lost, 0, peer.ring(), ValueLayout.JAVA_BYTE, 0, lost.length);
  }

  /** Whether the reader has a pending check. */
  public boolean isPending() {
    return pending;
  }

  @Override
  public boolean needsChecksum() {
    return proves;
  }

  @Override
  public void reportPending(long nanos, boolean asleep) {
    pending = nanos > 0;
  }

  /** The medium fails. */
  public void breakDown() {
    broken = true;
  }

  @Override
  public boolean isLossless() {
    return !lossy;
  }

  @Override
  public boolean isBroken() {
    return broken;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread releases; others only look
  public void release() {
    released++;
  }
}
