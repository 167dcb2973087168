package org.slipstream.core.ring;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * A CRC32C over every byte that one direction of a link ever carried, for media on which a later
 * store may arrive while an earlier one is lost. Both ends keep one: the writer stores it beside
 * the position, and the reader believes a position when its own sum up to there is the same. A sum
 * over everything and not over each piece, because a reader may miss positions in between.
 *
 * <p>The word: {@code sum << 32 | low 32 bits of the position}, so one aligned store carries both.
 * Not safe for use by two threads; allocates nothing.
 */
final class Checksum {
  private static final int[] TABLE = new int[256];

  /** By its highest byte, which entry of {@link #TABLE} it is: no two have the same. */
  private static final int[] INDEX = new int[256];

  static {
    for (int i = 0; i < TABLE.length; i++) {
      int c = i;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        c = (c & 1) == 0 ? c >>> 1 : (c >>> 1) ^ 0x82F63B78;
      }
      TABLE[i] = c;
      INDEX[c >>> 24] = i;
    }
  }

  private final CRC32C crc = new CRC32C();
  private final byte[] seed = new byte[Integer.BYTES];
  private final ByteBuffer ring;
  private final ByteBuffer mailbox;

  /** The sum at the last position that was proven. */
  private int proven;

  Checksum(ByteBuffer ring, ByteBuffer mailbox) {
    this.ring = ring.duplicate();
    this.mailbox = mailbox.duplicate();
  }

  /**
   * That of one direction of a link.
   *
   * @param link of the direction
   * @param ring in which most bytes lie
   * @param block the control block, in whose mailbox the others do
   * @return null if the link needs none
   */
  static @Nullable Checksum of(Link link, ByteBuffer ring, ByteBuffer block) {
    return link.needsChecksum()
        ? new Checksum(ring, block.slice(ControlLayout.MAILBOX, ControlLayout.MAILBOX_BYTES))
        : null;
  }

  void addRing(int offset, int length) {
    crc.update(ring.clear().limit(offset + length).position(offset));
  }

  void addMailbox(int offset, int length) {
    crc.update(mailbox.clear().limit(offset + length).position(offset));
  }

  /** The word for a position, when all bytes up to it were added. */
  long word(long position) {
    proven = (int) crc.getValue();
    return ((long) proven << 32) | (position & 0xFFFF_FFFFL);
  }

  /** Whether the word is of the bytes that were added; if not, what was added is forgotten. */
  boolean accept(long word) {
    int sum = (int) crc.getValue();
    if (sum == (int) (word >>> 32)) {
      proven = sum;
      return true;
    }
    forget();
    return false;
  }

  /** The first position that a word may stand for, from a known one on. */
  static long position(long word, long known) {
    return known + ((word - known) & 0xFFFF_FFFFL);
  }

  /**
   * Back to the last position that was proven. {@link CRC32C} can not be set; but four bytes take
   * it from its beginning to any state, and here they are computed by running it backwards.
   */
  void forget() {
    int state = ~proven;
    for (int i = 0; i < Integer.BYTES; i++) {
      int index = INDEX[state >>> 24];
      state = ((state ^ TABLE[index]) << 8) | index;
    }
    int word = ~state;
    for (int i = 0; i < Integer.BYTES; i++) {
      seed[i] = (byte) (word >>> (8 * i));
    }
    crc.reset();
    crc.update(seed);
  }
}
