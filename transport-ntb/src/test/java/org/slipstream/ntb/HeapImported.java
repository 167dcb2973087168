package org.slipstream.ntb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The peer's memory, when both ends are in one test. */
final class HeapImported implements Imported {
  private final MemorySegment memory;
  private final MemorySegment mirror;
  final List<String> record = new ArrayList<>();
  long crossover = Long.MAX_VALUE;
  boolean engineWorks = true;
  boolean engineIsFree = true;
  private final List<long[]> begun = new ArrayList<>();
  boolean broken;
  boolean losesStores;
  boolean checks = true;
  boolean hasNoMemory;

  HeapImported(MemorySegment memory) {
    this.memory = memory;
    this.mirror = MemorySegment.ofArray(new long[(int) (memory.byteSize() / 8)]);
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void flush() {
    if (hasNoMemory) {
      throw new OutOfMemoryError("as a test has it");
    }
    record.add("flush");
  }

  @Override
  public void read(long offset, byte[] out) {
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, out, 0, out.length);
  }

  @Override
  public Health health() {
    return Health.GOOD;
  }

  @Override
  public boolean isBroken() {
    return broken;
  }

  @Override
  public boolean losesStores() {
    return losesStores;
  }

  @Override
  public @Nullable Check createCheck() {
    if (!checks) {
      return null;
    }
    return new Check() {
      @Override
      public boolean arrived() {
        record.add("check");
        return !broken;
      }

      @Override
      public void close() {}
    };
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
    if (!engineIsFree) {
      return -1;
    }
    begun.add(new long[] {offset, bytes});
    record.add("begin " + offset + "+" + bytes);
    return begun.size() - 1;
  }

  /** The bytes of this moment: the latest at which an engine may take them. */
  @Override
  public boolean end(int channel) {
    long[] range = begun.get(channel);
    record.add("end " + range[0]);
    if (engineWorks) {
      MemorySegment.copy(mirror, range[0], memory, range[0], range[1]);
    }
    return engineWorks;
  }

  @Override
  public void close() {}
}
