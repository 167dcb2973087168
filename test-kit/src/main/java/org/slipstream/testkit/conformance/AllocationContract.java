package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Extent;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;

/**
 * Reading and writing in steady state does not allocate, where the carrier says so; elsewhere it is
 * only measured. The figure is the best of several batches: the compiler, not the stream, spoils
 * single ones.
 */
public abstract class AllocationContract extends NioContract {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int WARM_UP_ROUNDS = 10_000;
  private static final int BATCHES = 5;
  private static final int BATCH_ROUNDS = 500;
  private static final long WARM_UP_NANOS = Extent.of(Duration.ofSeconds(8).toNanos());

  /** Nothing is opened yet. */
  protected AllocationContract() {}

  @ParameterizedTest
  @CsvSource({"64, true", "64, false", "4000, true", "4000, false"})
  void blockingReadsAndWritesDoNotAllocate(int size, boolean direct, TestReporter reporter)
      throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer buffer = buffer(size, direct);

    double perRound =
        leastAllocationPerRound(() -> {
          send(pair.client(), buffer);
          receive(pair.server(), buffer);
          send(pair.server(), buffer);
          receive(pair.client(), buffer);
        });

    judge(perRound, reporter);
  }

  @ParameterizedTest
  @CsvSource({"64, true", "64, false", "4000, true", "4000, false"})
  void nonBlockingReadsAndWritesDoNotAllocate(int size, boolean direct, TestReporter reporter)
      throws Exception {
    Pair pair = net().settledNonBlockingPair();
    ByteBuffer buffer = buffer(size, direct);
    ByteBuffer empty = buffer(size, direct);

    double perRound =
        leastAllocationPerRound(() -> {
          pair.client().read(empty.clear());
          send(pair.client(), buffer);
          receive(pair.server(), buffer);
          pair.server().read(empty.clear());
          send(pair.server(), buffer);
          receive(pair.client(), buffer);
        });

    judge(perRound, reporter);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void scatteringAndGatheringDoesNotAllocate(boolean direct, TestReporter reporter)
      throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer[] buffers = {buffer(20, direct), buffer(44, direct)};

    double perRound =
        leastAllocationPerRound(() -> {
          clear(buffers);
          while (buffers[1].hasRemaining()) {
            pair.client().write(buffers);
          }
          clear(buffers);
          while (buffers[1].hasRemaining()) {
            pair.server().read(buffers);
          }
        });

    judge(perRound, reporter);
  }

  @Test
  void waitingInABlockingReadDoesNotAllocate(TestReporter reporter) throws Exception {
    Pair pair = net().settledPair();
    Background<@Nullable Void> echo =
        Background.run(() -> {
          ByteBuffer buffer = buffer(64, true);
          while (pair.server().read(buffer.clear()) >= 0) {
            Bytes.write(pair.server(), buffer.flip());
          }
        });
    ByteBuffer buffer = buffer(64, true);

    double perRound =
        leastAllocationPerRound(() -> {
          send(pair.client(), buffer);
          receive(pair.client(), buffer);
        });

    judge(perRound, reporter);
    pair.client().shutdownOutput();
    echo.result();
  }

  /** One round of reads and writes. */
  @FunctionalInterface
  private interface Round {
    void run() throws IOException;
  }

  /** Of several batches; on a loaded machine the compiler comes later. */
  private double leastAllocationPerRound(Round round) throws IOException {
    long patience = System.nanoTime() + WARM_UP_NANOS;
    for (int i = 0; i < WARM_UP_ROUNDS && System.nanoTime() - patience < 0; i++) {
      round.run();
    }
    long least = Long.MAX_VALUE;
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    for (int batch = 0; batch < BATCHES || isWorthAnother(least, end); batch++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < BATCH_ROUNDS; i++) {
        round.run();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    return (double) least / BATCH_ROUNDS;
  }

  private boolean isWorthAnother(long least, long end) {
    return carrier().allocationFree() && least >= BATCH_ROUNDS && System.nanoTime() - end < 0;
  }

  private void judge(double bytesPerRound, TestReporter reporter) {
    reporter.publishEntry("bytes allocated per round", Double.toString(bytesPerRound));
    if (carrier().allocationFree()) {
      assertThat(bytesPerRound).as("bytes allocated per round").isLessThan(1.0);
    }
  }

  private static ByteBuffer buffer(int size, boolean direct) {
    return direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
  }

  private static void clear(ByteBuffer[] buffers) {
    for (ByteBuffer buffer : buffers) {
      buffer.clear();
    }
  }

  private static void send(SocketChannel channel, ByteBuffer buffer) throws IOException {
    Bytes.write(channel, buffer.clear());
  }

  private static void receive(SocketChannel channel, ByteBuffer buffer) throws IOException {
    Bytes.read(channel, buffer.clear());
  }
}
