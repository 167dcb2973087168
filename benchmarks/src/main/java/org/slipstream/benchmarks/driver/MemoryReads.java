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
import org.json.JSONObject;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.memory.MemoryOwner;
import org.slipstream.benchmarks.memory.MemoryReader;

/**
 * Reads of another process's memory, in turns: through a queue, by plain loads and memcpy over the
 * same mapping, and as requests over a stream, on the ring and on TCP. Two pairs of processes, one
 * with the agent and one without; the first of them reads memory. Then reads for a time without a
 * turn of another row between them, for the CPU time of the owner; and reservations from a memory
 * server.
 */
public final class MemoryReads {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** How long a turn of a row takes, roughly. */
  private static final double TURN_NS = 200e6;

  /** A first count, from which the others follow; small, for the slowest row. */
  private static final long FIRST_COUNT = 2000;

  private static final int WARM_UPS = 4;
  private static final int SMALL = 8;
  private static final int LARGE = 64 << 10;
  private static final int LARGEST = 1 << 20;
  private static final double GIGA = 1e9;

  /** What fits into the first cache of a core, with room. */
  private static final long NEAR = 16 << 10;

  private static final String[] NAMES = {
    "read through a queue", "plain load", "memcpy", "request over the ring", "request over TCP"
  };

  /** A way to read: which process does what. */
  private record Way(String name, boolean accelerated, String kind, int bytes, long span) {
    String command(long count) {
      return kind + " " + bytes + " " + span + " " + count;
    }
  }

  /**
   * What is run.
   *
   * @param rounds turns of each row
   * @param bytes size of the region, a power of two
   * @param seconds of reads for the CPU time of the owner
   */
  public record Setup(int rounds, long bytes, double seconds) {}

  private final Path jar;
  private final Setup setup;
  private final PrintWriter out;
  private final MemoryReservations reservations;
  private final List<String> lines = new ArrayList<>();
  private final Map<Way, Long> counts = new HashMap<>();
  private final Map<Way, List<Double>> times = new HashMap<>();
  private double ownerCpu;
  private double readingTime;
  private @Nullable String complaint;

  /**
   * Prepares a run.
   *
   * @param jar slipstream.jar
   */
  public MemoryReads(Path jar, Setup setup, PrintWriter out) {
    this.jar = jar;
    this.setup = setup;
    this.out = out;
    this.reservations = new MemoryReservations(jar);
  }

  /** Measures and prints; returns the exit code. */
  public int run(@Nullable RowsFile file, PrintWriter err)
      throws InterruptedException, IOException {
    long bytes = setup.bytes;
    List<Way> ways =
        List.of(
            new Way(NAMES[0], true, "read", SMALL, bytes),
            new Way(NAMES[1], true, "load", SMALL, bytes),
            new Way(NAMES[0] + ", in the cache", true, "read", SMALL, NEAR),
            new Way(NAMES[1] + ", in the cache", true, "load", SMALL, NEAR),
            new Way(NAMES[3] + ", in the cache", true, "get", SMALL, NEAR),
            new Way(NAMES[4] + ", in the cache", false, "get", SMALL, NEAR),
            new Way(NAMES[0], true, "read", LARGE, bytes),
            new Way(NAMES[2], true, "copy", LARGE, bytes),
            new Way(NAMES[3], true, "get", LARGE, bytes),
            new Way(NAMES[4], false, "get", LARGE, bytes),
            new Way(NAMES[0], true, "read", LARGEST, bytes),
            new Way(NAMES[2], true, "copy", LARGEST, bytes));
    Path directory = Runs.directory();
    try (Child on = owner(directory, true);
        Child off = owner(directory, false)) {
      String onPort = on.expect("ready", PATIENCE).split(" ", -1)[1];
      String offPort = off.expect("ready", PATIENCE).split(" ", -1)[1];
      try (Child fast = reader(directory, true, on, onPort);
          Child plain = reader(directory, false, off, offPort)) {
        fast.expect("ready", PATIENCE);
        plain.expect("ready", PATIENCE);
        measure(ways, fast, plain, on);
        if (complaint != null) {
          err.println(complaint);
          return Benchmark.NOT_ON_RING;
        }
      }
      reservations.measure(directory.resolve("servers"), setup.rounds);
    } catch (BenchmarkFailure failure) {
      err.println(failure.getMessage());
      return Benchmark.FAILED;
    } finally {
      Runs.delete(directory);
    }
    print(ways);
    if (file != null) {
      file.write(lines.stream());
    }
    return Benchmark.OK;
  }

  private void measure(List<Way> ways, Child fast, Child plain, Child owner)
      throws BenchmarkFailure, InterruptedException {
    PsCarrierCheck check = PsCarrierCheck.ofJar(jar);
    for (int round = -WARM_UPS; round < setup.rounds; round++) {
      if (round == 0) {
        check.verify(List.of(fast.pid())); // what came before does not count
      }
      for (Way way : ways) {
        Child child = way.accelerated ? fast : plain;
        long count = counts.getOrDefault(way, FIRST_COUNT);
        child.send(way.command(count));
        double nanos = Double.parseDouble(child.expect("result", PATIENCE).split(" ", -1)[1]);
        double each = nanos / count;
        counts.put(way, Math.max(FIRST_COUNT, (long) (TURN_NS / each)));
        if (round >= 0) {
          times.computeIfAbsent(way, w -> new ArrayList<>()).add(each);
        }
      }
    }
    complaint = check.verify(List.of(fast.pid())).orElse(null);
    Way way = ways.getFirst();
    long before = ProcessTime.nanos(owner.pid());
    fast.send(way.command((long) (setup.seconds * GIGA / median(way))));
    readingTime = Double.parseDouble(fast.expect("result", PATIENCE).split(" ", -1)[1]);
    ownerCpu = ProcessTime.nanos(owner.pid()) - before;
  }

  private void print(List<Way> ways) {
    out.printf(
        "Reads of another process's memory, %d MiB, each from where the last one led; median of %d"
            + " turns.%n%n%-44s %9s %14s%n",
        setup.bytes >> 20, setup.rounds, "", "size", "ns");
    for (Way way : ways) {
      print("way", way.name, way.bytes, times(way));
    }
    int chunk = (int) MemoryReservations.BYTES;
    print("reservation", "reserve, cold", chunk, reservations.cold());
    print("reservation", "reserve again", chunk, reservations.again());
    out.println();
    ratio("8 B read / plain load", ways.get(0), ways.get(1), "at most 1.25");
    ratio("8 B read / plain load, in the cache", ways.get(2), ways.get(3), "at most 1.25");
    ratio("64 KiB memcpy / read", ways.get(7), ways.get(6), "at least 0.98");
    ratio("1 MiB memcpy / read", ways.get(11), ways.get(10), "at least 0.98");
    ratio("8 B over the ring / read, in the cache", ways.get(4), ways.get(2), "at least 20");
    ratio("8 B over TCP / read, in the cache", ways.get(5), ways.get(2), "at least 200");
    ratio("64 KiB over the ring / read", ways.get(8), ways.get(6), "no goal");
    ratio("64 KiB over TCP / read", ways.get(9), ways.get(6), "no goal");
    ratio(
        "64 MiB reserved, cold / again", reservations.cold(), reservations.again(), "at least 100");
    double percent = 100 * ownerCpu / readingTime;
    out.printf(
        "The owner's CPU time during %.0f s of reads: %.3f %% (goal: at most 0.1 %%).%n",
        readingTime / GIGA, percent);
    out.flush();
    lines.add(
        new JSONObject()
            .put("owner_cpu_percent", percent)
            .put("seconds", readingTime / GIGA)
            .toString());
  }

  private void print(String kind, String name, int size, List<Double> its) {
    double median = Statistics.median(its);
    out.printf("%-44s %9s %14.1f%n", name, Figures.size(size), median);
    Row.Spread spread = Statistics.spread(its);
    lines.add(
        new JSONObject()
            .put(kind, name)
            .put("size", size)
            .put("region", setup.bytes)
            .put("each_ns", median)
            .put("each_least_ns", spread.least())
            .put("each_most_ns", spread.most())
            .toString());
  }

  private List<Double> times(Way way) {
    return times.getOrDefault(way, List.of());
  }

  private double median(Way way) {
    return Statistics.median(times(way));
  }

  private void ratio(String name, Way a, Way b, String goal) {
    ratio(name, times(a), times(b), goal);
  }

  /** The median of the ratios of the same rounds. */
  private void ratio(String name, List<Double> a, List<Double> b, String goal) {
    List<Double> all = new ArrayList<>();
    for (int round = 0; round < setup.rounds; round++) {
      all.add(a.get(round) / b.get(round));
    }
    double median = Statistics.median(all);
    out.printf("%-44s %9.2f   (goal: %s)%n", name, median, goal);
    lines.add(
        new JSONObject().put("ratio", name).put("value", median).put("goal", goal).toString());
  }

  private Child owner(Path directory, boolean accelerated) throws BenchmarkFailure {
    return start("owner", directory, accelerated, MemoryOwner.class, Long.toString(setup.bytes));
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
