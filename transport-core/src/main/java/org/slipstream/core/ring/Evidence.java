package org.slipstream.core.ring;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * What a position of the peer has to show before the bytes behind it are read. Over memory that
 * both processes map, nothing: the position is stored after them. Where later stores may arrive
 * while earlier ones do not, a {@link Proof}; where a message arrives in one piece with its
 * position, a {@link Seal}.
 *
 * <p>Guarded by the read lock, except {@link #position}, {@link #peek} and {@link #isLasting}.
 */
final class Evidence {
  private Link link;
  private final MemorySegment words;
  private final int size;
  private final @Nullable Proof proof;
  private final boolean seals;
  private final Doubt doubt = new Doubt();

  Evidence(Link link, @Nullable Proof proof) {
    this.link = link;
    this.words = link.receiveControl();
    this.size = (int) link.receiveRing().byteSize();
    this.proof = proof;
    this.seals = link.needsSeal();
  }

  /** The link is given back; under both locks of the stream. */
  void release() {
    link = ReleasedLink.INSTANCE;
  }

  /** Whether a position is believed as it is. */
  boolean isNone() {
    return proof == null && !seals;
  }

  /** What a word stands for, from a known position on. */
  long position(long word, long known) {
    if (proof != null) {
      return Proof.position(word, known);
    }
    return isSealed(word) ? Seal.position(word, known) : word;
  }

  private boolean isSealed(long word) {
    return Seal.isSealed(word) && seals;
  }

  /**
   * Whether everything up to a position is there.
   *
   * @param word of the peer
   * @param from the last position that was believed
   * @param to what the word stands for; not more than a ring ahead
   * @param thoroughly whether to look once more at what was refuted a moment ago
   */
  boolean holds(long word, long from, long to, boolean thoroughly) {
    if (isNone()) {
      return true;
    }
    if (proof != null && !thoroughly && doubt.isFresh(word)) {
      return false; // looking means to read all of it
    }
    if (proof != null ? isProven(proof, word, from, to) : isWhole(word, to)) {
      if (doubt.settle()) {
        link.doubt(0, false);
      }
      return true;
    }
    doubt.raise(word);
    link.doubt(doubt.nanos(), false);
    return false;
  }

  /** The peer says no more than what was believed: perhaps it has taken a word back. */
  void nothingIsClaimed() {
    if (!isNone() && doubt.settle()) {
      link.doubt(0, false);
    }
  }

  private boolean isWhole(long word, long position) {
    return !isSealed(word) || Seal.isWhole(words, word, position);
  }

  /** Compares what lies in the window up to a position with the sum beside the position. */
  private boolean isProven(Proof sum, long word, long from, long to) {
    long inline = ControlLayout.getLongPlain(words, ControlLayout.INLINE);
    long skip = from - ControlLayout.inlineStart(inline);
    int length = ControlLayout.inlineLength(inline);
    long at = from;
    if (skip >= 0 && skip < length && length <= ControlLayout.MAILBOX_BYTES) {
      int n = (int) Math.min(length - skip, to - at);
      sum.addMailbox((int) skip, n);
      at += n;
    }
    while (at < to) {
      int offset = (int) at & size - 1;
      int n = (int) Math.min(to - at, size - offset);
      sum.addRing(offset, n);
      at += n;
    }
    return sum.accept(word);
  }

  /** Whether a position that differs from ours is worth a look; any thread. */
  boolean peek(long word, long known) {
    return proof != null ? !doubt.isFresh(word) : isWhole(word, position(word, known));
  }

  /** Whether a position has been refuted for longer than bytes usually travel; any thread. */
  boolean isLasting(long word) {
    return proof != null && doubt.isLasting(word);
  }

  /** Whether the peer may have published more than was believed. */
  boolean isDoubted() {
    return proof != null || doubt.nanos() > 0;
  }

  /**
   * Whether a reader that finds nothing after it has armed may sleep. In doubt of a proof it may if
   * the bytes can be lost: the end that lost them hears of it. In doubt of a seal, or of bytes that
   * are only late, it may not, as they come without a bell.
   */
  boolean allowsSleep() {
    if (doubt.nanos() == 0) {
      return true;
    }
    boolean sleeps = proof != null && link.losesStores();
    link.doubt(doubt.nanos(), sleeps);
    return sleeps || link.isBroken();
  }

  /** The reader is awake. */
  void wake() {
    if (doubt.nanos() > 0) {
      link.doubt(doubt.nanos(), false);
    }
  }
}
