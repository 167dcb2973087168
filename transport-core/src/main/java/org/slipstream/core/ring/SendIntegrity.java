package org.slipstream.core.ring;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Link;

/**
 * What a published position carries, so that the peer can tell whether the bytes before it are
 * there: the sending side of {@link Evidence}. Guarded by the write lock.
 */
final class SendIntegrity {
  private final @Nullable Proof proof;
  private final boolean seals;

  SendIntegrity(Link link, ByteBuffer ring, ByteBuffer mailbox) {
    this.proof = link.needsProof() ? new Proof(ring, mailbox) : null;
    this.seals = link.needsSeal();
  }

  /** Whether every byte is read here before it is sent, so that none can be lent. */
  boolean readsAll() {
    return proof != null;
  }

  void addRing(int offset, int length) {
    if (proof != null) {
      proof.addRing(offset, length);
    }
  }

  void addMailbox(int length) {
    if (proof != null) {
      proof.addMailbox(0, length);
    }
  }

  /** What was added since the last word is never published. */
  void forget() {
    if (proof != null) {
      proof.forget();
    }
  }

  /** The word for a position behind bytes in the ring. */
  long word(long position) {
    return proof == null ? position : proof.word(position);
  }

  /** The word for a position behind a message in the mailbox of a control block. */
  long mailboxWord(MemorySegment block, long position) {
    return seals ? Seal.word(block, position) : word(position);
  }
}
