package org.slipstream.benchmarks.driver;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slipstream.benchmarks.memory.MemoryReserver;

/**
 * Reservations of one chunk from a memory server, in turns: cold, and of what this process has
 * closed before.
 */
final class MemoryReservations {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A chunk, as a server has it if it is not told otherwise. */
  static final long BYTES = 64 << 20;

  /** So many, because one that comes back is filled with zeros before it is lent anew. */
  private static final int CHUNKS = 4;

  /** After that time the last chunk has been filled, which would take from the next turn. */
  private static final long PAUSE_MILLIS = 200;

  private static final int WARM_UPS = 20;
  private static final int AGAIN = 10_000;

  private final Path jar;
  private final List<Double> cold = new ArrayList<>();
  private final List<Double> again = new ArrayList<>();

  /**
   * Prepares a run.
   *
   * @param jar slipstream.jar
   */
  MemoryReservations(Path jar) {
    this.jar = jar;
  }

  /** Nanoseconds of a cold reservation, in each turn. */
  List<Double> cold() {
    return cold;
  }

  /** Nanoseconds of one that takes what was kept, in each turn. */
  List<Double> again() {
    return again;
  }

  /** Starts a server and a client, and measures. */
  void measure(Path directory, int rounds) throws BenchmarkFailure, InterruptedException {
    Child lender = server(jar, directory, CHUNKS * BYTES, BYTES);
    try (Child client = client(directory)) {
      client.expect("ready", PATIENCE);
      for (int round = -WARM_UPS; round < rounds; round++) {
        double first = turn(client, "cold", 1);
        double next = turn(client, "again", AGAIN);
        if (round >= 0) {
          cold.add(first);
          again.add(next);
        }
      }
    } finally {
      lender.kill();
    }
  }

  private static double turn(Child client, String kind, int count)
      throws BenchmarkFailure, InterruptedException {
    Thread.sleep(PAUSE_MILLIS);
    client.send(kind + " " + BYTES + " " + count);
    return Double.parseDouble(client.expect("result", PATIENCE).split(" ", -1)[1]) / count;
  }

  /** Starts a memory server, and waits until it lends. */
  static Child server(Path jar, Path directory, long bytes, long chunk)
      throws BenchmarkFailure, InterruptedException {
    Child server =
        Child.start(
            "memory server",
            List.of(
                Launcher.javaCommand(),
                "-Xmx32m",
                "-XX:+UseSerialGC",
                "-jar",
                jar.toString(),
                "memory",
                "serve",
                "--size=" + (bytes >> 20) + "m",
                "--chunk=" + (chunk >> 10) + "k",
                "--dir=" + directory));
    try {
      server.expect("Lending", PATIENCE);
    } catch (BenchmarkFailure failure) {
      server.kill();
      throw failure;
    }
    return server;
  }

  private Child client(Path directory) throws BenchmarkFailure {
    return Child.start(
        "client",
        List.of(
            Launcher.javaCommand(),
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-cp",
            Launcher.location(MemoryReserver.class) + File.pathSeparator + jar,
            MemoryReserver.class.getName(),
            directory.toString()));
  }
}
