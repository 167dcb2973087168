package org.slipstream.core.ring;

import java.nio.ByteBuffer;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * The epochs of a receiving direction in its ring, as {@link SendEpochs} of the peer begin and end
 * them. Guarded by the stream's read lock.
 */
public final class ReceiveEpochs {
  private final ByteBuffer words;

  /** Unusable once released. Written under both locks of the stream. */
  private Link link;

  /** Written under the read lock; read by the thread that attaches another link. */
  private volatile int epoch;

  ReceiveEpochs(Link link, ByteBuffer words) {
    this.link = link;
    this.words = words;
  }

  /** The link is given back; under both locks of the stream. */
  void release() {
    link = ReleasedLink.INSTANCE;
  }

  /**
   * The count at which the peer's next epoch in the ring begins.
   *
   * @return the raw bytes before MARK, or -1 if no epoch is announced
   */
  public long nextAt() {
    long word = ControlLayout.getLongAcquire(words, ControlLayout.SWITCH_AT);
    return word == 0 || !ControlLayout.isEpoch(word, epoch + 1)
        ? -1
        : ControlLayout.switchCount(word);
  }

  /** MARK was read: an epoch in the ring begins. */
  public void begin() {
    int before = epoch;
    epoch = before + 1; // one thread at a time writes it
  }

  /** Tells the peer that its BACK was read. */
  void end() {
    link.publishInt(ControlLayout.BACK_SEEN, epoch);
  }
}
