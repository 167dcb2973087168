package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.stream.FakeSession;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.Session;

/** The bytes of frames and tuples, as the rulers draw them. */
class LayoutTest {
  private static final String MAPPED = "00000000000000000000ffff";

  private static String hex(ByteBuffer b) {
    byte[] bytes = new byte[b.remaining()];
    b.duplicate().get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static String hex(Tuple tuple) {
    ByteBuffer b = ByteBuffer.allocate(Tuple.BYTES);
    tuple.put(b);
    return hex(b.flip());
  }

  private static InetSocketAddress at(String host, int port) throws IOException {
    return new InetSocketAddress(InetAddress.getByName(host), port);
  }

  @Test
  void frameTypesAreNumberedFromOne() {
    assertThat(
            new byte[] {
              Frame.OFFER,
              Frame.ACCEPT,
              Frame.REFUSE,
              Frame.WITHDRAW,
              Frame.CLOSED,
              Frame.CREDIT,
              Frame.REVOKE
            })
        .containsExactly(1, 2, 3, 4, 5, 6, 7);
    assertThat(
            new byte[] {
              Frame.REFUSED_NO_MEMORY,
              Frame.REFUSED_WITHDRAWN,
              Frame.REFUSED_TOO_MANY,
              Frame.REFUSED_NOT_ELIGIBLE
            })
        .containsExactly(1, 2, 3, 4);
  }

  @Test
  void aFrameIsTypeAndIdInBigEndian() {
    FakeSession session = new FakeSession("s");
    Frame.send(session, Frame.CLOSED, 0x0102030405060708L);
    Frame.refuse(session, 9, Frame.REFUSED_TOO_MANY);
    assertThat(hex(session.sent().get(0))).isEqualTo("050102030405060708");
    assertThat(hex(session.sent().get(1))).isEqualTo("03000000000000000903");
    assertThat(hex(Frame.allocate(Frame.ACCEPT, 5).flip())).isEqualTo("020000000000000005");
  }

  @Test
  void theLongestFrameFitsIntoTheSession() {
    int offer = 1 + Long.BYTES + Tuple.BYTES + 32;
    int accept = 1 + Long.BYTES + Long.BYTES + StreamLink.MARK_BYTES + 32;
    assertThat(Math.max(offer, accept)).isLessThanOrEqualTo(Session.MAX_FRAME_BYTES);
    assertThat(StreamLink.MARK_BYTES).isEqualTo(16);
  }

  @Test
  void anIpv4TupleIsMapped() throws IOException {
    assertThat(Tuple.BYTES).isEqualTo(44);
    assertThat(hex(Tuple.of(at("10.1.2.3", 0x1234), at("127.0.0.1", 80))))
        .isEqualTo(
            MAPPED.substring(0, 24)
                + "0a010203"
                + "1234"
                + "00000000"
                + MAPPED.substring(0, 24)
                + "7f000001"
                + "0050"
                + "00000000");
  }

  @Test
  void theScopeOfALinkLocalAddressCountsAndThatOfAnyOtherDoesNot() throws IOException {
    byte[] linkLocal = InetAddress.getByName("fe80::1").getAddress();
    byte[] global = InetAddress.getByName("2001:db8::1").getAddress();
    InetSocketAddress scoped =
        new InetSocketAddress(Inet6Address.getByAddress(null, linkLocal, 7), 1);
    InetSocketAddress other = new InetSocketAddress(Inet6Address.getByAddress(null, global, 7), 1);
    assertThat(hex(Tuple.of(scoped, other)))
        .isEqualTo(
            "fe800000000000000000000000000001000100000007"
                + "20010db8000000000000000000000001000100000000");
  }

  @Test
  void aTupleComesBackAsItWasPutAndEqualsItself() throws IOException {
    Tuple tuple = Tuple.of(at("10.1.2.3", 1), at("::1", 65535));
    ByteBuffer b = ByteBuffer.allocate(Tuple.BYTES);
    tuple.put(b);
    Tuple read = Tuple.get(b.flip());
    assertThat(read).isEqualTo(tuple).hasSameHashCodeAs(tuple);
    assertThat(read).isNotEqualTo(Tuple.of(at("10.1.2.3", 2), at("::1", 65535)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 43})
  void aTruncatedTupleIsAnIoException(int bytes) {
    assertThatThrownBy(() -> Tuple.get(ByteBuffer.allocate(bytes)))
        .isInstanceOf(IOException.class)
        .hasMessage("Truncated tuple");
  }

  @Test
  void aSocketThatIsConnectedToItselfIsRecognised() throws IOException {
    assertThat(Tuple.of(at("127.0.0.1", 5), at("127.0.0.1", 5)).isSelfConnect()).isTrue();
    assertThat(Tuple.of(at("127.0.0.1", 5), at("127.0.0.1", 6)).isSelfConnect()).isFalse();
  }
}
