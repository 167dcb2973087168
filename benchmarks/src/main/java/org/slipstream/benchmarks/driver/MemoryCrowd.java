package org.slipstream.benchmarks.driver;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.json.JSONObject;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.memory.MemoryClient;

/**
 * Reads by many clients of one memory server, and by one client of many servers over which what it
 * reads is striped; sizes take turns. Each is a process, so on one machine they share its cores.
 */
public final class MemoryCrowd {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final List<Integer> SIZES = List.of(8, 64 << 10, 1 << 20);
  private static final long CHUNK = 1 << 20;
  private static final long TOTAL = 64 * CHUNK;
  private static final double GIGA = 1e9;

  /**
   * What is run.
   *
   * @param clients numbers of clients of one server
   * @param servers numbers of servers of one client
   * @param seconds of each turn
   * @param rounds turns of each row
   */
  public record Setup(List<Integer> clients, List<Integer> servers, double seconds, int rounds) {}

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
  public MemoryCrowd(Path jar, Setup setup, PrintWriter out, PrintWriter err) {
    this.jar = jar;
    this.setup = setup;
    this.out = out;
    this.err = err;
  }

  /** Measures and prints; returns the exit code. */
  public int run(@Nullable RowsFile file) throws InterruptedException, IOException {
    Path directory = Runs.directory();
    try {
      out.printf(
          "Reads from random places of 64 MiB; median of %d turns of %s s.%n%n%-8s %-8s %10s %16s"
              + " %12s%n",
          setup.rounds, setup.seconds, "servers", "clients", "size", "reads/s", "GB/s");
      for (int clients : setup.clients) {
        measure(directory.resolve("clients-" + clients), 1, clients);
      }
      for (int servers : setup.servers) {
        if (servers > 1 || !setup.clients.contains(1)) { // one of each is measured already
          measure(directory.resolve("servers-" + servers), servers, 1);
        }
      }
    } catch (BenchmarkFailure failure) {
      err.println(failure.getMessage());
      return Benchmark.FAILED;
    } finally {
      Runs.delete(directory);
    }
    out.flush();
    if (file != null) {
      file.write(rows.stream());
    }
    return Benchmark.OK;
  }

  private void measure(Path directory, int servers, int clients)
      throws BenchmarkFailure, InterruptedException {
    List<Child> all = new ArrayList<>();
    Map<Integer, List<Double>> rates = new LinkedHashMap<>();
    try {
      for (int i = 0; i < servers; i++) {
        long chunks = (TOTAL / CHUNK + servers - 1) / servers;
        all.add(MemoryReservations.server(jar, directory, chunks * CHUNK, CHUNK));
      }
      List<Child> readers = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        readers.add(client(directory));
        all.add(readers.getLast());
      }
      for (Child child : readers) {
        child.expect("ready", PATIENCE);
        boolean first = child.equals(readers.getFirst());
        child.send(first ? "hold " + TOTAL : "map");
        child.expect(first ? "held" : "mapped", PATIENCE);
      }
      for (int round = -1; round < setup.rounds; round++) {
        for (int size : SIZES) {
          double rate = turn(readers, size);
          if (round >= 0) {
            rates.computeIfAbsent(size, s -> new ArrayList<>()).add(rate);
          }
        }
      }
    } finally {
      all.forEach(Child::kill);
    }
    rates.forEach((size, its) -> print(servers, clients, size, its));
  }

  private Child client(Path directory) throws BenchmarkFailure {
    return Child.start(
        "client",
        List.of(
            Launcher.javaCommand(),
            "-Xmx32m",
            "-XX:+UseSerialGC",
            "-cp",
            Launcher.location(MemoryClient.class) + File.pathSeparator + jar,
            MemoryClient.class.getName(),
            directory.toString()));
  }

  /** Reads of all of them in a second. */
  private double turn(List<Child> clients, int size) throws BenchmarkFailure, InterruptedException {
    for (Child client : clients) {
      client.send("read " + size + " " + setup.seconds);
    }
    double rate = 0;
    for (Child client : clients) {
      String[] said = client.expect("result", PATIENCE).split(" ", -1);
      rate += Double.parseDouble(said[1]) / Double.parseDouble(said[2]) * GIGA;
    }
    return rate;
  }

  private void print(int servers, int clients, int size, List<Double> rates) {
    double median = Statistics.median(rates);
    Row.Spread spread = Statistics.spread(rates);
    out.printf(
        "%-8d %-8d %10s %16.0f %12.2f%n",
        servers, clients, Figures.size(size), median, median * size / GIGA);
    rows.add(
        new JSONObject()
            .put("crowd", servers == 1 ? "clients of one server" : "servers of one client")
            .put("servers", servers)
            .put("clients", clients)
            .put("size", size)
            .put("per_second", median)
            .put("per_second_least", spread.least())
            .put("per_second_most", spread.most())
            .toString());
  }
}
