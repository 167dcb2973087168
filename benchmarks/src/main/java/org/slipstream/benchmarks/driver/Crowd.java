package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.netty.NettyCrowdServer;
import org.slipstream.benchmarks.programs.CrowdClient;
import org.slipstream.benchmarks.programs.CrowdServer;
import org.slipstream.benchmarks.programs.Report;

/**
 * One server and one client with very many connections, of which some or all are busy; each turn
 * has processes of its own.
 *
 * <p>The client is the same in every mode and over every carrier: one thread with one selector. On
 * each busy connection one message is under way, and the next goes when its answer was read. So
 * neither end can run ahead of the other, each round trip costs both the same number of messages,
 * and a slow server is not asked for more than it answers. Where the client is the slower of the
 * two, the CPU time of the server for a round trip says what the rate does not.
 */
public final class Crowd {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /**
   * A stream becomes eligible for a ring by being used; so often is enough, with time in between.
   */
  private static final int ROUNDS = 4;

  private static final int MOST_LOOKS = 20;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  /** What serves the connections. */
  public enum Mode {
    /** One thread with one selector. */
    SELECTOR,
    /** One event loop of Netty: NIO on the stock JDK, and our transport. */
    NETTY,
    /** A platform thread for each connection. */
    THREADS,
    /** A virtual thread for each connection. */
    VIRTUAL;

    /** Returns the name that the command line and the reports use. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the rows: the stock JDK's, and ours. */
    List<Carrier> carriers() {
      return this == NETTY
          ? List.of(Carrier.NETTY_NIO, Carrier.NETTY_SHM)
          : List.of(Carrier.TCP, Carrier.SHM);
    }

    private List<String> program(Carrier carrier) {
      return this == NETTY
          ? List.of(NettyCrowdServer.class.getName(), "transport=" + carrier.nettyTransport())
          : List.of(CrowdServer.class.getName(), label());
    }
  }

  private final Mode mode;
  private final @Nullable RowsFile json;
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
   * @param mode what serves the connections
   * @param json takes the rows, or null
   * @param busy how many connections are busy
   * @param warmupMillis how long they are before anything counts
   * @param millis how long they are measured
   * @param turns how often each carrier and number gets a turn; the carriers alternate
   */
  public Crowd(
      Mode mode,
      @Nullable RowsFile json,
      Path jar,
      List<String> jvmArguments,
      int busy,
      long warmupMillis,
      long millis,
      int turns,
      PrintWriter out) {
    this.mode = mode;
    this.json = json;
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
          for (Carrier carrier : mode.carriers()) {
            err.printf(
                "crowd: %s, %,d connections, turn %d of %d%n",
                carrier.label(), connections, turn + 1, turns);
            err.flush();
            results.add(carrier, connections, measure(carrier, connections));
          }
        }
      }
      CrowdTurns.header(out);
      results.print(out);
      if (json != null) {
        json.write(results.json(mode.label(), busy));
      }
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
    } catch (IOException unwritable) {
      err.println("--json: the rows could not be written: " + unwritable.getMessage());
      err.flush();
      return Benchmark.FAILED;
    }
  }

  CrowdTurns.Turn measure(Carrier carrier, int connections)
      throws BenchmarkFailure, InterruptedException {
    try (Child server = start(carrier, "server", mode.program(carrier))) {
      String port = server.expect("ready", PATIENCE).substring("ready ".length());
      try (Child client = start(carrier, "client", List.of(CrowdClient.class.getName(), port))) {
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
    final long serverTime = ProcessTime.nanos(server.pid());
    final long clientTime = ProcessTime.nanos(client.pid());
    Report report = Report.parse(ask(client, "busy " + busy + " " + millis, "result", server));
    return new CrowdTurns.Turn(
        Math.max(0, onRing - 1),
        connections / connectSeconds,
        serverKib,
        clientKib,
        report.histogram().getValueAtPercentile(50),
        report.histogram().getValueAtPercentile(99),
        report.count() * (double) NANOS_PER_SECOND / report.nanos(),
        since(serverTime, server) / report.count(),
        since(clientTime, client) / report.count());
  }

  /** CPU time of a process since then, or NaN if it is unknown. */
  private static double since(long then, Child child) {
    long now = ProcessTime.nanos(child.pid());
    return then < 0 || now < 0 ? Double.NaN : now - then;
  }

  private static String ask(Child client, String command, String answer, Child server)
      throws BenchmarkFailure, InterruptedException {
    client.send(command);
    return client.expect(answer, PATIENCE, server);
  }

  private Child start(Carrier carrier, String role, List<String> program) throws BenchmarkFailure {
    List<String> command = new ArrayList<>(List.of(Launcher.javaCommand()));
    if (carrier.usesAgent()) {
      command.add("-javaagent:" + jar);
    }
    command.addAll(jvmArguments);
    command.addAll(List.of("-cp", Launcher.CLASS_PATH));
    command.addAll(program);
    return Child.start(carrier.label() + " " + role, command);
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
