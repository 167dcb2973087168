package org.slipstream.ntb;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slipstream.ntb.sisci.Descriptor;
import org.slipstream.ntb.sisci.Flush;
import org.slipstream.ntb.sisci.RemoteSegment;
import org.slipstream.ntb.sisci.SegmentEvent;
import org.slipstream.ntb.sisci.SegmentMap;
import org.slipstream.ntb.sisci.Sequence;
import org.slipstream.ntb.sisci.SequenceStatus;
import org.slipstream.ntb.sisci.SisciException;

/** A remote segment, mapped write-combining, with a sequence and perhaps an engine. */
final class SisciImported implements Imported {
  private final Descriptor device;
  private final RemoteSegment segment;
  private final SegmentMap map;
  private final Sequence sequence;
  private final Flush flush;
  private final ReentrantLock checking = new ReentrantLock();
  private final @Nullable DmaEngine engine;
  private final @Nullable Arena mirrorArena;
  private final MemorySegment mirror;
  private final long crossover;

  private final Adapter adapter;

  /** Of the board's window. */
  private final long bytes;

  /** Written while checking is held. */
  private volatile Health last = Health.GOOD;

  SisciImported(Adapter adapter, Descriptor device, RemoteSegment segment, boolean bulk)
      throws SisciException {
    this.adapter = adapter;
    this.device = device;
    this.segment = segment;
    this.bytes = segment.bytes();
    this.map = segment.map(0, bytes);
    this.sequence = map.createSequence();
    this.flush = new Flush(adapter.library());
    if (sequence.start() != SequenceStatus.OK) {
      last = Health.BROKEN;
    }
    this.engine = bulk ? DmaEngine.open(adapter, segment, bytes) : null;
    if (engine != null) {
      mirrorArena = null;
      mirror = engine.source();
      crossover = engine.crossover(map.memory(), flush);
      if (engine.isStuck()) {
        last = Health.BROKEN; // the next one does without
      }
    } else {
      mirrorArena = bulk ? Arena.ofShared() : null;
      mirror = mirrorArena == null ? MemorySegment.NULL : mirrorArena.allocate(bytes, 64);
      crossover = Long.MAX_VALUE;
    }
  }

  @Override
  public MemorySegment memory() {
    return map.memory();
  }

  @Override
  public void flush() {
    flush.flush();
  }

  @Override
  public void read(long offset, byte[] out) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment target = arena.allocate(out.length, Long.BYTES);
      map.copyTo(target, offset, out.length);
      MemorySegment.copy(target, ValueLayout.JAVA_BYTE, 0, out, 0, out.length);
    }
  }

  @Override
  public Health health() {
    checking.lock(); // for some microseconds
    try {
      for (SegmentEvent event; (event = segment.awaitEvent(0)) != null; ) {
        switch (event) {
          case DISCONNECT, LOST -> last = Health.GONE;
          case NOT_OPERATIONAL -> last = last == Health.GONE ? last : Health.BROKEN;
          case CONNECT, OPERATIONAL -> {} // stores may have been lost meanwhile: still broken
        }
      }
      if (last == Health.GOOD && sequence.check() != SequenceStatus.OK) {
        last = Health.BROKEN;
      }
      return last;
    } catch (SisciException e) {
      last = Health.GONE;
      return last;
    } finally {
      checking.unlock();
    }
  }

  @Override
  public boolean isBroken() {
    return last != Health.GOOD;
  }

  @Override
  public boolean losesStores() {
    return true;
  }

  @Override
  public @Nullable Check createCheck() {
    if (!adapter.checksEachPublish()) {
      return null;
    }
    try {
      return new SequenceCheck(map.createSequence());
    } catch (SisciException e) {
      markBroken();
      return null;
    }
  }

  private void markBroken() {
    checking.lock();
    try {
      last = last == Health.GOOD ? Health.BROKEN : last;
    } finally {
      checking.unlock();
    }
  }

  private final class SequenceCheck implements Check {
    private final Sequence own;

    SequenceCheck(Sequence own) {
      this.own = own;
      if (own.start() != SequenceStatus.OK) {
        markBroken();
      }
    }

    @Override
    public boolean arrived() {
      if (last == Health.GOOD && own.check() == SequenceStatus.OK) {
        return true;
      }
      markBroken();
      return false;
    }

    @Override
    public void close() {
      Quietly.close(own);
    }
  }

  @Override
  public MemorySegment mirror() {
    return mirror;
  }

  @Override
  public long crossover() {
    return crossover;
  }

  @Override
  public int begin(long offset, long bytes) {
    return engine == null ? -1 : engine.begin(offset, bytes);
  }

  @Override
  public boolean end(int channel) {
    if (engine == null || engine.end(channel)) {
      return engine != null;
    }
    if (engine.isStuck()) {
      markBroken();
    }
    return false;
  }

  @Override
  public void close() {
    if (engine != null && engine.isStuck()) {
      return; // it may still read the source and write the target; the driver ends it with us
    }
    Quietly.close(engine);
    if (mirrorArena != null) {
      mirrorArena.close();
    }
    Quietly.close(sequence);
    Quietly.close(map);
    Quietly.close(segment);
    Quietly.close(device);
    adapter.unmapped(bytes);
  }
}
