package org.slipstream.benchmarks.programs;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** The asking and measuring side of the ping-pong. */
public final class PingPongClient {
  /** Messages of this size and more carry a number that must come back. */
  private static final int STAMPED_SIZE = 16;

  private static final int STAMP = 8;

  private PingPongClient() {}

  /** Connects and measures as the commands say. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Arguments arguments = Arguments.parse(args);
    if (arguments.mode() == Mode.ASYNC) {
      AsynchronousPingPong.connect(arguments);
      return;
    }
    try (Wire wire = Connections.connect(arguments)) {
      Commands.serve("connected", slice -> measure(wire, slice).toLine());
    }
  }

  /**
   * Exchanges messages for the time of one slice and reports each round trip. Of one more, each
   * byte is compared.
   */
  public static Report measure(Wire wire, Slice slice) throws IOException {
    int size = slice.size();
    Histogram warmup = Report.newHistogram();
    exchange(wire, slice, slice.warmupMillis(), warmup);
    Histogram histogram = Report.newHistogram();
    long nanos = exchange(wire, slice, slice.millis(), histogram);
    wire.put(0, PingPongServer.LAST);
    Pattern.fill(wire, 1, size);
    wire.send(size);
    wire.receive(size);
    Pattern.check(wire, 1, size, 0);
    long count = histogram.getTotalCount();
    return new Report(count, nanos, count + warmup.getTotalCount(), histogram);
  }

  private static long exchange(Wire wire, Slice slice, long millis, Histogram histogram)
      throws IOException {
    int size = slice.size();
    long interval = MICROSECONDS.toNanos(slice.intervalMicros());
    long first = System.nanoTime();
    long last = first + MILLISECONDS.toNanos(millis);
    long next = first;
    long now = first;
    long number = 0;
    wire.put(0, PingPongServer.MORE);
    while (now - last < 0) {
      if (interval > 0) {
        next = pauseUntil(next + interval);
      }
      long start = System.nanoTime();
      if (size >= STAMPED_SIZE) {
        wire.putLong(STAMP, ++number);
      }
      wire.send(size);
      wire.receive(size);
      if (size >= STAMPED_SIZE && wire.getLong(STAMP) != number) {
        throw new IOException("message " + number + " came back changed");
      }
      now = System.nanoTime();
      Report.record(histogram, now - start, 1);
    }
    return now - first;
  }

  /**
   * Sleeps until that time, or not at all if it has passed; the schedule never tries to catch up.
   */
  private static long pauseUntil(long time) {
    long now = System.nanoTime();
    if (time - now <= 0) {
      return now;
    }
    while (time - now > 0) {
      LockSupport.parkNanos(time - now);
      now = System.nanoTime();
    }
    return time;
  }
}
