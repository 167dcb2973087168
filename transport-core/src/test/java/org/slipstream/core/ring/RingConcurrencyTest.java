package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A reader and a writer that sleep for each other with no timer: a lost wake-up is a time-out. */
@Timeout(280)
class RingConcurrencyTest {
  private static final long PATIENCE_SECONDS = 60;

  private final Semaphore doorbell = new Semaphore(0);
  private final Semaphore notice = new Semaphore(0);

  @ParameterizedTest(name = "ring of {0}, messages of at most {1} bytes")
  @CsvSource({"1024, 90, 3000000", "4096, 90, 3000000", "16384, 5000, 30000000"})
  void noThreadSleepsForEverAndEveryByteArrives(int ringBytes, int longest, long total)
      throws Exception {
    RingEnd.Two two = RingEnd.two(ringBytes, ringBytes / 4);
    long seed = System.nanoTime();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(() -> {
          try {
            write(two.a(), total, longest, new Random(seed));
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    read(two.b(), total, longest, seed, writer);
    writer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(two.b().consumer().consumed()).as("seed %d", seed).isEqualTo(total);
  }

  private void write(RingEnd end, long total, int longest, Random random)
      throws IOException, InterruptedException {
    ByteBuffer src = ByteBuffer.allocateDirect(longest);
    long sent = 0;
    while (sent < total) {
      int n = (int) Math.min(total - sent, 1 + random.nextInt(longest));
      src.clear().limit(n);
      for (int i = 0; i < n; i++) {
        src.put(i, TransferModel.at(sent + i));
      }
      while (src.hasRemaining()) {
        if (end.producer().write(src, () -> signals(doorbell)) == 0) {
          end.producer().credit().request();
          if (end.producer().credit().space(1) == 0) {
            assertThat(notice.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("the writer sleeps at %d and got no notice", sent)
                .isTrue();
          }
        }
      }
      sent += n;
      if (random.nextInt(64) == 0) {
        Thread.yield();
      }
    }
  }

  private void read(RingEnd end, long total, int longest, long seed, CompletableFuture<Void> writer)
      throws Exception {
    Random random = new Random(seed + 1);
    ByteBuffer dst = ByteBuffer.allocate(longest * 3);
    long received = 0;
    while (received < total) {
      dst.clear().limit(1 + random.nextInt(dst.capacity()));
      int n = end.consumer().read(dst);
      if (end.consumer().credit().takeNotice()) {
        notice.release();
      }
      for (int i = 0; i < n; i++) {
        if (dst.get(i) != TransferModel.at(received + i)) {
          throw new AssertionError("byte " + (received + i) + " is wrong, seed " + seed);
        }
      }
      received += n;
      if (n == 0 && end.consumer().arm()) {
        if (!doorbell.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          writer.getNow(null);
          throw new AssertionError("the reader sleeps at " + received + " and got no doorbell");
        }
        assertThat(doorbell.availablePermits()).as("one arming, one doorbell").isZero();
        end.consumer().doorbellHeard();
      }
    }
  }

  private static boolean signals(Semaphore doorbell) {
    doorbell.release();
    return true;
  }
}
