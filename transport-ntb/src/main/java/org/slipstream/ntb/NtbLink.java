package org.slipstream.ntb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * Two windows on two sides of a bridge.
 *
 * <p>The ring and the control block that the caller fills are mirrors in our own memory. {@link
 * #push} stores the ring across the bridge, so that an engine can do it for large pieces; {@link
 * #publish} of the position stores what was changed in the control block. So everything that the
 * peer has not taken yet still exists here.
 *
 * <p>Between two flushes the processor may send stores in any order, and behind a link that was
 * down for a moment later ones arrive where earlier ones did not. So where {@linkplain
 * Imported#losesStores stores can be lost} a position {@linkplain Link#needsChecksum carries a
 * checksum}: bytes, position, one flush. Elsewhere: bytes, flush, position, flush. Every publish
 * ends with a flush, so words of other kinds need none before them.
 */
final class NtbLink implements Link {
  /** The words that may be stored plainly, the position among them. */
  private static final int PLAIN_WORDS = ControlLayout.PLAIN_BYTES / Long.BYTES;

  /** What a load across a dead link returns. */
  private static final long ALL_ONES = -1;

  private final Runnable onFailure;
  private final Consumer<NtbLink> onRelease;
  private final MemorySegment receiveControl;
  private final MemorySegment receiveRing;
  private final Imported imported;
  private final Imported.@Nullable Check check;
  private final MemorySegment control;
  private final MemorySegment remoteControl;
  private final MemorySegment ring;
  private final MemorySegment remoteRing;
  private final long crossover;
  private final Transfers transfers;
  private final boolean proves;

  /** The plain words as they were sent last; the publisher of the position. */
  private final long[] sent = new long[PLAIN_WORDS];

  private volatile boolean broken;
  private boolean released;

  /** How long a position had not proven itself when the reader looked last; 0 = it had. */
  private volatile long pendingNs;

  /** Since when the reader sleeps with that pending; 0 = it does not. Written before that. */
  private volatile long asleepSince;

  NtbLink(
      Runnable onFailure,
      Consumer<NtbLink> onRelease,
      MemorySegment receiveControl,
      MemorySegment receiveRing,
      Imported imported,
      long controlOffset,
      long ringOffset,
      long ringBytes) {
    this.onFailure = onFailure;
    this.onRelease = onRelease;
    this.receiveControl = receiveControl;
    this.receiveRing = receiveRing;
    this.imported = imported;
    this.check = imported.createCheck();
    this.control = imported.mirror().asSlice(controlOffset, ControlLayout.BYTES);
    this.remoteControl = imported.memory().asSlice(controlOffset, ControlLayout.BYTES);
    this.ring = imported.mirror().asSlice(ringOffset, ringBytes);
    this.remoteRing = imported.memory().asSlice(ringOffset, ringBytes);
    this.crossover = imported.crossover();
    this.transfers = new Transfers(imported, ringOffset, this::store);
    this.proves = imported.losesStores();
    control.fill((byte) 0);
    // The owner has zeroed it too. This is for what combines our stores: it must not think that a
    // word already has the value that an earlier stream left there.
    remoteControl.fill((byte) 0);
    imported.flush();
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
    return control;
  }

  @Override
  public MemorySegment sendRing() {
    return ring;
  }

  /** What an engine takes is under way when this returns, and has arrived before its position. */
  @Override
  public void push(long offset, long length) {
    transfers.beforePush(offset, length, ring.byteSize());
    if (length < crossover || !transfers.begin(offset, length)) {
      store(offset, length);
    }
  }

  private void store(long offset, long length) {
    MemorySegment.copy(ring, offset, remoteRing, offset, length);
  }

  /** What an engine is worth to be set up for. */
  @Override
  public int bulkBytes() {
    return (int) Math.min(Integer.MAX_VALUE, crossover);
  }

  @Override
  public void publish(long offset, long value) {
    if (offset == ControlLayout.POSITION) {
      transfers.endAll();
      sendPlainWords();
      if (check != null) {
        if (!check.arrived()) { // flushes
          fail();
          return; // the position stays what the peer can trust
        }
      } else if (!proves) {
        imported.flush();
      }
    }
    ControlLayout.putLongRelease(remoteControl, offset, value);
    imported.flush();
  }

  /** Words that are published by themselves never change in the mirror. */
  private void sendPlainWords() {
    for (int i = 1; i < PLAIN_WORDS; i++) {
      long word = control.getAtIndex(ValueLayout.JAVA_LONG, i);
      if (word != sent[i]) {
        sent[i] = word;
        remoteControl.setAtIndex(ValueLayout.JAVA_LONG, i, word);
      }
    }
  }

  @Override
  public void publishInt(long offset, int value) {
    ControlLayout.putIntRelease(remoteControl, offset, value);
    imported.flush();
  }

  /**
   * Orders my store before my look at local memory. That is enough for the publisher: a thread that
   * goes to sleep uses {@link #flush}, whose answer can not overtake what was published before this
   * fence.
   */
  @Override
  public void fence() {
    VarHandle.fullFence();
  }

  @Override
  public void flush() {
    imported.flush();
    // The answer crosses the bridge behind our stores, and comes back behind the peer's.
    long word = ControlLayout.getLongAcquire(remoteControl, ControlLayout.POSITION);
    VarHandle.fullFence();
    if (word == ALL_ONES || imported.health() != Imported.Health.GOOD) {
      fail();
    }
  }

  private void fail() {
    if (!broken) {
      broken = true;
      onFailure.run();
    }
  }

  @Override
  public boolean isLossless() {
    return false;
  }

  @Override
  public boolean needsChecksum() {
    return proves;
  }

  @Override
  public void reportPending(long nanos, boolean asleep) {
    asleepSince = asleep ? System.nanoTime() | 1 : 0;
    pendingNs = nanos;
  }

  /**
   * How long the reader has waited for bytes whose position has arrived. A program that does not
   * read does not wait, and it is not known whether its bytes have come meanwhile.
   *
   * @return nanoseconds; 0 if it does not
   */
  long pendingFor(long now) {
    long pending = pendingNs;
    long since = asleepSince;
    return pending == 0 || since == 0 ? pending : pending + now - since;
  }

  @Override
  public boolean isBroken() {
    return broken || imported.isBroken();
  }

  @Override
  public void release() {
    if (!released) {
      released = true;
      transfers.endAll(); // the window may be another stream's from now on
      if (check != null) {
        check.close();
      }
      onRelease.accept(this);
    }
  }
}
