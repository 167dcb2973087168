package org.slipstream.it.fresh;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Alone;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.TestDirectory;

/**
 * Fresh connections by the ten thousand, short ones and kept ones, of every adapter to every
 * adapter, on a machine with four times more runnable threads than cores, while either process
 * stands still now and then: no stream ends early, by an end or by a reset, and none does on the
 * stock JDK. {@code -Dslipstream.test.fresh.seconds=600} makes each row longer.
 */
@Alone("keeps four runnable threads for each core busy")
class FreshConnectionsIT {
  private static final int SECONDS = Integer.getInteger("slipstream.test.fresh.seconds", 10);

  /** For each second of a row. A machine that makes fewer takes longer. */
  private static final int LEAST_CONNECTIONS = 50;

  private static final int RUNNABLE_FOR_EACH_CORE = 4;
  private static final int LONGEST_GAP_MS = 150;
  private static final int LONGEST_STOP_MS = 300;
  private static final List<String> JVM =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m");

  /** What carries the streams. */
  enum Row {
    /** That the programs are right, half of the time shows as well. */
    STOCK,
    /** Streams switch as those of programs do. */
    ORDINARY,
    /** Streams switch with their first bytes. */
    EAGER
  }

  @RegisterExtension final Seed seed = new Seed();

  private final List<Process> processes = new ArrayList<>();
  private @Nullable TestDirectory directory;
  private Path home = Path.of("");

  @BeforeEach
  void begin() throws IOException {
    directory = TestDirectory.create();
    home = directory.path();
  }

  @AfterEach
  void end() throws Exception {
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
    Objects.requireNonNull(directory).close();
  }

  @ParameterizedTest
  @EnumSource
  @Timeout(value = 2, unit = TimeUnit.HOURS) // if each row is long
  void noStreamEndsEarly(Row row) throws Exception {
    int seconds = row == Row.STOCK ? (SECONDS + 1) / 2 : SECONDS;
    int least = seconds * LEAST_CONNECTIONS;
    Child busy = start(Row.STOCK, Busy.class, "" + busyThreads());
    Child server = start(row, FreshServer.class);
    List<String> arguments = new ArrayList<>(List.of("" + seed.random().nextLong(), "" + least));
    arguments.addAll(List.of(server.await("ready").split(" ", -1)));
    Child client = start(row, FreshClient.class, arguments.toArray(String[]::new));
    client.await("ready");

    final int stops = stopOneOrTheOther(seconds, server, client);
    client.endInput();
    int connections = Integer.parseInt(client.await("done"));
    int joined = row == Row.STOCK ? 0 : joined(); // of the server, which has not ended
    server.endInput();
    server.await("done");
    busy.endInput();

    System.out.printf(
        "FreshConnectionsIT %s: %d connections, %d links, %d stops%n",
        row, connections, joined, stops);
    assertThat(client.early).as("of the client, seed %s", seed).isEmpty();
    assertThat(server.early).as("of the server, seed %s", seed).isEmpty();
    assertThat(connections).isGreaterThanOrEqualTo(least);
    if (row != Row.STOCK) {
      assertThat(joined).as("links").isPositive();
    }
  }

  private static int busyThreads() {
    return RUNNABLE_FOR_EACH_CORE * Runtime.getRuntime().availableProcessors();
  }

  /** Until the time is over; returns how often. */
  private int stopOneOrTheOther(int seconds, Child... children) throws Exception {
    Random random = seed.random();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    int stops = 0;
    while (System.nanoTime() - end < 0) {
      pause(random.nextInt(LONGEST_GAP_MS));
      Child child = children[random.nextInt(children.length)];
      child.signal("STOP");
      pause(random.nextInt(1 + random.nextInt(LONGEST_STOP_MS)));
      child.signal("CONT");
      stops++;
    }
    return stops;
  }

  /** The moment is the random variable of the test. */
  private static void pause(int millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** How often a stream of the two processes got a link. */
  private int joined() throws IOException {
    int sum = 0;
    for (String totals : ProcessInspector.ask(home.resolve("run").toString(), "totals")) {
      sum += ProcessStatus.parse(totals).map(p -> (int) p.number("streamsJoined")).orElse(0);
    }
    return sum;
  }

  // -- processes -------------------------------------------------------------------------------

  /** A process, and which of its connections ended early. */
  private record Child(Process process, BufferedReader lines, List<String> early) {

    /** Reads up to a line that begins so, and returns the rest of it. */
    String await(String word) throws IOException {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(word + " ")) {
          return line.substring(word.length() + 1);
        }
        if (line.startsWith("early ")) {
          early.add(line);
        }
      }
      throw new AssertionError("The process ended before it said '" + word + "'");
    }

    void signal(String name) throws IOException, InterruptedException {
      new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
    }

    void endInput() throws IOException {
      process.getOutputStream().close();
    }
  }

  private Child start(Row row, Class<?> program, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM);
    if (row != Row.STOCK) {
      Path jar =
          Path.of(Objects.requireNonNull(System.getProperty("slipstream.jar"), "slipstream.jar"));
      command.add("-javaagent:" + jar.toAbsolutePath().normalize());
      command.add("-Dslipstream.dir=" + home.resolve("run"));
      command.add("-Dfresh.accelerated=true");
    }
    if (row == Row.EAGER) {
      command.add("-Dslipstream.test.eager=" + Patience.DEADLINE.toMillis() / 600);
    }
    command.addAll(List.of("-cp", classPath(), program.getName()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    processes.add(process);
    return new Child(process, process.inputReader(StandardCharsets.UTF_8), new ArrayList<>());
  }

  /** The classes of these tests and Netty with our transport; the core comes with the agent. */
  private static String classPath() throws Exception {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Path ours =
        Path.of(FreshServer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return ours
        + File.pathSeparator
        + Arrays.stream(all.split(File.pathSeparator))
            .filter(entry -> entry.contains("/io/netty/") || entry.contains("netty-channel"))
            .collect(Collectors.joining(File.pathSeparator));
  }
}
