package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;

/** What two processes say to each other, byte for byte, and what is refused. */
class HandshakeMessageTest {
  private static final ProcessId ID = new ProcessId(0x0102030405060708L, 0x1112131415161718L);

  private static final Token NUMBER = new Token(0x2122232425262728L, 0x3132333435363738L);
  private static final Proof PROOF = new Proof(0x4142434445464748L, 0x51525354);

  @Test
  void aHandshakeIsAsDrawn() throws Exception {
    HandshakeMessage handshake =
        HandshakeMessage.of(HandshakeMessage.Kind.PROVE, 3, ID, NUMBER, PROOF);
    byte[] bytes = handshake.bytes();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    assertThat(bytes).hasSize(56).hasSizeLessThanOrEqualTo(CmId.MAX_PRIVATE_DATA);
    assertThat(in.getInt(0)).isEqualTo(0x534C4950);
    assertThat(in.getShort(4)).isEqualTo((short) 4);
    assertThat(in.get(6)).isEqualTo((byte) 4);
    assertThat(in.get(7)).isEqualTo((byte) 3);
    assertThat(in.getLong(8)).isEqualTo(0x0102030405060708L);
    assertThat(in.getLong(16)).isEqualTo(0x1112131415161718L);
    assertThat(in.getInt(24)).isZero();
    assertThat(in.getLong(28)).isEqualTo(0x2122232425262728L);
    assertThat(in.getLong(36)).isEqualTo(0x3132333435363738L);
    assertThat(in.getLong(44)).isEqualTo(0x4142434445464748L);
    assertThat(in.getInt(52)).isEqualTo(0x51525354);
    assertThat(HandshakeMessage.read(bytes)).isEqualTo(handshake);
    assertThat(handshake.maxPathMtu()).isEqualTo(1024);
  }

  @Test
  void kindsHaveTheirNumbers() {
    assertThat(HandshakeMessage.Kind.values())
        .extracting(k -> k + " " + k.number())
        .containsExactly(
            "HELLO 0",
            "KNOWN 1",
            "LOST 2",
            "CHALLENGE 3",
            "PROVE 4",
            "ACCEPT 5",
            "REFUSED 6",
            "QUEUE 7",
            "RAIL 8");
  }

  @Test
  void everyPathMtuHasANumber() {
    for (int bytes : new int[] {0, 256, 512, 1024, 2048, 4096}) {
      HandshakeMessage hello =
          HandshakeMessage.of(
              HandshakeMessage.Kind.HELLO,
              HandshakeMessage.detailOfPathMtu(bytes),
              ID,
              Token.NONE,
              PROOF);
      assertThat(hello.maxPathMtu()).isEqualTo(bytes);
    }
  }

  @Test
  void theReasonOfARefusalIsUnderstoodAtTheOtherEnd() throws Exception {
    Map<Refusal, Refusal> heard = new EnumMap<>(Refusal.class);
    for (Refusal each : Refusal.values()) {
      HandshakeMessage said = HandshakeMessage.refused(ID, HandshakeMessage.numberOf(each));
      heard.put(each, RefusedException.of(HandshakeMessage.read(said.bytes())));
    }
    assertThat(heard)
        .containsEntry(Refusal.NO_MEMORY_HERE, Refusal.NO_MEMORY_THERE)
        .containsEntry(Refusal.NOT_ALLOWED_HERE, Refusal.NOT_ALLOWED)
        .containsEntry(Refusal.IWARP_OFF, Refusal.IWARP_OFF)
        .containsEntry(Refusal.VERSION, Refusal.VERSION)
        .containsEntry(Refusal.KEY, Refusal.KEY)
        .containsEntry(Refusal.BUSY, Refusal.BUSY)
        .containsEntry(Refusal.SILENT, null);
    HandshakeMessage unknown = HandshakeMessage.refused(ID, 99);
    assertThat(RefusedException.of(HandshakeMessage.read(unknown.bytes()))).isNull();
  }

  @Test
  void zerosThatADeviceAppendsDoNoHarm() throws Exception {
    byte[] hello = HandshakeMessage.of(HandshakeMessage.Kind.HELLO, 0, ID, NUMBER, PROOF).bytes();
    assertThat(HandshakeMessage.read(Arrays.copyOf(hello, 196)).process()).isEqualTo(ID);
  }

  @Test
  void unknownPeersAndOtherVersionsAreRefused() {
    assertThatThrownBy(() -> HandshakeMessage.read(new byte[56])).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> HandshakeMessage.read(new byte[0])).isInstanceOf(IOException.class);
    byte[] newer = HandshakeMessage.of(HandshakeMessage.Kind.HELLO, 0, ID, NUMBER, PROOF).bytes();
    newer[5] = 9;
    assertThatThrownBy(() -> HandshakeMessage.read(newer))
        .hasMessageContaining("version 9")
        .satisfies(e -> assertThat(RefusedException.of(e)).isEqualTo(Refusal.VERSION));
    byte[] older = Arrays.copyOf(newer, 26);
    older[5] = 3;
    assertThatThrownBy(() -> HandshakeMessage.read(older)).hasMessageContaining("version 3");
    byte[] odd = HandshakeMessage.of(HandshakeMessage.Kind.HELLO, 33, ID, NUMBER, PROOF).bytes();
    assertThatThrownBy(() -> HandshakeMessage.read(odd)).hasMessageContaining("path MTU");
  }

  @Test
  void aWindowDescriptorIsAsDrawn() throws Exception {
    ByteBuffer out = ByteBuffer.allocate(32);
    WindowDescriptor window = new WindowDescriptor(1, 2, 3, 65536, RdmaOrder.COMPLETED);
    window.put(out);
    out.flip();
    assertThat(out.remaining()).isEqualTo(WindowDescriptor.BYTES).isEqualTo(28);
    assertThat(out.getLong(0)).isEqualTo(1);
    assertThat(out.getLong(8)).isEqualTo(2);
    assertThat(out.getInt(16)).isEqualTo(3);
    assertThat(out.getInt(20)).isEqualTo(65536);
    assertThat(out.getInt(24)).as("completed").isEqualTo(2);
    assertThat(WindowDescriptor.read(out)).isEqualTo(window);
  }

  @Test
  void impossibleWindowsAreRefused() {
    for (int ring : new int[] {0, -1, 1, 4096, 65537, 1 << 30, Integer.MIN_VALUE}) {
      ByteBuffer out = ByteBuffer.allocate(28);
      new WindowDescriptor(1, 2, 3, ring, RdmaOrder.TRUSTED).put(out);
      assertThatThrownBy(() -> WindowDescriptor.read(out.flip()))
          .as("%d", ring)
          .isInstanceOf(IOException.class);
    }
    ByteBuffer odd = ByteBuffer.allocate(28).putInt(20, 65536).putInt(24, 3);
    assertThatThrownBy(() -> WindowDescriptor.read(odd))
        .hasMessage("A window of the peer wants the order 3");
    assertThatThrownBy(() -> WindowDescriptor.read(ByteBuffer.allocate(27)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aMessageIsAsDrawn() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate(MessageLayout.SLOT_BYTES);
      ByteBuffer frame = ByteBuffer.wrap(new byte[] {7, 8, 9});
      int length = MessageLayout.write(slot, 0x0102, frame, false);
      assertThat(length).isEqualTo(7);
      assertThat(frame.remaining()).as("the frame is not consumed").isEqualTo(3);
      assertThat(slot.asByteBuffer().getInt(0)).isEqualTo(0x01020003);
      assertThat(MessageLayout.returned(slot)).isEqualTo(0x0102);
      assertThat(MessageLayout.frame(slot, length)).containsExactly(7, 8, 9);
      assertThat(MessageLayout.frame(slot, length + 1)).isNull();
      assertThat(MessageLayout.frame(slot, 3)).isNull();
      assertThat(MessageLayout.SLOT_BYTES)
          .isGreaterThanOrEqualTo(MessageLayout.FRAME + Session.MAX_FRAME_BYTES);
      assertThat(MessageLayout.isNotice(slot)).isFalse();
    }
  }

  @Test
  void aNoticeIsAMessageWithABitMore() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate(MessageLayout.SLOT_BYTES);
      ByteBuffer ticket = ByteBuffer.allocate(Token.BYTES);
      NUMBER.put(ticket);
      int length = MessageLayout.write(slot, 1, ticket.flip(), true);
      assertThat(length).isEqualTo(20);
      assertThat(slot.asByteBuffer().getInt(0)).isEqualTo(0x00018010);
      assertThat(MessageLayout.isNotice(slot)).isTrue();
      assertThat(Token.get(ByteBuffer.wrap(MessageLayout.frame(slot, length)))).isEqualTo(NUMBER);
    }
  }
}
