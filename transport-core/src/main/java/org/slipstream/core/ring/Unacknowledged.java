package org.slipstream.core.ring;

import java.nio.ByteBuffer;
import org.slipstream.transport.ControlLayout;

/** What the peer has given no credit for lies in the ring, and some of it in the mailbox. */
final class Unacknowledged {
  private Unacknowledged() {}

  /**
   * Copies it.
   *
   * @param ring of which the peer has not taken everything out
   * @param places where in there
   * @param block the control block, in whose mailbox one message may lie instead
   * @param inline the word that says which positions the mailbox stands for
   * @param from the credit
   * @param to the position
   * @return the bytes between them
   */
  static ByteBuffer copy(
      ByteBuffer ring, RingPlaces places, ByteBuffer block, long inline, long from, long to) {
    ByteBuffer copy = ByteBuffer.allocate((int) (to - from));
    long start = ControlLayout.inlineStart(inline);
    long end = start + ControlLayout.inlineLength(inline);
    long at = from;
    while (at < to) {
      boolean inMailbox = at >= start && at < end;
      long until = inMailbox ? end : at < start ? Math.min(start, to) : to;
      int n = (int) (Math.min(until, to) - at);
      if (inMailbox) {
        copy.put(block.slice(ControlLayout.MAILBOX + (int) (at - start), n));
      } else {
        n = Math.min(n, places.run(at));
        copy.put(ring.slice(places.offset(at), n));
      }
      at += n;
    }
    return copy.flip();
  }
}
