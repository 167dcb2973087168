package org.slipstream.ntb;

import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slipstream.ntb.sisci.Descriptor;
import org.slipstream.ntb.sisci.DmaQueue;
import org.slipstream.ntb.sisci.DmaState;
import org.slipstream.ntb.sisci.Flush;
import org.slipstream.ntb.sisci.LocalSegment;
import org.slipstream.ntb.sisci.RemoteSegment;
import org.slipstream.ntb.sisci.SegmentMap;
import org.slipstream.ntb.sisci.SisciConstants;
import org.slipstream.ntb.sisci.SisciException;

/**
 * An adapter's DMA engine and the local segment that it copies from. Setting a transfer up costs as
 * much as storing tens of kilobytes, so when the engine pays is measured and not assumed.
 */
final class DmaEngine implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("org.slipstream.ntb");

  /** Sizes that are measured, from small to large. */
  private static final int[] SIZES = {4 * 1024, 16 * 1024, 64 * 1024, 256 * 1024};

  private static final int ROUNDS = 8;

  /** Longer than any transfer of a window takes. */
  private static final long GRACE_NS = 50_000_000;

  private final Adapter adapter;
  private final Descriptor device;
  private final LocalSegment segment;
  private final SegmentMap map;
  private final DmaQueue queue;
  private final RemoteSegment target;
  private final String setting;
  private final ReentrantLock lock = new ReentrantLock();

  /** Written while the lock is held, or when no other thread uses the engine any more. */
  private volatile boolean stuck;

  private DmaEngine(
      Adapter adapter,
      Descriptor device,
      LocalSegment segment,
      SegmentMap map,
      DmaQueue queue,
      RemoteSegment target) {
    this.adapter = adapter;
    this.device = device;
    this.segment = segment;
    this.map = map;
    this.queue = queue;
    this.target = target;
    this.setting = adapter.dma();
  }

  /** Null if it is switched off or there is none. */
  static @Nullable DmaEngine open(Adapter adapter, RemoteSegment target, long bytes) {
    if (adapter.dma().equals("off") || adapter.isEngineStuck()) {
      return null;
    }
    SisciConstants constants = adapter.library().constants();
    Descriptor device = null;
    LocalSegment segment = null;
    SegmentMap map = null;
    try {
      device = new Descriptor(adapter.library());
      segment = device.createSegment(SegmentIds.random(), bytes, constants.privateSegment());
      segment.prepare(adapter.number(), constants.dmaSourceOnly());
      map = segment.map(0, bytes);
      DmaQueue queue = device.createDmaQueue(adapter.number(), 1);
      return new DmaEngine(adapter, device, segment, map, queue, target);
    } catch (SisciException e) {
      LOG.log(Level.DEBUG, "No DMA engine", e);
      Quietly.close(map);
      Quietly.close(segment);
      Quietly.close(device);
      return null;
    }
  }

  MemorySegment source() {
    return map.memory();
  }

  /** The setting, or what a measurement says: the first size at which the engine is not slower. */
  long crossover(MemorySegment remote, Flush flush) {
    if (!setting.equals("auto")) {
      return Long.parseLong(setting);
    }
    for (int size : SIZES) {
      if (size <= remote.byteSize() && engineWins(remote, flush, size)) {
        return size;
      }
    }
    return Long.MAX_VALUE;
  }

  private boolean engineWins(MemorySegment remote, Flush flush, int size) {
    long stores = Long.MAX_VALUE;
    long engine = Long.MAX_VALUE;
    long at = remote.byteSize() - size; // the end of the last ring: no stream is there yet
    for (int i = 0; i < ROUNDS; i++) {
      long t0 = System.nanoTime();
      MemorySegment.copy(source(), at, remote, at, size);
      flush.flush();
      long t1 = System.nanoTime();
      if (!transfer(at, size)) {
        return false;
      }
      long t2 = System.nanoTime();
      stores = Math.min(stores, t1 - t0);
      engine = Math.min(engine, t2 - t1);
    }
    return engine <= stores;
  }

  /**
   * Copies, and returns when the bytes have arrived. If not, they may be stored in another way: the
   * engine is not at them any more, unless it {@linkplain #isStuck is stuck}.
   *
   * @return false if it is busy or has failed
   */
  boolean transfer(long offset, long bytes) {
    if (stuck || !lock.tryLock()) {
      return false;
    }
    try {
      queue.start(segment, target, offset, bytes, offset);
      DmaState state = awaitEnd();
      if (state == DmaState.POSTED) {
        state = abort();
      }
      return state == DmaState.DONE;
    } catch (SisciException e) {
      LOG.log(Level.DEBUG, "The engine does not start", e);
      return false;
    } finally {
      lock.unlock();
    }
  }

  private DmaState awaitEnd() {
    long deadline = System.nanoTime() + GRACE_NS;
    while (queue.state() == DmaState.POSTED && System.nanoTime() - deadline < 0) {
      Thread.onSpinWait();
    }
    return queue.state(); // we may have been kept off our core since the last look
  }

  /** A late transfer would overwrite what was stored in its place, and what came after that. */
  private DmaState abort() {
    try {
      queue.abort();
    } catch (SisciException | RuntimeException e) { // the library may not have it
      LOG.log(Level.DEBUG, "The engine can not be stopped", e);
    }
    DmaState state = awaitEnd();
    if (state == DmaState.POSTED) {
      stuck = true;
      adapter.engineIsStuck();
    }
    return state;
  }

  /** Whether it may still write, at an unknown time: then nothing that it can reach is safe. */
  boolean isStuck() {
    return stuck;
  }

  /** To be called only if it is not {@linkplain #isStuck stuck}: it would go on in freed memory. */
  @Override
  public void close() {
    Quietly.close(queue);
    Quietly.close(map);
    Quietly.close(segment);
    Quietly.close(device);
  }
}
