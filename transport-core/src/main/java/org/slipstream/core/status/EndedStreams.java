package org.slipstream.core.status;

import org.slipstream.core.api.StreamStatus;

/**
 * Streams of this process that are closed, and how many of them have used the ring. Tests that want
 * the ring ask this, because a stream that stays plain behaves as well as any.
 *
 * @param closed all
 * @param carried of these, the ones that carried a byte
 * @param onRing of these, the ones that used the ring in each direction that carried a byte
 */
public record EndedStreams(long closed, long carried, long onRing) {
  static final EndedStreams NONE = new EndedStreams(0, 0, 0);

  EndedStreams with(StreamStatus last) {
    boolean out = last.ringBytesOut() > 0;
    boolean in = last.ringBytesIn() > 0;
    boolean missedOut = !out && last.plainBytesOut() > 0;
    boolean missedIn = !in && last.plainBytesIn() > 0;
    boolean moved = out || in || missedOut || missedIn;
    return new EndedStreams(
        closed + 1, carried + (moved ? 1 : 0), onRing + (moved && !missedOut && !missedIn ? 1 : 0));
  }

  /**
   * What was closed since.
   *
   * @param before an earlier count of the same process
   * @return the difference
   */
  public EndedStreams since(EndedStreams before) {
    return new EndedStreams(
        closed - before.closed, carried - before.carried, onRing - before.onRing);
  }
}
