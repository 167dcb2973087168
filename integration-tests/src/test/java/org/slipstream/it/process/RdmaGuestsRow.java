package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Patience;

/** An unmodified program here, another on another host, and a network that RoCE can use. */
public class RdmaGuestsRow {
  private static final String SERVER = "10.78.0.8";
  private static final int PORT = 7000;

  /** Another listener of the other host: its port, and an address that no RDMA device has. */
  public static final String OTHER = "7001 10.99.0.8";

  private static List<String> flags() throws Exception {
    return List.of(
        "--enable-native-access=ALL-UNNAMED",
        "-Dslipstream.transports=rdma,shm",
        "-Dslipstream.hosts=/tmp/hosts",
        "-Dslipstream.rdma.slow=stay", // an emulator is slow
        "-Djava.util.logging.config.file=" + Children.classes() + "/rdma-logging.properties");
  }

  /** The other host deletes its first device, says so, and makes it again when this is gone. */
  private static final Path UNPLUG = Path.of("/job/unplug");

  private static final Path UNPLUGGED = Path.of("/job/unplugged");

  /** Of a client that uses the second port, too. */
  private static final String TWO = "/dev/shm/two";

  /** The other host looks for it, takes its link down for as many seconds, and removes it. */
  private static final Path CUT = Path.of("/job/cut");

  /** Both hosts lose every packet of RoCE that arrives, and no other, as long as it is there. */
  private static final Path SILENCE = Path.of("/job/silence");

  /** As {@link #SILENCE}, but only of what arrives at this host. */
  private static final Path DEAF = Path.of("/job/deaf");

  /** What the other host's program and its RDMA transport have said. */
  private static final Path SERVER_LOG = Path.of("/job/server.log");

  /** Both say so from then on. */
  private static final List<Path> SILENT =
      List.of(Path.of("/job/silent4"), Path.of("/job/silent8"));

  /**
   * A path that says nothing has to be noticed by the devices themselves. Where they are told to
   * try for ever, only the watch over a device that completes nothing is left, after 30 seconds.
   */
  private static final Duration SOON = Duration.ofSeconds(15);

  private static final Children CHILDREN = new Children();

  private static Peer client;

  /** The command of the other machine. */
  public static List<String> server() throws Exception {
    List<String> command = new ArrayList<>(List.of(Children.JAVA));
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(List.of("-javaagent:" + Children.JAR, "-Dslipstream.dir=/dev/shm/server"));
    command.addAll(flags());
    command.addAll(List.of("-cp", Children.classes(), PeerProgram.class.getName()));
    return command;
  }

  /** The end of {@code slipstream fabric} that waits, on the other machine. */
  public static List<String> fabricServer() {
    List<String> command = new ArrayList<>(List.of(Children.JAVA));
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx96m"));
    command.addAll(List.of("-jar", Children.JAR.toString(), "fabric", "serve"));
    command.addAll(List.of("--bind", SERVER, "--set", "dir=/dev/shm/fabric"));
    return command;
  }

  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    List<String> flags = new ArrayList<>(flags());
    flags.add("-Dslipstream.rdma.rails=off"); // but for the tests of two ports
    client = CHILDREN.accelerated(flags.toArray(new String[0]));
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
  }

  @BeforeEach
  void connect() {
    Children.soon()
        .untilAsserted(() -> {
          client.ask("connect c " + PORT + " " + SERVER);
          client.ask("exchange c 100 2000 1");
          String carrier = CHILDREN.stream(client).carrier();
          if (!carrier.equals("rdma")) {
            client.ask("close c"); // opened before the queue pair: it may stay plain
          }
          assertThat(carrier).isEqualTo("rdma");
        });
  }

  @AfterEach
  void close() throws Exception {
    client.ask("shutdown c");
    assertThat(client.ask("readToEnd c 1")).isEqualTo("eof 0");
    client.ask("close c");
  }

  /** By the file, and only by it: the addresses of both ends are on no adapter. */
  @Test
  void programsThatConnectOverAnotherInterfaceAreJoinedByTheFileOfHosts() {
    Children.soon()
        .untilAsserted(() -> {
          client.ask("connect m " + OTHER);
          try {
            client.ask("exchange m 100 2000 1");
            assertThat(
                    CHILDREN.streams().stream()
                        .filter(stream -> stream.pid() == client.pid())
                        .filter(stream -> stream.remote().equals("10.99.0.8:7001"))
                        .map(StreamLine::carrier))
                .containsExactly("rdma");
          } finally {
            client.ask("close m");
          }
        });
  }

  private static void awaitRdma() {
    Children.soon()
        .untilAsserted(() -> {
          client.ask("exchange c 5 2000 1");
          StreamLine stream = CHILDREN.stream(client);
          assertThat(stream.carrier()).as("%s", stream).isEqualTo("rdma");
        });
  }

  /** The two devices may have been down a moment ago, for the tests before. */
  @Test
  void fabricJoinsTheTwoHostsByRdmaAndSaysWhatElseThereIs() {
    Children.soon()
        .untilAsserted(() -> {
          Tool.Said said =
              Tool.run(
                  List.of("-XX:+UseSerialGC", "-Xmx128m"),
                  "fabric",
                  SERVER,
                  "--seconds=0.5",
                  "--expect=rdma",
                  "--set=dir=/dev/shm/fabric");
          System.out.println(said.text());
          assertThat(said.text())
              .containsPattern("(?m)^  rdma +rxe0/1 ACTIVE RoCE ")
              .containsPattern(
                  "(?m)^ +rxe0/1 ACTIVE RoCE .*10.78.0.4, .*, eth0 MTU \\d+, RDMA MTU \\d+$")
              .containsPattern(
                  "(?m)^ +rxe0/1 ACTIVE RoCE .*10.78.0.8, .*, eth0 MTU \\d+, RDMA MTU \\d+$")
              .containsPattern("(?m)^tcp +64 bytes +median")
              .containsPattern("(?m)^rdma +64 bytes +median")
              .containsPattern(
                  "(?m)^beside +ib_write_lat: run 'ib_write_lat -R -s 64' there, then ")
              .containsPattern("(?m)^shm +not for this: it joins processes of one host")
              .containsPattern("(?m)^ntb +not available: not here: .*; not there: ")
              .containsPattern("(?m)^rdma +carries both directions: 64 bytes there and back in ")
              .containsPattern("(?m)^verdict +rdma joins the two ends$");
          assertThat(said.code()).as(said.text()).isZero();
        });
  }

  @Test
  void everyByteOfASoakIsTheOneThatWasSent() throws Exception {
    StreamLine before = CHILDREN.stream(client);
    client.ask("exchange c 200 64 1");
    for (int seed = 0; seed < 5; seed++) {
      client.ask("exchange c 100 30000 " + seed);
    }
    StreamLine after = CHILDREN.stream(client);
    assertThat(after.ringBytes() - before.ringBytes())
        .as("bytes over the ring")
        .isGreaterThan(after.plainBytes() - before.plainBytes());
  }

  @Test
  void aHostThatVanishesForAWhileCostsNoByte() throws Exception {
    StreamLine before = CHILDREN.stream(client);
    int lost = CHILDREN.failovers();
    cut(12);
    int rounds = 0;
    while (Files.exists(CUT)) {
      client.ask("exchange c 20 20000 " + rounds++);
    }
    awaitRdma(); // a new queue pair
    assertThat(CHILDREN.failovers()).as("links that were lost").isGreaterThan(lost);
    StreamLine after = CHILDREN.stream(client);
    assertThat(after.plainBytes()).as("went on over TCP").isGreaterThan(before.plainBytes());
    client.ask("exchange c 100 20000 1");
    assertThat(CHILDREN.stream(client).ringBytes()).isGreaterThan(after.ringBytes());
    assertThat(sessions())
        .containsPattern(
            "(?m)^"
                + client.pid()
                + " +\\S+ +rdma +[0-9a-f]{8} +ended +client +rxe0/1 +10.78.0.4 +10.78.0.8 +trusted"
                + " +\\d+ .*[a-z]{3}")
        .containsPattern(
            "(?m)^"
                + client.pid()
                + " +\\S+ +rdma +[0-9a-f]{8} +open +client +rxe0/1 +10.78.0.4 +10.78.0.8 +trusted"
                + " +\\d+ +1 +\\d+ +\\S+ +\\d+/512 +0 +");
  }

  /** What {@code ps} shows of the client's queue pairs. */
  private static String sessions() throws Exception {
    Tool.Said said =
        Tool.run(List.of(), "ps", "--sessions", "--dir", CHILDREN.directory().toString());
    System.out.println(said.text());
    return said.text();
  }

  /** The link is up, TCP passes, and nothing says that RoCE does not. */
  @Test
  void aPathThatLosesOnlyRoceIsLeftSoon() throws Exception {
    StreamLine before = CHILDREN.stream(client);
    int lost = CHILDREN.failovers();
    Files.createFile(SILENCE);
    Duration longest = Duration.ZERO;
    try {
      Children.soon().until(() -> SILENT.stream().allMatch(Files::exists));
      for (int round = 0; round < 10; round++) {
        long began = System.nanoTime();
        client.ask("exchange c 2 20000 " + round);
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        longest = took.compareTo(longest) > 0 ? took : longest;
      }
    } finally {
      Files.delete(SILENCE);
    }
    System.out.println("RoCE lost: the longest exchange took " + longest.toMillis() + " ms");
    assertThat(longest).as("the longest exchange").isLessThan(SOON);
    assertThat(CHILDREN.failovers()).as("links that were lost").isGreaterThan(lost);
    StreamLine after = CHILDREN.stream(client);
    assertThat(after.plainBytes()).as("went on over TCP").isGreaterThan(before.plainBytes());
    Children.soon().until(() -> SILENT.stream().noneMatch(Files::exists));
    awaitRdma();
  }

  /**
   * The other host accepts, and nothing of this one arrives there any more, not even that the
   * process has ended. Its kernel would say the acceptance every four seconds for a minute, over a
   * link that is cut meanwhile, too: Soft-RoCE (6.1) loses the queue pair of its connection manager
   * by that, and the host every further connection.
   */
  @Test
  void aSessionThatIsOnlyAcceptedEndsSoon() throws Exception {
    Files.createFile(DEAF);
    try {
      Children.soon().until(() -> Files.exists(SILENT.getFirst()));
      long before = serverSaid("CONNECT_REQUEST");
      List<String> flags = new ArrayList<>(flags());
      flags.addAll(List.of("-Dslipstream.rdma.rails=off", "-Dslipstream.dir=/dev/shm/third"));
      Peer third = CHILDREN.accelerated(flags.toArray(new String[0]));
      third.ask("connect d " + PORT + " " + SERVER);
      Children.soon()
          .until(() -> {
            third.ask("exchange d 5 2000 1");
            return serverSaid("CONNECT_REQUEST") > before;
          });
      Files.createFile(SILENCE);
      Children.soon().until(() -> SILENT.stream().allMatch(Files::exists));
      third.kill();
    } finally {
      Files.deleteIfExists(DEAF);
      Files.deleteIfExists(SILENCE);
    }
    Children.soon().until(() -> SILENT.stream().noneMatch(Files::exists));
    Children.soon().until(() -> serverSaid("the peer did not establish it in time") > 0);
    cut(12);
    Children.soon().until(() -> !Files.exists(CUT));
    awaitRdma();
  }

  /** How many lines of the other host's log have a text. */
  private static long serverSaid(String text) throws Exception {
    return Files.readAllLines(SERVER_LOG).stream().filter(line -> line.contains(text)).count();
  }

  private static void cut(int seconds) throws Exception {
    Path made = CUT.resolveSibling("cut-soon");
    Files.writeString(made, Integer.toString(seconds));
    Files.move(made, CUT);
  }

  /** The other host says nothing, not even that it ends. */
  @Test
  void aHostThatVanishesWhileIdleIsNoticedAndItsMemoryIsFree() throws Exception {
    assertThat(pinnedBytes()).isPositive();
    int lost = CHILDREN.failovers();
    cut(60);
    Children.soon()
        .untilAsserted(() -> {
          assertThat(Files.exists(CUT)).as("the other host is away").isTrue();
          assertThat(CHILDREN.failovers()).as("links that were lost").isGreaterThan(lost);
        });
    Children.soon().untilAsserted(() -> assertThat(pinnedBytes()).isZero());
    assertThat(CUT).as("the other host is still away").exists();
    Children.soon().until(() -> !Files.exists(CUT));
    awaitRdma();
  }

  /** What the kernel has pinned for the client. */
  private static long pinnedBytes() throws Exception {
    return Files.readAllLines(Path.of("/proc/" + client.pid() + "/status")).stream()
        .filter(line -> line.startsWith("VmPin:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
        .sum();
  }

  // -- two ports -------------------------------------------------------------------------------

  /** Something that keeps the first port from carrying, until it is closed. */
  private interface Fault {
    void begin() throws Exception;

    void end() throws Exception;
  }

  /** The link is up, TCP passes, and both devices have to find out by themselves. */
  @Test
  void aPathThatLosesOnlyRoceIsLeftForTheOtherPort() throws Exception {
    theOtherPortTakesOver(
        "RoCE lost",
        new Fault() {
          @Override
          public void begin() throws Exception {
            Files.createFile(SILENCE);
            Children.soon().until(() -> SILENT.stream().allMatch(Files::exists));
          }

          @Override
          public void end() throws Exception {
            Files.delete(SILENCE);
            Children.soon().until(() -> SILENT.stream().noneMatch(Files::exists));
          }
        });
  }

  /** Only the other host can know it, and says so over the other port. */
  @Test
  void aDeviceThatIsGoneAtTheOtherHostIsLeftForTheOtherPort() throws Exception {
    theOtherPortTakesOver(
        "device gone",
        new Fault() {
          @Override
          public void begin() throws Exception {
            Files.createFile(UNPLUG);
            Children.soon().until(() -> Files.exists(UNPLUGGED));
          }

          @Override
          public void end() throws Exception {
            Files.delete(UNPLUG);
            Children.soon().until(() -> !Files.exists(UNPLUGGED));
          }
        });
  }

  private void theOtherPortTakesOver(String what, Fault fault) throws Exception {
    List<String> flags = new ArrayList<>(flags());
    flags.add("-Dslipstream.dir=" + TWO);
    Peer two = CHILDREN.accelerated(flags.toArray(new String[0]));
    Children.soon()
        .untilAsserted(() -> {
          two.ask("connect d " + PORT + " " + SERVER);
          two.ask("exchange d 100 2000 1");
          boolean carries = SessionDevices.of(TWO).getOrDefault("rxe0/1", 0L) == 1;
          if (!carries) {
            two.ask("close d");
          }
          assertThat(carries).as("the stream is on the first device").isTrue();
        });
    CompletableFuture<String> load = two.begin("load d 20000 1");
    Children.soon().until(() -> SessionDevices.of(TWO).equals(Map.of("rxe0/1", 1L, "rxe1/1", 0L)));
    long began = System.nanoTime();
    fault.begin();
    try {
      long begun = System.nanoTime();
      long left = 0;
      for (Map<String, Long> now = SessionDevices.of(TWO);
          now.getOrDefault("rxe1/1", 0L) == 0;
          now = SessionDevices.of(TWO)) {
        if (now.getOrDefault("rxe0/1", 0L) == 1) {
          left = System.nanoTime();
        }
        assertThat(load).as("nothing is lost or changed").isNotDone();
        assertThat(System.nanoTime() - begun).isLessThan(Patience.seconds(60).toNanos());
      }
      long back = System.nanoTime();
      System.out.printf(
          "%s: %d ms after it began and %d ms after that was said, the stream is on the other port; it had left the first one %d ms before, at most%n",
          what,
          TimeUnit.NANOSECONDS.toMillis(back - began),
          TimeUnit.NANOSECONDS.toMillis(back - begun),
          TimeUnit.NANOSECONDS.toMillis(back - Math.max(left, began)));
      long ring = SessionDevices.streams(TWO).getFirst().ringBytes();
      Children.soon()
          .until(() -> SessionDevices.streams(TWO).getFirst().ringBytes() > ring + 200_000);
    } finally {
      fault.end();
    }
    Children.soon().until(() -> SessionDevices.of(TWO).equals(Map.of("rxe0/1", 0L, "rxe1/1", 1L)));
    two.ask("enough");
    assertThat(Integer.parseInt(two.ok(load, "load"))).isPositive();
    two.destroy();
    two.awaitExit();
  }
}
