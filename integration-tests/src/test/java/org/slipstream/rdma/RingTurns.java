package org.slipstream.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Exchanges and transfers between the two ends of a link, with one thread for each. Every message
 * begins and ends with its number, and both ends look at it.
 */
final class RingTurns implements AutoCloseable {
  /** Exchanges that are timed together: reading the clock takes a while in an emulated machine. */
  static final int BATCH = 16;

  /** How much of a transfer is read at once, as programs do. */
  private static final int PIECE = 64 * 1024;

  private interface Work {
    void run() throws IOException;
  }

  private final ExecutorService other =
      Executors.newSingleThreadExecutor(
          task -> Thread.ofPlatform().daemon().name("other end").unstarted(task));

  /** The other thread is there from now on. */
  RingTurns() {
    var _ = other.submit(() -> {});
  }

  /**
   * Sends messages there and back again, one at a time.
   *
   * @param bytes of a message, 16 at least
   * @return nanoseconds of an exchange: of the median batch
   */
  double exchange(RingEnd a, RingEnd b, int bytes, int batches) throws Exception {
    long[] nanos = new long[batches];
    Future<?> echo =
        begin(() -> {
          ByteBuffer message = ByteBuffer.allocate(bytes);
          for (int i = 0; i < batches * BATCH; i++) {
            b.read(message.clear());
            check(message, i);
            b.write(message.flip());
          }
        });
    with(
        echo,
        () -> {
          ByteBuffer message = ByteBuffer.allocate(bytes);
          for (int batch = 0; batch < batches; batch++) {
            long began = System.nanoTime();
            for (int i = batch * BATCH; i < (batch + 1) * BATCH; i++) {
              message.putLong(0, i).putLong(bytes - Long.BYTES, i);
              a.write(message.clear());
              a.read(message.clear());
              check(message, i);
            }
            nanos[batch] = System.nanoTime() - began;
          }
        });
    Arrays.sort(nanos);
    return (double) nanos[batches / 2] / BATCH;
  }

  /**
   * Sends messages one way, and waits until the last one was read.
   *
   * @param message as large as it is
   * @return nanoseconds of a message
   */
  double transfer(RingEnd a, RingEnd b, ByteBuffer message, int count) throws Exception {
    int bytes = message.capacity();
    Future<?> reader =
        begin(() -> {
          ByteBuffer whole = ByteBuffer.allocate(bytes);
          for (int i = 0; i < count; i++) {
            for (int end = 0; end < bytes; ) {
              end = Math.min(end + PIECE, bytes);
              b.read(whole.limit(end));
            }
            check(whole, i);
            whole.clear();
          }
          b.write(ByteBuffer.allocate(1));
        });
    long began = System.nanoTime();
    with(
        reader,
        () -> {
          for (int i = 0; i < count; i++) {
            message.putLong(0, i).putLong(bytes - Long.BYTES, i);
            a.write(message.clear());
          }
          a.read(ByteBuffer.allocate(1));
        });
    return (double) (System.nanoTime() - began) / count;
  }

  private static void check(ByteBuffer message, long number) throws IOException {
    if (message.getLong(0) != number
        || message.getLong(message.capacity() - Long.BYTES) != number) {
      throw new IOException("message " + number + " is not what was sent");
    }
  }

  /** If it fails, the thread that begins it would poll until its deadline: it is interrupted. */
  private Future<?> begin(Work work) {
    Thread caller = Thread.currentThread();
    return other.submit(() -> {
      try {
        work.run();
      } catch (IOException | RuntimeException e) {
        caller.interrupt();
        throw e;
      }
      return null;
    });
  }

  private static void with(Future<?> theOther, Work work) throws Exception {
    try {
      work.run();
    } catch (IOException | RuntimeException e) {
      theOther.cancel(true); // or it polls until its deadline
      if (theOther.state() == Future.State.FAILED) {
        e.addSuppressed(theOther.exceptionNow());
      }
      throw e;
    }
    theOther.get();
  }

  @Override
  public void close() {
    other.shutdownNow();
  }
}
