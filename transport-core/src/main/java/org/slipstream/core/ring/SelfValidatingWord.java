package org.slipstream.core.ring;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.slipstream.transport.ControlLayout;

/**
 * The position of a message in the mailbox, where it {@linkplain
 * org.slipstream.transport.Link#needsSelfValidation travels in one piece} with that message and any
 * part of the piece may be seen first. It carries a checksum of what has to be there with it, and a
 * reader believes it when the sum is right.
 *
 * <pre>
 *    63  62                            32  31                             0
 *   +---+--------------------------------+---------------------------------+
 *   | 1 |   sum of inline and mailbox    |   low 32 bits of the position   |
 *   +---+--------------------------------+---------------------------------+
 * </pre>
 *
 * <p>The sum is over whole words: the inline word, which says where the message begins and so makes
 * every sum another one, and the words of the mailbox in which the message lies. Behind its last
 * byte they have what was there before, at both ends. A position without a message in the mailbox
 * is not self-validating, and never negative.
 *
 * <p>A mixture of new and old words passes with a probability of 1 to 2<sup>31</sup>. Against a
 * peer that wants to deceive it helps as little as any other word of the window; it is checked like
 * them.
 *
 * <p>No state: any thread may look. Allocates nothing.
 */
final class SelfValidatingWord {
  private static final int SUM_SHIFT = 32;
  private static final long LOW = (1L << SUM_SHIFT) - 1;

  /** Odd, and without structure: 2^64 divided by the golden ratio, as in Knuth's hashing. */
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private SelfValidatingWord() {}

  /**
   * The self-validating word of what lies in a control block.
   *
   * @param block with the inline word and the message
   * @param position behind the message
   * @return the word to publish
   */
  static long word(ByteBuffer block, long position) {
    long inline = ControlLayout.getLongPlain(block, ControlLayout.INLINE);
    return sum(block, inline, ControlLayout.inlineLength(inline)) | (position & LOW);
  }

  /** Whether a position is self-validating. */
  static boolean isSelfValidating(long word) {
    return word < 0;
  }

  /** The first position that a self-validating word may stand for, from a known one on. */
  static long position(long word, long known) {
    return known + ((word - known) & LOW);
  }

  /**
   * Whether everything that a self-validating word stands for is there. Later loads find it.
   *
   * @param block hostile
   * @param word the position
   * @param position what it stands for
   */
  static boolean isWhole(ByteBuffer block, long word, long position) {
    long inline = ControlLayout.getLongPlain(block, ControlLayout.INLINE);
    int length = ControlLayout.inlineLength(inline);
    if (length > ControlLayout.MAILBOX_BYTES
        || ControlLayout.inlineStart(inline) + length != position
        || (sum(block, inline, length) ^ word) >>> SUM_SHIFT != 0) {
      return false;
    }
    VarHandle.acquireFence(); // the reader of the message loads it once more
    return true;
  }

  /** In the upper half; the lower one is 0. */
  private static long sum(ByteBuffer block, long inline, int length) {
    long sum = mix(inline);
    int end = ControlLayout.MAILBOX + length;
    for (int at = ControlLayout.MAILBOX; at < end; at += Long.BYTES) {
      sum = mix(sum ^ ControlLayout.getLongPlain(block, at));
    }
    return (mix(sum) | Long.MIN_VALUE) & ~LOW; // mixed once more for the last word's upper bits
  }

  /** Each step can be undone, so two words that differ stay different. */
  private static long mix(long word) {
    long product = word * MULTIPLIER;
    return product ^ product >>> SUM_SHIFT;
  }
}
