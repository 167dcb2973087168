package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.ProcessId;

/** Numbers that two processes of different versions would have to agree on. */
class LayoutTest {
  private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  @Test
  void sessions() {
    assertThat(SessionLayout.POSITION).isEqualTo(0);
    assertThat(SessionLayout.TAKEN).isEqualTo(64);
    assertThat(SessionLayout.ROOM_REQUEST).isEqualTo(128);
    assertThat(SessionLayout.RING).isEqualTo(4096);
    assertThat(SessionLayout.BYTES).isEqualTo(4096 + 65536);
    assertThat(SessionLayout.padded(0)).isEqualTo(24);
    assertThat(SessionLayout.padded(1)).isEqualTo(32);
    assertThat(SessionLayout.padded(8)).isEqualTo(32);
  }

  @Test
  void segmentIds() {
    assertThat(SegmentIds.advertisement(0x1234, 3)).isEqualTo(0x4C0048D3);
    assertThat(SegmentIds.advertisement(65535, 3)).isEqualTo(0x4C03FFFF);
    for (int i = 0; i < 100; i++) {
      assertThat(SegmentIds.random() & 0xFF000000).isEqualTo(0x4D000000);
    }
  }

  @Test
  void files() {
    assertThat(FileLayout.entry(2)).isEqualTo(4096 + 64);
    assertThat(FileLayout.entry(FileLayout.MAX_ENTRIES)).isEqualTo(FileLayout.MESSAGES);
    assertThat(FileLayout.message(0)).isEqualTo(12288);
    assertThat(FileLayout.message(65)).isEqualTo(12288 + 128);
    assertThat(FileLayout.MESSAGES + FileLayout.MAX_MESSAGES * FileLayout.MESSAGE_BYTES)
        .isLessThanOrEqualTo(FileLayout.SEGMENTS);
  }

  @Test
  void advertisements() throws Exception {
    Advertisement advertisement =
        Advertisement.of(new ProcessId(1, 2), 7, InetAddress.ofLiteral("10.1.2.3"));
    assertThat(HexFormat.of().formatHex(advertisement.bytes()))
        .isEqualTo(
            "534c4e5400000001"
                + "0000000000000001"
                + "0000000000000002"
                + "00000007"
                + "00000000000000000000ffff0a010203");
    assertThat(Advertisement.read(advertisement.bytes())).isEqualTo(advertisement);
    assertThat(advertisement.listensAt(InetAddress.ofLiteral("10.1.2.3"))).isTrue();
    assertThat(advertisement.listensAt(InetAddress.ofLiteral("10.1.2.4"))).isFalse();
    assertThat(
            Advertisement.of(new ProcessId(1, 2), 7, InetAddress.ofLiteral("::"))
                .listensAt(InetAddress.ofLiteral("10.1.2.4")))
        .isTrue();
    assertThat(Advertisement.read(new byte[Advertisement.BYTES])).isNull();
  }

  @Test
  void messagesFitIntoADataInterrupt() throws Exception {
    MessageMac mac = MessageMac.of(KEY);
    byte[] welcome = Message.welcome(5, 6, 7, 8, mac);
    assertThat(welcome).hasSizeLessThanOrEqualTo(Fabric.MESSAGE_BYTES);
    Message read = Message.read(welcome);
    assertThat(read.kind()).isEqualTo(Message.WELCOME);
    assertThat(read.receiver()).isEqualTo(5);
    assertThat(read.segment()).isEqualTo(6);
    assertThat(read.sender()).isEqualTo(7);
    assertThat(read.challenge()).isEqualTo(8);
    assertThat(read.isProven(mac, 0)).isTrue();
    assertThat(
            read.isProven(
                MessageMac.of("another key of 16".getBytes(StandardCharsets.US_ASCII)), 0))
        .isFalse();
    assertThat(Message.read(Message.confirm(5, 9, mac)).isProven(mac, 9)).isTrue();
    assertThat(Message.read(Message.confirm(5, 9, mac)).isProven(mac, 8)).isFalse();
    assertThat(Message.read(Message.wake(5)).receiver()).isEqualTo(5);
  }

  @Test
  void aChangedMessageIsNotProven() throws Exception {
    MessageMac mac = MessageMac.of(KEY);
    byte[] welcome = Message.welcome(5, 6, 7, 8, mac);
    for (int i = 2; i < welcome.length; i++) {
      byte[] changed = welcome.clone();
      changed[i] ^= 1;
      assertThat(Message.read(changed).isProven(mac, 0)).as("byte %s", i).isFalse();
    }
  }

  @Test
  void nonsenseIsRefused() {
    byte[] welcome = Message.welcome(5, 6, 7, 8, MessageMac.of(KEY));
    for (int length = 0; length < welcome.length; length++) {
      byte[] cut = Arrays.copyOf(welcome, length);
      assertThatThrownBy(() -> Message.read(cut)).isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> Message.read(new byte[64])).isInstanceOf(IOException.class);
  }
}
