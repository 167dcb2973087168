package org.slipstream.core.ring;

import java.lang.foreign.MemorySegment;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * The turns of a receiving direction in its ring, as {@link SendTurns} of the peer begin and end
 * them. Guarded by the stream's read lock.
 */
public final class ReceiveTurns {
  private final MemorySegment words;

  /** Unusable once released. Written under both locks of the stream. */
  private Link link;

  private int turn;

  ReceiveTurns(Link link) {
    this.link = link;
    this.words = link.receiveControl();
  }

  /** The link is given back; under both locks of the stream. */
  void release() {
    link = ReleasedLink.INSTANCE;
  }

  /**
   * The count at which the peer's next turn in the ring begins.
   *
   * @return the raw bytes before MARK, or -1 if no turn is announced
   */
  public long nextAt() {
    long word = ControlLayout.getLongAcquire(words, ControlLayout.SWITCH_AT);
    return word == 0 || !ControlLayout.isTurn(word, turn + 1)
        ? -1
        : ControlLayout.switchCount(word);
  }

  /** MARK was read: a turn in the ring begins. */
  public void begin() {
    turn++;
  }

  /** Tells the peer that its BACK was read. */
  void end() {
    link.publishInt(ControlLayout.BACK_SEEN, turn);
  }
}
