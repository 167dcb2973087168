package org.slipstream.agent.trial;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.shm.ProcessInspector;

/**
 * Runs a program, or a server and a client, without or with Slipstream, and watches its streams.
 */
public final class Trial {
  private static final String TOOL_OPTIONS = "JAVA_TOOL_OPTIONS";

  /** Between two looks; each costs the programs some microseconds for each stream. */
  private static final long LOOK_MS = 200;

  private static final Duration PATIENCE_AT_THE_END = Duration.ofSeconds(10);
  private static final Duration PATIENCE_FOR_A_SERVER = Duration.ofSeconds(60);

  private final Path jar;
  private final @Nullable String dir;
  private final @Nullable List<String> server;
  private final List<String> program;
  private final @Nullable Double seconds;

  /** What runs now; what ends this process ends them. It is also the lock of its two writers. */
  private final List<Program> running = new CopyOnWriteArrayList<>();

  /** Nothing is started any more. Guarded by {@link #running}; written once, by the hook. */
  private boolean ending;

  /**
   * Prepares one.
   *
   * @param jar of the agent
   * @param dir the value of {@code slipstream.dir}, or null
   * @param server is started first, and ended at the end; may be null
   * @param program and its arguments
   * @param seconds after which the program is ended; null to wait until it ends by itself
   */
  public Trial(
      Path jar,
      @Nullable String dir,
      @Nullable List<String> server,
      List<String> program,
      @Nullable Double seconds) {
    this.jar = jar;
    this.dir = dir;
    this.server = server;
    this.program = program;
    this.seconds = seconds;
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().name("slipstream-try-end").unstarted(this::endAll));
  }

  /** Ends what runs. A program that is just being started is in the list before this looks. */
  void endAll() {
    synchronized (running) {
      ending = true;
    }
    running.forEach(Program::close);
  }

  /**
   * Runs it once.
   *
   * @param on whether with Slipstream
   * @return how it went
   * @throws IOException a program can not be started, or a server does not listen
   * @throws InterruptedException the caller is to end
   */
  public Turn run(boolean on) throws IOException, InterruptedException {
    CpuTime before = CpuTime.ofChildren();
    KernelCalls callsBefore = KernelCalls.soFar();
    final ContextSwitches switchesBefore = ContextSwitches.ofChildren();
    Carried carried = new Carried();
    Map<String, String> environment = environment(on, System.getenv(TOOL_OPTIONS));
    Program serving = server == null ? null : start(server, environment);
    try {
      if (serving != null) {
        awaitReady(serving);
      }
      long from = System.nanoTime();
      Program main = start(program, environment);
      try {
        watch(main, serving, on ? carried : null);
        final long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from);
        Integer exitCode = end(main);
        Integer serverCode = serving == null ? null : end(serving);
        CpuTime cpu = CpuTime.ofChildren().since(before);
        KernelCalls calls = KernelCalls.soFar().since(callsBefore);
        ContextSwitches switches = ContextSwitches.ofChildren().since(switchesBefore);
        return new Turn(millis, cpu, calls, switches, exitCode, serverCode, carried);
      } finally {
        close(main);
      }
    } finally {
      if (serving != null) {
        close(serving);
      }
    }
  }

  private Program start(List<String> command, Map<String, String> environment) throws IOException {
    synchronized (running) {
      if (ending) {
        throw new IOException("it was ended");
      }
      Program started = Program.start(command, environment);
      running.add(started);
      return started;
    }
  }

  private void close(Program program) {
    program.close();
    running.remove(program);
  }

  /** Null if it has to be ended. */
  private static @Nullable Integer end(Program program) throws InterruptedException {
    Integer code = program.isAlive() ? null : (Integer) program.exitCode();
    program.end(PATIENCE_AT_THE_END);
    return code;
  }

  /**
   * What is added to the environment. By the variable that every JVM reads, as a program may be a
   * script; without Slipstream too, so that a command that names the agent itself is off as well.
   */
  Map<String, String> environment(boolean on, @Nullable String options) {
    String flag =
        on
            ? "-javaagent:" + jar + (dir == null ? "" : "=dir=" + dir)
            : "-Dslipstream.enabled=false";
    String quoted = flag.indexOf(' ') < 0 ? flag : '"' + flag + '"';
    Map<String, String> environment = new HashMap<>();
    environment.put(TOOL_OPTIONS, options == null ? quoted : options + " " + quoted);
    return environment;
  }

  private static void awaitReady(Program server) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_FOR_A_SERVER.toNanos();
    while (!Listening.any(server.pids())) {
      if (!server.isAlive()) {
        throw new IOException("the server ended with " + server.exitCode() + " before it listened");
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "the server has not listened for " + PATIENCE_FOR_A_SERVER.toSeconds() + " s");
      }
      Thread.sleep(LOOK_MS);
    }
  }

  /** Until the program ends, or the server, or the time is over. */
  private void watch(Program main, @Nullable Program serving, @Nullable Carried carried)
      throws IOException, InterruptedException {
    long end =
        System.nanoTime()
            + (seconds == null
                ? Long.MAX_VALUE / 2
                : (long) (seconds * TimeUnit.SECONDS.toNanos(1)));
    while (main.isAlive()
        && (serving == null || serving.isAlive())
        && System.nanoTime() - end < 0) {
      Thread.sleep(LOOK_MS);
      if (carried != null) {
        look(main, serving, carried);
      }
    }
  }

  private void look(Program main, @Nullable Program serving, Carried carried) throws IOException {
    Set<Long> pids = new HashSet<>(main.pids());
    if (serving != null) {
      pids.addAll(serving.pids());
    }
    carried.streams(ask("streams", pids));
    carried.totals(ask("totals", pids));
  }

  private List<ProcessStatus> ask(String question, Set<Long> pids) throws IOException {
    return ProcessInspector.ask(dir, question).stream()
        .flatMap(answer -> ProcessStatus.parse(answer).stream())
        .filter(process -> pids.contains(process.number("pid")))
        .toList();
  }
}
