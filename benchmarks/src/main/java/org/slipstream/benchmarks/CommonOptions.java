package org.slipstream.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.driver.Benchmark;
import org.slipstream.benchmarks.driver.Carrier;
import org.slipstream.benchmarks.driver.Exercise;
import org.slipstream.benchmarks.driver.Plan;
import org.slipstream.benchmarks.programs.Mode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that all commands share, and the checks that make a plan of them. */
final class CommonOptions {
  /** The property that names the agent. */
  private static final String JAR_PROPERTY = "slipstream.jar";

  private static final int LAST_PORT = 65535;
  private static final double LONGEST_SECONDS = 3600;
  private static final int MOST_ROUNDS = 1000;
  private static final int MOST_PAIRS = 256;
  private static final int MOST_IDLE = 20_000;
  private static final int MOST_BUSY = 1_000;
  private static final int MOST_FLUSH = 1_000_000;
  private static final int LONGEST_INTERVAL = 10_000_000;

  /** Shorter turns would measure how a pair wakes up. */
  private static final long SHORTEST_SLICE = 20;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "2.5",
      description = "Time for each size and carrier (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Turns into which that time is divided (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "5",
      description = "Time each pair runs before the first size (default: ${DEFAULT-VALUE}).")
  private double warmup;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "The first server's port; the next server takes the next (default: any).")
  private int port;

  @Mixin private JsonOption json = new JsonOption();

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      description =
          "Compare this transport: ntb (by the loopback SISCI library) with TCP and shared memory, or"
              + " rdma (software RDMA in a virtual machine) with TCP there.")
  private @Nullable String transport;

  @Option(
      names = "--no-pin",
      description = "Let the processes run anywhere (default: each on its own core by taskset).")
  private boolean noPin;

  @Option(
      names = "--jvm-arg",
      paramLabel = "ARG",
      description = "A further argument for the JVM of every program; may be repeated.")
  private List<String> jvmArguments = new ArrayList<>();

  /**
   * What only some of the commands ask for.
   *
   * @param exercise what is measured
   * @param mode how the programs wait
   * @param carriers the rows, or null for those that make sense
   * @param sizes the sizes as given
   * @param pairs pairs at once
   * @param intervalMicros one exchange in so many microseconds, or 0
   * @param idle silent connections
   * @param busy connections of one pair at work
   * @param flush messages of a flush, or 0 for as many as the channel takes
   * @param netty whether the rows are Netty's transports
   */
  record Request(
      Exercise exercise,
      String mode,
      @Nullable String carriers,
      String sizes,
      int pairs,
      int intervalMicros,
      int idle,
      int busy,
      int flush,
      boolean netty) {

    /** The raw ring burns its core and has no connections: it is a limit for a pair alone. */
    boolean alone() {
      return exercise != Exercise.CONNECT
          && pairs == 1
          && intervalMicros == 0
          && idle == 0
          && busy == 1;
    }
  }

  /** Makes the plan, runs it, and returns the exit code. */
  int run(CommandSpec spec, Request request) throws InterruptedException {
    Plan plan;
    try {
      plan = plan(request);
    } catch (IllegalArgumentException bad) {
      throw new ParameterException(spec.commandLine(), bad.getMessage(), bad);
    }
    return new Benchmark(plan, System.out, System.err).run(json.file(spec));
  }

  Plan plan(Request request) {
    Mode mode = request.netty() ? Mode.SELECTOR : Mode.of(request.mode());
    within("--seconds", seconds, 0.02, LONGEST_SECONDS);
    within("--warmup", warmup, 0, LONGEST_SECONDS);
    within("--rounds", rounds, 1, MOST_ROUNDS);
    within("--port", port, 0, LAST_PORT);
    within("--pairs", request.pairs(), 1, MOST_PAIRS);
    within("--idle", request.idle(), 0, MOST_IDLE);
    within("--interval-us", request.intervalMicros(), 0, LONGEST_INTERVAL);
    within("--busy", request.busy(), 1, MOST_BUSY);
    within("--flush", request.flush(), 0, MOST_FLUSH);
    if (request.busy() > 1 && !request.netty()) {
      throw new IllegalArgumentException("--busy needs --netty.");
    }
    if (request.idle() > 0 && mode != Mode.SELECTOR) {
      throw new IllegalArgumentException("--idle needs --mode selector.");
    }
    if (mode == Mode.ASYNC
        && (request.exercise() != Exercise.PING_PONG || request.intervalMicros() > 0)) {
      throw new IllegalArgumentException(
          "--mode async is for the ping-pong, and not with --interval-us.");
    }
    long slice = Math.round(seconds * 1000 / rounds);
    if (slice < SHORTEST_SLICE) {
      throw new IllegalArgumentException(
          "--seconds divided by --rounds gives turns of %d ms, but less than %d ms measure nothing."
              .formatted(slice, SHORTEST_SLICE));
    }
    List<Carrier> carriers = carriers(request);
    checkPorts(carriers, request.pairs());
    return new Plan(
        request.exercise(),
        mode,
        carriers,
        Sizes.parse(request.sizes()),
        rounds,
        slice,
        Math.round(warmup * 1000),
        request.intervalMicros(),
        request.pairs(),
        request.idle(),
        request.busy(),
        request.flush(),
        port,
        !noPin,
        carriers.stream().anyMatch(Carrier::usesAgent) ? slipstreamJar() : null,
        List.copyOf(jvmArguments));
  }

  private static void within(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          "%s must be between %s and %s.".formatted(option, plain(least), plain(most)));
    }
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? Long.toString(Math.round(value)) : Double.toString(value);
  }

  private List<Carrier> carriers(Request request) {
    String names = request.carriers();
    if (transport != null) {
      boolean guest = transport.equals("rdma");
      if (names != null || request.netty() || !(guest || transport.equals("ntb"))) {
        throw new IllegalArgumentException(
            "--transport is 'ntb' or 'rdma', and goes with neither --carriers nor --netty.");
      }
      if (guest) {
        return inGuest(request);
      }
      names = "tcp,shm,ntb";
    }
    if (names == null && request.netty()) {
      return request.alone()
          ? Stream.concat(Carrier.NETTY.stream(), Stream.of(Carrier.RAW)).toList()
          : Carrier.NETTY;
    }
    if (names == null) {
      return request.alone()
          ? List.of(Carrier.TCP, Carrier.SHM, Carrier.RAW)
          : List.of(Carrier.TCP, Carrier.SHM);
    }
    List<Carrier> carriers = new ArrayList<>();
    for (String name : names.split(",", -1)) {
      Carrier carrier = Carrier.of(name.strip());
      if (carriers.contains(carrier)) {
        throw new IllegalArgumentException("--carriers names " + carrier.label() + " twice.");
      }
      if (carrier != Carrier.RAW && carrier.isNetty() != request.netty()) {
        throw new IllegalArgumentException(
            "--carriers names "
                + carrier.label()
                + (request.netty() ? ", which is not Netty." : ", which needs --netty."));
      }
      carriers.add(carrier);
    }
    if (carriers.contains(Carrier.RAW) && !request.alone()) {
      throw new IllegalArgumentException(
          "The raw ring spins and knows no connections: it cannot be measured here.");
    }
    return carriers;
  }

  private List<Carrier> inGuest(Request request) {
    if (!request.alone() || !jvmArguments.isEmpty() || port != 0) {
      throw new IllegalArgumentException(
          "--transport rdma is for one pair, back to back, and not with --jvm-arg or --port.");
    }
    return List.of(Carrier.GUEST_TCP, Carrier.GUEST_RDMA);
  }

  private void checkPorts(List<Carrier> carriers, int pairs) {
    if (port == 0) {
      return;
    }
    long servers = carriers.stream().filter(carrier -> carrier != Carrier.RAW).count() * pairs;
    long last = port + servers - 1;
    if (last > LAST_PORT) {
      throw new IllegalArgumentException(
          "--port %d leaves no room for %d servers.".formatted(port, servers));
    }
    for (int wanted = port; wanted <= last; wanted++) {
      try (ServerSocket probe = new ServerSocket(wanted, 1, InetAddress.getLoopbackAddress())) {
        probe.getLocalPort();
      } catch (IOException refused) {
        throw new IllegalArgumentException(
            "--port: a server cannot listen on port " + wanted + ": " + refused.getMessage() + ".",
            refused);
      }
    }
  }

  private static Path slipstreamJar() {
    String property = System.getProperty(JAR_PROPERTY);
    if (property == null || property.isEmpty()) {
      throw new IllegalArgumentException(
          "The shm row needs the agent: give its path as -D"
              + JAR_PROPERTY
              + "=FILE, or leave the row out with --carriers.");
    }
    Path jar = Path.of(property).toAbsolutePath();
    if (!Files.isRegularFile(jar)) {
      throw new IllegalArgumentException(
          "-D" + JAR_PROPERTY + ": there is no file " + jar + "; build it first.");
    }
    return jar;
  }
}
