package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FabricAddressesTest {
  @TempDir private Path directory;

  private FabricAddresses read(String content) throws IOException {
    return FabricAddresses.read(Files.writeString(directory.resolve("hosts"), content));
  }

  private static InetAddress ip(String literal) {
    return InetAddress.ofLiteral(literal);
  }

  private static final String HOSTS =
      """
      192.168.1.7      10.0.0.7 4@0     # and a node
      192.168.1.9      8@0              # nodes only
      192.168.2.0/24   10.0.2.0/24
      fd00:1::/64      fd00:2::/64
      """;

  @ParameterizedTest
  @CsvSource({
    "192.168.1.7, 10.0.0.7",
    "192.168.2.1, 10.0.2.1",
    "192.168.2.255, 10.0.2.255",
    "fd00:1::abcd:1, fd00:2::abcd:1"
  })
  void aHostHasTheSameNumberInBothNetworks(String tcp, String fabric) throws Exception {
    FabricAddresses addresses = read(HOSTS);
    assertThat(addresses.of(ip(tcp))).isEqualTo(ip(fabric));
    assertThat(addresses.isOfHost(ip(fabric), ip(tcp))).isTrue();
    assertThat(addresses.isTrue(ip(fabric), ip(tcp)::equals)).isTrue();
    assertThat(addresses.isTrue(ip(fabric), ip("192.168.2.77")::equals)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.168.1.8", "192.168.1.9", "192.168.3.1", "fd00:1:0:1::1", "::1"})
  void anAddressThatIsNotInTheFileIsItsOwn(String tcp) throws Exception {
    FabricAddresses addresses = read(HOSTS);
    assertThat(addresses.of(ip(tcp))).isNull();
    assertThat(addresses.isOfHost(ip(tcp), ip(tcp))).isTrue();
    assertThat(addresses.isOfHost(ip("10.0.0.7"), ip(tcp))).isFalse();
  }

  /** Else a host could offer connections of another one. */
  @Test
  void aPeerIsOneHostOnly() throws Exception {
    FabricAddresses addresses = read(HOSTS);
    assertThat(addresses.isOfHost(ip("10.0.2.1"), ip("192.168.2.2"))).isFalse();
    assertThat(addresses.isOfHost(ip("10.0.2.1"), ip("192.168.1.7"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "192.168.1.1, there is no RDMA address and no NODE@ADAPTER",
    "192.168.1.1 hostb, hostb is neither an address nor a network",
    "192.168.1.1/24 10.0.0.0/24, 192.168.1.1/24 is neither an address nor a network",
    "192.168.1.0/33 10.0.0.0/33, 192.168.1.0/33 is neither an address nor a network",
    "192.168.1.0/x 10.0.0.0/24, 192.168.1.0/x is neither an address nor a network",
    "192.168.1.0/24 10.0.0.0/16, the two networks are not of the same size",
    "192.168.1.1 10.0.0.1 10.0.0.2, 10.0.0.2 is a second RDMA address of one host",
    "10.1.0.0/16 10.9.0.0/16, 10.1.0.0/16 has an address of a line before",
    "10.3.0.1 10.2.0.9, 10.3.0.1 has an address of a line before"
  })
  void aBadLineIsOneSentenceWithItsPlace(String line, String sentence) {
    assertThatThrownBy(() -> read("10.1.2.0/24 10.2.0.0/24\n" + line + "\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("hosts:2: ")
        .hasMessageContaining(sentence);
  }
}
