package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.ControlLayout;

/** The self-validating position of a message in the mailbox. */
class SelfValidatingWordTest {
  private final MemorySegment block = Arena.ofAuto().allocate(ControlLayout.BYTES, Long.BYTES);
  private final ByteBuffer words = ControlLayout.words(block);

  private long message(long start, int length, int value) {
    ControlLayout.putLongPlain(words, ControlLayout.INLINE, ControlLayout.inline(start, length));
    block.asSlice(ControlLayout.MAILBOX, length).fill((byte) value);
    return SelfValidatingWord.word(words, start + length);
  }

  @Test
  void theWordIsNegativeAndHasTheLowHalfOfThePosition() {
    long start = 0x7_1234_5678L;
    long word = message(start, 8, 3);
    assertThat(word).isNegative();
    assertThat(SelfValidatingWord.isSelfValidating(word)).isTrue();
    assertThat((int) word).isEqualTo(0x1234_5680);
    assertThat(SelfValidatingWord.position(word, start)).isEqualTo(start + 8);
    assertThat(SelfValidatingWord.position(word, start + 8)).as("nothing new").isEqualTo(start + 8);
  }

  /** Both ends of a link must have the same arithmetic for ever. */
  @Test
  void theSumIsPinned() {
    assertThat(message(1000, 20, 7)).isEqualTo(0xE51B_C159_0000_03FCL);
  }

  @Test
  void itIsWholeWithEveryByteAndWithoutAnyOfThemItIsNot() {
    SplittableRandom random = new SplittableRandom(42);
    for (int length = 1; length <= ControlLayout.MAILBOX_BYTES; length++) {
      long position = 5000L + length;
      long word = message(5000, length, 1 + random.nextInt(255));
      assertThat(SelfValidatingWord.isWhole(words, word, position)).isTrue();
      for (int at = ControlLayout.MAILBOX; at < ControlLayout.MAILBOX + length; at++) {
        byte there = block.get(ValueLayout.JAVA_BYTE, at);
        block.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
        assertThat(SelfValidatingWord.isWhole(words, word, position))
            .as("without byte %d", at)
            .isFalse();
        block.set(ValueLayout.JAVA_BYTE, at, there);
      }
    }
  }

  /**
   * The same bytes as in the last message, of which only the inline word says that they are new.
   */
  @Test
  void anEqualMessageAtAnotherPositionHasAnotherWord() {
    Set<Integer> sums = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      sums.add((int) (message(i * 16L, 16, 1) >>> 32));
    }
    assertThat(sums).hasSizeGreaterThan(998);
  }

  /** A word that is old may differ from the new one in any bit, or in a few. */
  @Test
  void everyBitOfEveryWordCountsAndEveryPairOfBits() {
    for (int length : new int[] {8, 16, 88}) {
      long word = message(4096, length, 0x3C);
      int bits = length * Byte.SIZE;
      for (int one = 0; one < bits; one++) {
        flip(one);
        assertThat(SelfValidatingWord.isWhole(words, word, 4096L + length))
            .as("bit %d", one)
            .isFalse();
        for (int other = one + 1; other < bits; other++) {
          flip(other);
          if (SelfValidatingWord.isWhole(words, word, 4096L + length)) {
            throw new AssertionError("bits " + one + " and " + other + " of " + length + " bytes");
          }
          flip(other);
        }
        flip(one);
      }
      assertThat(SelfValidatingWord.isWhole(words, word, 4096L + length)).isTrue();
    }
  }

  private void flip(int bit) {
    int at = ControlLayout.MAILBOX + bit / Long.SIZE * Long.BYTES;
    long word = ControlLayout.getLongPlain(words, at);
    ControlLayout.putLongPlain(words, at, word ^ (1L << (bit % Long.SIZE)));
  }

  @Test
  void withTheOldInlineWordItIsNotWhole() {
    message(100, 10, 1);
    long old = ControlLayout.getLongPlain(words, ControlLayout.INLINE);
    long word = message(110, 10, 1);
    ControlLayout.putLongPlain(words, ControlLayout.INLINE, old);
    assertThat(SelfValidatingWord.isWhole(words, word, 120)).isFalse();
  }

  @Test
  void aLengthThatNoMailboxHasIsNeverWhole() {
    ControlLayout.putLongPlain(words, ControlLayout.INLINE, ControlLayout.inline(0, 127));
    assertThat(SelfValidatingWord.isWhole(words, -1L, 127)).isFalse();
  }
}
