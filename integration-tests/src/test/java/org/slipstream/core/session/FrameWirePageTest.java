package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.WirePage.assertBytes;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.it.WirePage;
import org.slipstream.transport.slab.SlabLayout;
import org.slipstream.transport.slab.SlotName;

/**
 * Frames, tuples and slabs are as docs/WIRE-PROTOCOL.md draws them. What the core sends on a live
 * session is compared with the classes by {@code LayoutTest}.
 */
class FrameWirePageTest {
  private static final int ID = 0x7778;
  private static final String MAPPED = "00000000000000000000ffff";

  private static Tuple tuple() throws Exception {
    return Tuple.of(
        new InetSocketAddress(InetAddress.getByName("10.1.2.3"), 0x1234),
        new InetSocketAddress(InetAddress.getByName("10.1.2.4"), 80));
  }

  @Test
  void aTupleIsAsDrawn() throws Exception {
    ByteBuffer out = ByteBuffer.allocate(Tuple.BYTES);
    tuple().put(out);
    HexFormat hex = HexFormat.of();
    assertBytes(
        "core TUPLE",
        out.array(),
        hex.parseHex(MAPPED + "0a010203"),
        0x1234,
        0,
        hex.parseHex(MAPPED + "0a010204"),
        80,
        0);
  }

  @Test
  void framesAreAsDrawn() throws Exception {
    ByteBuffer descriptor = ByteBuffer.allocate(SlotName.BYTES);
    new SlotName(3, 4).put(descriptor);
    ByteBuffer offer = Frame.allocate(Frame.OFFER, ID);
    tuple().put(offer);
    offer.put(descriptor.array()).flip();
    assertBytes("core OFFER", WirePage.bytes(offer), Frame.OFFER, ID, null, descriptor.array());
    byte[] nonce = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f");
    assertThat(nonce).hasSize(StreamLink.MARK_BYTES);
    ByteBuffer accept =
        Frame.allocate(Frame.ACCEPT, ID).putLong(9).put(nonce).put(descriptor.array()).flip();
    assertBytes(
        "core ACCEPT", WirePage.bytes(accept), Frame.ACCEPT, ID, 9, nonce, descriptor.array());
  }

  @Test
  void aSlabIsAsDrawn() {
    SlabLayout slab = new SlabLayout(64, 1 << 18);
    List<List<String>> rows = WirePage.rows("bytes core SLAB");
    assertThat(rows.get(1).get(0)).isEqualTo(String.valueOf(slab.ringOffset(0)));
    assertThat(rows.get(1).get(1)).isEqualTo(String.valueOf(slab.bytes() - slab.ringOffset(0)));
  }
}
