package org.slipstream.core.ring;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * What a position of the peer has to show before the bytes behind it are read. Over memory that
 * both processes map, nothing: the position is stored after them. Where later stores may arrive
 * while earlier ones do not, a {@link Checksum}; where a message arrives in one piece with its
 * position, a {@link SelfValidatingWord}.
 *
 * <p>Guarded by the read lock, except {@link #position}, {@link #peek} and {@link #isLasting}.
 */
final class ReceiveIntegrity {
  /** Of all links that need none: it has no state, so that one is enough. */
  private static final ReceiveIntegrity NONE =
      new ReceiveIntegrity(ReleasedLink.INSTANCE, ReleasedLink.NOTHING, null, null, false);

  /** Unusable once released. Written under both locks of the stream. */
  private Link link;

  private final ByteBuffer words;

  /** Null where nothing is checked. */
  private final @Nullable ReceiveCredit credit;

  private final @Nullable Checksum checksum;
  private final boolean selfValidating;
  private final PendingCheck pending = new PendingCheck();

  private ReceiveIntegrity(
      Link link,
      ByteBuffer words,
      @Nullable ReceiveCredit credit,
      @Nullable Checksum checksum,
      boolean selfValidating) {
    this.link = link;
    this.words = words;
    this.credit = credit;
    this.checksum = checksum;
    this.selfValidating = selfValidating;
  }

  /**
   * What the positions of a link have to show.
   *
   * @param link whose peer publishes them
   * @param words our control block
   * @param ring our ring
   * @param credit which knows where positions lie in it
   */
  static ReceiveIntegrity of(Link link, ByteBuffer words, ByteBuffer ring, ReceiveCredit credit) {
    Checksum checksum = Checksum.of(link, ring, words);
    boolean selfValidating = link.needsSelfValidation();
    return checksum == null && !selfValidating
        ? NONE
        : new ReceiveIntegrity(link, words, credit, checksum, selfValidating);
  }

  /** The link is given back; under both locks of the stream. */
  void release() {
    if (!isNone()) { // that of all links has none
      link = ReleasedLink.INSTANCE;
    }
  }

  /** Whether a position is believed as it is. */
  boolean isNone() {
    return checksum == null && !selfValidating;
  }

  /** What a word stands for, from a known position on. */
  long position(long word, long known) {
    if (checksum != null) {
      return Checksum.position(word, known);
    }
    return isSelfValidating(word) ? SelfValidatingWord.position(word, known) : word;
  }

  private boolean isSelfValidating(long word) {
    return SelfValidatingWord.isSelfValidating(word) && selfValidating;
  }

  /**
   * Whether everything up to a position is there.
   *
   * @param word of the peer
   * @param from the last position that was believed
   * @param to what the word stands for; not more than a ring ahead
   * @param thoroughly whether to look once more at what did not match a moment ago
   * @throws ProtocolViolationException the peer's words are nonsense
   */
  boolean holds(long word, long from, long to, boolean thoroughly)
      throws ProtocolViolationException {
    if (isNone()) {
      return true;
    }
    if (checksum != null && !thoroughly && pending.isFresh(word)) {
      return false; // looking means to read all of it
    }
    if (checksum != null ? isProven(checksum, word, from, to) : isWhole(word, to)) {
      if (pending.settle()) {
        link.reportPending(0, false);
      }
      return true;
    }
    pending.raise(word);
    link.reportPending(pending.nanos(), false);
    return false;
  }

  /** The peer says no more than what was believed: perhaps it has taken a word back. */
  void nothingIsClaimed() {
    if (!isNone() && pending.settle()) {
      link.reportPending(0, false);
    }
  }

  private boolean isWhole(long word, long position) {
    return !isSelfValidating(word) || SelfValidatingWord.isWhole(words, word, position);
  }

  /** Compares what lies in the window up to a position with the sum beside the position. */
  private boolean isProven(Checksum sum, long word, long from, long to)
      throws ProtocolViolationException {
    long inline = ControlLayout.getLongPlain(words, ControlLayout.INLINE);
    long skip = from - ControlLayout.inlineStart(inline);
    int length = ControlLayout.inlineLength(inline);
    long at = from;
    if (skip >= 0 && skip < length && length <= ControlLayout.MAILBOX_BYTES) {
      int n = (int) Math.min(length - skip, to - at);
      sum.addMailbox((int) skip, n);
      at += n;
    }
    RingPlaces places = Objects.requireNonNull(credit).places();
    while (at < to) {
      int n = (int) Math.min(to - at, places.run(at));
      sum.addRing(places.offset(at), n);
      at += n;
    }
    return sum.accept(word);
  }

  /** Whether a position that differs from ours is worth a look; any thread. */
  boolean peek(long word, long known) {
    return checksum != null ? !pending.isFresh(word) : isWhole(word, position(word, known));
  }

  /** Whether a position has not matched for longer than bytes usually travel; any thread. */
  boolean isLasting(long word) {
    return checksum != null && pending.isLasting(word);
  }

  /** Whether the peer may have published more than was believed. */
  boolean isPending() {
    return checksum != null || pending.nanos() > 0;
  }

  /**
   * Whether a reader that finds nothing after it has armed may sleep. While a checksum is pending
   * it may if the bytes can be lost: the end that lost them hears of it. While a self-validating
   * word is pending, or bytes that are only late, it may not, as they come without a doorbell.
   */
  boolean allowsSleep() {
    if (pending.nanos() == 0) {
      return true;
    }
    boolean sleeps = checksum != null && link.losesStores();
    link.reportPending(pending.nanos(), sleeps);
    return sleeps || link.isBroken();
  }

  /** The reader is awake. */
  void wake() {
    if (pending.nanos() > 0) {
      link.reportPending(pending.nanos(), false);
    }
  }
}
