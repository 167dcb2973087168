package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostsFileTest {
  @TempDir private Path directory;

  private HostsFile read(String content) throws IOException {
    return HostsFile.read(Files.writeString(directory.resolve("hosts"), content));
  }

  @Test
  void linesAreAddressesAndWays() throws Exception {
    HostsFile hosts =
        read(
            """
            # two boards
            192.168.7.1   4@0

            192.168.7.2   8@0 8@1   # two cables
            fd00::2       8@0
            """);
    assertThat(hosts.routes(InetAddress.ofLiteral("192.168.7.2")))
        .containsExactly(new Route(8, "0"), new Route(8, "1"));
    assertThat(hosts.routes(InetAddress.ofLiteral("fd00::2"))).containsExactly(new Route(8, "0"));
    assertThat(hosts.routes(InetAddress.ofLiteral("192.168.7.3"))).isEmpty();
    assertThat(hosts.usesAdapters()).isTrue();
    assertThat(hosts.files()).isEmpty();
  }

  @Test
  void aFileJoinsTwoNodes() throws Exception {
    HostsFile hosts = read("10.0.0.1 2@/dev/window\n10.0.0.2 1@/dev/window\n");
    assertThat(hosts.usesAdapters()).isFalse();
    assertThat(hosts.files()).containsExactly("/dev/window");
    assertThat(hosts.nodesOf("/dev/window")).containsExactly(1, 2);
    assertThat(hosts.ownNode("/dev/window", Set.of(InetAddress.ofLiteral("10.0.0.1"))))
        .isEqualTo(2);
    assertThat(hosts.ownNode("/dev/window", Set.of(InetAddress.ofLiteral("10.0.0.9")))).isNull();
    assertThatThrownBy(() -> read("10.0.0.1 2@/dev/window\n").nodesOf("/dev/window"))
        .hasMessageContaining("joins two nodes, but the hosts file names [2]");
  }

  @ParameterizedTest
  @CsvSource({
    "192.168.7.1, there is no NODE@ADAPTER",
    "192.168.7.1 4, 4 is not NODE@ADAPTER",
    "192.168.7.1 4@x, 4@x is not NODE@ADAPTER",
    "192.168.7.1 -4@0, -4@0 is not NODE@ADAPTER",
    "host.example 4@0, host.example is not an address",
    "192.168.7.1234 4@0, 192.168.7.1234 is not an address"
  })
  void aBadLineIsOneSentenceWithItsPlace(String line, String message) {
    assertThatThrownBy(() -> read("10.0.0.1 4@0\n" + line + "\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("hosts:2: ")
        .hasMessageContaining(message);
  }

  @Test
  void addressesOfRdmaAreNotItsBusiness() throws Exception {
    HostsFile hosts = read("10.0.0.1 10.1.0.1 4@0\n10.0.0.2 10.1.0.2\n10.3.0.0/24 10.4.0.0/24\n");
    assertThat(hosts.routes(InetAddress.ofLiteral("10.0.0.1"))).containsExactly(new Route(4, "0"));
    assertThat(hosts.routes(InetAddress.ofLiteral("10.0.0.2"))).isEmpty();
  }

  @Test
  void theVendorsFileIsReadAsItIs() throws Exception {
    HostsFile hosts =
        read(
            """
            # made by dishostseditor
            DISHOSTVERSION 2

            HOSTNAME: 10.0.0.1
            ADAPTER: a_a0 4 0 4
            ADAPTER: a_a1 4 1 4
            STRIPE: a_s a_a0 a_a1
            SOCKET: 10.0.0.1 a_a1
            SOCKET: 10.9.0.1 a_s

            HOSTNAME 10.0.0.2
            ADAPTER b_a0 8 0
            FUTURE: b_a0 whatever
            """);
    assertThat(hosts.routes(InetAddress.ofLiteral("10.0.0.1")))
        .containsExactly(new Route(4, "1"), new Route(4, "0"));
    assertThat(hosts.routes(InetAddress.ofLiteral("10.9.0.1")))
        .containsExactly(new Route(4, "0"), new Route(4, "1"));
    assertThat(hosts.routes(InetAddress.ofLiteral("10.0.0.2"))).containsExactly(new Route(8, "0"));
  }

  @ParameterizedTest
  @CsvSource({
    "ADAPTER: a_a0 4, ADAPTER needs more words",
    "ADAPTER: a_a0 four 0, 'ADAPTER needs a name, a node id and the number of the adapter'",
    "SOCKET: 10.0.0.1, SOCKET needs more words"
  })
  void aBadLineOfItIsOneSentenceWithItsPlace(String line, String message) {
    assertThatThrownBy(() -> read("HOSTNAME: 10.0.0.1\n" + line + "\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("hosts:2: ")
        .hasMessageContaining(message);
  }

  @Test
  void anAddressIsThereOnce() {
    assertThatThrownBy(() -> read("10.0.0.1 4@0\n10.0.0.1 8@0\n"))
        .hasMessageContaining("10.0.0.1 is there twice");
    assertThatThrownBy(() -> HostsFile.read(directory.resolve("none")))
        .hasMessageContaining("can not be read");
  }
}
