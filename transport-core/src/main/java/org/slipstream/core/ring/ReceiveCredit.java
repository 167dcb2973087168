package org.slipstream.core.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.OutOfLine;
import org.slipstream.transport.Window;

/**
 * What the peer may send into our window: storage, which grows when the peer is far ahead of us,
 * and credit for what was taken out, in steps of a quarter of what is in use or when the peer waits
 * for it.
 *
 * <p>Guarded by the stream's read lock.
 */
public final class ReceiveCredit {
  private final Window window;
  private final ByteBuffer words;
  private final int size;
  private final RingPlaces places;

  /** Unusable once released. Written under both locks of the stream. */
  private Link link;

  /** What the peer was told that we have taken out. */
  private long credited;

  private long committed;

  /** That of the places: in a crowd each object that a message touches is a miss of the cache. */
  private int extent;

  /** The peer's last word on how much of the ring it uses. */
  private long extentWord;

  private int answeredRequest;
  private boolean notice;
  private @Nullable IOException growFailure;

  ReceiveCredit(Link link, Window window, ByteBuffer words) {
    this.link = link;
    this.window = window;
    this.words = words;
    this.size = (int) link.receiveRing().byteSize();
    this.committed = window.committedBytes();
    this.extent = (int) committed;
    this.places = new RingPlaces(extent);
  }

  /** The link is given back; under both locks of the stream. */
  void release() {
    link = ReleasedLink.INSTANCE;
  }

  /** Tells the peer how much of our window it may use. Once, before the peer may write. */
  public void open() {
    link.publish(ControlLayout.COMMITTED, committed);
  }

  /** The most that is taken out before credit is given. */
  int step() {
    return extent / 4;
  }

  /**
   * Where positions lie that the peer has published. To be called before anything is taken out: the
   * peer says where it uses more of the ring once, and not again before it knows that we have taken
   * out a byte behind that place. It can do so only if there is storage, so it is asked only then.
   *
   * @throws ProtocolViolationException the peer uses what has no storage
   */
  RingPlaces places() throws ProtocolViolationException {
    if (extent < committed) {
      followExtent();
    }
    return places;
  }

  @OutOfLine
  private void followExtent() throws ProtocolViolationException {
    long word = ControlLayout.getLongAcquire(words, ControlLayout.EXTENT);
    if (word == extentWord) {
      return;
    }
    long wider = ControlLayout.extentBytes(word);
    if (wider <= extent || wider > committed) {
      throw new ProtocolViolationException(
          "Peer uses " + wider + " bytes of a ring after " + extent + ", of " + committed);
    }
    extent = (int) wider;
    places.widen(ControlLayout.extentFrom(word), extent);
    extentWord = word;
  }

  /**
   * Bytes were taken out: gives credit if that is due, and storage if they had filled half of it;
   * or if half of it has been used and there is plenty, because two processors that write and read
   * the same few cache lines over and over wait for each other.
   *
   * @param before the consumer position before
   * @param consumed and after
   * @param published the peer's position
   */
  void taken(long before, long consumed, long published) {
    boolean step = consumed - credited >= step();
    if (step || request() != answeredRequest) {
      give(consumed);
    }
    if (committed < size
        && ((published - before) * 2 >= committed || (step && mayGrow(consumed)))) {
      grow();
    }
  }

  /** Not ahead of a peer that does not use what it has. */
  private boolean mayGrow(long consumed) {
    return extent == committed && consumed * 2 >= committed && window.hasPlenty();
  }

  /** Whether credit will be given when everything up to there is taken out. */
  boolean isDue(long published) {
    return published - credited >= step();
  }

  /** Gives credit for all that was taken out. */
  void settle(long consumed) {
    if (credited != consumed) {
      give(consumed);
    }
  }

  private void give(long consumed) {
    link.publish(ControlLayout.CREDIT, consumed);
    credited = consumed;
    link.fence();
    int request = request();
    if (request != answeredRequest) {
      answeredRequest = request;
      notice = true;
    }
  }

  private int request() {
    return ControlLayout.getIntAcquire(words, ControlLayout.CREDIT_REQUEST);
  }

  private void grow() {
    if (growFailure != null) {
      return;
    }
    long more = Math.min(size, committed * 4);
    try {
      window.grow(more);
      committed = more;
      link.publish(ControlLayout.COMMITTED, more);
    } catch (IOException e) {
      growFailure = e;
    }
  }

  /**
   * Why our window could not grow; the peer has to leave the ring then.
   *
   * @return the failure, or null
   */
  public @Nullable IOException growFailure() {
    return growFailure;
  }

  /**
   * Whether the peer's writer sleeps for the credit that the last read gave. Cleared by the call.
   *
   * @return true if a notice is due
   */
  public boolean takeNotice() {
    boolean due = notice;
    notice = false;
    return due;
  }
}
