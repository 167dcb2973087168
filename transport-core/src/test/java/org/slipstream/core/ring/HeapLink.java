package org.slipstream.core.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * A link whose two windows lie in ordinary memory of one process. It can record what is asked of it
 * and run a hook in the middle of it.
 */
public final class HeapLink implements Link {

  /** Both ends of a link. */
  public record Pair(HeapLink a, HeapLink b) {}

  private final HeapWindow own;
  private final HeapWindow peer;
  private final List<String> record = new ArrayList<>();
  private boolean recording;
  private Runnable beforePublish = () -> {};
  private Runnable inFence = () -> {};
  private volatile int released;
  private volatile boolean lossy;
  private volatile boolean broken;
  private volatile boolean proves;
  private volatile boolean doubted;
  private byte[] lost = {};
  private int bulkBytes = Integer.MAX_VALUE;

  public HeapLink(HeapWindow own, HeapWindow peer) {
    this.own = own;
    this.peer = peer;
  }

  public static Pair pair(int ringBytes, int granted) {
    HeapWindow a = new HeapWindow(ringBytes, granted);
    HeapWindow b = new HeapWindow(ringBytes, granted);
    return new Pair(new HeapLink(a, b), new HeapLink(b, a));
  }

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

  public int released() {
    return released;
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

  private void note(String what) {
    if (recording) {
      record.add(what);
    }
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
    note("push " + offset + "+" + length);
  }

  @Override
  public void publish(long offset, long value) {
    beforePublish.run();
    note("publish " + name(offset) + "=" + value);
    ControlLayout.putLongRelease(peer.control(), offset, value);
  }

  @Override
  public void publishInt(long offset, int value) {
    beforePublish.run();
    note("publish " + name(offset) + "=" + value);
    ControlLayout.putIntRelease(peer.control(), offset, value);
  }

  private static String name(long offset) {
    return switch ((int) offset) {
      case ControlLayout.POSITION -> "position";
      case ControlLayout.ECHO -> "echo";
      case ControlLayout.INLINE -> "inline";
      case ControlLayout.CREDIT -> "credit";
      case ControlLayout.ARMED -> "armed";
      case ControlLayout.WANT_CREDIT -> "want";
      case ControlLayout.SWITCH_AT -> "switchAt";
      case ControlLayout.FIN_AT -> "fin";
      case ControlLayout.GRANTED -> "granted";
      case ControlLayout.FLAGS -> "flags";
      default -> "offset " + offset;
    };
  }

  @Override
  public void fence() {
    note("fence");
    inFence.run();
    VarHandle.fullFence();
  }

  /** From now on a medium that may lose what it was given last. */
  public HeapLink lossy() {
    lossy = true;
    return this;
  }

  /** From now on a medium on which positions prove themselves; before a ring end is made of it. */
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

  /** Whether the reader has a doubt. */
  public boolean isDoubted() {
    return doubted;
  }

  @Override
  public boolean needsProof() {
    return proves;
  }

  @Override
  public void doubt(long nanos, boolean asleep) {
    doubted = nanos > 0;
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
  public void release() {
    released++;
  }
}
