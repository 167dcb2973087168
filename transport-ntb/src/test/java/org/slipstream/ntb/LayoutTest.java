package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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
    assertThat(SegmentIds.advertisement(false, 0x1234, 3)).isEqualTo(0x4C0048D3);
    assertThat(SegmentIds.advertisement(false, 65535, 3)).isEqualTo(0x4C03FFFF);
    assertThat(SegmentIds.advertisement(true, 0x1234, 3)).isEqualTo(0x4E0048D3);
    for (int i = 0; i < 100; i++) {
      assertThat(SegmentIds.random() & 0xFF000000).isEqualTo(0x4D000000);
    }
  }

  @Test
  void files() {
    assertThat(FileLayout.BEAT).isEqualTo(80);
    assertThat(FileLayout.entry(2)).isEqualTo(4096 + 64);
    assertThat(FileLayout.entry(FileLayout.MAX_ENTRIES)).isEqualTo(FileLayout.MESSAGES);
    assertThat(FileLayout.message(0)).isEqualTo(12288);
    assertThat(FileLayout.message(65)).isEqualTo(12288 + 128);
    assertThat(FileLayout.MESSAGES + FileLayout.MAX_MESSAGES * FileLayout.MESSAGE_BYTES)
        .isLessThanOrEqualTo(FileLayout.SEGMENTS);
  }

  @Test
  void lanes() {
    assertThat(LaneLayout.ARMED).isEqualTo(0);
    assertThat(LaneLayout.RING).isEqualTo(64);
    assertThat(LaneLayout.BYTES).isEqualTo(64 + 131072);
    assertThat(LaneLayout.NUMBER).isEqualTo(0);
    assertThat(LaneLayout.SUM).isEqualTo(4);
    assertThat(LaneLayout.KIND).isEqualTo(8);
    assertThat(LaneLayout.LENGTH).isEqualTo(12);
    assertThat(LaneLayout.CREDIT).isEqualTo(16);
    assertThat(LaneLayout.SUBJECT).isEqualTo(24);
    assertThat(LaneLayout.AT).isEqualTo(32);
    assertThat(LaneLayout.INLINE).isEqualTo(40);
    assertThat(LaneLayout.HEAD_BYTES).isEqualTo(64);
    assertThat(LaneLayout.padded(0)).isEqualTo(64);
    assertThat(LaneLayout.padded(24)).as("inline").isEqualTo(64);
    assertThat(LaneLayout.padded(25)).isEqualTo(128);
    assertThat(LaneLayout.padded(64)).isEqualTo(128);
    assertThat(LaneLayout.padded(65)).isEqualTo(192);
    assertThat(LaneLayout.padded(LaneLayout.MAX_PIECE)).isEqualTo(LaneLayout.MAX_RECORD);
    assertThat(LaneLayout.place(0)).isEqualTo(64);
    assertThat(LaneLayout.place(131072 + 128)).isEqualTo(192);
  }

  /** Another program can write this record. */
  @Test
  void aRecordHasTheBytesThatItHad() {
    MemorySegment ring = Arena.ofAuto().allocate(LaneLayout.BYTES, 64);
    RecordWriter writer = new RecordWriter(new HeapImported(ring));
    MemorySegment record = writer.begin();
    record.set(ValueLayout.JAVA_BYTE, LaneLayout.KIND, LaneLayout.FETCH_ADD);
    LaneLayout.putLong(record, LaneLayout.CREDIT, 0x40);
    LaneLayout.putLong(record, LaneLayout.SUBJECT, 0x1_0000_0002L);
    LaneLayout.putLong(record, LaneLayout.AT, 0x18);
    LaneLayout.putLong(record, LaneLayout.INLINE, 5);
    writer.store();
    byte[] bytes = ring.asSlice(64, 64).toArray(ValueLayout.JAVA_BYTE);
    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo(
            "01000000"
                + "0115ca72"
                + "0300000000000000"
                + "4000000000000000"
                + "0200000001000000"
                + "1800000000000000"
                + "0500000000000000"
                + "0".repeat(32));
  }

  @Test
  void advertisements() throws Exception {
    Advertisement advertisement =
        Advertisement.of(new ProcessId(1, 2), 7, InetAddress.ofLiteral("10.1.2.3"), null);
    assertThat(HexFormat.of().formatHex(advertisement.bytes()))
        .isEqualTo(
            "534c4e5400000002"
                + "0000000000000001"
                + "0000000000000002"
                + "00000007"
                + "00000000000000000000ffff0a010203"
                + "00000000000000000000000000000000");
    assertThat(Advertisement.read(advertisement.bytes())).isEqualTo(advertisement);
    assertThat(advertisement.listensAt(InetAddress.ofLiteral("10.1.2.3"))).isTrue();
    assertThat(advertisement.listensAt(InetAddress.ofLiteral("10.1.2.4"))).isFalse();
    assertThat(
            Advertisement.of(new ProcessId(1, 2), 7, InetAddress.ofLiteral("::"), null)
                .listensAt(InetAddress.ofLiteral("10.1.2.4")))
        .isTrue();
    assertThat(Advertisement.read(new byte[Advertisement.BYTES])).isNull();
  }

  @Test
  void anAdvertisementSaysUnderWhichKeyItsProcessListens() {
    InetAddress here = InetAddress.ofLiteral("10.1.2.3");
    byte[] other = KEY.clone();
    other[0]++;
    Advertisement keyed = Advertisement.of(new ProcessId(1, 2), 7, here, KEY);
    assertThat(keyed.hasKey(KEY)).isTrue();
    assertThat(keyed.hasKey(other)).isFalse();
    assertThat(keyed.hasKey(null)).as("a trusted fabric is another key").isFalse();
    assertThat(Advertisement.read(keyed.bytes())).isEqualTo(keyed);
    Advertisement trusted = Advertisement.of(new ProcessId(1, 2), 7, here, null);
    assertThat(trusted.hasKey(null)).isTrue();
    assertThat(trusted.hasKey(KEY)).isFalse();
    assertThat(Advertisement.of(new ProcessId(1, 3), 7, here, KEY).mark())
        .as("of another process")
        .isNotEqualTo(keyed.mark());
  }

  @Test
  void anAdvertisementOfAProcessWithoutAKeyMatchesNone() {
    InetAddress here = InetAddress.ofLiteral("10.1.2.3");
    Advertisement none = Advertisement.withoutKey(new ProcessId(1, 2), 7, here);
    assertThat(HexFormat.of().formatHex(none.bytes()))
        .isEqualTo(
            "534c4e5400000002"
                + "0000000000000001"
                + "0000000000000002"
                + "00000007"
                + "00000000000000000000ffff0a010203"
                + "ffffffffffffffffffffffffffffffff");
    assertThat(none.isWithoutKey()).isTrue();
    assertThat(none.hasKey(KEY)).isFalse();
    assertThat(none.hasKey(null)).as("a trusted fabric").isFalse();
    assertThat(Advertisement.read(none.bytes())).isEqualTo(none);
    assertThat(Advertisement.of(new ProcessId(1, 2), 7, here, KEY).isWithoutKey()).isFalse();
    assertThat(Advertisement.of(new ProcessId(1, 2), 7, here, null).isWithoutKey()).isFalse();
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
