package org.slipstream.it.programs;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;

/**
 * A client that works for as long as each line of its input says, in milliseconds, and then says
 * how many operations it did and how long they took: count, median and p99 in nanoseconds, and how
 * many of them it had to {@linkplain #repeated() repeat}.
 */
final class Load {
  /** Each has a connection of its own. */
  static final int CLIENTS = 4;

  /** Bytes of a message each way, where the program lets us choose. */
  static final int MESSAGE = 1024;

  /** What one client does again and again. */
  @FunctionalInterface
  interface Operation {
    void once() throws Exception;
  }

  private static final LongAdder REPEATED = new LongAdder();

  private Load() {}

  /** An operation failed and is done again; a caller that repeats has to say so. Any thread. */
  static void repeated() {
    REPEATED.increment();
  }

  /** Runs until the input ends, and then ends the process. */
  static void serve(Callable<Operation> clients) throws Exception {
    List<Operation> operations = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      operations.add(clients.call());
    }
    System.out.println("ready load");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    try (ExecutorService pool = Executors.newFixedThreadPool(CLIENTS)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        long millis = Long.parseLong(line);
        List<Future<long[]>> all = new ArrayList<>();
        for (Operation operation : operations) {
          all.add(pool.submit(() -> window(operation, millis)));
        }
        LongStream times = LongStream.empty();
        for (Future<long[]> one : all) {
          times = LongStream.concat(times, Arrays.stream(one.get()));
        }
        report(times.sorted().toArray());
      }
    }
    System.exit(0);
  }

  private static long[] window(Operation operation, long millis) throws Exception {
    long[] times = new long[1024];
    int n = 0;
    long now = System.nanoTime();
    long end = now + millis * 1_000_000;
    while (now - end < 0) {
      operation.once();
      long after = System.nanoTime();
      if (n == times.length) {
        times = Arrays.copyOf(times, 2 * n);
      }
      times[n++] = after - now;
      now = after;
    }
    return Arrays.copyOf(times, n);
  }

  private static void report(long[] sorted) {
    System.out.println(
        "measured "
            + sorted.length
            + " "
            + sorted[sorted.length / 2]
            + " "
            + sorted[(int) (sorted.length * 0.99)]
            + " "
            + REPEATED.sumThenReset());
    System.out.flush();
  }
}
