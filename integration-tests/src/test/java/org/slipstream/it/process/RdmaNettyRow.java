package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.DeviceCounters;
import org.slipstream.testkit.Patience;

/**
 * A library on top of Netty, over our Netty transport, between two processes: on one queue pair.
 * Runs inside the guest.
 */
public class RdmaNettyRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final int LARGEST_PACKET = 4096;

  private static final Children CHILDREN = new Children();

  private static Peer server;
  private static Peer client;

  /** One has the agent, the other one the product as an ordinary library. */
  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    Peer a = CHILDREN.launch(command(List.of()));
    Peer b = CHILDREN.launch(command(List.of("-javaagent:" + Children.JAR)));
    server = a.awaitReady();
    client = b.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
  }

  private static List<String> command(List<String> agent) {
    List<String> command = new ArrayList<>(List.of(Children.JAVA));
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(agent);
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Dslipstream.dir=" + CHILDREN.directory());
    command.add("-Dslipstream.transports=rdma,shm");
    command.add("-Dpeer.address=" + HOST); // not one of ours: they must be known
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(NettyPeerProgram.class.getName());
    return command;
  }

  @Test
  void grpcUnaryCalls() throws Exception {
    assertCarried("unary " + server.ask("grpcServe") + " 500 1000", 2 * 500 * 1000);
  }

  @Test
  void grpcStreaming() throws Exception {
    assertCarried("streaming " + server.ask("grpcServe") + " 500 5000", 2 * 500 * 5000);
  }

  /** Lets the client work until the queue pair carried most of what one run moves. */
  private static void assertCarried(String command, long bytes) throws Exception {
    long packets = DeviceCounters.packets();
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    long there;
    long here;
    do {
      long thereBefore = rdmaBytes(server);
      long hereBefore = rdmaBytes(client);
      client.ask(command, Patience.DEADLINE);
      there = rdmaBytes(server) - thereBefore;
      here = rdmaBytes(client) - hereBefore;
    } while ((there <= bytes / 2 || here <= bytes / 2) && System.nanoTime() - end < 0);
    String state = CHILDREN.streams() + "; " + server.errors() + "; " + client.errors();
    assertThat(there).as("the server; %s", state).isGreaterThan(bytes / 2);
    assertThat(here).as("the client; %s", state).isGreaterThan(bytes / 2);
    if (DeviceCounters.exist()) {
      assertThat(DeviceCounters.packets() - packets)
          .as("packets that the device sent")
          .isGreaterThan(bytes / 2 / LARGEST_PACKET);
    }
  }

  /** A connection stays open when its call is over. */
  private static long rdmaBytes(Peer peer) {
    return CHILDREN.streams(peer).stream()
        .filter(s -> s.carrier().equals("rdma"))
        .mapToLong(StreamLine::ringBytes)
        .sum();
  }
}
