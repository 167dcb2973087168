package org.slipstream.benchmarks.driver;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.raw.RawProbe;

/**
 * Starts the children and knows all of them, so that none is left behind: not after a failure half
 * way through a start, and not when the driver itself is interrupted.
 */
final class Launcher implements AutoCloseable {
  /**
   * What the programs need and no more: were Slipstream on the class path, the row on TCP would not
   * be the stock JDK's for certain.
   */
  static final String CLASS_PATH =
      Stream.of(RawProbe.class, Histogram.class)
          .map(Launcher::location)
          .distinct()
          .collect(Collectors.joining(File.pathSeparator));

  private final Plan plan;
  private final Cores cores;
  private final Thread hook = new Thread(this::kill, "end of children");

  /** Guarded by itself: the measuring thread adds, the shutdown hook kills. */
  private final List<Child> children = new ArrayList<>();

  /** Guarded by {@link #children}; after it is set nothing is started any more. */
  private boolean ended;

  /** Made when the first program needs it; guarded by {@link #children}. */
  private @Nullable LoopbackFabric fabric;

  Launcher(Plan plan, Cores cores) {
    this.plan = plan;
    this.cores = cores;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  Plan plan() {
    return plan;
  }

  Cores cores() {
    return cores;
  }

  Child socketServer(Carrier carrier, int port) throws BenchmarkFailure {
    return start(
        carrier,
        "server",
        cores.server(),
        plan.exercise().serverClass(carrier),
        socketArguments(carrier, port));
  }

  Child socketClient(Carrier carrier, int port) throws BenchmarkFailure {
    return start(
        carrier,
        "client",
        cores.client(),
        plan.exercise().clientClass(carrier),
        socketArguments(carrier, port));
  }

  Child rawProbe(String role, Path file) throws BenchmarkFailure {
    List<String> arguments =
        List.of(
            plan.exercise().label(), role, file.toString(), Integer.toString(plan.largestSize()));
    Integer core = role.equals("server") ? cores.server() : cores.client();
    return start(Carrier.RAW, role, core, RawProbe.class.getName(), arguments);
  }

  private List<String> socketArguments(Carrier carrier, int port) {
    return List.of(
        "mode=" + plan.mode().label(),
        "port=" + port,
        "bytes=" + plan.largestSize(),
        "idle=" + plan.idle(),
        "busy=" + plan.busy(),
        "flush=" + plan.flush(),
        "transport=" + carrier.nettyTransport());
  }

  private Child start(
      Carrier carrier, String role, @Nullable Integer core, String program, List<String> arguments)
      throws BenchmarkFailure {
    List<String> command = new ArrayList<>(Cores.pinned(core));
    LoopbackFabric nodes = carrier == Carrier.NTB ? fabric() : null;
    if (nodes != null) {
      command.addAll(nodes.environment(role));
    }
    command.add(javaCommand());
    if (carrier.usesAgent()) {
      command.add("-javaagent:" + plan.slipstreamJar());
    }
    if (nodes != null) {
      command.addAll(nodes.flags());
    }
    if (carrier == Carrier.PLAIN) {
      command.add("-Dslipstream.memory.limit=0");
    }
    command.addAll(plan.jvmArguments());
    command.add("-cp");
    command.add(CLASS_PATH);
    command.add(program);
    command.addAll(arguments);
    synchronized (children) {
      if (ended) {
        throw new BenchmarkFailure("The run was interrupted.");
      }
      Child child = Child.start(carrier.label() + " " + role, command);
      children.add(child);
      return child;
    }
  }

  private LoopbackFabric fabric() throws BenchmarkFailure {
    synchronized (children) {
      LoopbackFabric made = fabric;
      if (made == null) {
        made = LoopbackFabric.open(Objects.requireNonNull(plan.slipstreamJar()));
        fabric = made;
      }
      return made;
    }
  }

  static String location(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException strange) {
      throw new IllegalStateException("The class " + type + " is in no file.", strange);
    }
  }

  /** Returns the java command of the JDK that runs the driver. */
  static String javaCommand() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** Returns whether the children are being ended, so that their end is no failure to report. */
  boolean ended() {
    synchronized (children) {
      return ended;
    }
  }

  private void kill() {
    synchronized (children) {
      ended = true;
      children.forEach(Child::kill);
      if (fabric != null) {
        fabric.close();
        fabric = null;
      }
    }
  }

  /** Ends every child that still runs. */
  @Override
  public void close() {
    kill();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // The hook runs or has run: there is nothing to remove.
    }
  }
}
