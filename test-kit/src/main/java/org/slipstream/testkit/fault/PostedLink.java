package org.slipstream.testkit.fault;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * A link of posted stores: they arrive in order and late, and those that are on their way when the
 * link breaks never do. Of a word and the plain stores before it either may be seen first, and the
 * other a while later. What was stored is kept here, so that it can be sent once more. Large direct
 * buffers are sent without a copy: a writer that gives one back to the program too early sends what
 * it holds by then.
 */
final class PostedLink implements Link {
  /** One store of so many takes its time. */
  private static final int SLOW = 64;

  private static final long DELAY_NS = 50_000;

  /** One buffer of so many has to be copied, as if it were not registered. */
  private static final int UNREGISTERED = 4;

  private static final int ALIGNMENT = 64;

  private static final ValueLayout.OfInt INT =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Link works;
  private final FaultyWire wire;
  private final Place here;
  private final Place there;
  private final Consumer<PostedLink> whenReleased;
  private final Runnable arrival = this::arrive;
  private final MemorySegment control;
  private final MemorySegment ring;

  // Guarded by this.
  private final SplittableRandom random;
  private final ArrayDeque<Runnable> stores = new ArrayDeque<>();
  private boolean released;

  private volatile boolean broken;

  PostedLink(
      Link works, FaultyWire wire, Place here, Place there, Consumer<PostedLink> whenReleased) {
    this.works = works;
    this.wire = wire;
    this.here = here;
    this.there = there;
    this.whenReleased = whenReleased;
    this.control = Arena.ofAuto().allocate(works.sendControl().byteSize(), ALIGNMENT);
    this.ring = Arena.ofAuto().allocate(works.sendRing().byteSize(), ALIGNMENT);
    this.random = wire.split();
    wire.join(here, arrival);
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
    return ring;
  }

  @Override
  public void push(long offset, long length) {
    byte[] bytes = ring.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    post(() -> {
      MemorySegment.copy(bytes, 0, works.sendRing(), ValueLayout.JAVA_BYTE, offset, bytes.length);
      works.push(offset, length);
    });
  }

  /** The program's bytes are read when they arrive, and not before. */
  @Override
  public boolean pushFrom(ByteBuffer source, int index, long offset, int length) {
    synchronized (this) {
      if (random.nextInt(UNREGISTERED) == 0) {
        return false;
      }
    }
    post(() -> {
      works.sendRing().asByteBuffer().put((int) offset, source, index, length);
      works.push(offset, length);
    });
    return true;
  }

  /** No reader sees what was lost. */
  @Override
  public void awaitTaken() {
    arrive();
  }

  @Override
  public synchronized void publish(long offset, long value) {
    long[] before = control.toArray(ValueLayout.JAVA_LONG);
    control.set(LONG, offset, value);
    publish(offset, before, () -> works.publish(offset, value));
  }

  @Override
  public synchronized void publishInt(long offset, int value) {
    long[] before = control.toArray(ValueLayout.JAVA_LONG);
    control.set(INT, offset, value);
    publish(offset, before, () -> works.publishInt(offset, value));
  }

  private void publish(long offset, long[] before, Runnable word) {
    if (offset < ControlLayout.PLAIN_BYTES && random.nextBoolean()) {
      long[] plain = control.toArray(ValueLayout.JAVA_LONG);
      post(word);
      post(() -> copyControl(plain));
    } else {
      post(() -> {
        copyControl(before);
        word.run();
      });
    }
  }

  @Override
  public boolean needsSelfValidation() {
    return true;
  }

  private void copyControl(long[] words) {
    for (int i = 0; i < words.length; i++) {
      works.sendControl().setAtIndex(ValueLayout.JAVA_LONG, i, words[i]);
    }
  }

  private void post(Runnable store) {
    boolean slow;
    synchronized (this) {
      if (broken || released) {
        return;
      }
      boolean late = random.nextBoolean();
      slow = wire.faults().delays() && random.nextInt(SLOW) == 0;
      if (late && stores.isEmpty()) {
        wire.posted(arrival);
      }
      stores.add(store);
      if (!late) {
        arrive();
      }
    }
    long busy = wire.slowNanos();
    if (busy > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(busy);
    }
    if (slow && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(DELAY_NS);
    }
  }

  /** What is on its way is there. */
  synchronized void arrive() {
    Runnable store;
    while (!released && (store = stores.poll()) != null) {
      store.run();
    }
  }

  /** What is on its way is lost. */
  synchronized void breakDown() {
    broken = true;
    stores.clear();
  }

  @Override
  public void fence() {
    VarHandle.fullFence(); // the peer's flush() fetches what it must not miss
  }

  /** A read-back: pushes our stores before it, and the peer's stores before the answer. */
  @Override
  public void flush() {
    arrive();
    VarHandle.fullFence();
    wire.arriveFrom(there);
    VarHandle.fullFence();
  }

  @Override
  public boolean isLossless() {
    return false;
  }

  @Override
  public boolean isBroken() {
    return broken;
  }

  @Override
  public synchronized void release() {
    if (!released) {
      arrive();
      released = true;
      whenReleased.accept(this);
      wire.leave(here, arrival);
      works.release();
    }
  }
}
