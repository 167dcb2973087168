package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.programs.FirstExchanges;
import org.slipstream.benchmarks.programs.Mode;

/**
 * How long the first exchanges of new pairs of processes take, from the connect on: the stock JDK
 * and Slipstream in turns, for each of the APIs.
 */
public final class FirstMoments {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final List<Mode> MODES = List.of(Mode.SOCKET, Mode.BLOCKING, Mode.SELECTOR);
  private static final List<Carrier> CARRIERS = List.of(Carrier.TCP, Carrier.SHM);

  private final Path jar;
  private final List<String> jvmArguments;
  private final int rounds;
  private final int exchanges;
  private final @Nullable String cores;
  private final PrintWriter out;

  /**
   * Prepares runs.
   *
   * @param jar Slipstream
   * @param jvmArguments for each process
   * @param rounds pairs of each row
   * @param exchanges of each pair
   * @param cores on which both processes of a pair run, as {@code taskset -c} takes them; null =
   *     all
   */
  public FirstMoments(
      Path jar,
      List<String> jvmArguments,
      int rounds,
      int exchanges,
      @Nullable String cores,
      PrintWriter out) {
    this.jar = jar;
    this.jvmArguments = List.copyOf(jvmArguments);
    this.rounds = rounds;
    this.exchanges = exchanges;
    this.cores = cores;
    this.out = out;
  }

  /** Measures all rows; returns the exit code. */
  public int run(@Nullable RowsFile json, PrintWriter err) throws InterruptedException {
    Map<Mode, Map<Carrier, List<Double>>> millis = new LinkedHashMap<>();
    try {
      for (int round = 0; round < rounds; round++) {
        err.printf("start: round %d of %d%n", round + 1, rounds);
        err.flush();
        for (Mode mode : MODES) {
          for (Carrier carrier : CARRIERS) {
            millis
                .computeIfAbsent(mode, m -> new LinkedHashMap<>())
                .computeIfAbsent(carrier, c -> new ArrayList<>())
                .add(measure(mode, carrier) / 1e6);
          }
        }
      }
      print(millis);
      if (json != null) {
        json.write(objects(millis));
      }
    } catch (BenchmarkFailure failure) {
      err.println(failure.getMessage());
      err.flush();
      return Benchmark.FAILED;
    } catch (IOException unwritable) {
      err.println("--json: the rows could not be written: " + unwritable.getMessage());
      err.flush();
      return Benchmark.FAILED;
    }
    return Benchmark.OK;
  }

  /** Returns nanoseconds. */
  double measure(Mode mode, Carrier carrier) throws BenchmarkFailure, InterruptedException {
    try (Child server = start(carrier, List.of("server", mode.label()))) {
      String port = server.expect("ready ", PATIENCE).substring("ready ".length());
      List<String> arguments = List.of("client", mode.label(), port, Integer.toString(exchanges));
      try (Child client = start(carrier, arguments)) {
        String answer = client.expect("exchanged ", PATIENCE, server);
        return Double.parseDouble(answer.substring("exchanged ".length()));
      }
    }
  }

  private Child start(Carrier carrier, List<String> arguments) throws BenchmarkFailure {
    List<String> command = new ArrayList<>();
    if (cores != null) {
      command.addAll(List.of("taskset", "-c", cores));
    }
    command.add(Launcher.javaCommand());
    if (carrier.usesAgent()) {
      command.add("-javaagent:" + jar);
    }
    command.addAll(jvmArguments);
    command.addAll(List.of("-cp", Launcher.CLASS_PATH, FirstExchanges.class.getName()));
    command.addAll(arguments);
    return Child.start(carrier.label() + " " + arguments.getFirst(), command);
  }

  private void print(Map<Mode, Map<Carrier, List<Double>>> millis) {
    out.printf(
        "The first %,d exchanges from connect on, %d pairs of new processes of each row, in turns,"
            + " on %s; medians in ms (least..most).%n%n%-10s %24s %24s %18s%n",
        exchanges,
        rounds,
        cores == null ? "all cores" : "cores " + cores,
        "API",
        "stock",
        "Slipstream",
        "Slipstream / stock");
    millis.forEach((mode, rows) -> {
      List<Double> stock = rows.getOrDefault(Carrier.TCP, List.of());
      List<Double> ours = rows.getOrDefault(Carrier.SHM, List.of());
      out.printf(
          Locale.ROOT,
          "%-10s %24s %24s %18.2f%n",
          api(mode),
          Starts.text(stock),
          Starts.text(ours),
          Statistics.median(ours) / Statistics.median(stock));
    });
    out.flush();
  }

  private static String api(Mode mode) {
    return mode == Mode.BLOCKING ? "channel" : mode.label();
  }

  static Stream<String> objects(Map<Mode, Map<Carrier, List<Double>>> millis) {
    List<String> objects = new ArrayList<>();
    millis.forEach((mode, rows) ->
        rows.forEach((carrier, all) -> {
          StringBuilder text = new StringBuilder("{\"api\":\"" + api(mode) + "\",\"row\":\"");
          text.append(carrier == Carrier.TCP ? "stock" : "Slipstream").append('"');
          JsonReport.spread(text, "exchanges", "_ns", all.stream().map(ms -> ms * 1e6).toList());
          objects.add(text.append('}').toString());
        }));
    return objects.stream();
  }
}
