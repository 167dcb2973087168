package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Ports that stay free until a server takes them. */
class PortsTest {
  private static final int MANY = 500;

  @Test
  void noneIsGivenTwiceAndNoneIsOfThoseThatTheKernelGives() throws Exception {
    Set<Integer> all = new HashSet<>();
    for (int i = 0; i < MANY; i++) {
      int port = Ports.next();
      assertThat(port).isBetween(1024, Math.max(Ports.lowestOfTheKernel(), 65_535));
      assertThat(all.add(port)).as("port %s is given once", port).isTrue();
    }
    int lowest = Ports.lowestOfTheKernel();
    if (lowest > 10_000) {
      assertThat(all).allMatch(port -> port < lowest);
    }
  }

  @Test
  void aServerCanTakeIt() throws Exception {
    try (ServerSocket server = new ServerSocket()) {
      server.bind(new InetSocketAddress("127.0.0.1", Ports.next()));
      assertThat(server.isBound()).isTrue();
    }
  }
}
