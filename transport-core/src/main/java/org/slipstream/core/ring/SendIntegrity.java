package org.slipstream.core.ring;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Link;

/**
 * What a published position carries, so that the peer can tell whether the bytes before it are
 * there: the sending side of {@link ReceiveIntegrity}. Guarded by the write lock.
 */
final class SendIntegrity {
  /** Of all links that need none: it has no state, so that one is enough. */
  private static final SendIntegrity NONE = new SendIntegrity(null, false);

  private final @Nullable Checksum checksum;
  private final boolean selfValidating;

  private SendIntegrity(@Nullable Checksum checksum, boolean selfValidating) {
    this.checksum = checksum;
    this.selfValidating = selfValidating;
  }

  /**
   * What the positions of a link carry.
   *
   * @param link to whose peer they are published
   * @param peerWords the peer's control block, or our copy of it
   * @param ring the peer's ring, or our copy of it
   */
  static SendIntegrity of(Link link, ByteBuffer peerWords, ByteBuffer ring) {
    Checksum checksum = Checksum.of(link, ring, peerWords);
    boolean selfValidating = link.needsSelfValidation();
    return checksum == null && !selfValidating ? NONE : new SendIntegrity(checksum, selfValidating);
  }

  /** Whether every byte is read here before it is sent, so that none can be sent without a copy. */
  boolean readsAll() {
    return checksum != null;
  }

  void addRing(int offset, int length) {
    if (checksum != null) {
      checksum.addRing(offset, length);
    }
  }

  void addMailbox(int length) {
    if (checksum != null) {
      checksum.addMailbox(0, length);
    }
  }

  /** What was added since the last word is never published. */
  void forget() {
    if (checksum != null) {
      checksum.forget();
    }
  }

  /** The word for a position behind bytes in the ring. */
  long word(long position) {
    return checksum == null ? position : checksum.word(position);
  }

  /** The word for a position behind a message in the mailbox of a control block. */
  long mailboxWord(ByteBuffer block, long position) {
    return selfValidating ? SelfValidatingWord.word(block, position) : word(position);
  }
}
