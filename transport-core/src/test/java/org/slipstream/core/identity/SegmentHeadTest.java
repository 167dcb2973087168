package org.slipstream.core.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.testkit.Seed;

/** Segments as Linux 6.18 showed them: behind a translation of both addresses, and before it. */
class SegmentHeadTest {
  private static final String SYN =
      "4500003c247340003f06feb80a4702010a470202d29f1f90779d6ac900000000a002faf018bf0000"
          + "020405b40402080aa67a50b4000000000103030a";
  private static final String ETHERNET =
      "ea21275809a0fa68528d52af0800"
          + "4500003924774000400600960a4701020a60000acc320050779d6acdc334796a8018003f15de0000"
          + "0101080aa67a50b513f3e72968656c6c6f";
  private static final String IPV6 =
      "6000000000260640"
          + "00".repeat(15)
          + "01"
          + "00".repeat(15)
          + "01"
          + "d29f1f90779d6acdc334796a8018003f15de00000101080aa67a50b513f3e72968656c6c6f11";

  @RegisterExtension final Seed seed = new Seed();

  private static ByteBuffer bytes(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  @Test
  void aFirstSegmentIsRead() {
    assertThat(SegmentHead.ofPacket(bytes(SYN)))
        .isEqualTo(new SegmentHead(0x779d6ac9, 0, 0xa67a50b4));
  }

  @Test
  void aSegmentIsFoundBehindTheHeadOfItsLink() {
    assertThat(SegmentHead.ofFrame(bytes(ETHERNET)))
        .isEqualTo(new SegmentHead(0x779d6acd, 5, 0xa67a50b5));
    assertThat(SegmentHead.ofFrame(bytes(ETHERNET.substring(28))))
        .as("a link without a head")
        .isEqualTo(new SegmentHead(0x779d6acd, 5, 0xa67a50b5));
  }

  @Test
  void theSixthVersionHasNoChecksum() {
    assertThat(SegmentHead.ofPacket(bytes(IPV6)))
        .isEqualTo(new SegmentHead(0x779d6acd, 6, 0xa67a50b5));
  }

  /** Offset of a byte from the start of the packet, and what it is changed to. */
  @ParameterizedTest
  @CsvSource({"9, 17, 'UDP'", "8, 3, 'another checksum'", "0, 80, 'version 5'"})
  void anotherPacketIsNone(int at, int value, String what) {
    ByteBuffer packet = bytes(SYN);
    packet.put(at, (byte) value);
    assertThat(SegmentHead.ofPacket(packet)).as(what).isNull();
  }

  @Test
  void withoutATimestampThereIsNone() {
    ByteBuffer packet = bytes(SYN);
    packet.put(20 + 20 + 6, (byte) 99); // the kind of the option
    assertThat(SegmentHead.ofPacket(packet)).isNull();
  }

  @Test
  void whatIsCutOffOrDamagedIsNoError() {
    byte[] whole = HexFormat.of().parseHex(ETHERNET);
    for (int length = 0; length < whole.length; length++) {
      SegmentHead.ofFrame(ByteBuffer.wrap(Arrays.copyOf(whole, length)));
      SegmentHead.ofPacket(ByteBuffer.wrap(Arrays.copyOf(whole, length)));
    }
    Random random = seed.random();
    for (int i = 0; i < 100_000; i++) {
      byte[] damaged = whole.clone();
      for (int n = random.nextInt(4); n >= 0; n--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      SegmentHead.ofFrame(ByteBuffer.wrap(damaged));
      random.nextBytes(damaged);
      SegmentHead.ofFrame(ByteBuffer.wrap(damaged));
      SegmentHead.ofPacket(ByteBuffer.wrap(damaged));
    }
  }
}
