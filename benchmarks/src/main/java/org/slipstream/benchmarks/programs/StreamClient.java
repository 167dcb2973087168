package org.slipstream.benchmarks.programs;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import org.HdrHistogram.Histogram;

/** The sending and measuring side of the one-way stream; {@link StreamServer} draws the burst. */
public final class StreamClient {
  /** Long enough that the answer at the end of a burst does not count, where messages are fast. */
  private static final long BURST_MILLIS = 50;

  private static final long FIRST_BURST = 64;

  /** Where a megabyte takes long, a first burst of many would take the whole slice. */
  private static final long FIRST_BYTES = 4 << 20;

  /** A burst grows by so much at most: the first figures of a cold program are no measure. */
  private static final long GROWTH = 8;

  private StreamClient() {}

  /**
   * Connects and sends as the commands say. Argument {@code burst}: milliseconds between two
   * answers of the receiver, for a device that is so slow that answers count.
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    String burst = NamedValues.parse(args).get("burst");
    long millis = burst == null ? BURST_MILLIS : Long.parseLong(burst);
    try (Wire wire = Connections.connect(Arguments.parse(args))) {
      Commands.serve("connected", slice -> measure(wire, slice, millis).toLine());
    }
  }

  /** Sends bursts for the time of one slice; the histogram holds each burst's time per message. */
  public static Report measure(Wire wire, Slice slice) throws IOException {
    return measure(wire, slice, BURST_MILLIS);
  }

  private static Report measure(Wire wire, Slice slice, long burst) throws IOException {
    int size = slice.size();
    Histogram histogram = Report.newHistogram();
    long warm = System.nanoTime() + MILLISECONDS.toNanos(slice.warmupMillis());
    long last = warm + MILLISECONDS.toNanos(slice.millis());
    long messages = Math.clamp(FIRST_BYTES / size, 1, FIRST_BURST);
    long count = 0;
    long nanos = 0;
    long all = 0;
    do {
      boolean recorded = System.nanoTime() - warm >= 0;
      long took = burst(wire, size, messages);
      all += messages;
      if (recorded) {
        count += messages;
        nanos += took;
        Report.record(histogram, Math.round((double) took / messages), messages);
      }
      double fitting = (double) messages * MILLISECONDS.toNanos(burst) / took;
      messages = Math.clamp(Math.round(fitting), 1L, messages * GROWTH);
    } while (System.nanoTime() - last < 0 || count == 0);
    checked(wire, size);
    wire.putLong(0, 0L);
    wire.send(Long.BYTES);
    return new Report(count, nanos, all, histogram);
  }

  /** One more message, of which the receiver compares each byte. */
  private static void checked(Wire wire, int size) throws IOException {
    wire.putLong(0, -(long) size);
    wire.send(Long.BYTES);
    Pattern.fill(wire, 0, size);
    wire.send(size);
    wire.receive(Long.BYTES);
    if (wire.getLong(0) != -size) {
      throw new IOException("the receiver did not compare the last message");
    }
  }

  private static long burst(Wire wire, int size, long messages) throws IOException {
    long start = System.nanoTime();
    wire.putLong(0, messages * size);
    wire.send(Long.BYTES);
    for (long i = 0; i < messages; i++) {
      wire.send(size);
    }
    wire.receive(Long.BYTES);
    if (wire.getLong(0) != messages * size) {
      throw new IOException("the receiver confirmed another number of bytes");
    }
    return System.nanoTime() - start;
  }
}
