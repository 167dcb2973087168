package org.slipstream.core.ring;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Link;

/**
 * What a published position carries, so that the peer can tell whether the bytes before it are
 * there: the sending side of {@link ReceiveIntegrity}. Guarded by the write lock.
 */
final class SendIntegrity {
  private final @Nullable Checksum checksum;
  private final boolean selfValidating;

  SendIntegrity(Link link, ByteBuffer ring, ByteBuffer mailbox) {
    this.checksum = link.needsChecksum() ? new Checksum(ring, mailbox) : null;
    this.selfValidating = link.needsSelfValidation();
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
