package org.slipstream.benchmarks.raw;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class RawRingTest {
  private static final long TOTAL = 4_000_000;

  @Test
  void carriesEveryByteInOrder() {
    long seed = System.nanoTime();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(RawRing.BYTES, 128);
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(() -> write(new RawRing(memory), arena, new Random(seed)));
      RawRing reader = new RawRing(memory);
      MemorySegment target = arena.allocate(100_000);
      Random random = new Random(seed + 1);
      long received = 0;
      while (received < TOTAL) {
        long count = reader.read(target, 0, 1 + random.nextInt(100_000));
        for (long i = 0; i < count; i++) {
          assertThat(target.get(ValueLayout.JAVA_BYTE, i))
              .as("seed %d", seed)
              .isEqualTo(at(received));
          received++;
        }
      }
      writer.join();
      assertThat(received).isEqualTo(TOTAL);
    }
  }

  private static void write(RawRing ring, Arena arena, Random random) {
    MemorySegment source = arena.allocate(300_000);
    long sent = 0;
    while (sent < TOTAL) {
      long count = Math.min(TOTAL - sent, 1 + random.nextInt(300_000));
      for (long i = 0; i < count; i++) {
        source.set(ValueLayout.JAVA_BYTE, i, at(sent + i));
      }
      ring.write(source, count);
      sent += count;
    }
  }

  /** A pattern whose period is prime, so that no multiple of the ring's size hides a shift. */
  private static byte at(long position) {
    return (byte) (position % 251);
  }
}
