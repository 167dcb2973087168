package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;

/** What two processes say to each other, byte for byte, and what is refused. */
class GreetingTest {
  private static final ProcessId ID = new ProcessId(0x0102030405060708L, 0x1112131415161718L);

  @Test
  void aGreetingIsAsDrawn() throws Exception {
    byte[] bytes = new Greeting(Greeting.KNOWN, ID, 1024).bytes();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    assertThat(bytes).hasSize(26).hasSizeLessThanOrEqualTo(CmId.MAX_PRIVATE_DATA);
    assertThat(in.getInt(0)).isEqualTo(0x534C4950);
    assertThat(in.getShort(4)).isEqualTo((short) 2);
    assertThat(in.getShort(6)).isEqualTo((short) 1);
    assertThat(in.getLong(8)).isEqualTo(0x0102030405060708L);
    assertThat(in.getLong(16)).isEqualTo(0x1112131415161718L);
    assertThat(in.getShort(24)).isEqualTo((short) 1024);
    assertThat(Greeting.read(bytes)).isEqualTo(new Greeting(Greeting.KNOWN, ID, 1024));
  }

  @Test
  void answersHaveTheirNumbers() throws Exception {
    assertThat(Greeting.HELLO).isEqualTo((short) 0);
    assertThat(Greeting.KNOWN).isEqualTo((short) 1);
    assertThat(Greeting.LOST).isEqualTo((short) 2);
    Greeting lost = new Greeting(Greeting.LOST, ID, 0);
    assertThat(Greeting.read(lost.bytes())).isEqualTo(lost);
  }

  @Test
  void zerosThatADeviceAppendsDoNoHarm() throws Exception {
    byte[] padded = Arrays.copyOf(new Greeting(Greeting.HELLO, ID, 0).bytes(), 196);
    assertThat(Greeting.read(padded).process()).isEqualTo(ID);
  }

  @Test
  void strangersAndOtherVersionsAreRefused() {
    assertThatThrownBy(() -> Greeting.read(new byte[56])).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> Greeting.read(new byte[0])).isInstanceOf(IOException.class);
    byte[] newer = new Greeting(Greeting.HELLO, ID, 0).bytes();
    newer[5] = 9;
    assertThatThrownBy(() -> Greeting.read(newer)).hasMessageContaining("version 9");
    byte[] odd = new Greeting(Greeting.HELLO, ID, 1500).bytes();
    assertThatThrownBy(() -> Greeting.read(odd)).hasMessage("The peer wants a path MTU of 1500");
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
      int length = MessageLayout.write(slot, 0x0102, frame);
      assertThat(length).isEqualTo(7);
      assertThat(frame.remaining()).as("the frame is not consumed").isEqualTo(3);
      assertThat(slot.asByteBuffer().getInt(0)).isEqualTo(0x01020003);
      assertThat(MessageLayout.returned(slot)).isEqualTo(0x0102);
      assertThat(MessageLayout.frame(slot, length)).containsExactly(7, 8, 9);
      assertThat(MessageLayout.frame(slot, length + 1)).isNull();
      assertThat(MessageLayout.frame(slot, 3)).isNull();
      assertThat(MessageLayout.SLOT_BYTES)
          .isGreaterThanOrEqualTo(MessageLayout.FRAME + Session.MAX_FRAME_BYTES);
    }
  }
}
