package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.slipstream.transport.LazyLogger;

/**
 * An adapter's DMA engine and the local segment that it copies from. Setting a transfer up costs as
 * much as storing tens of kilobytes, so when the engine pays is measured and not assumed. A queue
 * of SISCI takes one transfer at a time, so there are two: while one is under way, the writer
 * copies what the other will take.
 */
final class DmaEngine implements AutoCloseable {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.ntb");

  private static final VarHandle BYTE = JAVA_BYTE.varHandle();

  /** Sizes that are measured, from small to large. */
  private static final int[] SIZES = {4 * 1024, 16 * 1024, 64 * 1024, 256 * 1024};

  private static final int ROUNDS = 8;

  /** Transfers under way at once; one if the board has no more queues. */
  private static final int CHANNELS = 2;

  /** Longer than any transfer of a window takes. */
  private static final long GRACE_NS = 50_000_000;

  private final Adapter adapter;
  private final Descriptor device;
  private final LocalSegment segment;
  private final SegmentMap map;
  private final Channel[] channels;
  private final RemoteSegment target;
  private final String setting;

  /** Written by threads whose transfer could not be stopped. */
  private volatile boolean stuck;

  /** A queue and whether a transfer has it: from its begin to its end one thread uses it. */
  private static final class Channel {
    final DmaQueue queue;
    final AtomicBoolean taken = new AtomicBoolean();

    Channel(DmaQueue queue) {
      this.queue = queue;
    }
  }

  private DmaEngine(
      Adapter adapter,
      Descriptor device,
      LocalSegment segment,
      SegmentMap map,
      List<DmaQueue> queues,
      RemoteSegment target) {
    this.adapter = adapter;
    this.device = device;
    this.segment = segment;
    this.map = map;
    this.channels = queues.stream().map(Channel::new).toArray(Channel[]::new);
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
      List<DmaQueue> queues = queues(device, adapter.number());
      return new DmaEngine(adapter, device, segment, map, queues, target);
    } catch (SisciException e) {
      LOG.log(Level.DEBUG, "No DMA engine", e);
      Quietly.close(map);
      Quietly.close(segment);
      Quietly.close(device);
      return null;
    }
  }

  private static List<DmaQueue> queues(Descriptor device, int adapter) throws SisciException {
    List<DmaQueue> queues = new ArrayList<>();
    queues.add(device.createDmaQueue(adapter, 1));
    try {
      while (queues.size() < CHANNELS) {
        queues.add(device.createDmaQueue(adapter, 1));
      }
    } catch (SisciException e) {
      LOG.log(Level.DEBUG, "One transfer at a time", e);
    }
    return queues;
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
      arrive(remote, at + size - 1);
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
   * The answer of a load comes behind the stores before it: as an engine, it says that they are
   * there.
   */
  private static void arrive(MemorySegment remote, long at) {
    byte ignored = (byte) BYTE.getAcquire(remote, at);
  }

  private boolean transfer(long offset, long bytes) {
    int channel = begin(offset, bytes);
    return channel >= 0 && end(channel);
  }

  /**
   * Begins to copy. Any thread; allocates nothing.
   *
   * @return the channel, to be given to {@link #end}; negative if all are busy, or it has failed
   */
  int begin(long offset, long bytes) {
    for (int i = 0; i < channels.length && !stuck; i++) {
      Channel channel = channels[i];
      if (channel.taken.compareAndSet(false, true)) {
        try {
          channel.queue.start(segment, target, offset, bytes, offset);
          return i;
        } catch (SisciException e) {
          channel.taken.set(false);
          LOG.log(Level.DEBUG, "The engine does not start", e);
          return -1;
        }
      }
    }
    return -1;
  }

  /**
   * Returns when the bytes have arrived. If not, they may be stored in another way: the engine is
   * not at them any more, unless it {@linkplain #isStuck is stuck}.
   *
   * @param index from {@link #begin}
   * @return false if it has failed
   */
  boolean end(int index) {
    Channel channel = channels[index];
    DmaState state = awaitEnd(channel.queue);
    if (state == DmaState.POSTED) {
      state = abort(channel.queue);
    }
    if (state != DmaState.POSTED) { // else it keeps its channel: the driver would refuse another
      channel.taken.set(false);
    }
    return state == DmaState.DONE;
  }

  private static DmaState awaitEnd(DmaQueue queue) {
    long deadline = System.nanoTime() + GRACE_NS;
    while (queue.state() == DmaState.POSTED && System.nanoTime() - deadline < 0) {
      Thread.onSpinWait();
    }
    return queue.state(); // we may have been kept off our core since the last look
  }

  /** A late transfer would overwrite what was stored in its place, and what came after that. */
  private DmaState abort(DmaQueue queue) {
    try {
      queue.abort();
    } catch (SisciException | RuntimeException e) { // the library may not have it
      LOG.log(Level.DEBUG, "The engine can not be stopped", e);
    }
    DmaState state = awaitEnd(queue);
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
    for (Channel channel : channels) {
      Quietly.close(channel.queue);
    }
    Quietly.close(map);
    Quietly.close(segment);
    Quietly.close(device);
  }
}
