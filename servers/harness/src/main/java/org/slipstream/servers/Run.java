package org.slipstream.servers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of a scenario: its processes, a directory for them, and what the tools say about them.
 */
public final class Run implements AutoCloseable {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();
  private static final Path AGENT =
      Path.of(Objects.requireNonNull(System.getProperty("slipstream.jar"), "slipstream.jar"))
          .toAbsolutePath()
          .normalize();

  /** In place of the number of a server. */
  private static final int CLIENT = -1;

  private static final int PREPARE_S = Guest.seconds(300);

  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(Guest.seconds(60));

  private final Arm arm;
  private final int scale;
  private final int turnSeconds;
  private final Path directory;
  private final Path rendezvous;
  private final @Nullable NtbNodes nodes;
  private final List<Jvm> servers = new ArrayList<>();
  private final List<Jvm> clients = new ArrayList<>();

  /** What the servers had moved when they were asked the last time. */
  private Ps earlier = Ps.NONE;

  private final Thread forgotten = new Thread(this::endFromOutside, "end-from-outside");

  /**
   * Prepares a run.
   *
   * @param arm what its processes talk over
   * @param scale how much load; 1 in tests
   * @param turnSeconds how long a turn lasts if that can be chosen; 0 in tests
   * @throws IOException if there is no place for its files
   */
  Run(Arm arm, int scale, int turnSeconds) throws IOException {
    this.arm = arm;
    this.scale = scale;
    this.turnSeconds = turnSeconds;
    Files.createDirectories(Path.of("target"));
    this.directory =
        Files.createTempDirectory(Path.of("target").toAbsolutePath(), arm.carrier() + "-");
    this.rendezvous = Files.createTempDirectory(Path.of("/dev/shm"), "slipstream-servers-");
    Runtime.getRuntime().addShutdownHook(forgotten);
    this.nodes = arm == Arm.NTB ? NtbNodes.open(AGENT, rendezvous.resolve("nodes")) : null;
  }

  /**
   * What its processes talk over.
   *
   * @return the same for all of them
   */
  public Arm arm() {
    return arm;
  }

  /**
   * How much load.
   *
   * @return 1 in tests
   */
  public int scale() {
    return scale;
  }

  int turnSeconds() {
    return turnSeconds;
  }

  /**
   * Where its files are.
   *
   * @return an absolute path
   */
  public Path directory() {
    return directory;
  }

  /**
   * A place for files in memory, which no disk slows down.
   *
   * @return an absolute path
   */
  public Path memory() {
    return rendezvous;
  }

  /**
   * A port that no process uses, and that the kernel gives to none by itself.
   *
   * @return free a moment ago
   * @throws IOException without descriptors, for example
   */
  public static int freePort() throws IOException {
    return Ports.next();
  }

  /**
   * Where the server that is started next may listen: another address for each, of this host; or
   * that of the device, in a guest.
   *
   * @return a literal
   */
  public String address() {
    return Guest.isHere() ? Guest.DEVICE : NtbNodes.address(servers.size());
  }

  /**
   * Starts a server, unmodified.
   *
   * @param name of its log
   * @param flags of the JVM
   * @param command the main class and its arguments
   * @return the process
   * @throws IOException if it can not be started
   */
  public Jvm server(String name, List<String> flags, String... command) throws IOException {
    Jvm jvm = start(name, servers.size(), arm.isAccelerated(), flags, List.of(command));
    servers.add(jvm);
    return jvm;
  }

  /**
   * Starts a client of the server, unmodified; its processor time is known after its end, too.
   *
   * @param name of its log
   * @param flags of the JVM
   * @param command the main class and its arguments
   * @return the process
   * @throws IOException if it can not be started
   */
  public Jvm client(String name, List<String> flags, String... command) throws IOException {
    List<String> words = new ArrayList<>(List.of(Tool.class.getName()));
    words.addAll(List.of(command));
    Jvm jvm = start(name, CLIENT, arm.isAccelerated(), flags, words);
    clients.add(jvm);
    return jvm;
  }

  /**
   * Runs a tool that only prepares something, without Slipstream, to its end.
   *
   * @param name of its log
   * @param command the main class and its arguments
   * @throws IOException if it fails
   * @throws InterruptedException as it says
   */
  public void prepare(String name, List<String> flags, String... command)
      throws IOException, InterruptedException {
    start(name, CLIENT, false, flags, List.of(command)).finish(PREPARE_S);
  }

  /**
   * Counts the processes that a server has started among the servers.
   *
   * @param server gave them {@link #flags}, and ends them
   */
  public void adoptChildren(Jvm server) {
    servers.addAll(server.children());
  }

  /**
   * Flags of a JVM that a server starts.
   *
   * @return those that switch Slipstream on; none in a run without
   */
  public List<String> flags() {
    List<String> flags = new ArrayList<>();
    if (arm.isAccelerated()) {
      flags.add("-javaagent:" + AGENT);
      flags.add("-Dslipstream.dir=" + rendezvous.resolve("run"));
    }
    if (nodes != null) {
      flags.addAll(nodes.flags());
    }
    if (arm == Arm.RDMA) {
      flags.addAll(Guest.FLAGS);
    }
    return flags;
  }

  private Jvm start(
      String name, int server, boolean withAgent, List<String> flags, List<String> words)
      throws IOException {
    List<String> command = new ArrayList<>();
    if (nodes != null && withAgent) {
      command.addAll(nodes.environment(server));
    }
    if (withAgent && arm.isCached()) {
      // The JVM that writes a cache runs no agent, and has to be told what the agent brings.
      command.addAll(List.of("env", "JDK_AOT_VM_OPTIONS=-Xbootclasspath/a:" + AGENT));
    }
    command.addAll(List.of(JAVA, "-XX:+UseSerialGC"));
    if (withAgent) {
      command.addAll(flags());
    }
    command.addAll(flags);
    if (flags.stream().noneMatch(f -> f.equals("-cp"))) {
      command.addAll(List.of("-cp", classPath()));
    }
    command.addAll(words);
    return Jvm.start(name, command, directory);
  }

  /**
   * The class path of the test: the server and its client, and nothing of Slipstream.
   *
   * @return with the separators of this machine
   */
  public static String classPath() {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> kept = new ArrayList<>();
    for (String entry : all.split(File.pathSeparator, -1)) {
      if (!entry.matches(".*/(agent|org/slipstream/agent)/.*")) {
        kept.add(entry);
      }
    }
    return String.join(File.pathSeparator, kept);
  }

  /**
   * A class path for a JVM with an AOT cache: with jars only, since the JVM refuses directories.
   *
   * @param first a jar of the load's own
   * @return with the separators of this machine
   */
  public String cacheableClassPath(Path first) {
    List<String> entries = new ArrayList<>();
    entries.add(first.toString());
    for (String entry : classPath().split(File.pathSeparator, -1)) {
      if (entry.endsWith(".jar")) {
        entries.add(entry);
      }
    }
    return String.join(File.pathSeparator, entries);
  }

  private static Cpu sum(List<Jvm> processes) throws IOException {
    Cpu sum = Cpu.ZERO;
    for (Jvm jvm : processes) {
      sum = sum.plus(jvm.cpu());
    }
    return sum;
  }

  Cpu serverCpu() throws IOException {
    return sum(servers);
  }

  Cpu clientCpu() throws IOException {
    return sum(clients);
  }

  /**
   * Asserts that each process of an accelerated run has the agent, and that no process of another
   * run has it, or is known to {@code slipstream ps}. Clients that have ended said it themselves.
   *
   * @throws IOException if a process is gone, or the tool fails
   * @throws InterruptedException as it says
   */
  void checkAgent() throws IOException, InterruptedException {
    List<Jvm> all = new ArrayList<>(servers);
    all.addAll(clients);
    String expected = (arm.isAccelerated() ? Traces.OF_AGENT : List.of()).toString();
    for (Jvm jvm : all) {
      require(
          jvm.traces().equals(expected), jvm + " has traces " + jvm.traces() + ", not " + expected);
    }
    if (!arm.isAccelerated()) {
      // They were told no directory, so an agent would be found in the user's own.
      Ps ps = ps();
      for (Jvm jvm : all) {
        require(!ps.lists(jvm.pid()), jvm + " is listed: " + ps);
      }
    }
  }

  private static void require(boolean right, String complaint) {
    if (!right) {
      throw new AssertionError(complaint);
    }
  }

  private static Ps ps(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(JAVA, "-XX:TieredStopAtLevel=1", "-jar", AGENT.toString()));
    command.addAll(List.of("ps", "--json"));
    command.addAll(List.of(options));
    return Ps.ask(command);
  }

  /**
   * Asserts what the servers' bytes have travelled by since the last time, closed streams included.
   *
   * @param least has to leave the kernel
   * @return what share of all bytes did
   * @throws IOException if the tool fails
   * @throws InterruptedException as it says
   */
  double checkCarrier(Least least) throws IOException, InterruptedException {
    String directory = rendezvous.resolve("run").toString();
    Ps totals = ps("--totals", "--dir", directory);
    Ps streams = ps("--dir", directory);
    // On a busy machine, one that does well may be late; one that is still silent then is not well.
    long start = System.nanoTime();
    while (!(totals.silent().isEmpty() && streams.silent().isEmpty())
        && System.nanoTime() - start < PATIENCE_NS) {
      totals = ps("--totals", "--dir", directory);
      streams = ps("--dir", directory);
    }
    Ps before = earlier;
    earlier = totals;
    return least.check(servers.stream().map(Jvm::pid).toList(), before, totals, streams);
  }

  @Override
  public void close() throws IOException {
    try {
      for (Jvm jvm : clients) {
        jvm.end();
      }
      for (Jvm jvm : servers.reversed()) {
        jvm.end();
      }
    } finally {
      try {
        Trees.delete(rendezvous);
        Runtime.getRuntime().removeShutdownHook(forgotten);
      } finally {
        Trees.delete(directory);
      }
    }
  }

  /** A run that is ended from outside leaves no process, and nothing in memory. */
  private void endFromOutside() {
    List.copyOf(clients).forEach(Jvm::kill);
    List.copyOf(servers).forEach(Jvm::kill);
    try {
      Trees.delete(rendezvous);
    } catch (IOException e) {
      System.err.println("Delete " + rendezvous + " by hand: " + e);
    }
  }
}
