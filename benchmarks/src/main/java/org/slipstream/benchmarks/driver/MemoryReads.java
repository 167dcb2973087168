package org.slipstream.benchmarks.driver;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.memory.MemoryOwner;
import org.slipstream.benchmarks.memory.MemoryReader;

/**
 * Reads of another process's memory, in turns: through a queue, by plain loads and memcpy over the
 * same mapping, and as requests over a stream, on the ring and on TCP. Two pairs of processes, one
 * with the agent and one without; the first of them reads memory.
 */
public final class MemoryReads {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** How long a turn of a row takes, roughly. */
  private static final double TURN_NS = 200e6;

  /** Reads without a turn of another row between them, for the CPU time of the owner. */
  private static final double ALONE_NS = 20e9;

  /** A first count, from which the others follow; small, for the slowest row. */
  private static final long FIRST_COUNT = 2000;

  private static final int WARM_UPS = 4;
  private static final int SMALL = 8;
  private static final int LARGE = 64 << 10;

  /** What fits into the first cache of a core, with room. */
  private static final long NEAR = 16 << 10;

  private static final String[] NAMES = {
    "read through a queue", "plain load", "memcpy", "request over the ring", "request over TCP"
  };

  /** A row: which process does what. */
  private record Row(String name, boolean accelerated, String kind, int bytes, long span) {
    String command(long count) {
      return kind + " " + bytes + " " + span + " " + count;
    }
  }

  private final Path jar;
  private final int rounds;
  private final long bytes;
  private final PrintWriter out;
  private final Map<Row, Long> counts = new HashMap<>();
  private final Map<Row, List<Double>> times = new HashMap<>();
  private double ownerCpu;
  private double readingTime;
  private @Nullable String complaint;

  /**
   * Prepares a run.
   *
   * @param jar slipstream.jar
   * @param rounds turns of each row
   * @param bytes size of the region, a power of two
   */
  public MemoryReads(Path jar, int rounds, long bytes, PrintWriter out) {
    this.jar = jar;
    this.rounds = rounds;
    this.bytes = bytes;
    this.out = out;
  }

  /** Measures and prints; returns the exit code. */
  public int run(PrintWriter err) throws InterruptedException {
    List<Row> rows =
        List.of(
            new Row(NAMES[0], true, "read", SMALL, bytes),
            new Row(NAMES[1], true, "load", SMALL, bytes),
            new Row(NAMES[0] + ", in the cache", true, "read", SMALL, NEAR),
            new Row(NAMES[1] + ", in the cache", true, "load", SMALL, NEAR),
            new Row(NAMES[3] + ", in the cache", true, "get", SMALL, NEAR),
            new Row(NAMES[4] + ", in the cache", false, "get", SMALL, NEAR),
            new Row(NAMES[0], true, "read", LARGE, bytes),
            new Row(NAMES[2], true, "copy", LARGE, bytes),
            new Row(NAMES[3], true, "get", LARGE, bytes),
            new Row(NAMES[4], false, "get", LARGE, bytes));
    Path directory;
    try {
      directory = Runs.directory();
    } catch (IOException e) {
      err.println("No directory for the run: " + e.getMessage());
      return Benchmark.FAILED;
    }
    try (Child on = owner(directory, true);
        Child off = owner(directory, false)) {
      String onPort = on.expect("ready", PATIENCE).split(" ", -1)[1];
      String offPort = off.expect("ready", PATIENCE).split(" ", -1)[1];
      try (Child fast = reader(directory, true, on, onPort);
          Child plain = reader(directory, false, off, offPort)) {
        fast.expect("ready", PATIENCE);
        plain.expect("ready", PATIENCE);
        measure(rows, fast, plain, on);
        if (complaint != null) {
          err.println(complaint);
          return Benchmark.NOT_ON_RING;
        }
      }
    } catch (BenchmarkFailure failure) {
      err.println(failure.getMessage());
      return Benchmark.FAILED;
    } finally {
      Runs.delete(directory);
    }
    print(rows);
    return Benchmark.OK;
  }

  private void measure(List<Row> rows, Child fast, Child plain, Child owner)
      throws BenchmarkFailure, InterruptedException {
    PsCarrierCheck check = PsCarrierCheck.ofJar(jar);
    for (int round = -WARM_UPS; round < rounds; round++) {
      if (round == 0) {
        check.verify(List.of(fast.pid())); // what came before does not count
      }
      for (Row row : rows) {
        Child child = row.accelerated ? fast : plain;
        long count = counts.getOrDefault(row, FIRST_COUNT);
        child.send(row.command(count));
        double nanos = Double.parseDouble(child.expect("result", PATIENCE).split(" ", -1)[1]);
        double each = nanos / count;
        counts.put(row, Math.max(FIRST_COUNT, (long) (TURN_NS / each)));
        if (round >= 0) {
          times.computeIfAbsent(row, r -> new ArrayList<>()).add(each);
        }
      }
    }
    complaint = check.verify(List.of(fast.pid())).orElse(null);
    Row row = rows.getFirst();
    long before = ProcessTime.nanos(owner.pid());
    fast.send(row.command((long) (ALONE_NS / median(row))));
    readingTime = Double.parseDouble(fast.expect("result", PATIENCE).split(" ", -1)[1]);
    ownerCpu = ProcessTime.nanos(owner.pid()) - before;
  }

  private void print(List<Row> rows) {
    out.printf(
        "Reads of another process's memory, %d MiB, each from where the last one led; median of %d"
            + " turns.%n%n%-40s %9s %12s%n",
        bytes >> 20, rounds, "", "size", "ns");
    for (Row row : rows) {
      out.printf("%-40s %9s %12.1f%n", row.name, Figures.size(row.bytes), median(row));
    }
    out.println();
    ratio("8 B read / plain load", rows.get(0), rows.get(1), "at most 1.25");
    ratio("8 B read / plain load, in the cache", rows.get(2), rows.get(3), "no goal");
    ratio("64 KiB memcpy / read", rows.get(7), rows.get(6), "at least 0.98");
    ratio("8 B over the ring / read, in the cache", rows.get(4), rows.get(2), "at least 20");
    ratio("8 B over TCP / read, in the cache", rows.get(5), rows.get(2), "at least 200");
    ratio("64 KiB over the ring / read", rows.get(8), rows.get(6), "no goal");
    ratio("64 KiB over TCP / read", rows.get(9), rows.get(6), "no goal");
    out.printf(
        "The owner's CPU time during %.0f s of reads: %.3f %% (goal: at most 0.1 %%).%n",
        readingTime / 1e9, 100 * ownerCpu / readingTime);
    out.flush();
  }

  private double median(Row row) {
    return Statistics.median(times.getOrDefault(row, List.of()));
  }

  /** The median of the ratios of the same rounds. */
  private void ratio(String name, Row a, Row b, String goal) {
    List<Double> all = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      all.add(
          times.getOrDefault(a, List.of()).get(round)
              / times.getOrDefault(b, List.of()).get(round));
    }
    out.printf("%-40s %9.2f   (goal: %s)%n", name, Statistics.median(all), goal);
  }

  private Child owner(Path directory, boolean accelerated) throws BenchmarkFailure {
    return start("owner", directory, accelerated, MemoryOwner.class, Long.toString(bytes));
  }

  private Child reader(Path directory, boolean accelerated, Child owner, String port)
      throws BenchmarkFailure {
    return start(
        "reader", directory, accelerated, MemoryReader.class, Long.toString(owner.pid()), port);
  }

  private Child start(
      String name, Path directory, boolean accelerated, Class<?> program, String... arguments)
      throws BenchmarkFailure {
    List<String> command = new ArrayList<>(List.of(Launcher.javaCommand()));
    if (accelerated) {
      command.add("-javaagent:" + jar);
    }
    command.addAll(List.of("-cp", Launcher.location(program) + File.pathSeparator + jar));
    command.addAll(List.of(program.getName(), directory.resolve("run").toString()));
    command.addAll(List.of(arguments));
    return Child.start(name + (accelerated ? " with the agent" : ""), command);
  }
}
