package org.slipstream.rdma;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.WirePage.assertBytes;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.it.WirePage;
import org.slipstream.transport.ProcessId;

/** Handshakes and window descriptors are as docs/WIRE-PROTOCOL.md draws them. */
class RdmaWirePageTest {

  @Test
  void aHandshakeIsAsDrawn() {
    ProcessId process = new ProcessId(1, 2);
    Token number = new Token(3, 4);
    ByteBuffer tail = ByteBuffer.allocate(ProcessId.BYTES);
    process.put(tail);
    ByteBuffer token = ByteBuffer.allocate(2 * Long.BYTES);
    number.put(token);
    ByteBuffer proof = ByteBuffer.allocate(Proof.BYTES);
    new Proof(5, 6).put(proof);
    assertBytes(
        "rdma HANDSHAKE",
        HandshakeMessage.of(HandshakeMessage.Kind.PROVE, 5, process, number, new Proof(5, 6))
            .bytes(),
        HandshakeMessage.MAGIC,
        HandshakeMessage.VERSION,
        HandshakeMessage.Kind.PROVE.number(),
        5,
        tail.array(),
        0,
        token.array(),
        proof.array());
  }

  @Test
  void whatAnAcceptanceTellsIsAsDrawn() throws Exception {
    byte[] first = new byte[16];
    first[15] = 8;
    byte[] second = new byte[18];
    second[15] = 9;
    second[17] = 5;
    byte[] told =
        ToldPorts.append(
            new byte[HandshakeMessage.BYTES],
            List.of(
                new InetSocketAddress(InetAddress.getByAddress(first), 4),
                new InetSocketAddress(
                    InetAddress.getByAddress(Arrays.copyOf(second, 16)), second[17])));
    assertBytes("rdma PORTS", told, (byte) 2, new byte[3], first, (short) 4, second);
  }

  @Test
  void theKindsAreThoseOnThePage() {
    List<List<String>> rows = WirePage.rows("kinds rdma");
    assertThat(rows.stream().map(row -> row.get(0) + row.get(1)))
        .containsExactlyElementsOf(
            Arrays.stream(HandshakeMessage.Kind.values()).map(k -> k.number() + k.name()).toList());
  }

  @Test
  void aDescriptorIsAsDrawn() {
    ByteBuffer out = ByteBuffer.allocate(WindowDescriptor.BYTES);
    new WindowDescriptor(1, 2, 3, 1 << 16, RdmaOrder.COMPLETED).put(out);
    assertBytes("rdma DESCRIPTOR", out.array(), 1, 2, 3, 1 << 16, 2);
    assertThat(Arrays.stream(RdmaOrder.values()).map(RdmaOrder::number)).containsExactly(0, 1, 2);
  }

  @Test
  void aDescriptorOfOneSidedMemoryIsAsDrawn() {
    ByteBuffer out = ByteBuffer.allocate(MemoryDescriptor.BYTES);
    new MemoryDescriptor(1, 2, 3, 4, true).put(out);
    assertBytes("rdma MEMORY", out.array(), 1L, 2, 3L, 4, (byte) 1);
  }

  @Test
  void proofsAreThoseOfTheVectors() {
    assertThat(proof(null)).isEqualTo(WirePage.vector("RDMA proof"));
    assertThat(proof("0123456789abcdefXYZ".getBytes(US_ASCII)))
        .isEqualTo(WirePage.vector("RDMA proof with a key"));
  }

  private static String proof(byte @Nullable [] key) {
    ByteBuffer out = ByteBuffer.allocate(Proof.BYTES);
    FabricKey.of(key)
        .prove(
            HandshakeMessage.Kind.ACCEPT,
            0,
            new ProcessId(1, 2),
            new ProcessId(3, 4),
            new Token(5, 6),
            new Token(7, 8))
        .put(out);
    return HexFormat.of().formatHex(out.array());
  }
}
