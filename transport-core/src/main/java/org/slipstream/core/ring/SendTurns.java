package org.slipstream.core.ring;

import java.lang.foreign.MemorySegment;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * The turns of a sending direction in its ring: each begins with a MARK on the anchor and ends with
 * a BACK there. Guarded by the stream's write lock.
 */
public final class SendTurns {
  private final MemorySegment words;
  private final SendCredit credit;

  /** Unusable once released. Written under both locks of the stream. */
  private Link link;

  private int turn;

  /** The position at which the turn began. */
  private long began;

  SendTurns(Link link, SendCredit credit) {
    this.link = link;
    this.words = link.receiveControl();
    this.credit = credit;
  }

  /** The link is given back; under both locks of the stream. */
  void release() {
    link = ReleasedLink.INSTANCE;
  }

  /**
   * Begins a new turn: makes the switch count visible to the peer; MARK follows on the anchor.
   *
   * @param rawBytes bytes on the anchor before MARK
   */
  public void begin(long rawBytes) {
    turn++;
    began = credit.position();
    link.publish(ControlLayout.SWITCH_AT, ControlLayout.switchWord(rawBytes, turn));
    link.place(); // MARK travels on another medium
  }

  /**
   * Bytes published in the current turn, or in the last one.
   *
   * @return how much of the position belongs to it
   */
  public long bytes() {
    return credit.position() - began;
  }

  /**
   * Whether the peer has read the BACK of the last turn. Until then the direction must stay on the
   * anchor: the peer may still be reading the ring, and must not find later bytes there.
   *
   * @return true if a new turn may begin
   */
  public boolean isOver() {
    return ControlLayout.getIntAcquire(words, ControlLayout.BACK_SEEN) == turn;
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
