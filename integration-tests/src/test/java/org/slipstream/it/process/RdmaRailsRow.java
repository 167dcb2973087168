package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Patience;

/**
 * Two processes that two devices join: one of them is taken away while streams are kept full both
 * ways, and the other one takes over. Runs inside the guest, whose device is {@code rxe0} over
 * {@code roce0}; the second one is made here.
 */
public class RdmaRailsRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final String SECOND = "10.79.0.1";
  private static final List<String> DEVICES = List.of("rxe0", "rxe1");

  /** Bytes of the writes of each connection. */
  private static final int[] PIECES = {700, 20_000, 256 << 10};

  /** Bytes that each end sends on a way until that is believed. */
  private static final long SOME = 100_000;

  private static final Duration PATIENCE = Patience.seconds(20);
  private static final Children CHILDREN = new Children();

  private static Peer server;
  private static String echo;
  private static String port;

  private final List<Peer> clients = new ArrayList<>();
  private final Pouring load = new Pouring();

  @BeforeAll
  static void start() throws Exception {
    run("ip", "link", "add", "roce1", "type", "veth", "peer", "name", "roce1peer");
    run("ip", "link", "set", "roce1peer", "up");
    run("ip", "link", "set", "roce1", "mtu", "4500");
    run("ip", "addr", "add", SECOND + "/24", "dev", "roce1");
    run("ip", "link", "set", "roce1", "up");
    make("rxe1");
    CHILDREN.begin();
    server = CHILDREN.launch(command("server", "standby")).awaitReady();
    echo = server.ask("listen e 0 " + HOST);
    server.ask("serve e echo");
    port = server.ask("listen l 0 " + HOST);
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
    run("rdma", "link", "delete", "rxe1");
    run("ip", "link", "delete", "roce1");
  }

  @AfterEach
  void disconnect() throws Exception {
    List<Peer> ends = new ArrayList<>(clients);
    ends.add(server);
    load.end(SOME, ends.toArray(new Peer[0]));
    server.ask("closeMany s");
    for (Peer client : clients) {
      client.destroy(); // the next test finds sessions of its own client only
    }
  }

  /** Each in a directory of its own, so that they do not meet in shared memory. */
  private static List<String> command(String directory, String rails) throws Exception {
    return CHILDREN.acceleratedCommand(
        List.of(),
        "-Dslipstream.transports=rdma,shm",
        "-Dslipstream.rdma.rails=" + rails,
        "-Dslipstream.dir=" + CHILDREN.home().resolve(directory),
        "-Djava.util.logging.config.file=" + Children.classes() + "/rdma-logging.properties",
        "--enable-native-access=ALL-UNNAMED");
  }

  private Peer client(String directory, String rails) throws Exception {
    Peer client = CHILDREN.launch(command(directory, rails)).awaitReady();
    clients.add(client);
    // A stream that is opened before its peer is ready stays plain.
    Children.soon()
        .until(() -> {
          client.ask("connect w " + echo + " " + HOST);
          client.ask("exchange w 50 1000 1");
          boolean joined = streams(directory).stream().anyMatch(StreamLine::onRing);
          client.ask("close w");
          return joined;
        });
    Children.soon().until(() -> ends(directory).isEmpty());
    return client;
  }

  private void pour(Peer client, String name, int piece) throws Exception {
    load.begin(client, server, name, port + " " + HOST, piece);
  }

  private static String directory(String name) {
    return CHILDREN.home().resolve(name).toString();
  }

  private static List<StreamLine> streams(String name) {
    return SessionDevices.streams(directory(name));
  }

  private static List<StreamLine> ends(String client) {
    return Stream.of(client, "server").flatMap(d -> streams(d).stream()).toList();
  }

  private void pourUntilAllAreOn(Peer client, String directory, Map<String, Long> devices)
      throws Exception {
    for (int i = 0; i < PIECES.length; i++) {
      pour(client, directory + i, PIECES[i]);
    }
    awaitOn(directory, devices);
  }

  private static void awaitOn(String client, Map<String, Long> devices) {
    Children.soon()
        .untilAsserted(() -> {
          assertThat(SessionDevices.of(directory(client))).isEqualTo(devices);
          assertThat(SessionDevices.of(directory("server"))).isEqualTo(devices);
        });
  }

  /** A ring that stays full overflows to TCP and comes back. */
  private static void awaitMoreByTheRing(String client) {
    Map<String, Long> before =
        ends(client).stream().collect(Collectors.toMap(StreamLine::name, StreamLine::ringOut));
    assertThat(before).hasSize(2 * PIECES.length);
    Children.soon()
        .untilAsserted(() ->
            assertThat(ends(client)).allMatch(e -> e.ringOut() > before.get(e.name()) + SOME));
  }

  private static Map<String, Long> on(long first, long second) {
    return Map.of("rxe0/1", first, "rxe1/1", second);
  }

  @Test
  void theDeviceThatIsLeftTakesOver() throws Exception {
    Peer client = client("a", "standby");
    pourUntilAllAreOn(client, "a", on(PIECES.length, 0));
    awaitMoreByTheRing("a");
    for (int turn = 0; turn < 2; turn++) {
      String gone = DEVICES.get(turn);
      String left = DEVICES.get(1 - turn);
      takesOver("a", "the device is deleted", left, () -> run("rdma", "link", "delete", gone));
      make(gone);
      String here = left + "/1";
      Map<String, Long> back = new TreeMap<>(Map.of(gone + "/1", 0L));
      back.put(here, (long) PIECES.length);
      awaitOn("a", back);
    }
  }

  /** Soft-RoCE (6.1) may have lost the connection manager's queue pair with the link. */
  @Test
  void theLinkThatIsLeftTakesOver() throws Exception {
    Peer client = client("b", "standby");
    pourUntilAllAreOn(client, "b", on(PIECES.length, 0));
    awaitMoreByTheRing("b");
    try {
      takesOver("b", "the link is cut", "rxe1", () -> run("ip", "link", "set", "roce0", "down"));
    } finally {
      run("ip", "link", "set", "roce0", "up");
    }
    run("rdma", "link", "delete", "rxe0");
    make("rxe0");
    awaitOn("b", on(0, PIECES.length));
  }

  private interface Cut {
    void cut() throws Exception;
  }

  private static void takesOver(String client, String what, String left, Cut cut) throws Exception {
    long plain = ends(client).stream().mapToLong(StreamLine::plainOut).sum();
    long began = System.nanoTime();
    cut.cut();
    long done = System.nanoTime();
    awaitOn(client, Map.of(left + "/1", (long) PIECES.length));
    long over = System.nanoTime();
    awaitMoreByTheRing(client);
    System.out.printf(
        "%s: the command took %d ms; all streams were on %s after %d ms; %d bytes went over TCP%n",
        what,
        TimeUnit.NANOSECONDS.toMillis(done - began),
        left,
        TimeUnit.NANOSECONDS.toMillis(over - began),
        ends(client).stream().mapToLong(StreamLine::plainOut).sum() - plain);
  }

  @Test
  void streamsAreSpreadOverBothIfThatIsAskedFor() throws Exception {
    Peer client = client("c", "spread");
    for (int i = 1; i <= 4; i++) {
      pour(client, Integer.toString(i), i % 2 == 0 ? 20_000 : 700);
      int streams = i;
      Children.soon()
          .untilAsserted(() -> {
            Map<String, Long> here = SessionDevices.of(directory("c"));
            assertThat(here).hasSize(2);
            assertThat(here.values().stream().mapToLong(n -> n).sum()).isEqualTo(streams);
            assertThat(here.values()).allMatch(n -> n == streams / 2 || n == (streams + 1) / 2);
            assertThat(SessionDevices.of(directory("server"))).isEqualTo(here);
          });
    }
  }

  @Test
  void oneIsEnoughIfThatIsAskedFor() throws Exception {
    Peer client = client("d", "off");
    pourUntilAllAreOn(client, "d", Map.of("rxe0/1", (long) PIECES.length));
    awaitMoreByTheRing("d");
    Thread.sleep(3_000); // others have a second session by then
    awaitOn("d", Map.of("rxe0/1", (long) PIECES.length));
  }

  private static void make(String device) throws Exception {
    String netdev = device.replace("rxe", "roce");
    run("rdma", "link", "add", device, "type", "rxe", "netdev", netdev);
  }

  private static void run(String... words) throws Exception {
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(ended).as("%s ends", List.of(words)).isTrue();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.exitValue()).as(output).isZero();
  }
}
