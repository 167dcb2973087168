package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.cm.CmId;

/** What an acceptance tells of other ports, byte for byte, and what is not believed. */
class ToldPortsTest {
  private static final byte[] ACCEPTANCE = new byte[HandshakeMessage.BYTES];

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  @Test
  void anAcceptanceIsAsDrawn() {
    List<InetSocketAddress> told = List.of(at("10.0.2.8", 61234), at("fd00::8", 65535));
    byte[] bytes = ToldPorts.append(ACCEPTANCE, told);
    assertThat(bytes).hasSize(60 + 2 * 18);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    assertThat(in.getInt(56)).isEqualTo(0x02000000);
    assertThat(in.getLong(60)).isZero();
    assertThat(in.getLong(68)).isEqualTo(0x0000FFFF0A000208L);
    assertThat(in.getShort(76)).isEqualTo((short) 61234);
    assertThat(in.getLong(78)).isEqualTo(0xFD00000000000000L);
    assertThat(in.getLong(86)).isEqualTo(8);
    assertThat(in.getShort(94)).isEqualTo((short) 65535);
    assertThat(ToldPorts.read(bytes)).isEqualTo(told);
    assertThat(ToldPorts.read(Arrays.copyOf(bytes, 196))).as("padded").isEqualTo(told);
  }

  @Test
  void nothingIsToldByOneThatHasNothingToTell() {
    assertThat(ToldPorts.append(ACCEPTANCE, List.of())).isSameAs(ACCEPTANCE);
    assertThat(ToldPorts.read(ACCEPTANCE)).isEmpty();
    assertThat(ToldPorts.read(new byte[196])).as("of an older process").isEmpty();
    assertThat(ToldPorts.read(new byte[0])).isEmpty();
  }

  @Test
  void noMoreIsToldThanThereIsRoomForOrThanIsUsed() {
    List<InetSocketAddress> many = Collections.nCopies(20, at("10.0.2.8", 61234));
    byte[] bytes = ToldPorts.append(ACCEPTANCE, many);
    assertThat(bytes).hasSizeLessThanOrEqualTo(CmId.MAX_ACCEPTANCE_DATA);
    assertThat(ToldPorts.read(bytes)).hasSize(RailWays.MOST);
    bytes[ToldPorts.COUNT] = 127;
    assertThat(ToldPorts.read(bytes)).hasSize(RailWays.MOST);
    bytes[ToldPorts.COUNT] = -1;
    assertThat(ToldPorts.read(bytes)).isEmpty();
    bytes[ToldPorts.COUNT] = 4;
    assertThat(ToldPorts.read(Arrays.copyOf(bytes, 100))).as("cut").hasSize(2);
  }

  @Test
  void whatNoHostHasIsNotBelieved() {
    for (String address : List.of("0.0.0.0", "127.0.0.1", "::1", "::", "fe80::1", "224.0.0.1")) {
      byte[] bytes = ToldPorts.append(ACCEPTANCE, List.of(at(address, 61234)));
      assertThat(ToldPorts.read(bytes)).as(address).isEmpty();
    }
    assertThat(ToldPorts.read(ToldPorts.append(ACCEPTANCE, List.of(at("10.0.2.8", 0))))).isEmpty();
  }
}
