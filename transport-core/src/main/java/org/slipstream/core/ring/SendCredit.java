package org.slipstream.core.ring;

import java.nio.ByteBuffer;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * How far one end has published, what the peer has taken out of it, and how far it may go.
 *
 * <pre>
 *   0 ....... acknowledged ............ position ............ limit
 *      taken out            in the ring            may follow
 * </pre>
 *
 * <p>And in how much of the ring that lies: when space runs out, in all of it that has storage.
 *
 * <p>Guarded by the stream's write lock, except the {@code peek} methods. The peer's words are
 * hostile, and loaded once in each call.
 */
public final class SendCredit {
  private final ByteBuffer words;
  private final int size;
  private final RingPlaces places = new RingPlaces(0);

  /** Unusable once released. Written under both locks of the stream. */
  private Link link;

  private long position;
  private long acknowledged;

  /** What the peer has storage for, as far as it has said so. */
  private long committed;

  private long limit;
  private int requests;

  SendCredit(Link link, ByteBuffer words) {
    this.link = link;
    this.words = words;
    this.size = (int) link.sendRing().byteSize();
  }

  /** The link is given back; under both locks of the stream. */
  void release() {
    link = ReleasedLink.INSTANCE;
  }

  /**
   * Bytes published since the link was made, but for those of a write that goes on.
   *
   * @return the position
   */
  public long position() {
    return position;
  }

  /** So many bytes more, or fewer, if they were never published. */
  void advance(int bytes) {
    position += bytes;
  }

  /**
   * The position up to which the peer has taken everything out, as far as it is known.
   *
   * @return the newest credit
   */
  public long acknowledged() {
    return acknowledged;
  }

  /** Where positions lie in the ring. */
  RingPlaces places() {
    return places;
  }

  /**
   * What fits into the peer's window.
   *
   * @return bytes
   */
  public int size() {
    return size;
  }

  /**
   * Space in the ring.
   *
   * @param wanted how much would be good; the peer's words are looked at only if the last known
   *     credit does not cover it
   * @return bytes that can be written now
   * @throws ProtocolViolationException the peer gave credit for bytes that it never got
   */
  public int space(int wanted) throws ProtocolViolationException {
    long free = limit - position;
    if (free < wanted) {
      refresh();
      widen();
      free = limit - position;
    }
    return (int) free;
  }

  /** Uses more of the ring, if there is storage behind more. */
  private void widen() {
    int storage = Integer.highestOneBit((int) committed);
    if (storage <= places.extent() || !places.isSettled(acknowledged)) {
      return;
    }
    places.widen(position, storage);
    link.publish(ControlLayout.EXTENT, ControlLayout.extent(position, storage)); // before a byte
    limit = places.limit(acknowledged);
  }

  /**
   * Whether the peer has taken everything out.
   *
   * @return true if nothing is unread
   * @throws ProtocolViolationException the peer gave credit for bytes that it never got
   */
  public boolean isDrained() throws ProtocolViolationException {
    refresh();
    return isKnownDrained();
  }

  /** The same by the last known credit: false if the peer's words have to be looked at. */
  boolean isKnownDrained() {
    return acknowledged == position;
  }

  /** Loads the peer's words. */
  void refresh() throws ProtocolViolationException {
    long newest = newest();
    if (newest > position) {
      throw new ProtocolViolationException(
          "Peer gives credit for " + newest + " bytes, but only " + position + " were sent");
    }
    acknowledged = Math.max(acknowledged, newest);
    if (committed < size) {
      long g = ControlLayout.getLongAcquire(words, ControlLayout.COMMITTED);
      if (committed == 0 && g > 0) {
        // The first that the peer says: it grows only when it has taken out something.
        places.begin(Integer.highestOneBit((int) Math.min(g, size)));
      }
      committed = Math.max(committed, Math.min(g, size));
    }
    limit = places.limit(acknowledged);
  }

  /** The two words are written by two threads: an older value is no news, and no violation. */
  private long newest() {
    return Math.max(
        ControlLayout.getLongAcquire(words, ControlLayout.CREDIT),
        ControlLayout.getLongAcquire(words, ControlLayout.PIGGYBACK));
  }

  /**
   * Tells the peer that we are out of credit and will sleep; to be followed by a look at {@link
   * #space} and, if there is none, by a sleep that the peer's notice ends.
   */
  public void request() {
    requests = requests == Integer.MAX_VALUE ? 1 : requests + 1;
    link.publishInt(ControlLayout.CREDIT_REQUEST, requests);
    link.flush();
  }

  /**
   * Whether there seems to be space; any thread, no lock. For readiness only: our own position may
   * be seen late, the peer's credit never is.
   *
   * @return true if a write would probably take something
   */
  public boolean peekSpace() {
    long at = position;
    long newest = newest();
    return at < places.limit(newest)
        || (places.isSettled(newest)
            && places.extent() < size
            && places.extent() < ControlLayout.getLongAcquire(words, ControlLayout.COMMITTED));
  }

  /**
   * Bytes that the peer seems not to have taken out; any thread, no lock. For diagnostics only.
   *
   * @return between 0 and {@link #size}
   */
  public int peekUsed() {
    return (int) Math.clamp(position - Math.max(newest(), acknowledged), 0L, size);
  }
}
