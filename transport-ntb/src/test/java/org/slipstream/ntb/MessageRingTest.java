package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageRingTest {
  private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final MemorySegment atA = Arena.ofAuto().allocate(SessionLayout.BYTES, 64);
  private final MemorySegment atB = Arena.ofAuto().allocate(SessionLayout.BYTES, 64);
  private final MessageRing a = ring(atA, atB, KEY);
  private final MessageRing b = ring(atB, atA, KEY);

  private static MessageRing ring(MemorySegment own, MemorySegment peer, byte[] key) {
    return new MessageRing(own, new HeapImported(peer), MessageMac.of(key), MessageMac.of(key));
  }

  @Test
  void messagesArriveInOrderThroughManyLaps() throws Exception {
    Random random = new Random(7);
    List<byte[]> sent = new ArrayList<>();
    List<byte[]> got = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      byte[] body = new byte[random.nextInt(1025)];
      random.nextBytes(body);
      sent.add(body);
      a.send((byte) 3, ByteBuffer.wrap(body));
      if (random.nextInt(40) == 0) {
        b.receive((kind, in) -> got.add(bytes(in)));
        a.flush();
      }
    }
    for (int i = 0; i < 3000 && got.size() < sent.size(); i++) {
      b.receive((kind, in) -> got.add(bytes(in)));
      a.flush();
    }
    assertThat(a.queuedBytes()).isZero();
    assertThat(got).hasSameSizeAs(sent);
    for (int i = 0; i < sent.size(); i++) {
      assertThat(got.get(i)).isEqualTo(sent.get(i));
    }
  }

  private static byte[] bytes(ByteBuffer in) {
    byte[] bytes = new byte[in.remaining()];
    in.get(bytes);
    return bytes;
  }

  @Test
  void aReceiverMayPause() throws Exception {
    a.send((byte) 1, ByteBuffer.wrap(new byte[10]));
    a.send((byte) 2, ByteBuffer.wrap(new byte[10]));
    List<Byte> kinds = new ArrayList<>();
    b.receive((kind, in) -> {
      kinds.add(kind);
      return false;
    });
    assertThat(kinds).containsExactly((byte) 1);
    b.receive((kind, in) -> kinds.add(kind));
    assertThat(kinds).containsExactly((byte) 1, (byte) 2);
  }

  @Test
  void aFullRingAsksForOneWake() throws Exception {
    while (a.queuedBytes() == 0) {
      a.send((byte) 1, ByteBuffer.wrap(new byte[1000]));
    }
    assertThat(b.receive((kind, in) -> true)).as("wake").isTrue();
    assertThat(b.receive((kind, in) -> true)).isFalse();
    assertThat(a.flush()).as("wake").isTrue();
    assertThat(a.queuedBytes()).isZero();
  }

  @Test
  void anUnprovenPeerIsNoticed() {
    MessageRing unproven = ring(atA, atB, "another key of 16".getBytes(StandardCharsets.US_ASCII));
    unproven.send((byte) 1, ByteBuffer.wrap(new byte[10]));
    assertThatThrownBy(() -> b.receive((kind, in) -> true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("does not prove");
  }

  @Test
  void nonsenseInTheSegmentIsAnExceptionAndNothingWorse() {
    Random random = new Random(3);
    for (int i = 0; i < 2000; i++) {
      MemorySegment own = Arena.ofAuto().allocate(SessionLayout.BYTES, 64);
      byte[] noise = new byte[256];
      random.nextBytes(noise);
      MemorySegment.copy(noise, 0, own, ValueLayout.JAVA_BYTE, SessionLayout.RING, noise.length);
      long position =
          switch (i % 4) {
            case 0 -> random.nextLong();
            case 1 -> random.nextInt(1 << 20);
            case 2 -> random.nextInt(64) * 8L;
            default -> -8;
          };
      SessionLayout.put(own, SessionLayout.POSITION, position);
      MessageRing ring = ring(own, atA, KEY);
      if (position != 0) {
        assertThatThrownBy(() -> ring.receive((kind, in) -> true)).isInstanceOf(IOException.class);
      }
    }
  }
}
