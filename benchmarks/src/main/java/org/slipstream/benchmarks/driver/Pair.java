package org.slipstream.benchmarks.driver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.slipstream.benchmarks.programs.Report;
import org.slipstream.benchmarks.programs.Slice;

/** A server and a client, connected, both waiting for commands between their turns. */
final class Pair implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration ANSWER = Duration.ofSeconds(30);

  /** Each silent connection costs some exchanges before the pair is ready. */
  private static final Duration IDLE_CONNECTION = Duration.ofMillis(20);

  private final Child server;
  private final Child client;

  private Pair(Child server, Child client) {
    this.server = server;
    this.client = client;
  }

  /** Starts a pair on sockets; the port is 0 for any. */
  static Pair onSockets(Launcher launcher, Carrier carrier, int port)
      throws BenchmarkFailure, InterruptedException {
    Plan plan = launcher.plan();
    Duration patience = START.plus(IDLE_CONNECTION.multipliedBy(plan.idle()));
    boolean longLived = plan.exercise() != Exercise.CONNECT;
    Child server = launcher.socketServer(carrier, port);
    String bound = server.expect("ready ", patience).substring("ready ".length());
    Child client = launcher.socketClient(carrier, Integer.parseInt(bound));
    client.expect("connected", patience, server);
    if (longLived) {
      server.expect("connected", patience);
    }
    return new Pair(server, client);
  }

  /** Starts a pair on a mapped file. */
  static Pair onRing(Launcher launcher, Path file) throws BenchmarkFailure, InterruptedException {
    Child server = launcher.rawProbe("server", file);
    Child client = launcher.rawProbe("client", file);
    server.expect("connected", START);
    client.expect("connected", START);
    return new Pair(server, client);
  }

  void begin(Slice slice) throws BenchmarkFailure {
    server.send(slice.toLine());
    client.send(slice.toLine());
  }

  Report finish(Slice slice) throws BenchmarkFailure, InterruptedException {
    Duration patience = ANSWER.plusMillis(slice.warmupMillis() + slice.millis());
    Report report = Report.parse(client.expect("result ", patience, server));
    server.expect("done", ANSWER, client);
    return report;
  }

  List<Child> children() {
    return List.of(server, client);
  }

  /** Returns the CPU time of both processes, or -1 if it is unknown. */
  long cpuNanos() {
    long ofServer = ProcessTime.nanos(server.pid());
    long ofClient = ProcessTime.nanos(client.pid());
    return ofServer < 0 || ofClient < 0 ? -1 : ofServer + ofClient;
  }

  /** Ends both, the client first, as the end of a program usually comes. */
  @Override
  public void close() {
    client.close();
    server.close();
  }
}
