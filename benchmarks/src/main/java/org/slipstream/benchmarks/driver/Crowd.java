package org.slipstream.benchmarks.driver;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.slipstream.benchmarks.programs.CrowdClient;
import org.slipstream.benchmarks.programs.CrowdServer;
import org.slipstream.benchmarks.programs.Report;

/**
 * One server and one client with very many connections, of which a few are busy; each turn has
 * processes of its own.
 */
public final class Crowd {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /**
   * A stream becomes eligible for a ring by being used; so often is enough, with time in between.
   */
  private static final int ROUNDS = 4;

  private static final int MOST_LOOKS = 20;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final Path jar;
  private final List<String> jvmArguments;
  private final int busy;
  private final long warmupMillis;
  private final long millis;
  private final int turns;
  private final PrintWriter out;

  /**
   * Prepares runs.
   *
   * @param busy how many connections are busy
   * @param warmupMillis how long they are before anything counts
   * @param millis how long they are measured
   * @param turns how often each carrier and number gets a turn; the carriers alternate
   */
  public Crowd(
      Path jar,
      List<String> jvmArguments,
      int busy,
      long warmupMillis,
      long millis,
      int turns,
      PrintWriter out) {
    this.jar = jar;
    this.jvmArguments = List.copyOf(jvmArguments);
    this.busy = busy;
    this.warmupMillis = warmupMillis;
    this.millis = millis;
    this.turns = turns;
    this.out = out;
  }

  /** Measures all numbers, on TCP and on shared memory; returns the exit code. */
  public int run(List<Integer> numbers, PrintWriter err) throws InterruptedException {
    CrowdTurns results = new CrowdTurns();
    try {
      for (int connections : numbers) {
        for (int turn = 0; turn < turns; turn++) {
          out.printf("%,d connections, turn %d of %d%n", connections, turn + 1, turns);
          out.flush();
          for (Carrier carrier : List.of(Carrier.TCP, Carrier.SHM)) {
            results.add(carrier, connections, measure(carrier, connections));
          }
        }
      }
      CrowdTurns.header(out);
      results.print(out);
      if (results.isOnRing()) {
        return Benchmark.OK;
      }
      err.println("Not all connections of an accelerated crowd came to be on the ring.");
      err.flush();
      return Benchmark.NOT_ON_RING;
    } catch (BenchmarkFailure failure) {
      err.println(failure.getMessage());
      err.flush();
      return Benchmark.FAILED;
    }
  }

  private CrowdTurns.Turn measure(Carrier carrier, int connections)
      throws BenchmarkFailure, InterruptedException {
    try (Child server = start(carrier, "server", CrowdServer.class.getName())) {
      String port = server.expect("ready", PATIENCE).substring("ready ".length());
      try (Child client = start(carrier, "client", CrowdClient.class.getName(), port)) {
        client.expect("ready", PATIENCE);
        return measure(carrier, connections, server, client);
      }
    }
  }

  private CrowdTurns.Turn measure(Carrier carrier, int connections, Child server, Child client)
      throws BenchmarkFailure, InterruptedException {
    // One connection first, so that the start of what it needs is not counted.
    ask(client, "connect 1", "connected", server);
    ask(client, "use " + ROUNDS, "used", server);
    final long serverBefore = residentKib(server);
    final long clientBefore = residentKib(client);
    String connected = ask(client, "connect " + connections, "connected", server);
    final double connectSeconds =
        Long.parseLong(connected.split(" ", -1)[1]) / (double) NANOS_PER_SECOND;
    long onRing = 0;
    for (int look = 0; look < MOST_LOOKS && onRing <= connections; look++) {
      ask(client, "use " + ROUNDS, "used", server);
      if (!carrier.isAccelerated()) {
        break;
      }
      onRing = rings(server);
    }
    final long serverKib = residentKib(server) - serverBefore;
    final long clientKib = residentKib(client) - clientBefore;
    if (warmupMillis > 0) {
      ask(client, "busy " + busy + " " + warmupMillis, "result", server);
    }
    Report report = Report.parse(ask(client, "busy " + busy + " " + millis, "result", server));
    return new CrowdTurns.Turn(
        Math.max(0, onRing - 1),
        connections / connectSeconds,
        serverKib,
        clientKib,
        report.histogram().getValueAtPercentile(50),
        report.histogram().getValueAtPercentile(99),
        report.count() * (double) NANOS_PER_SECOND / report.nanos());
  }

  private static String ask(Child client, String command, String answer, Child server)
      throws BenchmarkFailure, InterruptedException {
    client.send(command);
    return client.expect(answer, PATIENCE, server);
  }

  private Child start(Carrier carrier, String role, String... program) throws BenchmarkFailure {
    List<String> command = new ArrayList<>(List.of(Launcher.javaCommand()));
    if (carrier.usesAgent()) {
      command.add("-javaagent:" + jar);
    }
    command.addAll(jvmArguments);
    command.addAll(List.of("-cp", classPath()));
    command.addAll(List.of(program));
    return Child.start(carrier.label() + " " + role, command);
  }

  private static String classPath() {
    return Stream.of(CrowdServer.class, Histogram.class)
        .map(Crowd::location)
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String location(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException strange) {
      throw new IllegalStateException("The class " + type + " is in no file.", strange);
    }
  }

  /** Resident memory of a process: with the rings, which are resident in both. */
  private static long residentKib(Child child) throws BenchmarkFailure {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + child.pid() + "/status"))) {
        if (line.startsWith("VmRSS:")) {
          return Long.parseLong(line.replaceAll("\\D", ""));
        }
      }
      throw new BenchmarkFailure("There is no VmRSS of process " + child.pid());
    } catch (IOException gone) {
      throw new BenchmarkFailure("The memory of process " + child.pid() + " is unknown", gone);
    }
  }

  private long rings(Child server) throws BenchmarkFailure, InterruptedException {
    try {
      Traffic traffic = Traffic.byProcess(PsCarrierCheck.run(jar)).get(server.pid());
      return traffic == null ? 0 : traffic.rings();
    } catch (IOException | IllegalArgumentException unreadable) {
      throw new BenchmarkFailure("slipstream ps gave no answer", unreadable);
    }
  }
}
