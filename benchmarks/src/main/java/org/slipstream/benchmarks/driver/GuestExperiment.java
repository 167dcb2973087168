package org.slipstream.benchmarks.driver;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slipstream.benchmarks.programs.Report;

/**
 * Runs a plan in the virtual machine of {@code integration-tests/guest}, whose kernel has RDMA in
 * software: a script inside has the same pairs take the same turns, and leaves what the clients
 * said. It needs what that README says, and takes some minutes: pairs are warmed until they get no
 * faster.
 */
final class GuestExperiment implements Measurement {
  private static final String SCRIPT = "benchmark-exchange";
  private static final List<String> SCRIPTS = List.of("benchmark-common", SCRIPT);

  /** Four small JVMs, and the kernel. */
  private static final String MEMORY_MB = "3072";

  /** It takes a minute to start the programs, and a slow machine may take some. */
  private static final long START_SECONDS = 480;

  /** Of each size, both pairs have so many turns at most until they are no faster. */
  private static final long WARM_SECONDS = 480;

  /** The guest did not come up, which happens once in some dozens of boots. */
  private static final int NOT_UP = 75;

  private static final int MOST_BOOTS = 3;
  private static final int KEPT_LINES = 20;

  /** The size, where it went, whether that is so, and what the client said. */
  private static final Pattern ROW = Pattern.compile("(\\d+) (tcp|rdma) (on|off) (result .*)");

  private final Plan plan;
  private final Progress progress;
  private final Summary summary;

  /** Prepares a run; nothing is started yet. */
  GuestExperiment(Plan plan, Progress progress) {
    this.plan = plan;
    this.progress = progress;
    this.summary = new Summary(plan);
  }

  @Override
  public String cores() {
    return "in a virtual machine with two emulated processors and RDMA in software";
  }

  @Override
  public void run(Consumer<List<Row>> sink) throws BenchmarkFailure, InterruptedException {
    Path guest =
        Objects.requireNonNull(plan.slipstreamJar())
            .resolve("../../../integration-tests/guest")
            .normalize();
    if (!Files.isExecutable(guest.resolve("run"))) {
      throw new BenchmarkFailure("There is no virtual machine in " + guest + ".");
    }
    try {
      Path job = Files.createTempDirectory("slipstream-guest-");
      try {
        for (String script : SCRIPTS) {
          Files.copy(guest.resolve(script), job.resolve(script));
        }
        progress.show("making the virtual machine, if it is not there");
        require(execute(List.of(guest.resolve("build").toString()), false));
        boot(guest, job);
        progress.clear();
        rows(Files.readAllLines(job.resolve("rows"), StandardCharsets.US_ASCII)).forEach(sink);
      } finally {
        delete(job);
      }
    } catch (IOException broken) {
      throw new BenchmarkFailure("The virtual machine: " + broken.getMessage(), broken);
    }
  }

  private void boot(Path guest, Path job)
      throws IOException, BenchmarkFailure, InterruptedException {
    Path root = guest.resolve("../..").normalize();
    Path java = Path.of(System.getProperty("java.home"));
    long turns = 2L * plan.sizes().size() * (plan.rounds() + 2);
    long start = START_SECONDS + WARM_SECONDS * plan.sizes().size();
    long seconds = start + 8 * (plan.warmupMillis() + turns * plan.sliceMillis()) / 1000;
    List<String> command = new ArrayList<>();
    command.addAll(List.of(guest.resolve("run").toString(), "-m", MEMORY_MB));
    command.addAll(List.of("-t", Long.toString(seconds)));
    command.addAll(List.of("-r", root.toString(), "-r", java.toString(), job.toString(), SCRIPT));
    command.addAll(List.of(root.toString(), java.toString(), plan.exercise().label()));
    command.addAll(List.of(plan.mode().label(), Long.toString(plan.warmupMillis())));
    command.add(Integer.toString(plan.rounds()));
    command.add(Long.toString(plan.sliceMillis()));
    command.add(plan.sizes().stream().map(Object::toString).collect(Collectors.joining(":")));
    Outcome outcome = execute(command, true);
    for (int boots = 1; boots < MOST_BOOTS && outcome.code == NOT_UP; boots++) {
      outcome = execute(command, true);
    }
    require(outcome);
  }

  /**
   * How a script ended.
   *
   * @param code of the process
   * @param last lines that it said
   */
  private record Outcome(int code, List<String> last) {}

  private static void require(Outcome outcome) throws BenchmarkFailure {
    if (outcome.code != 0) {
      throw new BenchmarkFailure(
          "The virtual machine ended with %d: %s"
              .formatted(outcome.code, String.join("\n", outcome.last)));
    }
  }

  private Outcome execute(List<String> command, boolean show)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Thread hook = new Thread(process::destroy, "end of the virtual machine");
    Runtime.getRuntime().addShutdownHook(hook);
    Deque<String> last = new ArrayDeque<>();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last.addLast(line);
        if (last.size() > KEPT_LINES) {
          last.removeFirst();
        }
        if (show && line.startsWith("--")) {
          progress.show("in the virtual machine" + line.substring(2));
        }
      }
      return new Outcome(process.waitFor(), List.copyOf(last));
    } finally {
      process.destroy();
      removeHook(hook);
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // It runs or has run: there is nothing to remove.
    }
  }

  /** Returns the rows of each size, from what the script left. */
  List<List<Row>> rows(List<String> lines) throws BenchmarkFailure {
    Map<Integer, Map<Carrier, List<Round>>> rounds = new LinkedHashMap<>();
    Map<Integer, Map<Carrier, String>> complaints = new HashMap<>();
    for (String line : lines) {
      Matcher row = ROW.matcher(line);
      if (!row.matches()) {
        throw new BenchmarkFailure("The virtual machine left no row: " + line);
      }
      int size = Integer.parseInt(row.group(1));
      Carrier carrier = row.group(2).equals("tcp") ? Carrier.GUEST_TCP : Carrier.GUEST_RDMA;
      rounds
          .computeIfAbsent(size, unseen -> new EnumMap<>(Carrier.class))
          .computeIfAbsent(carrier, unseen -> new ArrayList<>())
          .add(Round.of(List.of(Report.parse(row.group(4))), -1));
      if (row.group(3).equals("off")) {
        complaints
            .computeIfAbsent(size, unseen -> new EnumMap<>(Carrier.class))
            .put(carrier, "the device sent too few packets in a turn");
      }
    }
    List<List<Row>> rows = new ArrayList<>();
    rounds.forEach((size, ofSize) ->
        rows.add(summary.rows(size, ofSize, complaints.getOrDefault(size, Map.of()))));
    return rows;
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
