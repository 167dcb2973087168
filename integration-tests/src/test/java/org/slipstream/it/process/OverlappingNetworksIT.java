package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;

/**
 * Two networks that are not connected, with the same addresses, as container hosts make them, whose
 * processes share a runtime directory: the two connections have equal addresses, ports and bytes.
 *
 * <pre>
 *   near client 10.213.78.1:PORT --- near server 10.213.78.2:LISTENER
 *   far client  10.213.78.1:PORT --- far server  10.213.78.2:LISTENER
 * </pre>
 */
class OverlappingNetworksIT {
  private static final String NAME = "sov" + ProcessHandle.current().pid() % 100_000;
  private static final String CLIENT = "10.213.78.1";
  private static final String SERVER = "10.213.78.2";
  private static final int LISTENER = 9_000;

  /** Below the ports that the kernel gives out. */
  private static final int FROM = 20_001;

  @RegisterExtension final Children children = new Children();

  private final List<String> namespaces = new ArrayList<>();

  @BeforeEach
  void makeNetworks() throws Exception {
    for (String network : List.of("n", "f")) {
      String client = namespace(network, "c");
      String server = namespace(network, "s");
      must(
          "ip", "link", "add", client, "netns", client, "type", "veth", "peer", "name", server,
          "netns", server);
      bring(client, CLIENT);
      bring(server, SERVER);
    }
  }

  @AfterEach
  void removeNetworks() throws Exception {
    for (String namespace : namespaces) {
      run("ip", "netns", "del", namespace); // and with it its end of the cable
    }
  }

  private String namespace(String network, String end) throws Exception {
    String name = NAME + network + end;
    must("ip", "netns", "add", name);
    namespaces.add(name);
    return name;
  }

  private static void bring(String namespace, String address) throws Exception {
    must("ip", "-n", namespace, "addr", "add", address + "/30", "dev", namespace);
    must("ip", "-n", namespace, "link", "set", namespace, "up");
    must("ip", "-n", namespace, "link", "set", "lo", "up");
  }

  private Peer in(String network, String end, boolean accelerated) throws Exception {
    List<String> prefix = List.of("ip", "netns", "exec", NAME + network + end);
    List<String> command =
        accelerated ? children.acceleratedCommand(prefix) : children.plainCommand(prefix);
    return children.launch(command).awaitReady();
  }

  /** The far server has a fresh stream of the very same addresses; the far client is plain. */
  private Peer farClient() throws Exception {
    Peer farServer = in("f", "s", true);
    farServer.ask("listen l " + LISTENER + " 0.0.0.0");
    farServer.ask("serve l echo");
    Peer farClient = in("f", "c", false);
    farClient.ask("connectFrom c " + LISTENER + " " + SERVER + " " + FROM);
    farClient.ask("exchange c 2 2000 1");
    return farClient;
  }

  private Peer nearClient(boolean serverAccelerated) throws Exception {
    Peer server = in("n", "s", serverAccelerated);
    server.ask("listen l " + LISTENER + " 0.0.0.0");
    server.ask("serve l echo");
    Peer client = in("n", "c", true);
    client.ask("connectFrom c " + LISTENER + " " + SERVER + " " + FROM);
    return client;
  }

  /** Each byte that the client did not write would come back to it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theServerGetsNoByteThatItsClientDidNotWrite(boolean accelerated) throws Exception {
    Peer farClient = farClient();
    Peer client = nearClient(accelerated);
    if (accelerated) {
      toTheRing(client);
      children.carry(client, "exchange c 200 20000 1", 2 * 200 * 9_000);
    } else {
      Children.soon()
          .until(
              () -> {
                client.ask("exchange c 2 2000 1");
                return client.streams().getFirst().reason();
              },
              "UNPROVEN_PATH"::equals);
    }
    client.ask("exchange c 300 2000 1");
    farClient.ask("exchange c 300 2000 1");
    assertThat(client.errors()).isEmpty();
  }

  /** The listening socket for the probe is closed when it is needed no more. */
  @Test
  void nothingListensAfterwards() throws Exception {
    farClient();
    Peer client = nearClient(true);
    toTheRing(client);
    for (String network : List.of("n", "f")) {
      Children.soon().until(() -> listeners(NAME + network + "s"), n -> n == 1);
    }
  }

  /** The far server's stream of the same addresses stays plain. */
  private static void toTheRing(Peer client) {
    Children.soon()
        .until(() -> {
          client.ask("exchange c 20 2000 1");
          return client.streams().getFirst().onRing();
        });
  }

  private static long listeners(String namespace) throws Exception {
    Process process =
        new ProcessBuilder(
                "ip", "netns", "exec", namespace, "cat", "/proc/net/tcp", "/proc/net/tcp6")
            .redirectErrorStream(true)
            .start();
    try (var lines = process.inputReader().lines()) {
      return lines.filter(line -> line.matches("\\s*\\d+: \\S+ \\S+ 0A .*")).count();
    }
  }

  private static void must(String... command) throws Exception {
    try {
      require(run(command) == 0, "network namespaces can not be made here: " + List.of(command));
    } catch (IOException e) {
      require(false, "there is no ip command: " + e.getMessage());
    }
  }

  private static int run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
    return process.exitValue();
  }
}
