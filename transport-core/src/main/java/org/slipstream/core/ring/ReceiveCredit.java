package org.slipstream.core.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.Window;

/**
 * What the peer may send into our window: storage, which grows with use, and credit for what was
 * taken out, in steps of a quarter of the ring or when the peer waits for it.
 *
 * <p>Guarded by the stream's read lock.
 */
public final class ReceiveCredit {
  private final Window window;
  private final ByteBuffer words;
  private final int size;
  private final int step;

  /** Unusable once released. Written under both locks of the stream. */
  private Link link;

  /** What the peer was told that we have taken out. */
  private long credited;

  private long committed;
  private int answeredRequest;
  private boolean notice;
  private @Nullable IOException growFailure;

  ReceiveCredit(Link link, Window window) {
    this.link = link;
    this.window = window;
    this.words = ControlLayout.words(link.receiveControl());
    this.size = (int) link.receiveRing().byteSize();
    this.step = size / 4;
    this.committed = window.committedBytes();
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
    return step;
  }

  /** Bytes were taken out: gives credit if that is due, and storage. */
  void taken(long consumed, long published) {
    if (consumed - credited >= step || request() != answeredRequest) {
      give(consumed);
    }
    if (committed < size && published * 2 >= committed) {
      grow(consumed);
    }
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

  private void grow(long consumed) {
    if (growFailure != null) {
      return;
    }
    long more = Math.min(size, committed * 4);
    try {
      window.grow(more);
      committed = more;
      link.publish(ControlLayout.COMMITTED, more);
      give(consumed);
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
