package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.DeviceCounters;
import org.slipstream.testkit.Extent;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.ProcessId;

/**
 * Unmodified programs over a real queue pair. Runs inside the guest, where a program takes twenty
 * seconds to start: all tests share a server, and most of them a client.
 */
public class RdmaPeersRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final String RDMA = "-Dslipstream.transports=rdma,shm";

  /** Where a refusal shall not lead to shared memory. */
  private static final String ONLY_RDMA = "-Dslipstream.transports=rdma";

  private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";

  /** So large for all sessions, whatever this machine lets a process lock. */
  private static final String USUAL_RINGS = "-Dslipstream.ring.size=256k";

  private static final Duration PATIENCE = Patience.DEADLINE;

  /** Bytes of each direction of a soak, at least. */
  private static final long ENOUGH = Extent.of(2_000_000);

  /** Bytes of each direction of a stream that is loaded, at least. */
  private static final long LOADED = 200_000;

  /** What {@link #join} moves each way before, at most. */
  private static final long JOINING = 10_000;

  /** The largest path MTU. */
  private static final int LARGEST_PACKET = 4096;

  /** Bytes: a session needs 106,496, and a first window 135,168 more. */
  private static final long LITTLE = 150_000;

  /** Too little for a session. */
  private static final long LESS = 80_000;

  /** What is locked for a peer with one stream, in each of the two processes. */
  private static final long IDLE_PEER = 368 * 1024;

  /** What a larger first ring has more than the usual one. */
  private static final long LARGER_RING = (512 - 128) * 1024;

  private static final Children CHILDREN = new Children();

  private static Peer server;
  private static Peer client;
  private static String echo;

  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    List<Peer> pair = CHILDREN.acceleratedPair(RDMA, NATIVE, USUAL_RINGS);
    server = pair.get(0);
    client = pair.get(1);
    echo = server.ask("listen e 0 " + HOST);
    server.ask("serve e echo");
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
  }

  @Test
  void anExchangeTravelsByRdma() throws Exception {
    Children.soon()
        .until(() -> {
          client.ask("connect c " + echo + " " + HOST);
          client.ask("exchange c 100 2000 1");
          if (areByRdma()) {
            return true;
          }
          client.ask("close c"); // opened before there was a queue pair
          awaitNoStreams();
          return false;
        });
    List<StreamLine> before = bothEnds();
    long packets = DeviceCounters.packets();
    client.ask("exchange c 50 20000 1");
    if (DeviceCounters.exist()) {
      assertThat(DeviceCounters.packets() - packets)
          .as("packets that the device sent")
          .isGreaterThan(50);
    }
    List<StreamLine> after = bothEnds();
    assertThat(after).allMatch(s -> s.carrier().equals("rdma"));
    for (int i = 0; i < 2; i++) {
      assertThat(after.get(i).ringIn() - before.get(i).ringIn()).isGreaterThan(300_000);
      assertThat(after.get(i).ringOut() - before.get(i).ringOut()).isGreaterThan(300_000);
      long plain = after.get(i).plainBytes() - before.get(i).plainBytes();
      assertThat(plain).as("by TCP").isLessThan(300_000);
    }
    client.ask("close c");
    awaitNoStreams();
  }

  @Test
  void bulkIsWhole() throws Exception {
    join(client);
    CompletableFuture<String> reading = server.begin("read s 8000000 3");
    client.ask("write c 8000000 3");
    server.ok(reading, "read");
    client.ask("shutdown c");
    assertThat(server.ask("readToEnd s 1")).isEqualTo("eof 0");
    Children.soon()
        .untilAsserted(() -> assertThat(CHILDREN.stream(client).ringOut()).isGreaterThan(200_000));
    client.ask("close c");
    server.ask("close s");
    awaitNoStreams();
  }

  /** A ring may overflow to TCP at any time: it lasts until the device has carried enough. */
  @Test
  void everyByteOfASoakComesBackUnchanged() throws Exception {
    long packets = DeviceCounters.packets();
    final long notReady = DeviceCounters.receiversNotReady();
    long seed = System.nanoTime();
    System.out.println("soak: seed " + seed);
    CompletableFuture<String> soak =
        client.begin("soak " + echo + " 2 " + PATIENCE.toMillis() + " " + seed + " " + HOST);
    List<StreamLine> seen =
        Children.soon()
            .pollInterval(Duration.ofMillis(500))
            .until(
                () -> CHILDREN.streams(client),
                now ->
                    soak.isDone()
                        || (now.size() == 2
                            && now.stream()
                                .allMatch(s -> s.ringOut() > ENOUGH && s.ringIn() > ENOUGH)));
    client.ask("enough");
    System.out.println(
        "soak: " + client.ok(soak, "soak, seed " + seed) + " bytes there and back; " + seen);
    assertThat(seen).hasSize(2).allMatch(s -> s.ringOut() > ENOUGH && s.ringIn() > ENOUGH);
    if (DeviceCounters.exist()) {
      assertThat(DeviceCounters.packets() - packets)
          .as("packets that the device sent")
          .isGreaterThan(4 * ENOUGH / LARGEST_PACKET);
    }
    assertThat(DeviceCounters.receiversNotReady()).as("no receive").isEqualTo(notReady);
    awaitNoStreams();
  }

  @Test
  void aKilledPeerIsAReset() throws Exception {
    Peer victim = CHILDREN.accelerated(RDMA, NATIVE);
    join(victim);
    victim.kill();
    assertThat(server.result(server.begin("readToEnd s 1"), PATIENCE, "the end"))
        .startsWith("ok reset 0");
    assertThat(server.result(server.begin("writeToEnd s 1"), PATIENCE, "the end"))
        .startsWith("ok broken");
    server.ask("close s");
    awaitNoStreams();
  }

  /** The killed one had connected to one survivor, and accepted from the other. */
  @Test
  void aPeerThatIsKilledUnderLoadIsAResetBehindWhatWasPlaced() throws Exception {
    Peer victim = CHILDREN.accelerated(RDMA, NATIVE);
    join(victim);
    final String s = CHILDREN.stream(server).name();
    String port = victim.ask("listen v 0 " + HOST);
    victim.ask("serve v echo");
    final String v = connectByRdma("v", port);
    final String o = connectByRdma("o", echo);
    final CompletableFuture<String> others = client.begin("load o 20000 1");
    final CompletableFuture<String> exchanging = client.begin("exchangeToEnd v 20000 2");
    final CompletableFuture<String> reading = server.begin("readToEnd s 3");
    final CompletableFuture<String> writing = server.begin("writeToEnd s 4");
    var _ = victim.begin("write c " + Long.MAX_VALUE + " 3");
    var _ = victim.begin("read c " + Long.MAX_VALUE + " 4");
    Children.soon()
        .pollInterval(Duration.ofMillis(200))
        .until(() -> isLoaded(server, s) && isLoaded(client, v));
    final long read = line(server, s).ringIn();
    victim.kill();

    String end = server.result(reading, PATIENCE, "the end");
    assertThat(end).startsWith("ok reset "); // readToEnd has compared all bytes before
    assertThat(Long.parseLong(end.split(" ", -1)[2])).isGreaterThanOrEqualTo(read - JOINING);
    assertThat(server.result(writing, PATIENCE, "the end")).startsWith("ok broken ");
    assertThat(client.result(exchanging, PATIENCE, "the end")).matches("ok (reset|broken) \\d+ .*");
    assertThat(others).as("the load of those that live").isNotDone();
    long before = line(client, o).ringBytes();
    Children.soon().until(() -> line(client, o).ringBytes() > before + LOADED);
    client.ask("enough");
    assertThat(Long.parseLong(client.ok(others, "load"))).isPositive();
    server.ask("close s");
    client.ask("close v");
    client.ask("close o");
    awaitNoStreams();
  }

  @Test
  void aProgramWithoutUsIsServedByTcp() throws Exception {
    isServedByTcp(CHILDREN.plain());
  }

  @Test
  void aProgramWithSlipstreamButWithoutRdmaIsServedByTcp() throws Exception {
    isServedByTcp(CHILDREN.accelerated("-Dslipstream.transports=ntb")); // shm would reach it
  }

  private static void isServedByTcp(Peer plain) throws Exception {
    plain.ask("connect c " + echo + " " + HOST);
    plain.ask("exchange c 20 20000 1");
    Children.soon()
        .untilAsserted(() -> {
          StreamLine line = CHILDREN.stream(server);
          assertThat(line.carrier()).isEqualTo("tcp");
          assertThat(line.ringBytes()).isZero();
          assertThat(line.plainBytes()).isPositive();
        });
    String port = plain.ask("listen p 0 " + HOST);
    plain.ask("serve p echo");
    client.ask("connect p " + port + " " + HOST);
    Children.soon()
        .untilAsserted(() -> {
          client.ask("exchange p 20 20000 1");
          StreamLine line = CHILDREN.stream(client);
          assertThat(line.reason()).isEqualTo("PEER_NOT_ACCELERATED");
          assertThat(line.ringBytes()).isZero();
        });
    client.ask("close p");
    plain.ask("close c");
    awaitNoStreams();
  }

  /** What Linux lets every process lock since 5.16. */
  @Test
  void whatAProcessMayLockByDefaultIsEnough() throws Exception {
    Peer usual = limited(8 << 20);
    Children.soon()
        .until(() -> {
          usual.ask("connect u " + echo + " " + HOST);
          usual.ask("exchange u 100 2000 1");
          if (areByRdma()) {
            return true;
          }
          usual.ask("close u"); // opened before there was a queue pair
          awaitNoStreams();
          return false;
        });
    usual.ask("exchange u 20 20000 1");
    assertThat(bothEnds())
        .allMatch(s -> s.carrier().equals("rdma") && s.ringIn() > 100_000 && s.ringOut() > 100_000);
    usual.ask("close u");
    awaitNoStreams();
  }

  /** Enough for a session, and not for rings. */
  @Test
  void aProcessThatMayLockLittleMemoryIsServedByTcp() throws Exception {
    Peer poor = limited(LITTLE);
    poor.ask("connect m " + echo + " " + HOST);
    Children.soon()
        .untilAsserted(() -> {
          poor.ask("exchange m 20 20000 1");
          StreamLine line = CHILDREN.stream(poor);
          assertThat(line.reason()).isEqualTo("NO_MEMORY");
          assertThat(line.ringBytes()).isZero();
        });
    poor.ask("close m");
    awaitNoStreams();
  }

  @Test
  void aProcessThatMayNotLockEnoughForASessionIsServedByTcp() throws Exception {
    Peer poorer = limited(LESS);
    poorer.ask("connect m " + echo + " " + HOST);
    Children.soon()
        .untilAsserted(() -> {
          poorer.ask("exchange m 20 20000 1");
          StreamLine line = CHILDREN.stream(poorer);
          assertThat(line.reason()).isEqualTo("NO_MEMORY");
          assertThat(line.ringBytes()).isZero();
        });
    String port = poorer.ask("listen l 0 " + HOST);
    poorer.ask("serve l echo");
    Peer asking = CHILDREN.accelerated(ONLY_RDMA, NATIVE);
    assertStaysPlain(asking, port, "PEER_NO_MEMORY");
    poorer.ask("close m");
    awaitNoStreams();
    assertThat(asking.end()).isZero();
  }

  /** {@code ps} says at the end that asked why the other end refused. */
  private static void assertStaysPlain(Peer asking, String port, String reason) throws Exception {
    asking.ask("connect n " + port + " " + HOST);
    Children.soon()
        .untilAsserted(() -> {
          asking.ask("exchange n 20 2000 1");
          StreamLine line = toPort(asking, port);
          assertThat(line.reason()).isEqualTo(reason);
          assertThat(line.ringBytes()).isZero();
        });
    asking.ask("close n");
  }

  private static StreamLine toPort(Peer peer, String port) {
    return Children.soon()
        .until(
            () ->
                CHILDREN.streams(peer).stream()
                    .filter(l -> l.remote().endsWith(":" + port))
                    .toList(),
            lines -> lines.size() == 1)
        .getFirst();
  }

  @Test
  void twoWithTheSameKeyTravelByRdmaAndOneWithAnotherSaysWhyNot() throws Exception {
    String key = "-Dslipstream.key=" + key("key");
    Peer one = CHILDREN.accelerated(ONLY_RDMA, NATIVE, key);
    Peer other = CHILDREN.accelerated(ONLY_RDMA, NATIVE, key);
    String port = one.ask("listen k 0 " + HOST);
    one.ask("serve k echo");
    other.ask("connect k " + port + " " + HOST);
    Children.soon()
        .until(() -> {
          other.ask("exchange k 20 2000 1");
          return toPort(other, port).carrier().equals("rdma");
        });
    assertStaysPlain(other, echo, "KEY_MISMATCH"); // the server has none
    other.ask("close k");
    awaitNoStreams();
    assertThat(other.end()).isZero();
    assertThat(one.end()).isZero();
  }

  private static Path key(String name) throws Exception {
    Path key = CHILDREN.home().resolve(name);
    Files.writeString(key, ProcessId.random().toString());
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    return key;
  }

  /** What a thousand such peers would cost is locked, in both processes. */
  @Test
  void aPeerWithOneIdleStreamCosts368KiB() throws Exception {
    Peer idle = CHILDREN.accelerated(RDMA, NATIVE, USUAL_RINGS);
    long before = pinnedBytes(server);
    joinFirst(idle);
    assertThat(pinnedBytes(idle)).isPositive().isLessThanOrEqualTo(IDLE_PEER);
    assertThat(pinnedBytes(server) - before).isLessThanOrEqualTo(IDLE_PEER);
    idle.ask("close i");
    awaitNoStreams();
    assertThat(idle.end()).isZero();
  }

  /** Its ring, and the copy of it from which the server's device writes. */
  @Test
  void aPeerThatMayLockPlentyHasALargerFirstRing() throws Exception {
    List<String> plenty = List.of("prlimit", "--memlock=unlimited:unlimited");
    Peer peer = CHILDREN.launch(CHILDREN.acceleratedCommand(plenty, RDMA, NATIVE)).awaitReady();
    long before = pinnedBytes(server);
    joinFirst(peer);
    assertThat(pinnedBytes(peer))
        .isGreaterThan(LARGER_RING)
        .isLessThanOrEqualTo(IDLE_PEER + LARGER_RING);
    assertThat(pinnedBytes(server) - before)
        .isGreaterThan(LARGER_RING)
        .isLessThanOrEqualTo(IDLE_PEER + LARGER_RING);
    peer.ask("exchange i 20 400000 2"); // the answers go round in it
    peer.ask("close i");
    awaitNoStreams();
    assertThat(peer.end()).isZero();
  }

  /** A stream i to the server's echo, which has the first window of its session. */
  private static void joinFirst(Peer peer) throws Exception {
    peer.ask("connect i " + echo + " " + HOST);
    Children.soon()
        .until(() -> {
          peer.ask("exchange i 20 2000 1"); // always the same stream
          return toPort(peer, echo).carrier().equals("rdma");
        });
  }

  /** What the kernel has pinned for a process. */
  private static long pinnedBytes(Peer peer) throws Exception {
    return Files.readAllLines(Path.of("/proc/" + peer.pid() + "/status")).stream()
        .filter(line -> line.startsWith("VmPin:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
        .sum();
  }

  /** A superuser is limited too without that capability. */
  private static Peer limited(long bytes) throws Exception {
    List<String> limit =
        List.of(
            "prlimit",
            "--memlock=" + bytes + ":" + bytes,
            "setpriv",
            "--bounding-set=-ipc_lock",
            "--inh-caps=-ipc_lock");
    return CHILDREN.launch(CHILDREN.acceleratedCommand(limit, RDMA, NATIVE)).awaitReady();
  }

  @Test
  void theDoctorShowsDevicesAddressesLimitsAndAnExchange() throws Exception {
    List<String> command = new ArrayList<>(List.of(Children.JAVA));
    command.addAll(Children.OF_THIS_MACHINE);
    command.addAll(
        List.of(
            NATIVE,
            "-XX:TieredStopAtLevel=1",
            "-Dslipstream.transports=rdma",
            "-Dslipstream.dir=" + CHILDREN.home().resolve("doctor"),
            "-jar",
            Children.JAR.toString(),
            "doctor"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    System.out.println(said);
    assertThat(said)
        .containsPattern("rdma +available: \\S+/1 ACTIVE (RoCE .*" + HOST + "|iWARP )")
        .contains("memory that may be locked: ")
        .containsPattern("order: trusted, as \\S+ is a device in software")
        .containsPattern("works: a write with its read-back takes \\d+ us at " + HOST);
  }

  /** A connection c to the server's s, that travels by RDMA in both directions. */
  private static void join(Peer peer) throws Exception {
    String port = server.ask("listen l 0 " + HOST);
    Children.soon()
        .until(() -> {
          peer.ask("connect c " + port + " " + HOST);
          server.ask("accept l s");
          for (int i = 0; i < 20; i++) {
            peer.ask("write c 10 1");
            server.ask("read s 10 1");
            server.ask("write s 10 1");
            peer.ask("read c 10 1");
            if (areByRdma()) {
              return true;
            }
          }
          // Opened before there was a queue pair: it may stay plain for ever.
          peer.ask("close c");
          server.ask("close s");
          awaitNoStreams();
          return false;
        });
    server.ask("unlisten l");
  }

  /** Connects the client to a port, until that travels by RDMA; returns the name of the stream. */
  private static String connectByRdma(String channel, String port) {
    return Children.soon()
        .until(
            () -> {
              client.ask("connect " + channel + " " + port + " " + HOST);
              client.ask("exchange " + channel + " 50 2000 1");
              List<StreamLine> found =
                  CHILDREN.streams(client).stream()
                      .filter(l -> l.remote().endsWith(":" + port) && l.carrier().equals("rdma"))
                      .toList();
              if (found.size() == 1) {
                return found.getFirst().name();
              }
              client.ask("close " + channel); // opened before there was a queue pair
              return "";
            },
            name -> !name.isEmpty());
  }

  private static StreamLine line(Peer peer, String name) {
    return Children.soon()
        .until(
            () -> CHILDREN.streams(peer).stream().filter(l -> l.name().equals(name)).toList(),
            lines -> lines.size() == 1)
        .getFirst();
  }

  /** Much has travelled by RDMA both ways, and goes on doing so. */
  private static boolean isLoaded(Peer peer, String name) {
    StreamLine now = line(peer, name);
    return now.carrier().equals("rdma") && now.ringIn() > LOADED && now.ringOut() > LOADED;
  }

  /** An emulated process may need more than one question. */
  private static List<StreamLine> bothEnds() {
    return Children.soon().until(CHILDREN::streams, all -> all.size() == 2);
  }

  private static boolean areByRdma() {
    List<StreamLine> all = CHILDREN.streams();
    return all.size() == 2 && all.stream().allMatch(s -> s.carrier().equals("rdma"));
  }

  private static void awaitNoStreams() {
    Children.soon().until(() -> CHILDREN.streams().isEmpty());
  }
}
