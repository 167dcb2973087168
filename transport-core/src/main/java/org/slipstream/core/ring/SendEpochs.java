package org.slipstream.core.ring;

import java.nio.ByteBuffer;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * The epochs of a sending direction in its ring: each begins with a MARK on the TCP connection and
 * ends with a BACK there. Guarded by the stream's write lock.
 */
public final class SendEpochs {
  private final ByteBuffer words;
  private final SendCredit credit;

  /** Unusable once released. Written under both locks of the stream. */
  private Link link;

  private int epoch;

  /** The position at which the epoch began. */
  private long began;

  SendEpochs(Link link, ByteBuffer words, SendCredit credit) {
    this.link = link;
    this.words = words;
    this.credit = credit;
  }

  /** The link is given back; under both locks of the stream. */
  void release() {
    link = ReleasedLink.INSTANCE;
  }

  /**
   * Begins a new epoch: makes the switch count visible to the peer; MARK follows on the TCP
   * connection.
   *
   * @param rawBytes bytes over TCP before MARK
   */
  public void begin(long rawBytes) {
    epoch++;
    began = credit.position();
    link.publish(ControlLayout.SWITCH_AT, ControlLayout.switchWord(rawBytes, epoch));
    link.flush(); // MARK travels on another medium
  }

  /**
   * Bytes published in the current epoch, or in the last one.
   *
   * @return how much of the position belongs to it
   */
  public long bytes() {
    return credit.position() - began;
  }

  /**
   * Whether the peer has read the BACK of the last epoch. Until then the direction must stay on
   * TCP: the peer may still be reading the ring, and must not find later bytes there.
   *
   * @return true if a new epoch may begin
   */
  public boolean isOver() {
    return ControlLayout.getIntAcquire(words, ControlLayout.BACK_SEEN) == epoch;
  }

  /**
   * Whether the peer is known to have read MARK, and so every raw byte before it.
   *
   * @return false if it may not have
   * @throws ProtocolViolationException the peer's words are nonsense
   */
  public boolean isSeen() throws ProtocolViolationException {
    credit.refresh();
    return credit.acknowledged() > began;
  }
}
