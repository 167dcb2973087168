package org.slipstream.transport.slab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.transport.ControlLayout;

/** Numbers that two processes of different versions would have to agree on. */
class SlabLayoutTest {
  @Test
  void controlBlocksStandTogetherAndRingsBehindThem() {
    SlabLayout slab = new SlabLayout(64, 256 * 1024);
    assertThat(ControlLayout.BYTES).isEqualTo(256);
    assertThat(slab.controlBytes()).isEqualTo(16 * 1024);
    assertThat(slab.controlOffset(0)).isZero();
    assertThat(slab.controlOffset(63)).isEqualTo(63 * 256);
    assertThat(slab.ringOffset(0)).isEqualTo(16 * 1024);
    assertThat(slab.ringOffset(1)).isEqualTo(16 * 1024 + 256 * 1024);
    assertThat(slab.bytes()).isEqualTo(16 * 1024 + 64L * 256 * 1024);
  }

  @Test
  void controlBlocksAreRoundedUpToAPage() {
    assertThat(new SlabLayout(1, 16 * 1024).controlBytes()).isEqualTo(4096);
    assertThat(new SlabLayout(17, 16 * 1024).controlBytes()).isEqualTo(8192);
  }

  @Test
  void theLargestSlabIsComputedWithoutOverflow() {
    SlabLayout slab = new SlabLayout(1024, 64 * 1024 * 1024);
    assertThat(slab.isValid()).isTrue();
    assertThat(slab.bytes()).isEqualTo(1024L * 256 + (64L << 30));
  }

  @ParameterizedTest(name = "{0} slots of {1} bytes: {2}")
  @CsvSource({
    "1, 16384, true",
    "1024, 67108864, true",
    "0, 16384, false",
    "-1, 16384, false",
    "1025, 16384, false",
    "1, 8192, false",
    "1, 134217728, false",
    "1, 16385, false",
    "1, 0, false",
    "1, -2147483648, false",
    "2147483647, 2147483647, false"
  })
  void aPeersNumbersAreASlabOrTheyAreNot(int slots, int ringBytes, boolean valid) {
    assertThat(new SlabLayout(slots, ringBytes).isValid()).isEqualTo(valid);
  }

  @Test
  void slotsThatAPeerNamesAreThereOrRefused() throws IOException {
    SlabLayout slab = new SlabLayout(8, 64 * 1024);
    slab.check();
    slab.check(0);
    slab.check(7);
    assertThatThrownBy(() -> slab.check(8)).hasMessage("Peer names slot 8 of 8");
    assertThatThrownBy(() -> slab.check(-1)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> new SlabLayout(8, 65537).check())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("impossible slab");
  }

  @Test
  void aWindowIsNamedByTwoNumbersInBigEndian() throws IOException {
    ByteBuffer out = ByteBuffer.allocate(SlotName.BYTES);
    new SlotName(0x01020304, 5).put(out);
    assertThat(HexFormat.of().formatHex(out.array())).isEqualTo("0102030400000005");
    assertThat(SlotName.read(out.flip())).isEqualTo(new SlotName(0x01020304, 5));
    assertThatThrownBy(() -> SlotName.read(ByteBuffer.allocate(7)))
        .isInstanceOf(IOException.class)
        .hasMessage("A window descriptor of 7 bytes");
  }
}
