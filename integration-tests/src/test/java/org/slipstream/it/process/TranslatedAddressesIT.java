package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Patience;

/**
 * Namespaces that share a runtime directory, and between them one that translates addresses, as a
 * node of Kubernetes and a container engine do: a service with two backends, one of which sees the
 * node's address as its client's; a service that has the port of its backend; and, at the same
 * time, a forwarder and a service whose server does not run Slipstream.
 *
 * <pre>
 *   client 10.213.80.2 --- 10.213.80.1 node 10.213.81.1 --- 10.213.81.2 one
 *                                          10.213.82.1 --- 10.213.82.2 two, masqueraded
 * </pre>
 */
class TranslatedAddressesIT {
  private static final String NAME = "snt" + ProcessHandle.current().pid() % 100_000;
  private static final String NODE = "10.213.80.1";
  private static final String ONE = "10.213.81.2";
  private static final String TWO = "10.213.82.2";
  private static final String SERVICE = "10.96.0.10";
  private static final String SAME_PORT = "10.96.0.11";
  private static final String STOCK = "10.96.0.12";
  private static final int PORT = 8_080;
  private static final int STREAMS = 10;

  @RegisterExtension final Children children = new Children();

  private final List<String> namespaces = new ArrayList<>();

  /** What tells the kernel how to translate; the package has its name. */
  enum Translator {
    IPTABLES("iptables", "iptables"),
    /** As kube-proxy's mode of that name does it: a map of verdicts, a chain for each backend. */
    NFTABLES("nft", "nftables");

    private final String command;
    private final String packageName;

    Translator(String command, String packageName) {
      this.command = command;
      this.packageName = packageName;
    }
  }

  private static final String NFT_RULES =
      """
      table ip slipstream {
        chain one { meta l4proto tcp dnat to $one:$port; }
        chain two { meta l4proto tcp dnat to $two:$port; }
        chain services {
          type nat hook prerouting priority -100;
          ip daddr $service tcp dport 80 numgen inc mod 2 vmap { 0 : goto one, 1 : goto two }
          ip daddr $same tcp dport $port goto one
          ip daddr $stock tcp dport 80 dnat to $node:$port
        }
        chain masquerading {
          type nat hook postrouting priority 100;
          ip daddr $two masquerade
        }
      }
      """;

  @BeforeEach
  void makeNetworks() throws Exception {
    for (String end : List.of("n", "c", "1", "2")) {
      must("ip", "netns", "add", NAME + end);
      namespaces.add(NAME + end);
    }
    join("c", "10.213.80");
    join("1", "10.213.81");
    join("2", "10.213.82");
    node("sysctl", "-qw", "net.ipv4.ip_forward=1");
  }

  private static void translate(Translator tool) throws Exception {
    if ("true".equals(System.getenv("CI")) && run("sh", "-c", "command -v " + tool.command) != 0) {
      run("apt-get", "-o", "DPkg::Lock::Timeout=300", "install", "-y", "-qq", tool.packageName);
    }
    if (tool == Translator.NFTABLES) {
      Path rules = Files.createTempFile("translate", ".nft");
      try {
        Files.writeString(
            rules,
            NFT_RULES
                .replace("$one", ONE)
                .replace("$two", TWO)
                .replace("$service", SERVICE)
                .replace("$same", SAME_PORT)
                .replace("$stock", STOCK)
                .replace("$node", NODE)
                .replace("$port", Integer.toString(PORT)));
        node("nft", "-f", rules.toString());
      } finally {
        Files.delete(rules);
      }
      return;
    }
    String[] first = {"-m", "statistic", "--mode", "nth", "--every", "2", "--packet", "0"};
    translate(SERVICE, 80, ONE + ":" + PORT, first);
    translate(SERVICE, 80, TWO + ":" + PORT);
    translate(SAME_PORT, PORT, ONE + ":" + PORT);
    translate(STOCK, 80, NODE + ":" + PORT);
    node("iptables", "-t", "nat", "-A", "POSTROUTING", "-d", TWO, "-j", "MASQUERADE");
  }

  @AfterEach
  void removeNetworks() throws Exception {
    for (String namespace : namespaces) {
      run("ip", "netns", "del", namespace); // and with it its end of the cable
    }
  }

  private static void join(String end, String network) throws Exception {
    String device = NAME + end;
    must(
        "ip",
        "link",
        "add",
        device,
        "netns",
        NAME + "n",
        "type",
        "veth",
        "peer",
        "name",
        "eth0",
        "netns",
        device);
    node("ip", "addr", "add", network + ".1/24", "dev", device);
    node("ip", "link", "set", device, "up");
    must("ip", "-n", device, "addr", "add", network + ".2/24", "dev", "eth0");
    must("ip", "-n", device, "link", "set", "eth0", "up");
    must("ip", "-n", device, "link", "set", "lo", "up");
    must("ip", "-n", device, "route", "add", "default", "via", network + ".1");
  }

  private static void node(String... command) throws Exception {
    List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", NAME + "n"));
    all.addAll(List.of(command));
    must(all.toArray(String[]::new));
  }

  private static void translate(String service, int port, String backend, String... match)
      throws Exception {
    List<String> rule = new ArrayList<>(List.of("iptables", "-t", "nat", "-A", "PREROUTING"));
    rule.addAll(List.of("-d", service, "-p", "tcp", "--dport", Integer.toString(port)));
    rule.addAll(List.of(match));
    rule.addAll(List.of("-j", "DNAT", "--to-destination", backend));
    node(rule.toArray(String[]::new));
  }

  private Peer launch(String end, boolean accelerated) throws Exception {
    List<String> prefix = List.of("ip", "netns", "exec", NAME + end);
    return children.launch(
        accelerated ? children.acceleratedCommand(prefix) : children.plainCommand(prefix));
  }

  @ParameterizedTest
  @EnumSource(Translator.class)
  void streamsFindTheirPeerAndNoOther(Translator tool) throws Exception {
    translate(tool);
    final Peer client = launch("c", true);
    final Peer one = launch("1", true);
    final Peer two = launch("2", true);
    final Peer stock = launch("n", false); // its forwarders connect to the accelerated servers
    for (Peer server : List.of(one, two, stock)) {
      server.awaitReady();
      server.ask("listen l " + PORT + " 0.0.0.0");
      server.ask("serve l echo");
    }
    client.awaitReady();
    List<String> forwarded = new ArrayList<>();
    for (String target : List.of(ONE, TWO)) {
      String port = stock.ask("relay " + NODE + " " + target + " " + PORT);
      forwarded.add(NODE + ":" + port);
      client.ask("connect forwarded" + port + " " + port + " " + NODE);
    }
    client.ask("connectMany stock 80 2 " + STOCK);
    client.ask("connectMany service 80 " + 2 * STREAMS + " " + SERVICE);
    client.ask("connectMany same " + PORT + " " + STREAMS + " " + SAME_PORT);

    Children.soon()
        .untilAsserted(() -> {
          for (String prefix : List.of("service", "same", "stock", "forwarded")) {
            client.ask("exchangeMany " + prefix + " 5 2000"); // and compares what comes back
          }
          assertThat(to(client, SERVICE, SAME_PORT))
              .hasSize(3 * STREAMS)
              .allMatch(StreamLine::onRing);
        });
    client.ask("exchangeMany s 50 20000");
    client.ask("exchangeMany forwarded 50 20000");

    for (Peer server : List.of(one, two)) {
      List<StreamLine> there = children.streams(server);
      assertThat(there.stream().filter(StreamLine::onRing).count())
          .isEqualTo(server.equals(one) ? 2 * STREAMS : STREAMS);
      assertThat(there.stream().filter(s -> !s.onRing()).map(StreamLine::reason).toList())
          .as("what the forwarder opened")
          .containsExactly("NOT_YET_ELIGIBLE");
    }
    List<String> others = new ArrayList<>(forwarded);
    others.add(STOCK);
    assertThat(to(client, others.toArray(String[]::new)))
        .hasSize(4)
        .allSatisfy(s -> {
          assertThat(s.ringBytes()).isZero();
          assertThat(s.reason()).isIn("PEER_NOT_ACCELERATED", "OFFERED", "TIMED_OUT");
        });
    for (Peer peer : List.of(client, one, two)) {
      assertThat(peer.errors()).isEmpty();
    }
  }

  private List<StreamLine> to(Peer client, String... remotes) {
    return children.streams(client).stream()
        .filter(s -> List.of(remotes).stream().anyMatch(s.remote()::contains))
        .toList();
  }

  private static void must(String... command) throws Exception {
    try {
      require(run(command) == 0, "addresses can not be translated here: " + List.of(command));
    } catch (IOException e) {
      require(false, "there is no " + command[0] + " command: " + e.getMessage());
    }
  }

  private static int run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
    return process.exitValue();
  }
}
