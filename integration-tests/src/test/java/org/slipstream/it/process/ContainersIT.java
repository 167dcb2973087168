package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Ulimit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.process.Boxes.Box;
import org.slipstream.testkit.Patience;

/**
 * Containers as hosts: with a common directory they speak shared memory, without they speak TCP,
 * and nothing that is done to a container breaks more than it breaks on TCP.
 */
class ContainersIT {
  private static final String SHARED = "-Dslipstream.dir=/shared/run";

  @RegisterExtension static final Engine ENGINE = new Engine();

  // Containers end first, and then the directory that they share goes.
  @Order(1)
  @RegisterExtension
  final Children children = new Children();

  @Order(2)
  @RegisterExtension
  final Boxes boxes = new Boxes(children);

  /** What the containers of a row have in common. */
  enum Row {
    STOCK,
    RING
  }

  private record Pair(Box serverBox, Peer server, Box clientBox, Peer client) {}

  private Consumer<HostConfig> sharing() {
    return Boxes.sharing(children.home());
  }

  /** A client with an open channel {@code c} to an echo in another container. */
  private Pair connect(Box serverBox, Peer server, Box clientBox, Peer client) throws Exception {
    int port = Integer.parseInt(server.ask("listen l 0 0.0.0.0"));
    server.ask("serve l echo");
    client.ask("connect c " + port + " " + serverBox.address());
    client.ask("exchange c 50 20000 1");
    return new Pair(serverBox, server, clientBox, client);
  }

  private Pair pair(Row row) throws Exception {
    Box a = boxes.start(sharing());
    Box b = boxes.start(sharing());
    return row == Row.STOCK
        ? connect(a, a.plain(), b, b.plain())
        : onTheRing(connect(a, a.accelerated(SHARED), b, b.accelerated(SHARED)));
  }

  private Pair onTheRing(Pair pair) throws Exception {
    children.upgrade(pair.client, "c");
    assertRing(pair.clientBox.streams("--dir", "/shared/run"));
    return pair;
  }

  /** Repeats the traffic until the ring carries most of it, seen from both ends. */
  private void carry(Peer client, String command) throws Exception {
    long end = System.nanoTime() + Patience.LONG.toNanos();
    long ring;
    long plain;
    do {
      long ringBefore = children.streams().stream().mapToLong(StreamLine::ringBytes).sum();
      long plainBefore = children.streams().stream().mapToLong(StreamLine::plainBytes).sum();
      client.ask(command);
      ring = children.streams().stream().mapToLong(StreamLine::ringBytes).sum() - ringBefore;
      plain = children.streams().stream().mapToLong(StreamLine::plainBytes).sum() - plainBefore;
    } while (ring <= 10 * plain && System.nanoTime() - end < 0);
    assertThat(ring).as("bytes over the ring").isGreaterThan(10 * plain).isPositive();
  }

  private static void assertRing(List<StreamLine> streams) {
    assertThat(streams)
        .hasSize(2)
        .allMatch(StreamLine::onRing)
        .allMatch(s -> s.ringIn() > 1000 && s.ringOut() > 1000);
  }

  private static void assertTcp(List<StreamLine> streams, String... reasons) {
    assertThat(streams)
        .isNotEmpty()
        .allMatch(s -> s.ringBytes() == 0 && s.plainBytes() > 10_000)
        .extracting(StreamLine::reason)
        .containsAnyOf(reasons);
  }

  // -- who can share ---------------------------------------------------------------------------

  @Test
  void containersWithACommonDirectoryAreOnTheRing() throws Exception {
    Pair pair = pair(Row.RING);
    carry(pair.client, "exchange c 500 60000 2");
    assertThat(pair.client.errors()).isEmpty();
    assertThat(pair.server.errors()).isEmpty();
  }

  @Test
  void containersWithACommonIpcNamespaceAreOnTheRingByDefault() throws Exception {
    Box a = boxes.start(host -> host.withIpcMode("shareable").withShmSize(256L << 20));
    Box b = boxes.start(host -> host.withIpcMode("container:" + a.id()));
    Pair pair = connect(a, a.accelerated(), b, b.accelerated());
    Children.soon()
        .until(() -> {
          pair.client.ask("exchange c 50 20000 1");
          List<StreamLine> streams = b.streams();
          return streams.size() == 2 && streams.stream().allMatch(StreamLine::onRing);
        });
    pair.client.ask("exchange c 50 20000 1");
    assertRing(b.streams());
    assertThat(pair.client.errors()).isEmpty();
  }

  @Test
  void containersWithNothingInCommonSpeakTcp() throws Exception {
    Box a = boxes.start(host -> {});
    Box b = boxes.start(host -> {});
    Pair pair = connect(a, a.accelerated(), b, b.accelerated());
    pair.client.ask("exchange c 200 20000 1");
    // Neither can see the other one, so each is asked where it lives.
    assertThat(b.streams()).allMatch(s -> s.ringBytes() == 0);
    assertThat(a.streams()).hasSize(1).allMatch(s -> s.ringBytes() == 0);
    assertThat(pair.client.errors()).isEmpty();
    assertThat(pair.server.errors()).isEmpty();
  }

  @Test
  void aMixedPairSpeaksTcp() throws Exception {
    Box a = boxes.start(sharing());
    Box b = boxes.start(sharing());
    Peer plain = a.plain();
    Peer accelerated = b.accelerated(SHARED);
    connect(a, plain, b, accelerated);
    accelerated.ask("exchange c 200 20000 1");
    plain.ask("connect d " + accelerated.ask("listen m 0 0.0.0.0") + " " + b.address());
    accelerated.ask("serve m echo");
    plain.ask("exchange d 200 20000 1");
    assertTcp(children.streams(), "PEER_NOT_ACCELERATED", "NO_TRANSPORT", "YOUNG");
    assertThat(accelerated.errors()).isEmpty();
  }

  @Test
  void anotherUserSpeaksTcp() throws Exception {
    Box a = boxes.start(sharing());
    Box b = boxes.startAs("1000:1000", sharing());
    Pair pair = connect(a, a.accelerated(SHARED), b, b.accelerated(SHARED));
    pair.client.ask("exchange c 200 20000 1");
    assertTcp(children.streams(), "YOUNG");
    assertThat(pair.server.errors()).isEmpty();
  }

  @Test
  void aReadOnlyRootAndLittleLockedMemoryDoNotMatter() throws Exception {
    Consumer<HostConfig> tight =
        sharing()
            .andThen(host ->
                host.withReadonlyRootfs(true)
                    .withUlimits(List.of(new Ulimit("memlock", 65_536L, 65_536L))));
    Box a = boxes.start(tight);
    Box b = boxes.start(tight);
    Pair pair = onTheRing(connect(a, a.accelerated(SHARED), b, b.accelerated(SHARED)));
    assertThat(pair.client.errors()).isEmpty();
    assertThat(pair.server.errors()).isEmpty();
  }

  @Test
  void aFullTmpfsMeansTcpWithTheReason() throws Exception {
    Box a = boxes.start(host -> host.withIpcMode("shareable")); // 64 MiB, Docker's default
    Box b = boxes.start(host -> host.withIpcMode("container:" + a.id()));
    a.run("/bin/dd", "if=/dev/zero", "of=/dev/shm/ballast", "bs=64k");
    Pair pair = connect(a, a.accelerated(), b, b.accelerated());
    pair.client.ask("exchange c 300 20000 1");
    assertThat(b.streams())
        .allMatch(s -> s.ringBytes() == 0 || s.plainBytes() > 0)
        .allMatch(s -> !s.onRing());
    assertThat(b.streams()).anyMatch(s -> !s.reason().equals("NONE"));
  }

  @Test
  void theDefaultTmpfsIsEnoughForManyStreams() throws Exception {
    Box a = boxes.start(host -> host.withIpcMode("shareable")); // 64 MiB, Docker's default
    Box b = boxes.start(host -> host.withIpcMode("container:" + a.id()));
    Peer server = a.accelerated();
    Peer client = b.accelerated();
    int port = Integer.parseInt(server.ask("listen l 0 0.0.0.0"));
    server.ask("serve l echo");
    for (int i = 0; i < 20; i++) {
      client.ask("connect c" + i + " " + port + " " + a.address());
    }
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 20; i++) {
        client.ask("exchange c" + i + " 20 100000 " + i);
      }
    }
    assertThat(b.streams()).hasSize(40).anyMatch(StreamLine::onRing);
    assertThat(client.errors()).isEmpty();
  }

  // -- what is done to them --------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource(Row.class)
  void aPausedContainerIsASlowOne(Row row) throws Exception {
    Pair pair = pair(row);
    CompletableFuture<String> load = pair.client.begin("load c 20000 3");
    for (Box box : List.of(pair.serverBox, pair.clientBox)) {
      box.pause();
      Thread.sleep(300); // the length of the fault, and not a wait for something
      assertThat(load).isNotDone();
      box.unpause();
    }
    end(pair, load);
  }

  @ParameterizedTest
  @EnumSource(Row.class)
  void bytesWaitForANetworkThatComesBack(Row row) throws Exception {
    Pair pair = pair(row);
    CompletableFuture<String> load = pair.client.begin("load c 20000 4");
    for (Box box : List.of(pair.serverBox, pair.clientBox)) {
      String address = box.address();
      box.disconnect();
      Thread.sleep(300); // the length of the fault
      box.reconnect(address);
    }
    end(pair, load);
  }

  /** Ends a load; each byte of it was the one that was sent. */
  private static void end(Pair pair, CompletableFuture<String> load) throws Exception {
    pair.client.ask("enough");
    assertThat(Integer.parseInt(pair.client.ok(load, Patience.LONG, "the load"))).isPositive();
  }

  @ParameterizedTest
  @EnumSource(Row.class)
  void aKilledContainerEndsItsStreams(Row row) throws Exception {
    Pair pair = pair(row);
    CompletableFuture<String> load = pair.client.begin("exchange c 1000000 20000 5");
    pair.serverBox.kill();
    // TCP: the kernel of this machine says FIN or RST before the namespace goes.
    assertThat(pair.client.result(load, Patience.LONG, "the load")).startsWith("error ");
  }

  @ParameterizedTest
  @EnumSource(Row.class)
  void aStoppedContainerEndsItsStreams(Row row) throws Exception {
    Pair pair = pair(row);
    CompletableFuture<String> load = pair.client.begin("exchange c 1000000 20000 6");
    pair.serverBox.stop();
    assertThat(pair.client.result(load, Patience.LONG, "the load")).startsWith("error ");
  }

  /** A client's container is killed, the next one is stopped: the server serves the third. */
  @ParameterizedTest
  @EnumSource(Row.class)
  void aServerOutlivesTheContainersOfItsClients(Row row) throws Exception {
    Pair pair = pair(row);
    for (Consumer<Box> end : List.<Consumer<Box>>of(Box::kill, Box::stop)) {
      CompletableFuture<String> load = pair.client.begin("exchange c 1000000 20000 7");
      assertThat(load).isNotDone();
      end.accept(pair.clientBox);
      pair = nextClient(row, pair);
    }
    assertThat(pair.server.errors()).isEmpty();
  }

  private Pair nextClient(Row row, Pair last) throws Exception {
    Box next = boxes.start(sharing());
    Peer client = row == Row.STOCK ? next.plain() : next.accelerated(SHARED);
    Pair again = connect(last.serverBox, last.server, next, client);
    client.ask("exchange c 300 20000 8");
    if (row == Row.RING) {
      // With traffic: the direction of a server switches at its next write.
      Children.soon()
          .until(() -> {
            client.ask("exchange c 20 2000 9");
            List<StreamLine> streams = children.streams();
            return streams.size() == 2 && streams.stream().allMatch(StreamLine::onRing);
          });
    }
    return again;
  }
}
