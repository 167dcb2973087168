package org.slipstream.benchmarks.driver;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.json.JSONObject;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.examples.Rmat;
import org.slipstream.benchmarks.examples.Worker;

/**
 * The example programs of several processes, each over remote memory, over streams on Slipstream,
 * and over TCP: three teams that take turns. With one process nothing is exchanged. What each
 * process works on stays the same whatever their number (weak scaling).
 */
public final class MemoryPrograms {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final double MILLI = 1e6;
  private static final double GIGA = 1e9;
  private static final long SEED = 22;

  /** Of a ranking, in each of which each edge carries something. */
  private static final int SUPERSTEPS = 32;

  /** Ranks differ from the reference's by this at most. */
  private static final double CLOSE = 1e-9;

  /** What the processes of a team speak over. */
  private enum Arm {
    MEMORY("memory", "memory", false),
    STREAMS("slipstream streams", "sockets", true),
    TCP("tcp", "sockets", false);

    final String label;
    final String exchange;
    final boolean accelerated;

    Arm(String label, String exchange, boolean accelerated) {
      this.label = label;
      this.exchange = exchange;
      this.accelerated = accelerated;
    }
  }

  /**
   * What is run.
   *
   * @param program {@code sort} or {@code pagerank}
   * @param workers numbers of processes
   * @param size of each process: records, or vertices
   * @param warmups turns of each team that do not count
   * @param rounds turns of each team behind them
   * @param graph for the edges that the first number of processes ranks; null to keep them
   * @param jvmArgs more arguments for the JVMs of streams on Slipstream
   */
  public record Setup(
      String program,
      List<Integer> workers,
      int size,
      int warmups,
      int rounds,
      @Nullable Path graph,
      List<String> jvmArgs) {
    boolean sorts() {
      return program.equals("sort");
    }

    /** Records, or edges in all supersteps, of so many processes. */
    double amount(int workers) {
      double all = (double) size * workers;
      return sorts() ? all : all * Rmat.EDGES_PER_VERTEX * SUPERSTEPS;
    }
  }

  private final Path jar;
  private final Setup setup;
  private final PrintWriter out;
  private final PrintWriter err;
  private final List<String> rows = new ArrayList<>();

  /**
   * Prepares a run.
   *
   * @param jar slipstream.jar
   */
  public MemoryPrograms(Path jar, Setup setup, PrintWriter out, PrintWriter err) {
    this.jar = jar;
    this.setup = setup;
    this.out = out;
    this.err = err;
  }

  /** Measures, checks and prints; returns the exit code. */
  public int run(@Nullable RowsFile file) throws InterruptedException, IOException {
    if (setup.graph != null) {
      Rmat.write(setup.size * setup.workers.getFirst(), SEED, setup.graph);
    }
    Path directory = Runs.directory();
    try {
      out.printf(
          "%s, %,d %s for each process; median of %d turns, milliseconds, and"
              + " %s per second.%n%n%-8s",
          setup.program,
          setup.size,
          setup.sorts() ? "records" : "vertices",
          setup.rounds,
          setup.sorts() ? "records" : "edges in all supersteps",
          "workers");
      for (Arm arm : Arm.values()) {
        out.printf(" %20s", arm.label);
      }
      out.printf(" %16s %16s%n", "tcp / memory", "streams / memory");
      for (int workers : setup.workers) {
        measure(directory.resolve("run-" + workers), workers);
      }
    } catch (BenchmarkFailure failure) {
      err.println(failure.getMessage());
      return Benchmark.FAILED;
    } finally {
      Runs.delete(directory);
    }
    out.printf(
        "%nEvery output was checked: %s.%n",
        setup.sorts()
            ? "order, number of records and sum of checksums, as valsort does"
            : "ranks within 1e-9 of those that one process computes");
    out.flush();
    if (file != null) {
      file.write(rows.stream());
    }
    return Benchmark.OK;
  }

  private void measure(Path directory, int workers) throws BenchmarkFailure, InterruptedException {
    Map<Arm, List<Child>> teams = new EnumMap<>(Arm.class);
    Map<Arm, List<Double>> times = new EnumMap<>(Arm.class);
    try {
      for (Arm arm : Arm.values()) {
        List<Child> team = new ArrayList<>();
        teams.put(arm, team);
        start(arm, directory, workers, team);
      }
      for (int round = -setup.warmups; round < setup.rounds; round++) {
        for (Arm arm : Arm.values()) {
          double nanos = turn(teams.getOrDefault(arm, List.of()));
          if (round >= 0) {
            times.computeIfAbsent(arm, a -> new ArrayList<>()).add(nanos);
          }
        }
      }
      for (Arm arm : Arm.values()) {
        check(arm, teams.getOrDefault(arm, List.of()));
      }
      if (workers > 1) {
        List<Long> pids =
            teams.getOrDefault(Arm.STREAMS, List.of()).stream().map(Child::pid).toList();
        PsCarrierCheck.ofJar(jar)
            .verify(pids)
            .ifPresent(not -> err.println(workers + " workers, a remark on their streams: " + not));
      }
    } finally {
      teams.values().forEach(team -> team.forEach(Child::close));
    }
    print(workers, times);
  }

  private void start(Arm arm, Path directory, int workers, List<Child> team)
      throws BenchmarkFailure, InterruptedException {
    for (int i = 0; i < workers; i++) {
      List<String> command = new ArrayList<>(List.of(Launcher.javaCommand(), "-Xmx1g"));
      command.add("-XX:+UseSerialGC");
      if (arm.accelerated) {
        command.add("-javaagent:" + jar);
        command.addAll(setup.jvmArgs);
      }
      command.addAll(
          List.of(
              "-cp",
              Launcher.location(Worker.class) + (arm == Arm.MEMORY ? File.pathSeparator + jar : ""),
              Worker.class.getName(),
              setup.program,
              arm.exchange,
              directory.toString(),
              Integer.toString(i),
              Integer.toString(workers),
              Integer.toString(setup.size),
              Long.toString(SEED)));
      team.add(Child.start("worker " + i + " over " + arm.label, command));
    }
    List<String> addresses = new ArrayList<>();
    for (Child child : team) {
      addresses.add(child.expect("ready", PATIENCE).split(" ", -1)[1]);
    }
    for (Child child : team) {
      child.send("peers " + String.join(" ", addresses));
    }
    for (Child child : team) {
      child.expect("made", PATIENCE);
    }
  }

  /** The time of the slowest of them. */
  private static double turn(List<Child> team) throws BenchmarkFailure, InterruptedException {
    for (Child child : team) {
      child.send("run");
    }
    double most = 0;
    for (Child child : team) {
      String said = child.expect("result", PATIENCE);
      most = Math.max(most, Double.parseDouble(said.split(" ", -1)[1]));
    }
    return most;
  }

  private void check(Arm arm, List<Child> team) throws BenchmarkFailure, InterruptedException {
    List<String[]> parts = new ArrayList<>();
    for (Child child : team) {
      child.send("check");
      parts.add(child.expect("checked", PATIENCE).split(" ", -1));
    }
    String wrong = setup.sorts() ? unsorted(parts) : unranked(parts);
    if (wrong != null) {
      throw new BenchmarkFailure("The output over " + arm.label + " is wrong: " + wrong);
    }
  }

  /** Valsort's rules, over the summaries of the parts; null if they hold. */
  static @Nullable String unsorted(List<String[]> parts) {
    long records = 0;
    long checksums = 0;
    String last = "";
    for (String[] part : parts) {
      if (part[1].equals("disorder")) {
        return String.join(" ", part);
      }
      records += Long.parseLong(part[1]) - Long.parseLong(part[3]);
      checksums += Long.parseUnsignedLong(part[2], 16) - Long.parseUnsignedLong(part[4], 16);
      if (!part[5].equals("-")) {
        if (last.compareTo(part[5]) > 0) {
          return "a part begins before the last one ends";
        }
        last = part[6];
      }
    }
    return records != 0 ? "records are missing" : checksums != 0 ? "records differ" : null;
  }

  /** Ranks are the reference's, and their sum is one; null if that holds. */
  static @Nullable String unranked(List<String[]> parts) {
    double sum = 0;
    for (String[] part : parts) {
      if (!(Double.parseDouble(part[1]) <= CLOSE)) {
        return "a rank differs from the reference's by " + part[1];
      }
      sum += Double.parseDouble(part[2]);
    }
    return Math.abs(sum - 1) <= CLOSE ? null : "the ranks' sum is " + sum;
  }

  private void print(int workers, Map<Arm, List<Double>> times) {
    out.printf("%-8d", workers);
    for (Arm arm : Arm.values()) {
      List<Double> its = times.getOrDefault(arm, List.of());
      out.printf(" %20.2f", Statistics.median(its) / MILLI);
      Row.Spread spread = Statistics.spread(its);
      rows.add(
          new JSONObject()
              .put("program", setup.program)
              .put("arm", arm.label)
              .put("workers", workers)
              .put("size", setup.size)
              .put("run_ns", Statistics.median(its))
              .put("run_least_ns", spread.least())
              .put("run_most_ns", spread.most())
              .put("per_second", rate(workers, its))
              .put("times_memory", ratio(times, arm))
              .toString());
    }
    out.printf(" %16.2f %16.2f%n%-8s", ratio(times, Arm.TCP), ratio(times, Arm.STREAMS), " per s");
    for (Arm arm : Arm.values()) {
      out.printf(" %,20.0f", rate(workers, times.getOrDefault(arm, List.of())));
    }
    out.println();
    out.flush();
  }

  private double rate(int workers, List<Double> times) {
    return setup.amount(workers) / Statistics.median(times) * GIGA;
  }

  /** The median of the ratios of the same rounds. */
  private double ratio(Map<Arm, List<Double>> times, Arm arm) {
    List<Double> all = new ArrayList<>();
    for (int round = 0; round < setup.rounds; round++) {
      all.add(
          times.getOrDefault(arm, List.of()).get(round)
              / times.getOrDefault(Arm.MEMORY, List.of()).get(round));
    }
    return Statistics.median(all);
  }
}
