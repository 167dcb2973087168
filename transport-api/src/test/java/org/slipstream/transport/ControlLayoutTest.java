package org.slipstream.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControlLayoutTest {
  private static final int LINE = 64;

  private record Field(String name, int offset, int bytes) {}

  private static final List<Field> FIELDS =
      List.of(
          new Field("position", ControlLayout.POSITION, 8),
          new Field("piggyback", ControlLayout.PIGGYBACK, 8),
          new Field("inline", ControlLayout.INLINE, 8),
          new Field("credit", ControlLayout.CREDIT, 8),
          new Field("armed", ControlLayout.ARMED, 4),
          new Field("request", ControlLayout.CREDIT_REQUEST, 4),
          new Field("mailbox", ControlLayout.MAILBOX, ControlLayout.MAILBOX_BYTES),
          new Field("switchAt", ControlLayout.SWITCH_AT, 8),
          new Field("fin at", ControlLayout.FIN_AT, 8),
          new Field("committed", ControlLayout.COMMITTED, 8),
          new Field("flags", ControlLayout.FLAGS, 4),
          new Field("back", ControlLayout.BACK_SEEN, 4),
          new Field("pipe", ControlLayout.DOORBELL_PIPE, 8),
          new Field("inode", ControlLayout.DOORBELL_INODE, 8),
          new Field("token", ControlLayout.DOORBELL_TOKEN, 4),
          new Field("futex", ControlLayout.DOORBELL_FUTEX, 4),
          new Field("able", ControlLayout.DOORBELL_ABLE, 4),
          new Field("extent", ControlLayout.EXTENT, 8));

  @ParameterizedTest(name = "{0} lies at {1}")
  @CsvSource({
    "position, 0",
    "piggyback, 8",
    "inline, 16",
    "credit, 24",
    "armed, 32",
    "request, 36",
    "mailbox, 40",
    "switchAt, 128",
    "fin at, 136",
    "committed, 144",
    "flags, 152",
    "back, 156",
    "pipe, 160",
    "inode, 168",
    "token, 176",
    "futex, 180",
    "able, 184",
    "extent, 192"
  })
  void everyWordLiesWhereTheRulerDrawsIt(String name, int offset) {
    assertThat(FIELDS.stream().filter(f -> f.name.equals(name)).map(Field::offset))
        .containsExactly(offset);
  }

  @Test
  void theBlockIsFourLines() {
    assertThat(ControlLayout.BYTES).isEqualTo(4 * LINE);
  }

  @Test
  void theMailboxFillsTheRestOfTheFirstTwoLines() {
    assertThat(ControlLayout.MAILBOX_BYTES).isEqualTo(88);
    assertThat(ControlLayout.MAILBOX + ControlLayout.MAILBOX_BYTES).isEqualTo(2 * LINE);
    assertThat(ControlLayout.PLAIN_BYTES).as("what rides on a publish").isEqualTo(2 * LINE);
  }

  @Test
  void noTwoWordsOverlapAndAllLieInTheBlock() {
    BitSet taken = new BitSet();
    for (Field f : FIELDS) {
      BitSet mine = new BitSet();
      mine.set(f.offset, f.offset + f.bytes);
      assertThat(taken.intersects(mine)).as(f.name).isFalse();
      taken.or(mine);
      assertThat(f.offset + f.bytes).as(f.name).isLessThanOrEqualTo(ControlLayout.BYTES);
    }
  }

  @Test
  void everyWordIsNaturallyAligned() {
    for (Field f : FIELDS) {
      assertThat(f.offset % Math.min(f.bytes, 8)).as(f.name).isZero();
    }
  }

  @Test
  void whatAMessageTouchesLiesInTheFirstLine() {
    for (String hot : List.of("position", "piggyback", "inline", "credit", "armed", "request")) {
      Field f = FIELDS.stream().filter(x -> x.name.equals(hot)).findFirst().orElseThrow();
      assertThat(f.offset + f.bytes).as(hot).isLessThanOrEqualTo(LINE);
    }
    assertThat(ControlLayout.MAILBOX).as("first bytes of the mailbox").isLessThan(LINE);
  }

  @Test
  void theFlagsAreDistinctBits() {
    assertThat(ControlLayout.FLAG_RESET).isEqualTo(1);
    assertThat(ControlLayout.FLAG_CLOSED).isEqualTo(2);
    assertThat(ControlLayout.FLAG_OOB_INLINE).isEqualTo(4);
  }

  @Test
  void wordsAreLittleEndian() {
    MemorySegment block = Arena.ofAuto().allocate(ControlLayout.BYTES, 64);
    ControlLayout.putLongRelease(block, ControlLayout.POSITION, 0x0102030405060708L);
    ControlLayout.putLongPlain(block, ControlLayout.PIGGYBACK, 0x1112131415161718L);
    ControlLayout.putIntRelease(block, ControlLayout.ARMED, 0x21222324);
    assertThat(block.get(ValueLayout.JAVA_BYTE, ControlLayout.POSITION)).isEqualTo((byte) 8);
    assertThat(block.get(ValueLayout.JAVA_BYTE, ControlLayout.POSITION + 7)).isEqualTo((byte) 1);
    assertThat(block.get(ValueLayout.JAVA_BYTE, ControlLayout.PIGGYBACK)).isEqualTo((byte) 0x18);
    assertThat(block.get(ValueLayout.JAVA_BYTE, ControlLayout.ARMED)).isEqualTo((byte) 0x24);
    assertThat(ControlLayout.getLongAcquire(block, ControlLayout.POSITION))
        .isEqualTo(0x0102030405060708L);
    assertThat(ControlLayout.getLongPlain(block, ControlLayout.PIGGYBACK))
        .isEqualTo(0x1112131415161718L);
    assertThat(ControlLayout.getIntAcquire(block, ControlLayout.ARMED)).isEqualTo(0x21222324);
  }

  @ParameterizedTest
  @CsvSource({"0, 16384", "300, 2048", "288230376151711743, 67108864"})
  void anExtentWordHoldsPositionAndBytes(long from, int bytes) {
    long word = ControlLayout.extent(from, bytes);
    assertThat(word).isNotZero();
    assertThat(ControlLayout.extentFrom(word)).isEqualTo(from);
    assertThat(ControlLayout.extentBytes(word)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 88", "4096, 44", "36028797018963966, 88"})
  void aMailboxDescriptorComesBackAsItWasPacked(long start, int length) {
    long inline = ControlLayout.inline(start, length);
    assertThat(inline).isEqualTo(start * 128 + length);
    assertThat(ControlLayout.inlineStart(inline)).isEqualTo(start);
    assertThat(ControlLayout.inlineLength(inline)).isEqualTo(length);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 2", "4096, 255", "36028797018963967, 3", "1000, 256", "1000, 513"})
  void aSwitchWordComesBackAsItWasPacked(long rawBytes, int epoch) {
    long word = ControlLayout.switchWord(rawBytes, epoch);
    assertThat(word).isEqualTo((rawBytes << 9) | 256 | (epoch % 256));
    assertThat(ControlLayout.switchCount(word)).isEqualTo(rawBytes);
    assertThat(ControlLayout.isEpoch(word, epoch)).isTrue();
    assertThat(ControlLayout.isEpoch(word, epoch + 1)).isFalse();
  }
}
