package org.slipstream.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Session;

/** Chunks whose lease has ended are lent anew. */
class ChunkCleanerTest {
  private static final int SHORTAGES = 3;

  /** Not on a machine that is only slow. */
  private static final int PATIENCE_SECONDS = 60;

  private final BlockingQueue<Region> lent = new LinkedBlockingQueue<>();
  private final ChunkCleaner cleaner = new ChunkCleaner();

  /** How many calls there is no memory for. */
  private final AtomicInteger failing = new AtomicInteger();

  private final class Memory implements OwnMemory {
    private final MemorySegment segment = Arena.ofAuto().allocate(64).fill((byte) 1);

    @Override
    public MemorySegment segment() {
      return segment;
    }

    @Override
    public void describe(Session to, String grant, MemoryAccess access, ByteBuffer out) {}

    @Override
    public boolean revoke(Session from, String grant) {
      return true;
    }

    @Override
    public void forget(String grant) {
      if (failing.getAndDecrement() > 0) {
        throw new OutOfMemoryError("as a test has it");
      }
    }

    @Override
    public void close() {}
  }

  private Region chunk() {
    return new Region("r", () -> Owner.process(1), new Memory(), 0, closed -> {});
  }

  @AfterEach
  void stop() throws InterruptedException {
    cleaner.stop();
  }

  private void assertIsLent(Region chunk) throws InterruptedException {
    assertThat(lent.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isSameAs(chunk);
    assertThat(chunk.memory().get(ValueLayout.JAVA_LONG, 0)).isZero();
  }

  @Test
  void aChunkForWhichThereIsNoMemoryIsLentWhenThereIsSome() throws Exception {
    cleaner.start(lent::add);
    failing.set(SHORTAGES);
    Region first = chunk();
    Region second = chunk();
    cleaner.accept(first);
    assertIsLent(first);
    cleaner.accept(second);
    assertIsLent(second);
    assertThat(lent).isEmpty();
  }

  @Test
  void oneThatIsNotStartedIsStopped() throws Exception {
    cleaner.stop();
    cleaner.accept(chunk());
    assertThat(lent).isEmpty();
  }
}
